// Keeps the rows of a conversation that are worth most, in 40 tokens.
package main

import (
	"fmt"
	"log"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

func main() {
	at := func(second int64) time.Time { return time.Unix(second, 0) }
	items := []cupel.Item{
		{Content: "You are a careful engineer.", Tokens: 8, Kind: cupel.KindSystemPrompt, Pinned: true, Timestamp: at(0)},
		{Content: "Why does the build fail?", Tokens: 7, Timestamp: at(60)},
		{Content: "cc app.c -lcupel and 900 tokens more", Tokens: 900, Kind: cupel.KindToolOutput, Timestamp: at(120)},
		{Content: "The linker needs -L and the library's folder.", Tokens: 12, Timestamp: at(180)},
		{Content: "And at run time?", Tokens: 6, Timestamp: at(240)},
	}
	batch := cupel.Must(cupel.NewBatch(items...))
	defer batch.Close()

	scorer := cupel.Must(cupel.NewComposite(
		cupel.WeightedScorer{Scorer: cupel.Must(cupel.NewRecency()), Weight: 3},
		cupel.WeightedScorer{Scorer: cupel.Must(cupel.NewKindDefault()), Weight: 1},
	))
	defer scorer.Close()
	selector := cupel.Must(cupel.NewSelector(cupel.Policy{Scorer: scorer}))
	defer selector.Close()

	var kept cupel.Selection
	if err := selector.Select(batch, cupel.Request{MaxTokens: 40}, &kept); err != nil {
		log.Fatal(err)
	}
	for _, row := range kept.Rows {
		fmt.Printf("%.3f  %s\n", kept.Scores[row], items[row].Content)
	}
	fmt.Println(kept.KeptTokens, "of 40 tokens")
}
