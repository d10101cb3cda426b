package cupel_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
	"github.com/libcupel/libcupel/bindings/go/internal/byitem"
)

var now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// Each scorer through its constructor; what they compute in every case is for
// the conformance vectors.
func TestScorers(t *testing.T) {
	items := []cupel.Item{
		{Content: "a", Kind: "systemprompt", Priority: cupel.Int64(5), Tags: []string{"X", "y"},
			Timestamp: now.Add(-3 * time.Hour), FutureRelevanceHint: cupel.Float64(2),
			Metadata: map[string]any{"cupel:trust": "0.9", "v": 0.85}},
		{Content: "b", Kind: "Note", Priority: cupel.Int64(1), Tags: []string{"x"},
			Timestamp: now.Add(-time.Hour), FutureRelevanceHint: cupel.Float64(0.25),
			Metadata: map[string]any{"cupel:trust": true, "v": "0.85"}},
		{Content: "c"},
	}
	batch := newBatch(t, items...)
	s := scorer(t)
	fixed := clock(t)(cupel.NewFixedClock(now))
	kind := s(cupel.NewKindDefault())
	recency := s(cupel.NewRecency())
	for name, c := range map[string]struct {
		scorer *cupel.Scorer
		want   []float64
	}{
		"recency":         {recency, []float64{0, 1, 0}},
		"priority":        {s(cupel.NewPriority()), []float64{1, 0, 0}},
		"frequency":       {s(cupel.NewFrequency()), []float64{0.5, 0.5, 0}},
		"reflexive":       {s(cupel.NewReflexive()), []float64{1, 0.25, 0}},
		"kind default":    {kind, []float64{1, 0, 0.2}},
		"kind":            {s(cupel.NewKind(cupel.Weight{Name: "note", Weight: 7}, cupel.Weight{Name: "Message", Weight: 0.5})), []float64{0, 7, 0.5}},
		"kind of none":    {s(cupel.NewKind()), []float64{0, 0, 0}},
		"tag":             {s(cupel.NewTag(cupel.MatchExact, cupel.Weight{Name: "x", Weight: 3}, cupel.Weight{Name: "y", Weight: 1})), []float64{0.25, 0.75, 0}},
		"tag, any case":   {s(cupel.NewTag(cupel.MatchASCIICaseInsensitive, cupel.Weight{Name: "x", Weight: 3}, cupel.Weight{Name: "", Weight: 1})), []float64{0.75, 0.75, 0}},
		"trust":           {s(cupel.NewMetadataTrust(0.4)), []float64{0.9, 0.4, 0.4}},
		"metadata key":    {s(cupel.NewMetadataKey("v", "0.85", 1.5)), []float64{1.5, 1.5, 1}},
		"no such key":     {s(cupel.NewMetadataKey("", "", 1.5)), []float64{1, 1, 1}},
		"exponential":     {s(cupel.NewDecayExponential(fixed, time.Hour)), []float64{0.125, 0.5, 0.5}},
		"null score":      {s(cupel.NewDecayExponential(fixed, time.Hour, cupel.NullTimestampScore(0))), []float64{0.125, 0.5, 0}},
		"window":          {s(cupel.NewDecayWindow(fixed, time.Hour+1)), []float64{0, 1, 0.5}},
		"window, its end": {s(cupel.NewDecayWindow(fixed, time.Hour)), []float64{0, 0, 0.5}},
		"step":            {s(cupel.NewDecayStep(fixed, []cupel.DecayStep{{time.Hour, 1}, {2 * time.Hour, 0.7}, {3 * time.Hour, -1}}, cupel.NullTimestampScore(1))), []float64{-1, 0.7, 1}},
		"composite":       {s(cupel.NewComposite(cupel.WeightedScorer{Scorer: recency, Weight: 1}, cupel.WeightedScorer{Scorer: recency, Weight: 3})), []float64{0, 1, 0}},
		"scaled":          {s(cupel.NewScaled(kind)), []float64{1, 0, 0.2}},
		"custom": {s(cupel.NewCustom(func(_ *cupel.Batch, scores []float64) error {
			scores[0], scores[2] = math.Inf(1), -0.125
			return nil
		})), []float64{math.Inf(1), 0, -0.125}},
		"json": {s(cupel.NewScorerFromJSON([]byte(`{"type":"decay","curve":{"window":{"maxAge":"2h"}}}`), fixed)), []float64{0, 1, 0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.scorer.Score(batch)
			if err != nil {
				t.Fatal(err)
			}
			wantScores(t, got, c.want...)
			into := []float64{9, 9, 9}
			if err := c.scorer.ScoreInto(batch, into); err != nil {
				t.Fatal(err)
			}
			wantScores(t, into, c.want...)
			for row := range c.want {
				score, err := c.scorer.ScoreRow(batch, row)
				if err != nil {
					t.Fatal(err)
				}
				wantScores(t, []float64{score}, c.want[row])
			}
		})
	}
}

