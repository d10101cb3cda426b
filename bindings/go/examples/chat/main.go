// Command chat simulates an agent's conversation and fits it into a window, turn
// by turn.
//
//	go run ./examples/chat
//
// A tool call and its result are kept or dropped together. The front of the
// prompt stays the same for as long as it can, so that the provider's prompt
// cache can reuse it. For comparison a second loop fits every turn anew.
package main

import (
	"flag"
	"fmt"
	"log"
	"strings"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// A loop fits the conversation into the window, and measures how much of each
// prompt the cache has seen.
type loop struct {
	selector *cupel.Selector
	stable   bool // go on from the previous selection

	kept   cupel.Selection
	prompt []int // rows of the previous turn
	sent   int64 // tokens of all turns
	cached int64 // of which were at the front of the turn before
}

// fit selects the rows of the prompt, and gives how many of its tokens were at
// the front of the previous one.
func (l *loop) fit(batch *cupel.Batch, tokens []int64, request cupel.Request) (int64, error) {
	if l.stable {
		request.Previous = &l.kept
	}
	if err := l.selector.Select(batch, request, &l.kept); err != nil {
		return 0, err
	}
	var same int64
	for i, row := range l.kept.Rows {
		if i >= len(l.prompt) || l.prompt[i] != row {
			break
		}
		same += tokens[row]
	}
	l.prompt = append(l.prompt[:0], l.kept.Rows...)
	l.sent += l.kept.KeptTokens
	l.cached += same
	return same, nil
}

func main() {
	log.SetFlags(0)
	turns := flag.Int("turns", 24, "how many turns the conversation has")
	window := flag.Int64("window", 8000, "the size of the window in tokens")
	flag.Parse()

	recency := cupel.Must(cupel.NewRecency())
	defer recency.Close()
	selector := cupel.Must(cupel.NewSelector(cupel.Policy{
		Scorer:         recency,
		Slicer:         cupel.SlicerPrefix, // the latest turns, without gaps
		Placer:         cupel.BatchOrder,
		GroupKey:       "cupel:group",
		KeepDuplicates: true,
	}))
	defer selector.Close()
	batch := cupel.Must(cupel.NewBatch())
	defer batch.Close()

	// Fill half of the window, and refit only when the rest is full as well.
	request := cupel.Request{MaxTokens: *window, TargetTokens: *window / 2, OutputReserve: *window / 8}
	stable, refit := loop{selector: selector, stable: true}, loop{selector: selector}
	var tokens []int64
	fmt.Println("turn  messages  in prompt  tokens    same front, stable    same front, refitted")
	for turn := range *turns {
		items := conversation(turn)
		if err := batch.Append(items...); err != nil {
			log.Fatal(err)
		}
		for _, item := range items {
			tokens = append(tokens, item.Tokens)
		}
		same, err := stable.fit(batch, tokens, request)
		if err != nil {
			log.Fatal(err)
		}
		sameRefitted, err := refit.fit(batch, tokens, request)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%4d  %8d  %9d  %6d  %s  %s\n", turn+1, batch.Len(), len(stable.kept.Rows), stable.kept.KeptTokens,
			bar(same, stable.kept.KeptTokens), bar(sameRefitted, refit.kept.KeptTokens))
	}
	fmt.Printf("\nTokens that the cache had seen: %d of %d (%d%%); fitted anew every turn: %d of %d (%d%%)\n",
		stable.cached, stable.sent, percent(stable.cached, stable.sent), refit.cached, refit.sent, percent(refit.cached, refit.sent))
}

// conversation is what a turn adds: a question, a tool call with its result, and
// an answer. The first turn begins with the system prompt.
func conversation(turn int) []cupel.Item {
	at := time.Date(2026, 3, 10, 9, turn, 0, 0, time.UTC)
	call := map[string]any{"cupel:group": fmt.Sprintf("call-%d", turn)}
	items := []cupel.Item{
		{Content: fmt.Sprintf("Question %d", turn), Tokens: 40 + int64(turn%5)*12, Timestamp: at},
		{Content: fmt.Sprintf("Tool call %d", turn), Tokens: 60, Timestamp: at.Add(time.Second), Metadata: call},
		{Content: fmt.Sprintf("Result %d", turn), Tokens: 250 + int64(turn*turn%7)*90, Kind: cupel.KindToolOutput, Source: cupel.SourceTool,
			Timestamp: at.Add(2 * time.Second), Metadata: call},
		{Content: fmt.Sprintf("Answer %d", turn), Tokens: 120 + int64(turn%3)*35, Timestamp: at.Add(3 * time.Second)},
	}
	if turn == 0 {
		system := cupel.Item{Content: "You maintain this repository.", Tokens: 900, Kind: cupel.KindSystemPrompt, Pinned: true}
		items = append([]cupel.Item{system}, items...)
	}
	return items
}

// bar shows part of whole as a bar of ten characters and in percent.
func bar(part, whole int64) string {
	p := percent(part, whole)
	full := int(p / 10)
	return fmt.Sprintf("%s%s %5d (%3d%%)", strings.Repeat("#", full), strings.Repeat(".", 10-full), part, p)
}

func percent(part, whole int64) int64 {
	if whole == 0 {
		return 0
	}
	return part * 100 / whole
}
