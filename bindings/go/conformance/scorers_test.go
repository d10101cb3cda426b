package conformance

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// A builder makes the scorer of a vector; close frees all that it made.
type builder struct {
	clock  *cupel.Clock
	shared map[string]*cupel.Scorer
	made   []interface{ Close() error }
}

func (b *builder) close() {
	for _, m := range b.made {
		m.Close()
	}
}

// keep turns a refusal into a panic, which the vector takes up.
func keep[T interface{ Close() error }](b *builder) func(T, error) T {
	return func(made T, err error) T {
		if err != nil {
			panic(err)
		}
		b.made = append(b.made, made)
		return made
	}
}

func (b *builder) build(root fields, scorer string) *cupel.Scorer {
	if root.has("clock") {
		b.clock = b.readClock(root.sub("clock"))
	}
	b.shared = make(map[string]*cupel.Scorer)
	shared := root.sub("shared")
	var names []string
	for name := range shared.table {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f := shared.sub(name)
		b.shared[name] = b.scorer(must[string](f, "type"), f)
	}
	return b.scorer(scorer, root.sub("config"))
}

func (b *builder) readClock(f fields) *cupel.Clock {
	made := keep[*cupel.Clock](b)
	kind := must[string](f, "type")
	if kind == "system" {
		return made(cupel.NewSystemClock())
	}
	if f.has("fails_with") {
		status := cupel.Status(must[int64](f, "fails_with"))
		return made(cupel.NewCustomClock(func() (time.Time, error) { return time.Time{}, status }))
	}
	start := f.mustInstant("reference_time")
	switch kind {
	case "fixed":
		return made(cupel.NewFixedClock(start))
	case "callback":
		var now atomic.Int64
		now.Store(start.UnixNano())
		advance := read[int64](f, "advance_ns")
		return made(cupel.NewCustomClock(func() (time.Time, error) {
			return time.Unix(0, now.Add(advance)-advance), nil
		}))
	}
	panic(f.malformed("a clock of type %q", kind))
}

func (b *builder) scorer(kind string, f fields) *cupel.Scorer {
	made := keep[*cupel.Scorer](b)
	switch kind {
	case "shared":
		scorer, known := b.shared[must[string](f, "name")]
		if !known {
			panic(f.malformed("shared %q is not there yet", f.table["name"]))
		}
		return scorer
	case "recency":
		return made(cupel.NewRecency())
	case "priority":
		return made(cupel.NewPriority())
	case "frequency":
		return made(cupel.NewFrequency())
	case "reflexive":
		return made(cupel.NewReflexive())
	case "kind":
		if !f.has("weights") || read[bool](f, "use_default_weights") {
			return made(cupel.NewKindDefault())
		}
		return made(cupel.NewKind(weights(f, "weights", "kind")...))
	case "tag":
		match := cupel.MatchExact
		switch read[string](f, "match") {
		case "", "exact":
		case "ascii_case_insensitive":
			match = cupel.MatchASCIICaseInsensitive
		default:
			panic(f.malformed("match %q", f.table["match"]))
		}
		return made(cupel.NewTag(match, weights(f, "tag_weights", "tag")...))
	case "metadata_trust":
		return made(cupel.NewMetadataTrust(f.number("default_score", 0.5)))
	case "metadata_key":
		return made(cupel.NewMetadataKey(must[string](f, "key"), must[string](f, "value"), f.mustNumber("boost")))
	case "decay":
		return b.decay(f)
	case "composite":
		name := "scorers"
		if !f.has(name) {
			name = "children"
		}
		var children []cupel.WeightedScorer
		for _, child := range f.mustList(name) {
			children = append(children, cupel.WeightedScorer{Scorer: b.scorer(must[string](child, "type"), child), Weight: child.mustNumber("weight")})
		}
		return made(cupel.NewComposite(children...))
	case "scaled":
		if inner, ok := f.table["inner_scorer"].(string); ok {
			return made(cupel.NewScaled(b.scorer(inner, fields{f.path + ".inner_scorer", nil})))
		}
		inner := f.sub("inner_scorer")
		return made(cupel.NewScaled(b.scorer(must[string](inner, "type"), inner)))
	case "custom":
		return b.custom(f)
	}
	panic(f.malformed("a scorer of type %q", kind))
}

func weights(f fields, list, name string) []cupel.Weight {
	var weights []cupel.Weight
	for _, entry := range f.mustList(list) {
		weights = append(weights, cupel.Weight{Name: must[string](entry, name), Weight: entry.mustNumber("weight")})
	}
	return weights
}

func (b *builder) decay(f fields) *cupel.Scorer {
	made := keep[*cupel.Scorer](b)
	clock := b.clock
	if _, own := f.instant("reference_time"); own {
		clock = keep[*cupel.Clock](b)(cupel.NewFixedClock(f.mustInstant("reference_time")))
	}
	if clock == nil {
		panic(f.malformed("reference_time is missing"))
	}
	var options []cupel.DecayOption
	if f.has("null_timestamp_score") {
		options = append(options, cupel.NullTimestampScore(f.mustNumber("null_timestamp_score")))
	}
	curve := f.sub("curve")
	switch kind := must[string](curve, "type"); kind {
	case "exponential":
		return made(cupel.NewDecayExponential(clock, curve.duration("half_life"), options...))
	case "window":
		return made(cupel.NewDecayWindow(clock, curve.duration("max_age"), options...))
	case "step":
		var steps []cupel.DecayStep
		for _, step := range curve.mustList("windows") {
			steps = append(steps, cupel.DecayStep{MaxAge: step.duration("max_age"), Score: step.mustNumber("score")})
		}
		return made(cupel.NewDecayStep(clock, steps, options...))
	default:
		panic(curve.malformed("a curve of type %q", kind))
	}
}

func (b *builder) custom(f fields) *cupel.Scorer {
	made := keep[*cupel.Scorer](b)
	if f.has("fails_with") {
		status := cupel.Status(must[int64](f, "fails_with"))
		return made(cupel.NewCustom(func(*cupel.Batch, []float64) error { return status }))
	}
	must[any](f, "scores")
	constant := f.numbers("scores")
	return made(cupel.NewCustom(func(batch *cupel.Batch, scores []float64) error {
		if batch.Len() != len(constant) || len(scores) != len(constant) {
			return fmt.Errorf("%d rows and %d scores to fill with %d", batch.Len(), len(scores), len(constant))
		}
		copy(scores, constant)
		return nil
	}))
}
