package cupel

// #include "shim.h"
// #cgo noescape cupel_scorer_score_batch
// #cgo nocallback cupel_scorer_score_batch
// #cgo noescape cupel_scorer_score_groups
// #cgo nocallback cupel_scorer_score_groups
// #cgo noescape cupel_scorer_score_row
// #cgo nocallback cupel_scorer_score_row
// #cgo noescape cupel_scorer_type
// #cgo nocallback cupel_scorer_type
// #cgo noescape cupel_scorer_children_len
// #cgo nocallback cupel_scorer_children_len
// #cgo noescape cupel_scorer_child
// #cgo nocallback cupel_scorer_child
// #cgo noescape cupel_scorer_to_json
// #cgo nocallback cupel_scorer_to_json
// #cgo noescape cupel_text_data
// #cgo nocallback cupel_text_data
// #cgo noescape cupel_text_len
// #cgo nocallback cupel_text_len
// #cgo noescape cupel_text_free
// #cgo nocallback cupel_text_free
import "C"

// A Scorer gives each row of a batch a score: higher means more worth keeping.
//
// It is immutable and may be used by any number of goroutines concurrently. A
// scorer that is made of others keeps a share of them, so they may be closed
// before it. The garbage collector closes a Scorer that has become unreachable.
type Scorer struct {
	owner[*C.cupel_scorer]
	calls bool // back into Go, by itself or by a scorer or clock within it
}

// Score scores the whole batch: the score of row i is at i.
func (s *Scorer) Score(batch *Batch) ([]float64, error) {
	return s.score(batch, nil)
}

// ScoreInto is Score into a slice of the caller, whose length must be that of the
// batch ([ErrLengthMismatch]). If it fails the slice is unchanged.
func (s *Scorer) ScoreInto(batch *Batch, scores []float64) error {
	if scores == nil {
		scores = []float64{}
	}
	_, err := s.score(batch, scores)
	return err
}

// score allocates the slice if it is nil. It does so while it borrows the batch,
// whose length cannot change then.
func (s *Scorer) score(batch *Batch, scores []float64) ([]float64, error) {
	scorer, err := s.use()
	if err != nil {
		return nil, err
	}
	defer s.used()
	rows, err := batch.use()
	if err != nil {
		return nil, err
	}
	defer batch.used()
	if scores == nil {
		scores = make([]float64, batch.Len())
	}

	out, length := doubles(scores), C.size_t(len(scores))
	if s.calls {
		err = callingBack(batch, func(call C.uintptr_t, cError **C.cupel_error) C.cupel_status {
			return C.cupel_go_scorer_score_batch(call, scorer, rows, out, length, cError)
		})
	} else {
		var cError *C.cupel_error
		err = check(C.cupel_scorer_score_batch(scorer, rows, out, length, &cError), &cError)
	}
	if err != nil {
		return nil, allocating(err, "scoring %d rows", batch.Len())
	}
	return scores, nil
}

// ScoreGroups scores every row among the rows of its group, such as those of one
// conversation, in one call: each score has the bits that it would have in a batch
// of its group alone.
//
// groups has one entry more than there are groups: group i is the rows from
// groups[i] to before groups[i+1]. The first entry is 0, the last is batch.Len(),
// and none is less than the one before. The length of scores must be that of the
// batch. A clock is read once. A scorer that is or contains a custom one is
// refused with [ErrInvalidArgument]: its function has no view of a part of a
// batch. If the call fails, scores is unchanged.
func (s *Scorer) ScoreGroups(batch *Batch, groups []int64, scores []float64) error {
	if len(groups) == 0 {
		return noGroups()
	}
	scorer, err := s.use()
	if err != nil {
		return err
	}
	defer s.used()
	rows, err := batch.use()
	if err != nil {
		return err
	}
	defer batch.used()
	offsets, groupsLen := int64s(groups), C.size_t(len(groups)-1)
	out, length := doubles(scores), C.size_t(len(scores))
	if s.calls {
		err = callingBack(batch, func(call C.uintptr_t, cError **C.cupel_error) C.cupel_status {
			return C.cupel_go_scorer_score_groups(call, scorer, rows, offsets, groupsLen, out, length, cError)
		})
	} else {
		var cError *C.cupel_error
		err = check(C.cupel_scorer_score_groups(scorer, rows, offsets, groupsLen, out, length, &cError), &cError)
	}
	return allocating(err, "scoring %d rows", batch.Len())
}

// noGroups refuses offsets without the first, of which C cannot know.
func noGroups() error {
	return failure(ErrLengthMismatch, "len(groups) is 0: it must be one more than there are groups")
}

