package cupel_test

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// inTrees are scorers that have custom in them at every place it can have, and
// a second custom scorer beside it where there is room.
func inTrees(t *testing.T, custom *cupel.Scorer) map[string]*cupel.Scorer {
	kind := scorer(t)(cupel.NewKindDefault())
	scaled := scorer(t)(cupel.NewScaled(custom))
	return map[string]*cupel.Scorer{
		"alone":     custom,
		"scaled":    scaled,
		"composite": scorer(t)(cupel.NewComposite(cupel.WeightedScorer{Scorer: kind, Weight: 1}, cupel.WeightedScorer{Scorer: scaled, Weight: 1}, cupel.WeightedScorer{Scorer: kind, Weight: 1})),
	}
}

func TestCustomError(t *testing.T) {
	cause := &fs.PathError{Op: "read", Path: "model", Err: fs.ErrNotExist}
	custom := scorer(t)(cupel.NewCustom(func(*cupel.Batch, []float64) error { return fmt.Errorf("embedding: %w", cause) }))
	batch := newBatch(t, fullItem, fullItem)
	for name, tree := range inTrees(t, custom) {
		t.Run(name, func(t *testing.T) {
			scores := []float64{7, 7}
			err := tree.ScoreInto(batch, scores)
			wantError(t, err, cupel.ErrCallbackFailed)
			wantScores(t, scores, 7, 7)
			_, rowErr := tree.ScoreRow(batch, 1)
			all, allErr := tree.Score(batch)
			if all != nil {
				t.Error("scores come with an error")
			}
			for _, err := range []error{err, rowErr, allErr} {
				var found *fs.PathError
				if !errors.As(err, &found) || found != cause || !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%v does not wrap the very error", err)
				}
				if strings.Count(err.Error(), "embedding: read model: file does not exist") != 1 {
					t.Errorf("%q does not say what failed, once", err)
				}
			}
		})
	}
}

func TestClockError(t *testing.T) {
	cause := errors.New("no time")
	broken := clock(t)(cupel.NewCustomClock(func() (time.Time, error) { return time.Time{}, cause }))
	batch := newBatch(t, fullItem)
	for _, s := range []*cupel.Scorer{
		scorer(t)(cupel.NewDecayWindow(broken, time.Hour)),
		scorer(t)(cupel.NewDecayExponential(broken, time.Hour)),
		scorer(t)(cupel.NewDecayStep(broken, []cupel.DecayStep{{1, 1}})),
		scorer(t)(cupel.NewScorerFromJSON([]byte(`{"type":"decay","curve":{"window":{"maxAge":"1s"}}}`), broken)),
	} {
		_, err := s.Score(batch)
		wantError(t, err, cupel.ErrCallbackFailed)
		if !errors.Is(err, cause) || strings.Count(err.Error(), "no time") != 1 {
			t.Errorf("%v does not wrap the error and say it once", err)
		}
	}
}

// The library receives the text of an error, whatever bytes it has.
func TestCustomErrorText(t *testing.T) {
	batch := newBatch(t, fullItem)
	for text, want := range map[string]string{
		"":                         "",
		"naïve":                    "naïve",
		"a\xffb":                   "a\uFFFDb",
		strings.Repeat("x", 1<<16): strings.Repeat("x", 1<<16),
	} {
		cause := errors.New(text)
		custom := scorer(t)(cupel.NewCustom(func(*cupel.Batch, []float64) error { return cause }))
		_, err := custom.Score(batch)
		wantError(t, err, cupel.ErrCallbackFailed, want)
		if !errors.Is(err, cause) {
			t.Errorf("%.40q is not wrapped", text)
		}
	}
}

// An error whose own method panics fails like any panic.
func TestCustomErrorThatPanics(t *testing.T) {
	boom := errors.New("boom")
	custom := scorer(t)(cupel.NewCustom(func(*cupel.Batch, []float64) error { return panickingError{boom} }))
	batch := newBatch(t, fullItem)
	func() {
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, boom) {
				t.Errorf("recovered %v", err)
			}
		}()
		custom.Score(batch)
	}()
	if err := batch.Append(fullItem); err != nil {
		t.Error(err)
	}
}

type panickingError struct{ value error }

func (p panickingError) Error() string { panic(p.value) }

// A panic keeps its stack through scoring calls within scoring calls.
func TestNestedPanic(t *testing.T) {
	innermost := scorer(t)(cupel.NewCustom(panicOfTheInnermost))
	outer := scorer(t)(cupel.NewCustom(func(b *cupel.Batch, _ []float64) error {
		_, err := innermost.Score(b)
		return err
	}))
	defer func() {
		got, ok := recover().(*cupel.PanicError)
		if !ok || got.Value != "innermost" || !strings.Contains(string(got.Stack), "panicOfTheInnermost") || strings.Count(got.Error(), "runtime/debug.Stack()") != 1 {
			t.Errorf("recovered %v", got)
		}
	}()
	outer.Score(newBatch(t, fullItem))
}

