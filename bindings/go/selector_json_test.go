package cupel_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"testing"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

func TestSelectorJSON(t *testing.T) {
	text := []byte(`{"name": "chat", "scorer": {"type": "recency"}, "slicerType": "prefix", "placerType": "batchOrder", "groupKey": "g", "countQuotas": [{"kind": "Memory", "minCount": 1}]}`)
	batch := newBatch(t, randomItems(50)...)
	first := keep[*cupel.Selector](t)(cupel.NewSelectorFromJSON(text, nil))
	written, err := json.Marshal(map[string]any{"selector": first})
	if err != nil {
		t.Fatal(err)
	}
	var settings struct{ Selector *cupel.Selector }
	if err := json.Unmarshal(written, &settings); err != nil {
		t.Fatal(err)
	}
	defer settings.Selector.Close()
	recency := scorer(t)(cupel.NewRecency())
	third := selector(t, cupel.Policy{Scorer: recency, Slicer: cupel.SlicerPrefix, Placer: cupel.BatchOrder, GroupKey: "g", CountQuotas: []cupel.CountQuota{{Kind: "Memory", MinCount: 1}}})
	var a, b, c cupel.Selection
	request := cupel.Request{MaxTokens: 3_000}
	if err := errors.Join(first.Select(batch, request, &a), settings.Selector.Select(batch, request, &b), third.Select(batch, request, &c)); err != nil {
		t.Fatal(err)
	}
	wantRows(t, &b, a.Rows...)
	wantRows(t, &c, a.Rows...)

	wantError(t, json.Unmarshal(written, &settings), cupel.ErrInvalidArgument, "already made")
	_, err = cupel.NewSelectorFromJSON([]byte(`{"scorer": {"type": "recency"}, "slicerType": "magic"}`), nil)
	wantError(t, err, cupel.ErrInvalidJSON, "$.slicerType", "magic")
	custom := scorer(t)(cupel.NewCustom(func(*cupel.Batch, []float64) error { return nil }))
	_, err = selector(t, cupel.Policy{Scorer: custom}).MarshalJSON()
	wantError(t, err, cupel.ErrInvalidArgument)
}

// A closed selector has no JSON.
func TestClosedSelectorJSON(t *testing.T) {
	closed := selector(t, cupel.Policy{})
	closed.Close()
	if _, err := closed.MarshalJSON(); !errors.Is(err, cupel.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// The policies of the managed .NET library are read as they are.
func ExampleNewSelectorFromJSON() {
	selector, err := cupel.NewSelectorFromJSON([]byte(`{
		"scorers": [{"type": "priority", "weight": 1}],
		"slicerType": "greedy",
		"placerType": "uShaped",
		"overflowStrategy": "truncate"
	}`), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer selector.Close()
	batch := cupel.Must(cupel.NewBatch(
		cupel.Item{Content: "good", Tokens: 10, Priority: cupel.Int64(2)},
		cupel.Item{Content: "bad", Tokens: 10, Priority: cupel.Int64(1)},
		cupel.Item{Content: "best", Tokens: 10, Priority: cupel.Int64(3)},
	))
	defer batch.Close()

	var kept cupel.Selection
	if err := selector.Select(batch, cupel.Request{MaxTokens: 20}, &kept); err != nil {
		log.Fatal(err)
	}
	fmt.Println(kept.Rows, kept.KeptTokens)
	// Output: [2 0] 20
}