func TestConstructionErrors(t *testing.T) {
	fixed := clock(t)(cupel.NewFixedClock(now))
	recency := scorer(t)(cupel.NewRecency())
	weights := func(pairs ...any) (list []cupel.Weight) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, cupel.Weight{Name: pairs[i].(string), Weight: pairs[i+1].(float64)})
		}
		return list
	}
	before := cupel.Live()
	for name, c := range map[string]struct {
		create func() (*cupel.Scorer, error)
		status cupel.Status
		parts  []string
	}{
		"negative weight": {func() (*cupel.Scorer, error) { return cupel.NewKind(weights("a", 1.0, "b", -0.5)...) }, cupel.ErrInvalidArgument, []string{"weights", "1", "-0.5"}},
		"NaN weight":      {func() (*cupel.Scorer, error) { return cupel.NewKind(weights("a", math.NaN())...) }, cupel.ErrInvalidArgument, []string{"weights", "NaN"}},
		"kind twice":      {func() (*cupel.Scorer, error) { return cupel.NewKind(weights("a", 1.0, "A", 1.0)...) }, cupel.ErrInvalidArgument, []string{"weights", "1"}},
		"blank kind":      {func() (*cupel.Scorer, error) { return cupel.NewKind(weights("", 1.0)...) }, cupel.ErrEmptyKind, []string{"weights"}},
		"kind not UTF-8":  {func() (*cupel.Scorer, error) { return cupel.NewKind(weights("a", 1.0, "b\xff", 1.0)...) }, cupel.ErrInvalidUTF8, []string{"weights", "1"}},
		"tag twice": {func() (*cupel.Scorer, error) {
			return cupel.NewTag(cupel.MatchASCIICaseInsensitive, weights("t", 1.0, "T", 1.0)...)
		}, cupel.ErrInvalidArgument, []string{"weights", "T"}},
		"total overflows": {func() (*cupel.Scorer, error) {
			return cupel.NewTag(cupel.MatchExact, weights("t", 1e308, "T", 1e308)...)
		}, cupel.ErrInvalidArgument, []string{"weights"}},
		"unknown match":   {func() (*cupel.Scorer, error) { return cupel.NewTag(7) }, cupel.ErrOutOfRange, []string{"7"}},
		"trust default":   {func() (*cupel.Scorer, error) { return cupel.NewMetadataTrust(1.5) }, cupel.ErrInvalidArgument, []string{"default_score", "1.5"}},
		"boost of 0":      {func() (*cupel.Scorer, error) { return cupel.NewMetadataKey("k", "v", 0) }, cupel.ErrInvalidArgument, []string{"boost", "0"}},
		"key not UTF-8":   {func() (*cupel.Scorer, error) { return cupel.NewMetadataKey("\xff", "v", 1) }, cupel.ErrInvalidUTF8, []string{"key"}},
		"value not UTF-8": {func() (*cupel.Scorer, error) { return cupel.NewMetadataKey("k", "v\xff", 1) }, cupel.ErrInvalidUTF8, []string{"value", "1"}},
		"half-life of 0":  {func() (*cupel.Scorer, error) { return cupel.NewDecayExponential(fixed, 0) }, cupel.ErrInvalidArgument, []string{"half_life", "0"}},
		"negative window": {func() (*cupel.Scorer, error) { return cupel.NewDecayWindow(nil, -time.Second) }, cupel.ErrInvalidArgument, []string{"max_age", "-1000000000"}},
		"null score":      {func() (*cupel.Scorer, error) { return cupel.NewDecayWindow(fixed, 1, cupel.NullTimestampScore(-1)) }, cupel.ErrInvalidArgument, []string{"null_timestamp_score", "-1"}},
		"no steps":        {func() (*cupel.Scorer, error) { return cupel.NewDecayStep(fixed, nil) }, cupel.ErrInvalidArgument, []string{"steps"}},
		"steps backwards": {func() (*cupel.Scorer, error) { return cupel.NewDecayStep(fixed, []cupel.DecayStep{{2, 1}, {1, 0}}) }, cupel.ErrInvalidArgument, []string{"steps", "1"}},
		"no children":     {func() (*cupel.Scorer, error) { return cupel.NewComposite() }, cupel.ErrInvalidArgument, []string{"children"}},
		"weight of 0":     {func() (*cupel.Scorer, error) { return cupel.NewComposite(cupel.WeightedScorer{Scorer: recency}) }, cupel.ErrInvalidArgument, []string{"weights", "0"}},
		"no score":        {func() (*cupel.Scorer, error) { return cupel.NewCustom(nil) }, cupel.ErrNullArgument, []string{"score"}},
		"no JSON":         {func() (*cupel.Scorer, error) { return cupel.NewScorerFromJSON([]byte("{"), nil) }, cupel.ErrInvalidJSON, []string{"line 1"}},
		"a wrong weight": {func() (*cupel.Scorer, error) {
			return cupel.NewScorerFromJSON([]byte(`{"scorers":[{"type":"tag","tagWeights":{"urgent":-1},"weight":1}]}`), nil)
		}, cupel.ErrInvalidJSON, []string{"$.scorers[0].tagWeights.urgent", "-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.create()
			if got != nil {
				t.Errorf("a scorer comes with %v", err)
			}
			wantError(t, err, c.status, c.parts...)
			if err != nil && !strings.HasPrefix(err.Error(), "cupel: ") {
				t.Errorf("the error does not say whose it is: %v", err)
			}
		})
	}
	if _, err := cupel.NewCustomClock(nil); !errors.Is(err, cupel.ErrNullArgument) {
		t.Errorf("a clock of nil: %v", err)
	}
	// One more is the clock that nil stands for.
	if after := cupel.Live(); after > before+1 {
		t.Errorf("%d objects more than before", after-before)
	}
}

