package cupel_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

func TestUseAfterClose(t *testing.T) {
	batch := newBatch(t, fullItem)
	recency := scorer(t)(cupel.NewRecency())
	fixed := clock(t)(cupel.NewFixedClock(now))
	closedBatch := newBatch(t, fullItem)
	closedScorer := scorer(t)(cupel.NewRecency())
	closedClock := clock(t)(cupel.NewFixedClock(now))
	for range 3 {
		if err := errors.Join(closedBatch.Close(), closedScorer.Close(), closedClock.Close()); err != nil {
			t.Error(err)
		}
	}
	var zeroBatch cupel.Batch
	var zeroScorer cupel.Scorer
	var zeroClock cupel.Clock
	only := func(_ any, err error) error { return err }
	for name, err := range map[string]error{
		"append":               only(nil, closedBatch.Append(fullItem)),
		"append nothing":       only(nil, closedBatch.Append()),
		"append columns":       only(nil, closedBatch.AppendColumns(&cupel.Columns{Rows: 1})),
		"append JSON":          only(nil, closedBatch.AppendJSON([]byte("[]"))),
		"item":                 only(closedBatch.Item(0)),
		"reserve":              closedBatch.Reserve(1),
		"shrink":               closedBatch.Shrink(),
		"clear":                closedBatch.Clear(),
		"score, batch":         only(recency.Score(closedBatch)),
		"score, scorer":        only(closedScorer.Score(batch)),
		"score into":           closedScorer.ScoreInto(batch, make([]float64, 1)),
		"score row":            only(recency.ScoreRow(closedBatch, 0)),
		"score row, scorer":    only(closedScorer.ScoreRow(batch, 0)),
		"to JSON":              only(closedScorer.MarshalJSON()),
		"json.Marshal":         only(json.Marshal(closedScorer)),
		"scaled":               only(cupel.NewScaled(closedScorer)),
		"composite":            only(cupel.NewComposite(cupel.WeightedScorer{Scorer: recency, Weight: 1}, cupel.WeightedScorer{Scorer: closedScorer, Weight: 1})),
		"decay":                only(cupel.NewDecayWindow(closedClock, time.Hour)),
		"from JSON":            only(cupel.NewScorerFromJSON([]byte(`{"type":"recency"}`), closedClock)),
		"nil batch":            only(recency.Score(nil)),
		"nil batch, append":    (*cupel.Batch)(nil).Append(fullItem),
		"nil scorer":           only((*cupel.Scorer)(nil).Score(batch)),
		"nil child":            only(cupel.NewComposite(cupel.WeightedScorer{Weight: 1})),
		"nil inner":            only(cupel.NewScaled(nil)),
		"zero batch":           zeroBatch.Append(fullItem),
		"zero scorer":          only(zeroScorer.Score(batch)),
		"zero clock":           only(cupel.NewDecayWindow(&zeroClock, time.Hour)),
		"the batch and scorer": only(closedScorer.Score(closedBatch)),
	} {
		if !errors.Is(err, cupel.ErrClosed) {
			t.Errorf("%s: %v, want %v", name, err, cupel.ErrClosed)
		}
	}
	if err := errors.Join((*cupel.Batch)(nil).Close(), (*cupel.Scorer)(nil).Close(), (*cupel.Clock)(nil).Close(), zeroBatch.Close(), zeroScorer.Close(), zeroClock.Close()); err != nil {
		t.Error(err)
	}
	if (*cupel.Batch)(nil).Len() != 0 || zeroBatch.Len() != 0 {
		t.Error("rows in no batch")
	}
	// What failed half-way gave back what it had borrowed.
	if err := errors.Join(batch.Append(fullItem), recency.Close(), fixed.Close()); err != nil {
		t.Error(err)
	}
}

func TestPartsMayBeClosedFirst(t *testing.T) {
	fixed := cupel.Must(cupel.NewFixedClock(now))
	decay := cupel.Must(cupel.NewDecayExponential(fixed, time.Hour))
	custom := cupel.Must(cupel.NewCustom(func(_ *cupel.Batch, scores []float64) error { scores[0] = 0.25; return nil }))
	tree := scorer(t)(cupel.NewComposite(cupel.WeightedScorer{Scorer: decay, Weight: 1}, cupel.WeightedScorer{Scorer: custom, Weight: 1}))
	fixed.Close()
	decay.Close()
	custom.Close()
	scores, err := tree.Score(newBatch(t, cupel.Item{Content: "a", Timestamp: now.Add(-time.Hour)}))
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, scores, 0.375)
}

