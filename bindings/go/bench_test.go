package cupel_test

import (
	"fmt"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
	"github.com/libcupel/libcupel/bindings/go/internal/byitem"
)

var sizes = []int{20, 1_000, 100_000}

// compositeJSON is the composite whose price the library's own benchmarks name.
const compositeJSON = `{"scorers": [
	{"type": "recency", "weight": 0.4}, {"type": "kind", "weight": 0.3},
	{"type": "frequency", "weight": 0.2}, {"type": "metadataTrust", "weight": 0.1}
]}`

// perItem reports the time of an iteration per item.
func perItem(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/item")
}

// What it costs to build a batch: items by Append, flat arrays by
// AppendColumns, and for comparison a call into C per field.
func BenchmarkBuild(b *testing.B) {
	for _, n := range sizes {
		items := randomItems(n)
		columns := columnsOf(items)
		b.Run(fmt.Sprintf("items/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				cupel.Must(cupel.NewBatch(items...)).Close()
			}
			perItem(b, n)
		})
		b.Run(fmt.Sprintf("columns/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				batch := cupel.Must(cupel.NewBatch())
				if err := batch.AppendColumns(columns); err != nil {
					b.Fatal(err)
				}
				batch.Close()
			}
			perItem(b, n)
		})
		b.Run(fmt.Sprintf("calls/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				batch, err := byitem.NewBatch(items)
				if err != nil {
					b.Fatal(err)
				}
				batch.Close()
			}
			perItem(b, n)
		})
	}
}

// Building and scoring, as a host does that keeps no batch.
func BenchmarkBuildAndScore(b *testing.B) {
	composite := scorer(b)(cupel.NewScorerFromJSON([]byte(compositeJSON), nil))
	for _, n := range sizes {
		items := randomItems(n)
		columns := columnsOf(items)
		b.Run(fmt.Sprintf("items/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				batch := cupel.Must(cupel.NewBatch(items...))
				cupel.Must(composite.Score(batch))
				batch.Close()
			}
			perItem(b, n)
		})
		b.Run(fmt.Sprintf("columns/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				batch := cupel.Must(cupel.NewBatch())
				if err := batch.AppendColumns(columns); err != nil {
					b.Fatal(err)
				}
				cupel.Must(composite.Score(batch))
				batch.Close()
			}
			perItem(b, n)
		})
		b.Run(fmt.Sprintf("calls/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := byitem.Score([]byte(compositeJSON), items); err != nil {
					b.Fatal(err)
				}
			}
			perItem(b, n)
		})
	}
}

// Scoring a batch that is there, into a slice that is there.
func BenchmarkScoreInto(b *testing.B) {
	fixed := clock(b)(cupel.NewFixedClock(now))
	scorers := []struct {
		name   string
		scorer *cupel.Scorer
	}{
		{"kind", scorer(b)(cupel.NewKindDefault())},
		{"recency", scorer(b)(cupel.NewRecency())},
		{"composite", scorer(b)(cupel.NewScorerFromJSON([]byte(compositeJSON), nil))},
		{"decay", scorer(b)(cupel.NewDecayExponential(fixed, 24*time.Hour))},
		{"custom", scorer(b)(cupel.NewCustom(func(_ *cupel.Batch, scores []float64) error {
			for i := range scores {
				scores[i] = float64(i)
			}
			return nil
		}))},
	}
	for _, n := range sizes {
		batch := newBatch(b, randomItems(n)...)
		scores := make([]float64, n)
		for _, s := range scorers {
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := s.scorer.ScoreInto(batch, scores); err != nil {
						b.Fatal(err)
					}
				}
				perItem(b, n)
			})
		}
	}
}

// What scripts/bench.sh reports of Go: a batch of 20 rows from beginning to end, and
// functions that read one field beside the scorer that does.
func BenchmarkReport(b *testing.B) {
	composite := scorer(b)(cupel.NewScorerFromJSON([]byte(compositeJSON), nil))
	b.Run("small", func(b *testing.B) {
		columns, scores := columnsOf(randomItems(20)), make([]float64, 20)
		b.ReportAllocs()
		for b.Loop() {
			batch := cupel.Must(cupel.NewBatch())
			if err := batch.AppendColumns(columns); err != nil {
				b.Fatal(err)
			}
			if err := composite.ScoreInto(batch, scores); err != nil {
				b.Fatal(err)
			}
			batch.Close()
		}
	})
	const rows = 10_000
	batch, scores := newBatch(b, randomItems(rows)...), make([]float64, rows)
	for _, c := range []struct {
		name   string
		scorer *cupel.Scorer
	}{
		{"items", scorer(b)(cupel.NewCustom(func(batch *cupel.Batch, scores []float64) error {
			for row := range scores {
				item, err := batch.Item(row)
				if err != nil {
					return err
				}
				scores[row] = 0.1 * float64(item.Priority.Value)
			}
			return nil
		}))},
		{"column", scorer(b)(cupel.NewCustom(byPriority))},
		{"priority", scorer(b)(cupel.NewPriority())},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.scorer.ScoreInto(batch, scores); err != nil {
					b.Fatal(err)
				}
			}
			perItem(b, rows)
		})
	}
}

func byPriority(batch *cupel.Batch, scores []float64) error {
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
}
