package cupel

// #include "shim.h"
// #cgo noescape cupel_scorer_recency_new
// #cgo nocallback cupel_scorer_recency_new
// #cgo noescape cupel_scorer_priority_new
// #cgo nocallback cupel_scorer_priority_new
// #cgo noescape cupel_scorer_frequency_new
// #cgo nocallback cupel_scorer_frequency_new
// #cgo noescape cupel_scorer_reflexive_new
// #cgo nocallback cupel_scorer_reflexive_new
// #cgo noescape cupel_scorer_kind_default_new
// #cgo nocallback cupel_scorer_kind_default_new
// #cgo noescape cupel_scorer_kind_new
// #cgo nocallback cupel_scorer_kind_new
// #cgo noescape cupel_scorer_tag_new
// #cgo nocallback cupel_scorer_tag_new
// #cgo noescape cupel_scorer_metadata_trust_new
// #cgo nocallback cupel_scorer_metadata_trust_new
// #cgo noescape cupel_scorer_metadata_key_new
// #cgo nocallback cupel_scorer_metadata_key_new
// #cgo noescape cupel_scorer_composite_new
// #cgo nocallback cupel_scorer_composite_new
// #cgo noescape cupel_scorer_scaled_new
// #cgo nocallback cupel_scorer_scaled_new
// #cgo noescape cupel_scorer_from_json
// #cgo nocallback cupel_scorer_from_json
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// A Weight is the weight of a kind or a tag. It is finite and not negative.
type Weight struct {
	Name   string
	Weight float64
}

// A WeightedScorer is a child of a composite. Its weight is finite and above 0.
type WeightedScorer struct {
	Scorer *Scorer
	Weight float64
}

// TextMatch is how a tag scorer compares tags.
type TextMatch int32

const (
	// MatchExact compares byte for byte.
	MatchExact TextMatch = C.CUPEL_TEXT_MATCH_EXACT
	// MatchASCIICaseInsensitive treats A to Z as a to z.
	MatchASCIICaseInsensitive TextMatch = C.CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE
)

// Must returns value and panics if err is not nil. It is for scorers whose
// construction fails only if the program is wrong.
//
//	recency := cupel.Must(cupel.NewRecency())
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// NewRecency ranks by timestamp: of the n rows that have one, the share of the
// n-1 others that are strictly earlier. Alone, 1; without a timestamp, 0.
func NewRecency() (*Scorer, error) {
	return newScorer(false, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_recency_new(out, cError)
	})
}

// NewPriority ranks by priority as [NewRecency] does by timestamp.
func NewPriority() (*Scorer, error) {
	return newScorer(false, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_priority_new(out, cError)
	})
}

// NewFrequency gives the share of the other rows that have a tag in common with
// the row, ASCII case-insensitively.
func NewFrequency() (*Scorer, error) {
	return newScorer(false, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_frequency_new(out, cError)
	})
}

// NewReflexive gives the row's future relevance hint, clamped to [0, 1]; 0
// where there is none or it is not finite.
func NewReflexive() (*Scorer, error) {
	return newScorer(false, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_reflexive_new(out, cError)
	})
}

// NewKindDefault is [NewKind] with SystemPrompt 1, Memory 0.8, ToolOutput 0.6,
// Document 0.4 and Message 0.2.
func NewKindDefault() (*Scorer, error) {
	return newScorer(false, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_kind_default_new(out, cError)
	})
}

// NewKind gives the weight of the row's kind, and 0 for a kind that is not
// listed. No kind may be listed twice.
func NewKind(weights ...Weight) (*Scorer, error) {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	list := cWeights(&pinner, weights)
	return newScorer(false, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_kind_new(unsafe.SliceData(list), C.size_t(len(list)), out, cError)
	})
}

// NewTag gives the sum of the weights of the row's tags, as a share of the sum
// of all weights, and at most 1. No tag may be listed twice.
func NewTag(match TextMatch, weights ...Weight) (*Scorer, error) {
	if match != MatchExact && match != MatchASCIICaseInsensitive {
		return nil, failure(ErrOutOfRange, "match is %d: it must be MatchExact or MatchASCIICaseInsensitive", match)
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	list := cWeights(&pinner, weights)
	return newScorer(false, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_tag_new(unsafe.SliceData(list), C.size_t(len(list)), C.cupel_text_match(match), out, cError)
	})
}

