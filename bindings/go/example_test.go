package cupel_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// Score a few items with one scorer.
func Example() {
	batch, err := cupel.NewBatch(
		cupel.Item{Content: "Ship on Friday?", Tokens: 5, Kind: cupel.KindMessage},
		cupel.Item{Content: "Never deploy on Fridays.", Tokens: 6, Kind: cupel.KindSystemPrompt},
	)
	if err != nil {
		log.Fatal(err)
	}
	defer batch.Close()

	scorer, err := cupel.NewKindDefault()
	if err != nil {
		log.Fatal(err)
	}
	defer scorer.Close()

	scores, err := scorer.Score(batch)
	fmt.Println(scores, err)
	// Output: [0.2 1] <nil>
}

// A composite weighs scorers against each other.
func ExampleNewComposite() {
	recency := cupel.Must(cupel.NewRecency())
	priority := cupel.Must(cupel.NewPriority())
	scorer := cupel.Must(cupel.NewComposite(
		cupel.WeightedScorer{Scorer: recency, Weight: 3},
		cupel.WeightedScorer{Scorer: priority, Weight: 1},
	))
	defer scorer.Close()
	recency.Close() // the composite keeps its share
	priority.Close()

	noon := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	batch := cupel.Must(cupel.NewBatch(
		cupel.Item{Content: "first", Timestamp: noon, Priority: cupel.Int64(9)},
		cupel.Item{Content: "second", Timestamp: noon.Add(time.Minute), Priority: cupel.Int64(1)},
	))
	defer batch.Close()

	fmt.Println(scorer.Score(batch))
	// Output: [0.25 0.75] <nil>
}

// Half as much with every half-life, by a clock that stands still.
func ExampleNewDecayExponential() {
	noon := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	clock := cupel.Must(cupel.NewFixedClock(noon))
	defer clock.Close()
	scorer := cupel.Must(cupel.NewDecayExponential(clock, time.Hour, cupel.NullTimestampScore(0)))
	defer scorer.Close()

	batch := cupel.Must(cupel.NewBatch(
		cupel.Item{Content: "now", Timestamp: noon},
		cupel.Item{Content: "two hours ago", Timestamp: noon.Add(-2 * time.Hour)},
		cupel.Item{Content: "whenever"},
	))
	defer batch.Close()

	fmt.Println(scorer.Score(batch))
	// Output: [1 0.25 0] <nil>
}

// A Go function as a scorer, within others like any scorer.
func ExampleNewCustom() {
	shorter := cupel.Must(cupel.NewCustom(func(batch *cupel.Batch, scores []float64) error {
		for row := range scores {
			item, err := batch.Item(row)
			if err != nil {
				return err
			}
			scores[row] = -float64(item.Tokens)
		}
		return nil
	}))
	defer shorter.Close()
	scorer := cupel.Must(cupel.NewScaled(shorter))
	defer scorer.Close()

	batch := cupel.Must(cupel.NewBatch(
		cupel.Item{Content: "an essay", Tokens: 900},
		cupel.Item{Content: "a page", Tokens: 300},
		cupel.Item{Content: "a line", Tokens: 100},
	))
	defer batch.Close()

	fmt.Println(scorer.Score(batch))
	// Output: [0 0.75 1] <nil>
}

// What a custom scorer returns is what the caller can test for.
func ExampleNewCustom_error() {
	errOffline := errors.New("the embedding model is offline")
	scorer := cupel.Must(cupel.NewCustom(func(*cupel.Batch, []float64) error { return errOffline }))
	defer scorer.Close()
	batch := cupel.Must(cupel.NewBatch(cupel.Item{Content: "a"}))
	defer batch.Close()

	_, err := scorer.Score(batch)
	fmt.Println(errors.Is(err, errOffline), errors.Is(err, cupel.ErrCallbackFailed))
	// Output: true true
}

