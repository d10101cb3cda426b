package cupel_test

import (
	"encoding/json"
	"errors"
	"fmt"
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
		"negative weight": {func() (*cupel.Scorer, error) { return cupel.NewKind(weights("a", 1.0, "b", -0.5)...) }, cupel.ErrInvalidArgument, []string{"weights[1].Weight is -0.5"}},
		"NaN weight":      {func() (*cupel.Scorer, error) { return cupel.NewKind(weights("a", math.NaN())...) }, cupel.ErrInvalidArgument, []string{"weights[0].Weight is NaN"}},
		"kind twice":      {func() (*cupel.Scorer, error) { return cupel.NewKind(weights("a", 1.0, "A", 1.0)...) }, cupel.ErrInvalidArgument, []string{"weights[1].Name is \"A\""}},
		"blank kind":      {func() (*cupel.Scorer, error) { return cupel.NewKind(weights("", 1.0)...) }, cupel.ErrEmptyKind, []string{"weights[0].Name is blank"}},
		"kind not UTF-8":  {func() (*cupel.Scorer, error) { return cupel.NewKind(weights("a", 1.0, "b\xff", 1.0)...) }, cupel.ErrInvalidUTF8, []string{"weights[1].Name is not valid UTF-8 at byte 1"}},
		"tag twice": {func() (*cupel.Scorer, error) {
			return cupel.NewTag(cupel.MatchASCIICaseInsensitive, weights("t", 1.0, "T", 1.0)...)
		}, cupel.ErrInvalidArgument, []string{"weights", "T"}},
		"total overflows": {func() (*cupel.Scorer, error) {
			return cupel.NewTag(cupel.MatchExact, weights("t", 1e308, "T", 1e308)...)
		}, cupel.ErrInvalidArgument, []string{"weights"}},
		"unknown match":   {func() (*cupel.Scorer, error) { return cupel.NewTag(7) }, cupel.ErrOutOfRange, []string{"match is 7: it must be MatchExact or MatchASCIICaseInsensitive"}},
		"trust default":   {func() (*cupel.Scorer, error) { return cupel.NewMetadataTrust(1.5) }, cupel.ErrInvalidArgument, []string{"defaultScore is 1.5"}},
		"boost of 0":      {func() (*cupel.Scorer, error) { return cupel.NewMetadataKey("k", "v", 0) }, cupel.ErrInvalidArgument, []string{"boost is 0.0"}},
		"key not UTF-8":   {func() (*cupel.Scorer, error) { return cupel.NewMetadataKey("\xff", "v", 1) }, cupel.ErrInvalidUTF8, []string{"key is not valid UTF-8 at byte 0"}},
		"value not UTF-8": {func() (*cupel.Scorer, error) { return cupel.NewMetadataKey("k", "v\xff", 1) }, cupel.ErrInvalidUTF8, []string{"value is not valid UTF-8 at byte 1"}},
		"half-life of 0":  {func() (*cupel.Scorer, error) { return cupel.NewDecayExponential(fixed, 0) }, cupel.ErrInvalidArgument, []string{"halfLife is 0s"}},
		"negative window": {func() (*cupel.Scorer, error) { return cupel.NewDecayWindow(nil, -time.Second) }, cupel.ErrInvalidArgument, []string{"maxAge is -1s"}},
		"null score":      {func() (*cupel.Scorer, error) { return cupel.NewDecayWindow(fixed, 1, cupel.NullTimestampScore(-1)) }, cupel.ErrInvalidArgument, []string{"nullTimestampScore is -1.0"}},
		"no steps":        {func() (*cupel.Scorer, error) { return cupel.NewDecayStep(fixed, nil) }, cupel.ErrInvalidArgument, []string{"len(steps) is 0"}},
		"steps backwards": {func() (*cupel.Scorer, error) { return cupel.NewDecayStep(fixed, []cupel.DecayStep{{2, 1}, {1, 0}}) }, cupel.ErrInvalidArgument, []string{"steps[1].MaxAge is 1ns"}},
		"no children":     {func() (*cupel.Scorer, error) { return cupel.NewComposite() }, cupel.ErrInvalidArgument, []string{"len(children) is 0"}},
		"weight of 0":     {func() (*cupel.Scorer, error) { return cupel.NewComposite(cupel.WeightedScorer{Scorer: recency}) }, cupel.ErrInvalidArgument, []string{"children[0].Weight is 0.0"}},
		"step score":      {func() (*cupel.Scorer, error) { return cupel.NewDecayStep(fixed, []cupel.DecayStep{{1, math.NaN()}}) }, cupel.ErrInvalidArgument, []string{"steps[0].Score is NaN"}},
		"second weight": {func() (*cupel.Scorer, error) {
			return cupel.NewComposite(cupel.WeightedScorer{Scorer: recency, Weight: 1}, cupel.WeightedScorer{Scorer: recency, Weight: -1})
		}, cupel.ErrInvalidArgument, []string{"children[1].Weight is -1.0"}},
		"no score": {func() (*cupel.Scorer, error) { return cupel.NewCustom(nil) }, cupel.ErrNullArgument, []string{"score is nil"}},
		"no JSON":  {func() (*cupel.Scorer, error) { return cupel.NewScorerFromJSON([]byte("{"), nil) }, cupel.ErrInvalidJSON, []string{"line 1"}},
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
		wantError(t, recency.ScoreInto(batch, scores), cupel.ErrLengthMismatch, fmt.Sprintf("len(scores) is %d: it must be 2", length))
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
		wantError(t, err, cupel.ErrOutOfRange, fmt.Sprintf("row is %d: ", row))
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

// A field of type Scorer or *Scorer is read like NewScorerFromJSON reads it.
func TestScorerUnmarshalJSON(t *testing.T) {
	batch := newBatch(t, cupel.Item{Content: "a", Kind: "SystemPrompt"}, cupel.Item{Content: "b"})
	var settings struct {
		Name    string
		Pointer *cupel.Scorer
		Value   cupel.Scorer
		Null    *cupel.Scorer
		Nothing cupel.Scorer
	}
	text := []byte(`{"name": "n", "pointer": {"type": "kind"}, "value": {"type": "scaled", "innerScorer": {"type": "kind"}}, "null": null, "nothing": null}`)
	if err := json.Unmarshal(text, &settings); err != nil {
		t.Fatal(err)
	}
	defer settings.Pointer.Close()
	defer settings.Value.Close()
	for s, want := range map[*cupel.Scorer][]float64{settings.Pointer: {1, 0.2}, &settings.Value: {1, 0}} {
		scores, err := s.Score(batch)
		if err != nil {
			t.Fatal(err)
		}
		wantScores(t, scores, want...)
	}
	if settings.Null != nil {
		t.Error("null made a scorer")
	}
	if _, err := settings.Nothing.Score(batch); !errors.Is(err, cupel.ErrClosed) {
		t.Errorf("the scorer of null gives %v", err)
	}

	// Into a scorer that is made, nothing is read.
	wantError(t, json.Unmarshal(text, &settings), cupel.ErrInvalidArgument, "already made")
	made := scorer(t)(cupel.NewPriority())
	wantError(t, json.Unmarshal([]byte(`{"type":"kind"}`), made), cupel.ErrInvalidArgument, "already made")
	if text, err := json.Marshal(made); err != nil || string(text) != `{"type":"priority"}` {
		t.Errorf("it became %s, %v", text, err)
	}
	var unknown cupel.Scorer
	wantError(t, json.Unmarshal([]byte(`{"type":"magic"}`), &unknown), cupel.ErrInvalidJSON, "magic")
	if err := json.Unmarshal([]byte(`{"type":"kind"}`), &unknown); err != nil {
		t.Errorf("a zero Scorer after a failure: %v", err)
	}
	unknown.Close()
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
		wantError(t, err, cupel.ErrInvalidArgument, "defaultScore")
	}()
	cupel.Must(cupel.NewMetadataTrust(2))
}

func TestStatuses(t *testing.T) {
	for status, name := range map[cupel.Status]string{
		cupel.ErrNullArgument:    "null argument",
		cupel.ErrInvalidUTF8:     "invalid UTF-8",
		cupel.ErrInvalidArgument: "invalid argument",
		cupel.ErrEmptyContent:    "empty content",
		cupel.ErrEmptyKind:       "empty kind",
		cupel.ErrEmptySource:     "empty source",
		cupel.ErrOutOfRange:      "out of range",
		cupel.ErrLengthMismatch:  "length mismatch",
		cupel.ErrCallbackFailed:  "callback failed",
		cupel.ErrOutOfMemory:     "out of memory",
		cupel.ErrPanic:           "panic in the library",
		cupel.ErrInvalidJSON:     "invalid JSON",
		cupel.ErrBusy:            "busy",
		4711:                     "status 4711",
	} {
		if status.String() != name || status.Error() != "cupel: "+name {
			t.Errorf("%d is %v, want %s", int32(status), status, name)
		}
	}
	if cupel.Version() == "" {
		t.Error("no version")
	}
}