func panicOfTheInnermost(*cupel.Batch, []float64) error { panic("innermost") }

func TestPanicGoesOn(t *testing.T) {
	type value struct{ n int }
	thrown := &value{1}
	custom := scorer(t)(cupel.NewCustom(func(*cupel.Batch, []float64) error { panic(thrown) }))
	brokenClock := clock(t)(cupel.NewCustomClock(func() (time.Time, error) { panic(thrown) }))
	trees := inTrees(t, custom)
	trees["clock"] = scorer(t)(cupel.NewDecayWindow(brokenClock, time.Hour))
	batch := newBatch(t, fullItem, fullItem)
	raises := func(what string, f func()) {
		t.Helper()
		defer func() {
			got, ok := recover().(*cupel.PanicError)
			if !ok || got.Value != thrown || got.Unwrap() != nil {
				t.Errorf("%s: recovered %v, want a PanicError of the very value", what, got)
			} else if !strings.Contains(got.Error(), "TestPanicGoesOn") || !strings.Contains(string(got.Stack), "cupelGo") {
				t.Errorf("%s: %v does not show where it came from", what, got)
			}
		}()
		f()
		t.Errorf("%s: returned", what)
	}
	for name, tree := range trees {
		raises(name, func() { tree.Score(batch) })
		raises(name+", a row", func() { tree.ScoreRow(batch, 0) })
	}
	// The calls were wound up: nothing is still in use, and all goes on.
	if err := batch.Append(fullItem); err != nil {
		t.Error(err)
	}
	if _, err := scorer(t)(cupel.NewRecency()).Score(batch); err != nil {
		t.Error(err)
	}
}

func TestRuntimePanicGoesOn(t *testing.T) {
	custom := scorer(t)(cupel.NewCustom(func(_ *cupel.Batch, scores []float64) error {
		scores[len(scores)] = 1
		return nil
	}))
	defer func() {
		err, _ := recover().(error)
		var failed runtime.Error
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), "index out of range") || !strings.Contains(err.Error(), "TestRuntimePanicGoesOn") {
			t.Errorf("recovered %v", err)
		}
	}()
	custom.Score(newBatch(t, fullItem))
}

func TestCustomReadsTheBatch(t *testing.T) {
	batch := newBatch(t, cupel.Item{Content: "four"}, cupel.Item{Content: "eleven char"}, fullItem)
	recency := scorer(t)(cupel.NewRecency())
	custom := scorer(t)(cupel.NewCustom(func(b *cupel.Batch, scores []float64) error {
		if b != batch || b.Len() != len(scores) {
			return fmt.Errorf("%p with %d rows, %d scores", b, b.Len(), len(scores))
		}
		inner, err := recency.Score(b)
		if err != nil {
			return err
		}
		for row := range scores {
			item, err := b.Item(row)
			if err != nil {
				return err
			}
			if row == 2 && !reflect.DeepEqual(item, fullItem) {
				return fmt.Errorf("got %v", item)
			}
			scores[row] = float64(len(item.Content)) + inner[row]
		}
		return nil
	}))
	scores, err := custom.Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, scores, 4, 11, float64(len(fullItem.Content))+1)
}

// Custom scorers that call custom scorers, each of which has its own call.
func TestNestedCallbacks(t *testing.T) {
	batch := newBatch(t, fullItem)
	cause := errors.New("innermost")
	var innermost error
	level := scorer(t)(cupel.NewCustom(func(_ *cupel.Batch, scores []float64) error {
		scores[0] = 1
		return innermost
	}))
	for range 5 {
		inner := level
		level = scorer(t)(cupel.NewCustom(func(b *cupel.Batch, scores []float64) error {
			got, err := inner.Score(b)
			if err != nil {
				return err
			}
			scores[0] = got[0] + 1
			return nil
		}))
	}
	scores, err := level.Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, scores, 6)
	innermost = cause
	_, err = level.Score(batch)
	wantError(t, err, cupel.ErrCallbackFailed, "innermost")
	if !errors.Is(err, cause) {
		t.Errorf("%v does not wrap the innermost error", err)
	}
}