// ScoreRow gives the score of one row among its peers. [Scorer.Score] is much
// cheaper for many rows.
func (s *Scorer) ScoreRow(batch *Batch, row int) (float64, error) {
	scorer, err := s.use()
	if err != nil {
		return 0, err
	}
	defer s.used()
	rows, err := batch.use()
	if err != nil {
		return 0, err
	}
	defer batch.used()
	if row < 0 {
		return 0, failure(ErrOutOfRange, "row is %d: it must be 0 or more", row)
	}

	if s.calls {
		var score C.double
		err := callingBack(batch, func(call C.uintptr_t, cError **C.cupel_error) C.cupel_status {
			return C.cupel_go_scorer_score_row(call, scorer, rows, C.size_t(row), &score, cError)
		})
		return float64(score), err
	}
	var score C.double
	var cError *C.cupel_error
	err = check(C.cupel_scorer_score_row(scorer, rows, C.size_t(row), &score, &cError), &cError)
	return float64(score), err
}

// Type is the name of the kind of scorer in JSON, such as "recency", and "custom"
// for a custom scorer.
func (s *Scorer) Type() (string, error) {
	scorer, err := s.use()
	if err != nil {
		return "", err
	}
	defer s.used()
	return C.GoString(C.cupel_scorer_type(scorer)), nil
}

// Children are the scorers that a composite or scaled scorer is made of, with
// their weights: those of a composite have the sum 1, that of a scaled scorer is
// 1. Each is a share of the child, to be closed by the caller.
//
// The sum of the children's scores, each times its weight, is the score of a
// composite.
func (s *Scorer) Children() ([]WeightedScorer, error) {
	scorer, err := s.use()
	if err != nil {
		return nil, err
	}
	defer s.used()
	children := make([]WeightedScorer, C.cupel_scorer_children_len(scorer))
	for i := range children {
		child := &children[i]
		child.Scorer, err = newScorer(s.calls, func(out **C.cupel_scorer, cError **C.cupel_error) C.cupel_status {
			return C.cupel_scorer_child(scorer, C.size_t(i), out, (*C.double)(&child.Weight), cError)
		})
		if err != nil {
			for _, made := range children[:i] {
				made.Scorer.Close()
			}
			return nil, err
		}
	}
	return children, nil
}

// MarshalJSON gives the scorer as JSON that [NewScorerFromJSON] reads. Clocks are
// not part of it. A scorer that contains a custom scorer gives an error.
func (s *Scorer) MarshalJSON() ([]byte, error) {
	scorer, err := s.use()
	if err != nil {
		return nil, err
	}
	defer s.used()
	return jsonOf(func(text **C.cupel_text, cError **C.cupel_error) C.cupel_status {
		return C.cupel_scorer_to_json(scorer, text, cError)
	})
}

// jsonOf copies the text that a call into C makes, and frees it.
func jsonOf(write func(**C.cupel_text, **C.cupel_error) C.cupel_status) ([]byte, error) {
	var text *C.cupel_text
	var cError *C.cupel_error
	if err := check(write(&text, &cError), &cError); err != nil {
		return nil, err
	}
	defer C.cupel_text_free(text)
	return []byte(goString(C.cupel_text_data(text), C.cupel_text_len(text))), nil
}

// UnmarshalJSON makes s the scorer that the JSON describes, as
// [NewScorerFromJSON] does with the system clock. s must be a zero Scorer: a
// scorer is immutable, so one that is already made gives [ErrInvalidArgument].
// The JSON value null leaves s unchanged.
func (s *Scorer) UnmarshalJSON(json []byte) error {
	if string(json) == "null" {
		return nil
	}
	if s.handle != nil {
		return failure(ErrInvalidArgument, "the Scorer to read JSON into is already made: it must be a zero Scorer")
	}
	read, err := NewScorerFromJSON(json, nil)
	if err != nil {
		return err
	}
	s.calls = read.calls
	s.own(read.disown())
	return nil
}

// Close frees the scorer, after the calls that are using it have returned. It may
// be called again, at any time and from any goroutine. It never fails.
func (s *Scorer) Close() error {
	if s != nil {
		s.close()
	}
	return nil
}

func newScorer(calls bool, construct func(**C.cupel_scorer, **C.cupel_error) C.cupel_status) (*Scorer, error) {
	handle, err := create("scorer", func(p *C.cupel_scorer) { C.cupel_scorer_free(p) }, construct)
	if err != nil {
		return nil, err
	}
	s := &Scorer{calls: calls}
	s.own(handle)
	return s, nil
}

func (s *Scorer) use() (*C.cupel_scorer, error) {
	if s == nil {
		return nil, ErrClosed
	}
	return s.lend(false)
}