// A callback's function is let go when its last scorer is.
func TestFunctionsAreLetGo(t *testing.T) {
	before := settled()
	custom := cupel.Must(cupel.NewCustom(func(*cupel.Batch, []float64) error { return nil }))
	now := cupel.Must(cupel.NewCustomClock(func() (time.Time, error) { return time.Now(), nil }))
	decay := cupel.Must(cupel.NewDecayWindow(now, time.Hour))
	tree := cupel.Must(cupel.NewComposite(cupel.WeightedScorer{Scorer: custom, Weight: 1}, cupel.WeightedScorer{Scorer: decay, Weight: 1}))
	custom.Close()
	decay.Close()
	now.Close()
	if live := cupel.Live() - before; live != 3 {
		t.Errorf("%d held, want the tree and two functions", live)
	}
	tree.Close()
	if live := cupel.Live() - before; live != 0 {
		t.Errorf("%d held after all are closed", live)
	}
}

func TestCollectorFrees(t *testing.T) {
	if !settle(cupel.Live()) {
		t.Fatal("unreachable")
	}
	before := cupel.Live()
	func() {
		batch := cupel.Must(cupel.NewBatch(fullItem))
		clock := cupel.Must(cupel.NewCustomClock(func() (time.Time, error) { return time.Now(), nil }))
		decay := cupel.Must(cupel.NewDecayWindow(clock, time.Hour))
		scaled := cupel.Must(cupel.NewScaled(decay))
		if _, err := scaled.Score(batch); err != nil {
			t.Error(err)
		}
		if live := cupel.Live(); live < before+3 {
			t.Errorf("%d held, and %d before there were a batch, a scorer and a function", live, before)
		}
		runtime.KeepAlive(batch)
		runtime.KeepAlive(scaled)
	}()
	if !settle(before) {
		t.Errorf("%d held, %d before", cupel.Live(), before)
	}
}

// Closing from many goroutines while others score: each call is served or gets
// ErrClosed, and the memory is freed once.
func TestConcurrentClose(t *testing.T) {
	items := randomItems(50)
	for range 20 {
		batch := newBatch(t, items...)
		wide := wideScorer(t, now)
		want, err := wide.Score(batch)
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for worker := range 8 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for range 5 {
					scores, err := wide.Score(batch)
					if err == nil {
						wantScores(t, scores, want...)
					} else if !errors.Is(err, cupel.ErrClosed) {
						t.Error(err)
					}
				}
				if worker%2 == 0 {
					batch.Close()
				} else {
					wide.Close()
				}
			}()
		}
		wait.Wait()
		if _, err := wide.Score(batch); !errors.Is(err, cupel.ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
}

func TestConcurrentScoring(t *testing.T) {
	batch := newBatch(t, randomItems(400)...)
	wide := wideScorer(t, now)
	want, err := wide.Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			into := make([]float64, len(want))
			for row := range 20 {
				if err := wide.ScoreInto(batch, into); err != nil {
					t.Error(err)
				}
				wantScores(t, into, want...)
				if score, err := wide.ScoreRow(batch, row); err != nil || score != want[row] {
					t.Errorf("row %d: %v, %v", row, score, err)
				}
				if _, err := batch.Item(row); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wait.Wait()
}

// Appending while others score: each call is served in full or told that the
// batch is busy, and the rows are those that were appended.
func TestConcurrentAppend(t *testing.T) {
	batch := newBatch(t)
	recency := scorer(t)(cupel.NewRecency())
	var appended sync.WaitGroup
	var rows, busy int
	var mu sync.Mutex
	for worker := range 8 {
		appended.Add(1)
		go func() {
			defer appended.Done()
			for range 100 {
				var err error
				if worker%2 == 0 {
					err = batch.Append(fullItem, fullItem)
				} else {
					_, err = recency.Score(batch)
				}
				mu.Lock()
				switch {
				case errors.Is(err, cupel.ErrBusy):
					busy++
				case err != nil:
					t.Error(err)
				case worker%2 == 0:
					rows += 2
				}
				mu.Unlock()
			}
		}()
	}
	appended.Wait()
	if batch.Len() != rows {
		t.Errorf("%d rows, %d appended", batch.Len(), rows)
	}
	t.Logf("%d rows, %d calls found the batch busy", rows, busy)
}
