package cupel

// #include "shim.h"
// #cgo noescape cupel_scorer_decay_exponential_new
// #cgo nocallback cupel_scorer_decay_exponential_new
// #cgo noescape cupel_scorer_decay_window_new
// #cgo nocallback cupel_scorer_decay_window_new
// #cgo noescape cupel_scorer_decay_step_new
// #cgo nocallback cupel_scorer_decay_step_new
import "C"

import (
	"fmt"
	"time"
	"unsafe"
)

// A DecayStep is one step of a step decay: a row that is younger than MaxAge, and
// not younger than that of the previous step, has Score.
type DecayStep struct {
	MaxAge time.Duration
	Score  float64
}

// A DecayOption is an optional parameter of a decay scorer.
type DecayOption func(*decayOptions)

type decayOptions struct {
	nullTimestampScore float64
}

// NullTimestampScore is the score, in [0, 1], of a row without a timestamp. It
// is 0.5 by default.
func NullTimestampScore(score float64) DecayOption {
	return func(o *decayOptions) { o.nullTimestampScore = score }
}

// NewDecayExponential gives 1 to a row of age 0, halved for every half-life of
// age. A nil clock is the system clock. The age of a row is the time of the clock
// minus its timestamp, and at least 0.
func NewDecayExponential(clock *Clock, halfLife time.Duration, options ...DecayOption) (*Scorer, error) {
	return newDecay(clock, options, func(clock *C.cupel_clock, null C.double, out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_decay_exponential_new(clock, C.int64_t(halfLife), null, out, cError)
	})
}

// NewDecayWindow gives 1 to a row younger than maxAge and 0 to any other. A nil
// clock is the system clock.
func NewDecayWindow(clock *Clock, maxAge time.Duration, options ...DecayOption) (*Scorer, error) {
	return newDecay(clock, options, func(clock *C.cupel_clock, null C.double, out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_decay_window_new(clock, C.int64_t(maxAge), null, out, cError)
	})
}

// NewDecayStep gives the score of the first step whose MaxAge is greater than the
// row's age, or that of the last step. The steps are in ascending order of MaxAge.
// A nil clock is the system clock.
func NewDecayStep(clock *Clock, steps []DecayStep, options ...DecayOption) (*Scorer, error) {
	list := make([]C.cupel_decay_step, len(steps))
	for i, step := range steps {
		list[i] = C.cupel_decay_step{max_age_nanoseconds: C.int64_t(step.MaxAge), score: C.double(step.Score)}
	}
	return newDecay(clock, options, func(clock *C.cupel_clock, null C.double, out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_decay_step_new(clock, unsafe.SliceData(list), C.size_t(len(list)), null, out, cError)
	})
}

func newDecay(clock *Clock, options []DecayOption, create func(*C.cupel_clock, C.double, **C.cupel_scorer, **C.cupel_error) C.cupel_status) (*Scorer, error) {
	set := decayOptions{nullTimestampScore: 0.5}
	for _, option := range options {
		option(&set)
	}
	pointer, clock, err := clockOrSystem(clock)
	if err != nil {
		return nil, err
	}
	defer clock.used()
	return newScorer(clock.calls, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return create(pointer, C.double(set.nullTimestampScore), out, cError)
	})
}

// clockOrSystem borrows the clock, or the program's system clock for nil. The
// caller returns it with used.
func clockOrSystem(clock *Clock) (*C.cupel_clock, *Clock, error) {
	if clock == nil {
		var err error
		if clock, err = sharedSystemClock(); err != nil {
			return nil, nil, err
		}
	}
	pointer, err := clock.lend(false)
	if err != nil {
		return nil, nil, fmt.Errorf("clock: %w", err)
	}
	return pointer, clock, nil
}