// Items and the scorer as the JSON that a host keeps them in.
func ExampleNewScorerFromJSON() {
	scorer, err := cupel.NewScorerFromJSON([]byte(`{"scorers": [
		{"type": "kind", "weight": 3},
		{"type": "tag", "tagWeights": {"urgent": 2, "todo": 1}, "weight": 1}
	]}`), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer scorer.Close()

	batch := cupel.Must(cupel.NewBatch())
	defer batch.Close()
	err = batch.AppendJSON([]byte(`[
		{"content": "The build is red.", "tokens": 5, "kind": "SystemPrompt", "tags": ["urgent", "todo"]},
		{"content": "Nice weather.", "tokens": 3, "kind": "Gossip"}
	]`))
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(scorer.Score(batch))
	// Output: [1 0] <nil>
}

// A scorer can be stored with a host's settings.
func ExampleScorer_MarshalJSON() {
	scorer := cupel.Must(cupel.NewRecency())
	defer scorer.Close()
	text, err := json.Marshal(scorer)
	fmt.Println(string(text), err)
	// Output: {"type":"recency"} <nil>
}

// A chat keeps one batch and one slice, and appends a turn at a time.
func ExampleBatch_Append() {
	batch := cupel.Must(cupel.NewBatch())
	defer batch.Close()
	scorer := cupel.Must(cupel.NewRecency())
	defer scorer.Close()

	var scores []float64
	start := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for turn := range 3 {
		said := start.Add(time.Duration(turn) * time.Minute)
		err := batch.Append(
			cupel.Item{Content: "a question", Timestamp: said},
			cupel.Item{Content: "its answer", Timestamp: said.Add(time.Second)},
		)
		if err != nil {
			log.Fatal(err)
		}
		scores = append(scores, 0, 0)
		if err := scorer.ScoreInto(batch, scores); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(scores)
	// Output: [0 0.2 0.4 0.6 0.8 1]
}

// Rows that a host holds as flat arrays are lent, not copied. Without contents
// they can be scored all the same.
func ExampleBatch_AppendColumns() {
	batch := cupel.Must(cupel.NewBatch())
	defer batch.Close()
	err := batch.AppendColumns(&cupel.Columns{
		Rows: 3,
		Kind: cupel.TextColumn{
			Data:    []byte("MemoryDocument"),
			Offsets: []int64{0, 6, 14},
			Codes:   []uint32{0, 1, 0},
		},
		Priority:         []int64{3, 0, 7},
		PriorityValidity: []bool{true, false, true},
	})
	if err != nil {
		log.Fatal(err)
	}
	scorer := cupel.Must(cupel.NewPriority())
	defer scorer.Close()
	fmt.Println(scorer.Score(batch))
	// Output: [0 0 1] <nil>
}

// Errors have a status for errors.Is, and say what is wrong and where.
func ExampleError() {
	_, err := cupel.NewBatch(cupel.Item{Content: "fine"}, cupel.Item{Content: ""})
	fmt.Println(errors.Is(err, cupel.ErrEmptyContent))
	fmt.Println(err)
	// Output:
	// true
	// cupel: items[1].Content is empty: an item needs content
}

// Settings that are read from JSON may contain a scorer.
func ExampleScorer_UnmarshalJSON() {
	var settings struct {
		Model  string
		Scorer *cupel.Scorer
	}
	text := `{"model": "large", "scorer": {"type": "kind"}}`
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		log.Fatal(err)
	}
	defer settings.Scorer.Close()

	batch := cupel.Must(cupel.NewBatch(cupel.Item{Content: "Be brief.", Kind: cupel.KindSystemPrompt}))
	defer batch.Close()
	fmt.Println(settings.Scorer.Score(batch))
	// Output: [1] <nil>
}

// A chat keeps the latest turns that fit, whole tool calls only, and leaves the
// front of the prompt alone as long as it can.
func ExampleSelector() {
	recency := cupel.Must(cupel.NewRecency())
	defer recency.Close()
	noon := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	call := map[string]any{"cupel:group": "call-1"}
	messages := []cupel.Item{
		{Content: "You are terse.", Tokens: 400, Kind: cupel.KindSystemPrompt, Pinned: true},
		{Content: "What is in the log?", Tokens: 300, Timestamp: noon},
		{Content: "read log", Tokens: 200, Timestamp: noon.Add(time.Minute), Metadata: call},
		{Content: "ten thousand lines", Tokens: 4200, Kind: cupel.KindToolOutput, Timestamp: noon.Add(2 * time.Minute), Metadata: call},
		{Content: "Disk full.", Tokens: 100, Timestamp: noon.Add(3 * time.Minute)},
		{Content: "Since when?", Tokens: 100, Timestamp: noon.Add(4 * time.Minute)},
	}
	batch := cupel.Must(cupel.NewBatch(messages...))
	defer batch.Close()

	chat := cupel.Must(cupel.NewSelector(cupel.Policy{
		Scorer:   recency,
		Slicer:   cupel.SlicerPrefix,
		Placer:   cupel.BatchOrder,
		GroupKey: "cupel:group",
	}))
	defer chat.Close()

	var kept cupel.Selection // reused by the next Select
	request := cupel.Request{MaxTokens: 5000, TargetTokens: 4000, OutputReserve: 500}
	if err := chat.Select(batch, request, &kept); err != nil {
		log.Fatal(err)
	}
	for _, row := range kept.Rows {
		fmt.Println(messages[row].Content)
	}
	for row, reason := range kept.Reasons {
		if !reason.Kept() {
			fmt.Println("dropped:", messages[row].Content, "-", reason)
		}
	}
	// Output:
	// You are terse.
	// Disk full.
	// Since when?
	// dropped: What is in the log? - budget
	// dropped: read log - budget
	// dropped: ten thousand lines - budget
}

// The best rows, without a budget.
func ExampleScorer_TopK() {
	priority := cupel.Must(cupel.NewPriority())
	defer priority.Close()
	batch := cupel.Must(cupel.NewBatch(
		cupel.Item{Content: "a", Priority: cupel.Int64(2)},
		cupel.Item{Content: "b", Priority: cupel.Int64(1)},
		cupel.Item{Content: "c", Priority: cupel.Int64(3)},
	))
	defer batch.Close()
	fmt.Println(priority.TopK(batch, 2))
	// Output: [2 0] <nil>
}

// Why a row has its score: the scores of the children, and their weights.
func ExampleScorer_Children() {
	tree := cupel.Must(cupel.NewScorerFromJSON([]byte(`{"scorers": [
		{"type": "kind", "weight": 3},
		{"type": "priority", "weight": 1}
	]}`), nil))
	defer tree.Close()
	batch := cupel.Must(cupel.NewBatch(
		cupel.Item{Content: "a", Kind: cupel.KindDocument, Priority: cupel.Int64(2)},
		cupel.Item{Content: "b", Priority: cupel.Int64(1)},
	))
	defer batch.Close()

	for _, child := range cupel.Must(tree.Children()) {
		name := cupel.Must(child.Scorer.Type())
		fmt.Println(name, child.Weight, cupel.Must(child.Scorer.Score(batch)))
		child.Scorer.Close()
	}
	// Output:
	// kind 0.75 [0.4 0.2]
	// priority 0.25 [1 0]
}

// A custom scorer reads the field that it needs in blocks, with a call into C for
// each: one for each row would cost a hundred times as much.
func ExampleBatch_ReadPriority() {
	byPriority := cupel.Must(cupel.NewCustom(func(batch *cupel.Batch, scores []float64) error {
		var block [1024]int64
		for first := 0; first < len(scores); first += len(block) {
			priorities := block[:min(len(block), len(scores)-first)]
			if err := batch.ReadPriority(first, priorities, nil); err != nil {
				return err
			}
			for i, priority := range priorities {
				scores[first+i] = 0.1 * float64(priority)
			}
		}
		return nil
	}))
	defer byPriority.Close()

	batch := cupel.Must(cupel.NewBatch(
		cupel.Item{Content: "a", Priority: cupel.Int64(3)},
		cupel.Item{Content: "b"},
	))
	defer batch.Close()
	fmt.Printf("%.1f\n", cupel.Must(byPriority.Score(batch)))
	// Output: [0.3 0.0]
}

func ExampleBatch_ReadColumns() {
	batch := cupel.Must(cupel.NewBatch(
		cupel.Item{Content: "a", Kind: cupel.KindMemory, Tags: []string{"x", "y"}},
		cupel.Item{Content: "b"},
	))
	defer batch.Close()

	var columns cupel.Columns // reused by the next ReadColumns
	if err := batch.ReadColumns(0, batch.Len(), cupel.ColumnKind|cupel.ColumnTags, &columns); err != nil {
		log.Fatal(err)
	}
	for row := range columns.Rows {
		fmt.Print(columns.Kind.At(row))
		for i := columns.TagLists[row]; i < columns.TagLists[row+1]; i++ {
			fmt.Print(" ", columns.Tags.At(int(i)))
		}
		fmt.Println()
	}
	// Output:
	// Memory x y
	// Message
}

func ExampleScorer_ScoreGroups() {
	batch := cupel.Must(cupel.NewBatch(
		cupel.Item{Content: "Which port?", Priority: cupel.Int64(1)},
		cupel.Item{Content: "5432.", Priority: cupel.Int64(2)},
		cupel.Item{Content: "Who is on call?", Priority: cupel.Int64(1)},
	))
	defer batch.Close()
	scorer := cupel.Must(cupel.NewPriority())
	defer scorer.Close()
	selector := cupel.Must(cupel.NewSelector(cupel.Policy{Scorer: scorer, Placer: cupel.BatchOrder}))
	defer selector.Close()

	groups := []int64{0, 2, 3} // rows 0 and 1, and row 2
	scores := make([]float64, batch.Len())
	if err := scorer.ScoreGroups(batch, groups, scores); err != nil {
		log.Fatal(err)
	}
	fmt.Println(scores)

	var kept cupel.Selection
	if err := selector.SelectGroups(batch, groups, cupel.Request{MaxTokens: 1000}, &kept); err != nil {
		log.Fatal(err)
	}
	fmt.Println(kept.Group(0), kept.Group(1))
	// Output:
	// [0 1 1]
	// [0 1] [2]
}

func ExampleBatch_KeepLast() {
	window := cupel.Must(cupel.NewBatch())
	defer window.Close()
	for turn := range 5 {
		if err := window.Append(cupel.Item{Content: fmt.Sprint("turn ", turn), Tokens: 10}); err != nil {
			log.Fatal(err)
		}
		if err := window.KeepLast(2); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%s", cupel.Must(window.JSONLines(0, window.Len())))
	// Output:
	// {"content":"turn 3","tokens":10,"kind":"Message","source":"Chat"}
	// {"content":"turn 4","tokens":10,"kind":"Message","source":"Chat"}
}