func TestBatchIsBusyWithinCallback(t *testing.T) {
	batch := newBatch(t, fullItem)
	custom := scorer(t)(cupel.NewCustom(func(b *cupel.Batch, _ []float64) error {
		for name, err := range map[string]error{
			"append":         b.Append(fullItem),
			"append nothing": b.Append(),
			"append columns": b.AppendColumns(&cupel.Columns{Rows: 1}),
			"append JSON":    b.AppendJSON([]byte("[]")),
			"reserve":        b.Reserve(1),
			"shrink":         b.Shrink(),
			"clear":          b.Clear(),
		} {
			if !errors.Is(err, cupel.ErrBusy) {
				t.Errorf("%s: %v, want %v", name, err, cupel.ErrBusy)
			}
		}
		return nil
	}))
	if _, err := custom.Score(batch); err != nil {
		t.Fatal(err)
	}
	if batch.Len() != 1 {
		t.Errorf("%d rows", batch.Len())
	}
	if err := batch.Append(fullItem); err != nil {
		t.Error(err)
	}
}

func TestCloseWithinCallback(t *testing.T) {
	batch := newBatch(t, fullItem)
	var custom *cupel.Scorer
	custom = scorer(t)(cupel.NewCustom(func(b *cupel.Batch, scores []float64) error {
		b.Close()
		custom.Close()
		if _, err := b.Item(0); !errors.Is(err, cupel.ErrClosed) {
			t.Errorf("a closed batch gives %v", err)
		}
		scores[0] = 3
		return nil
	}))
	scores, err := custom.Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, scores, 3)
	if _, err := custom.Score(batch); !errors.Is(err, cupel.ErrClosed) {
		t.Errorf("the closed scorer gives %v", err)
	}
}

func TestClockIsReadOncePerCall(t *testing.T) {
	reads := 0
	counting := clock(t)(cupel.NewCustomClock(func() (time.Time, error) {
		reads++
		return now.Add(time.Duration(reads) * time.Hour), nil
	}))
	hour := func() *cupel.Scorer { return scorer(t)(cupel.NewDecayExponential(counting, time.Hour)) }
	tree := scorer(t)(cupel.NewComposite(cupel.WeightedScorer{Scorer: hour(), Weight: 1}, cupel.WeightedScorer{Scorer: scorer(t)(cupel.NewComposite(cupel.WeightedScorer{Scorer: hour(), Weight: 1})), Weight: 1}))
	batch := newBatch(t, cupel.Item{Content: "a", Timestamp: now}, cupel.Item{Content: "b", Timestamp: now})
	for call := 1; call <= 3; call++ {
		scores, err := tree.Score(batch)
		if err != nil {
			t.Fatal(err)
		}
		want := []float64{0.5, 0.25, 0.125}[call-1]
		wantScores(t, scores, want, want)
		if reads != call {
			t.Errorf("%d reads after %d calls", reads, call)
		}
	}
}

// Each goroutine's calls get its own batch, errors and panics, though they
// share the scorer.
func TestConcurrentCallbacks(t *testing.T) {
	type key struct{ n int64 }
	custom := scorer(t)(cupel.NewCustom(func(b *cupel.Batch, scores []float64) error {
		item, err := b.Item(0)
		if err != nil {
			return err
		}
		switch n := item.Tokens; n % 3 {
		case 1:
			return cupel.Status(1000 + n)
		case 2:
			panic(key{n})
		default:
			scores[0] = float64(n)
			return nil
		}
	}))
	var wait sync.WaitGroup
	for n := range int64(12) {
		batch := newBatch(t, cupel.Item{Content: "a", Tokens: n})
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range 50 {
				func() {
					defer func() {
						got, ok := recover().(*cupel.PanicError)
						if ok != (n%3 == 2) || ok && got.Value != (key{n}) {
							t.Errorf("%d: recovered %v", n, got)
						}
					}()
					scores, err := custom.Score(batch)
					if n%3 == 1 {
						if !errors.Is(err, cupel.Status(1000+n)) {
							t.Errorf("%d: %v", n, err)
						}
					} else if err != nil || scores[0] != float64(n) {
						t.Errorf("%d: %v, %v", n, scores, err)
					}
				}()
			}
		}()
	}
	wait.Wait()
}

// Deep Go stacks within a callback move the goroutine's stack; what the call
// lent to C must not lie on it.
func TestStackGrowsWithinCallback(t *testing.T) {
	var grow func(n int) int
	grow = func(n int) int {
		var frame [256]byte
		if n == 0 {
			return 0
		}
		frame[n%256] = byte(n)
		return grow(n-1) + int(frame[n%256])
	}
	custom := scorer(t)(cupel.NewCustom(func(_ *cupel.Batch, scores []float64) error {
		grow(5000)
		scores[0] = 5
		return nil
	}))
	batch := newBatch(t, fullItem)
	for range 20 {
		done := make(chan struct{})
		go func() { // a small stack of its own
			defer close(done)
			var scores [1]float64
			if err := custom.ScoreInto(batch, scores[:]); err != nil || scores[0] != 5 {
				t.Errorf("%v, %v", scores, err)
			}
			if score, err := custom.ScoreRow(batch, 0); err != nil || score != 5 {
				t.Errorf("%v, %v", score, err)
			}
		}()
		<-done
	}
}