func TestScoreInto(t *testing.T) {
	batch := newBatch(t, fullItem, fullItem)
	recency := scorer(t)(cupel.NewRecency())
	for _, length := range []int{0, 1, 3} {
		scores := make([]float64, length)
		for i := range scores {
			scores[i] = 42
		}
		wantError(t, recency.ScoreInto(batch, scores), cupel.ErrLengthMismatch)
		for _, score := range scores {
			wantScores(t, []float64{score}, 42)
		}
	}
	wantError(t, recency.ScoreInto(batch, nil), cupel.ErrLengthMismatch)
	if err := recency.ScoreInto(newBatch(t), nil); err != nil {
		t.Error(err)
	}
	for _, row := range []int{-1, 2, math.MaxInt} {
		_, err := recency.ScoreRow(batch, row)
		wantError(t, err, cupel.ErrOutOfRange)
	}
}

func TestScorerJSON(t *testing.T) {
	batch := newBatch(t, randomItems(100)...)
	fixed := clock(t)(cupel.NewFixedClock(now))
	first := wideScorer(t, now)
	text, err := json.MarshalIndent(map[string]any{"scorer": first}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct{ Scorer json.RawMessage }
	if err := json.Unmarshal(text, &parsed); err != nil {
		t.Fatal(err)
	}
	second := scorer(t)(cupel.NewScorerFromJSON(parsed.Scorer, fixed))
	want, err := first.Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	got, err := second.Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, got, want...)

	custom := scorer(t)(cupel.NewCustom(func(*cupel.Batch, []float64) error { return nil }))
	_, err = scorer(t)(cupel.NewScaled(custom)).MarshalJSON()
	wantError(t, err, cupel.ErrInvalidArgument)
}