// NewMetadataTrust gives the number at the metadata key cupel:trust, clamped to
// [0, 1], and defaultScore, itself in [0, 1], where there is no finite number.
func NewMetadataTrust(defaultScore float64) (*Scorer, error) {
	return newScorer(false, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_metadata_trust_new(C.double(defaultScore), out, cError)
	})
}

// NewMetadataKey gives boost to the rows whose metadata has value at key, and 1
// to the others. The text of a double is its shortest decimal: 1, 0.85.
func NewMetadataKey(key, value string, boost float64) (*Scorer, error) {
	return newScorer(false, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_metadata_key_new(stringChars(key), C.size_t(len(key)), stringChars(value), C.size_t(len(value)), C.double(boost), out, cError)
	})
}

// NewComposite gives the weighted mean of the children's scores. A scorer may
// be a child of many.
func NewComposite(children ...WeightedScorer) (*Scorer, error) {
	scorers := make([]*C.cupel_scorer, len(children))
	weights := make([]C.double, len(children))
	calls := false
	for i, child := range children {
		pointer, err := child.Scorer.use()
		if err != nil {
			return nil, fmt.Errorf("children[%d]: %w", i, err)
		}
		defer child.Scorer.used()
		scorers[i] = pointer
		weights[i] = C.double(child.Weight)
		calls = calls || child.Scorer.calls
	}
	scorer, err := newScorer(calls, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_composite_new(unsafe.SliceData(scorers), unsafe.SliceData(weights), C.size_t(len(children)), out, cError)
	})
	if failed, ok := err.(*Error); ok {
		// In C the weights are a list beside the children.
		if place, ok := strings.CutPrefix(failed.Message, "weights["); ok {
			failed.Message = "children[" + strings.Replace(place, "]", "].Weight", 1)
		}
	}
	return scorer, err
}

// NewScaled stretches the scores of inner over the batch to [0, 1]: its lowest
// becomes 0 and its highest 1. Where all are equal, and for a score that is not
// finite, it gives 0.5.
func NewScaled(inner *Scorer) (*Scorer, error) {
	pointer, err := inner.use()
	if err != nil {
		return nil, fmt.Errorf("inner: %w", err)
	}
	defer inner.used()
	return newScorer(inner.calls, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_scaled_new(pointer, out, cError)
	})
}

// NewCustom gives the scores that score sets. See [ScoreFunc].
//
// The function is kept as long as the scorer, or one made of it, is open. If the
// function refers to its own scorer, the garbage collector cannot close the
// scorer, and Close must be called.
func NewCustom(score ScoreFunc) (*Scorer, error) {
	if score == nil {
		return nil, failure(ErrNullArgument, "score is nil")
	}
	function := newFunction(score)
	scorer, err := newScorer(true, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_go_scorer_custom_new(C.uintptr_t(function), out, cError)
	})
	if err != nil {
		deleteFunction(function)
	}
	return scorer, err
}

// NewScorerFromJSON makes the scorer that the JSON describes, with its children.
// Decay scorers in it read clock; nil means the system clock. The error gives
// the JSON path, the line and the column.
func NewScorerFromJSON(json []byte, clock *Clock) (*Scorer, error) {
	now, clock, err := clockOrSystem(clock)
	if err != nil {
		return nil, err
	}
	defer clock.used()
	return newScorer(clock.calls, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_from_json(chars(json), C.size_t(len(json)), now, out, cError)
	})
}

// cWeights lays weights out for C. The names are pinned, not copied.
func cWeights(pinner *runtime.Pinner, weights []Weight) []C.cupel_weight {
	list := make([]C.cupel_weight, len(weights))
	for i, weight := range weights {
		list[i] = C.cupel_weight{
			name:     stringChars(weight.Name),
			name_len: C.size_t(len(weight.Name)),
			weight:   C.double(weight.Weight),
		}
		if list[i].name != nil {
			pinner.Pin(list[i].name)
		}
	}
	return list
}

// stringChars is NULL for an empty string, whose data pointer is unspecified.
func stringChars(text string) *C.char {
	if text == "" {
		return nil
	}
	return (*C.char)(unsafe.Pointer(unsafe.StringData(text)))
}
