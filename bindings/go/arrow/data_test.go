package cupelarrow_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/memory/mallocator"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

var now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// randomRows are rows as JSON objects, of which every field but the content may be
// absent. Numbers are such that the narrowest type of the tests holds them. The
// rows of a conversation follow each other.
func randomRows(n int) []map[string]any {
	random := rand.New(rand.NewPCG(3, 4))
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	rows := make([]map[string]any, n)
	conversation := 0
	for i := range rows {
		if random.IntN(7) == 0 {
			conversation++
		}
		row := map[string]any{
			"content":      strings.Repeat("é text ", random.IntN(4)) + fmt.Sprint("row ", i),
			"tokens":       random.IntN(100),
			"conversation": conversation,
		}
		optional := func(name string, value any) {
			if random.IntN(4) > 0 {
				row[name] = value
			}
		}
		optional("kind", pick("Message", "Document", "ToolOutput", "a kind of more than twelve bytes"))
		optional("source", pick("Chat", "Tool", "Rag"))
		optional("priority", random.IntN(10))
		optional("timestamp", now.Add(-time.Duration(random.IntN(1_000_000))*time.Second).Format(time.RFC3339))
		optional("futureRelevanceHint", float64(random.IntN(64))/64)
		optional("pinned", random.IntN(2) == 0)
		optional("originalTokens", random.IntN(100))
		tags := []string{}
		for range random.IntN(4) {
			tags = append(tags, pick("a", "b", "", "a tag of more than twelve bytes"))
		}
		optional("tags", tags)
		metadata := map[string]any{}
		if random.IntN(3) > 0 {
			metadata["cupel:trust"] = float64(random.IntN(32)) / 32
		}
		if random.IntN(3) > 0 {
			metadata["cupel:priority"] = pick("high", "low", "none of the usual texts")
		}
		if random.IntN(3) > 0 {
			metadata["flag"] = random.IntN(2) == 0
		}
		optional("metadata", metadata)
		rows[i] = row
	}
	return rows
}

// without gives rows without some fields.
func without(rows []map[string]any, names ...string) []map[string]any {
	left := make([]map[string]any, len(rows))
	for i, row := range rows {
		left[i] = map[string]any{}
		for name, value := range row {
			left[i][name] = value
		}
		for _, name := range names {
			delete(left[i], name)
		}
	}
	return left
}

// batchOf reads the rows as JSON.
func batchOf(t testing.TB, rows []map[string]any) *cupel.Batch {
	t.Helper()
	batch := keep[*cupel.Batch](t)(cupel.NewBatch())
	text := must[[]byte](t)(json.Marshal(without(rows, "conversation")))
	if err := batch.AppendJSON(text); err != nil {
		t.Fatal(err)
	}
	return batch
}

// recordOf reads the rows as Arrow's JSON, which differs for maps alone.
func recordOf(t testing.TB, mem memory.Allocator, schema *arrow.Schema, rows []map[string]any) arrow.RecordBatch {
	t.Helper()
	record, _, err := array.RecordFromJSON(mem, schema, bytes.NewReader(must[[]byte](t)(json.Marshal(rows))))
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func arrayOf(t testing.TB, mem memory.Allocator, dataType arrow.DataType, rows any) arrow.Array {
	t.Helper()
	values, _, err := array.FromJSON(mem, dataType, bytes.NewReader(must[[]byte](t)(json.Marshal(rows))))
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// wantRows compares the rows of two batches, and their scores to the bit.
func wantRows(t testing.TB, got, want *cupel.Batch) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Fatalf("%d rows, want %d", got.Len(), want.Len())
	}
	fields, expected := objectsOf(t, got), objectsOf(t, want)
	for row := range fields {
		if !reflect.DeepEqual(fields[row], expected[row]) {
			t.Errorf("row %d:\n got %v\nwant %v", row, fields[row], expected[row])
		}
	}
	wide := wideScorer(t)
	wantScores(t, must[[]float64](t)(wide.Score(got)), must[[]float64](t)(wide.Score(want)))
}

// objectsOf gives the rows of a batch as JSON objects.
func objectsOf(t testing.TB, batch *cupel.Batch) []map[string]any {
	t.Helper()
	objects := make([]map[string]any, batch.Len())
	lines := json.NewDecoder(bytes.NewReader(must[[]byte](t)(batch.JSONLines(0, batch.Len()))))
	lines.UseNumber()
	for row := range objects {
		if err := lines.Decode(&objects[row]); err != nil {
			t.Fatal(err)
		}
	}
	return objects
}

func wantScores(t testing.TB, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d scores, want %d", len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Errorf("score %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// wideScorer reads every column that a scorer reads.
func wideScorer(t testing.TB) *cupel.Scorer {
	t.Helper()
	fixed := must[*cupel.Clock](t)(cupel.NewFixedClock(now))
	defer fixed.Close()
	return keep[*cupel.Scorer](t)(cupel.NewScorerFromJSON([]byte(`{"scorers": [
		{"type": "recency", "weight": 4}, {"type": "kind", "weight": 3}, {"type": "frequency", "weight": 2},
		{"type": "metadataTrust", "weight": 1, "defaultScore": 0.25}, {"type": "priority", "weight": 0.7},
		{"type": "reflexive", "weight": 0.3}, {"type": "tag", "weight": 1, "tagWeights": {"a": 1, "b": 2.5}},
		{"type": "scaled", "weight": 1, "innerScorer": {"type": "metadataKey", "key": "cupel:priority", "value": "high", "boost": 1.5}},
		{"type": "decay", "weight": 1, "curve": {"exponential": {"halfLife": "1h"}}}
	]}`), fixed))
}

func must[T any](t testing.TB) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// keep closes an object at the end of the test.
func keep[T interface{ Close() error }](t testing.TB) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { value.Close() })
		return value
	}
}

// allocators run a test with Go memory and with C memory, and count what it does
// not release.
func allocators(t *testing.T, test func(t *testing.T, mem memory.Allocator)) {
	for name, allocator := range map[string]memory.Allocator{"Go memory": memory.NewGoAllocator(), "C memory": mallocator.NewMallocator()} {
		t.Run(name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(allocator)
			test(t, mem)
			mem.AssertSize(t, 0)
		})
	}
}