func TestSystemClock(t *testing.T) {
	second := func(clock *cupel.Clock, ago time.Duration) float64 {
		window := scorer(t)(cupel.NewDecayWindow(clock, time.Hour))
		score, err := window.ScoreRow(newBatch(t, cupel.Item{Content: "a", Timestamp: time.Now().Add(-ago)}), 0)
		if err != nil {
			t.Fatal(err)
		}
		return score
	}
	system := clock(t)(cupel.NewSystemClock())
	for _, clock := range []*cupel.Clock{nil, system} {
		wantScores(t, []float64{second(clock, time.Minute), second(clock, 61*time.Minute)}, 1, 0)
	}
}

func TestClocksSaturate(t *testing.T) {
	for _, c := range []struct{ clock, timestamp time.Time }{
		{time.Time{}, cupel.MinTime},
		{cupel.MaxTime.AddDate(100, 0, 0), cupel.MaxTime},
	} {
		fixed := clock(t)(cupel.NewFixedClock(c.clock))
		custom := clock(t)(cupel.NewCustomClock(func() (time.Time, error) { return c.clock, nil }))
		batch := newBatch(t, cupel.Item{Content: "a", Timestamp: c.timestamp}, cupel.Item{Content: "b", Timestamp: now})
		for _, clock := range []*cupel.Clock{fixed, custom} {
			scores, err := scorer(t)(cupel.NewDecayExponential(clock, math.MaxInt64)).Score(batch)
			if err != nil {
				t.Fatal(err)
			}
			if scores[0] != 1 || scores[1] != 1 && c.clock.IsZero() || scores[1] == 1 && !c.clock.IsZero() {
				t.Errorf("with the clock at %v: %v", c.clock, scores)
			}
		}
	}
}

// The binding's batch is the one that a C program makes by a call per field.
func TestAgreesWithC(t *testing.T) {
	items := randomItems(300)
	got, err := scorer(t)(cupel.NewScorerFromJSON([]byte(wideJSON), nil)).Score(newBatch(t, items...))
	if err != nil {
		t.Fatal(err)
	}
	want, err := byitem.Score([]byte(wideJSON), items)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, got, want...)
}

func TestMust(t *testing.T) {
	defer func() {
		err, ok := recover().(error)
		if !ok {
			t.Fatal("no panic with an error")
		}
		wantError(t, err, cupel.ErrInvalidArgument, "default_score")
	}()
	cupel.Must(cupel.NewMetadataTrust(2))
}

func TestStatuses(t *testing.T) {
	for status, name := range map[cupel.Status]string{
		cupel.ErrNullArgument:    "NULL_ARGUMENT",
		cupel.ErrInvalidUTF8:     "INVALID_UTF8",
		cupel.ErrInvalidArgument: "INVALID_ARGUMENT",
		cupel.ErrEmptyContent:    "EMPTY_CONTENT",
		cupel.ErrEmptyKind:       "EMPTY_KIND",
		cupel.ErrEmptySource:     "EMPTY_SOURCE",
		cupel.ErrOutOfRange:      "OUT_OF_RANGE",
		cupel.ErrLengthMismatch:  "LENGTH_MISMATCH",
		cupel.ErrCallbackFailed:  "CALLBACK_FAILED",
		cupel.ErrOutOfMemory:     "OUT_OF_MEMORY",
		cupel.ErrPanic:           "PANIC",
		cupel.ErrInvalidJSON:     "INVALID_JSON",
		cupel.ErrBusy:            "BUSY",
	} {
		if want := "CUPEL_STATUS_" + name; status.String() != want || status.Error() != "cupel: "+want {
			t.Errorf("%d is %v, want %s", int32(status), status, want)
		}
	}
	if cupel.Version() == "" {
		t.Error("no version")
	}
}
