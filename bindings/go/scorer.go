package cupel

// #include "shim.h"
// #cgo noescape cupel_scorer_score_batch
// #cgo nocallback cupel_scorer_score_batch
// #cgo noescape cupel_scorer_score_row
// #cgo nocallback cupel_scorer_score_row
// #cgo noescape cupel_scorer_to_json
// #cgo nocallback cupel_scorer_to_json
// #cgo noescape cupel_text_data
// #cgo nocallback cupel_text_data
// #cgo noescape cupel_text_len
// #cgo nocallback cupel_text_len
// #cgo noescape cupel_text_free
// #cgo nocallback cupel_text_free
import "C"

import "runtime"

// A Scorer gives each row of a batch a score: higher means more worth keeping.
//
// It never changes and may be used by any number of goroutines at once. A
// scorer that is made of others keeps a share of them, so they may be closed
// before it. The garbage collector closes a Scorer that can no longer be
// reached.
type Scorer struct {
	handle  *handle[*C.cupel_scorer]
	cleanup runtime.Cleanup
	calls   bool // back into Go, itself or a scorer or clock within it
}

// Score scores the whole batch: the score of row i is at i.
func (s *Scorer) Score(batch *Batch) ([]float64, error) {
	return s.score(batch, nil)
}

// ScoreInto is Score into a slice of the caller's, whose length must be that
// of the batch ([ErrLengthMismatch]). When it fails the slice is as it was.
func (s *Scorer) ScoreInto(batch *Batch, scores []float64) error {
	if scores == nil {
		scores = []float64{}
	}
	_, err := s.score(batch, scores)
	return err
}

// score makes the slice if it is nil, under the batch's loan, so that no append
// can come between.
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
		return nil, err
	}
	return scores, nil
}

// ScoreRow scores one row among its peers. To score many rows, [Scorer.Score]
// is far cheaper.
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
		return 0, failure(ErrOutOfRange, "row: %d", row)
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

// MarshalJSON is the scorer as JSON that [NewScorerFromJSON] reads. Its clocks
// are not part of it, and a scorer with a custom one in it is an error.
func (s *Scorer) MarshalJSON() ([]byte, error) {
	scorer, err := s.use()
	if err != nil {
		return nil, err
	}
	defer s.used()
	var text *C.cupel_text
	var cError *C.cupel_error
	if err := check(C.cupel_scorer_to_json(scorer, &text, &cError), &cError); err != nil {
		return nil, err
	}
	defer C.cupel_text_free(text)
	return []byte(goString(C.cupel_text_data(text), C.cupel_text_len(text))), nil
}

// Close frees the scorer, once the calls that are using it have ended. It may
// be called again, at any time, and by many goroutines; it never fails.
func (s *Scorer) Close() error {
	if s != nil {
		s.cleanup.Stop()
		s.handle.close()
	}
	return nil
}

func newScorer(calls bool, create func(**C.cupel_scorer, **C.cupel_error) C.cupel_status) (*Scorer, error) {
	if err := abiVersion(); err != nil {
		return nil, err
	}
	var pointer *C.cupel_scorer
	var cError *C.cupel_error
	if err := check(create(&pointer, &cError), &cError); err != nil {
		return nil, err
	}
	s := &Scorer{handle: newHandle("scorer", pointer, func(p *C.cupel_scorer) { C.cupel_scorer_free(p) }), calls: calls}
	s.cleanup = runtime.AddCleanup(s, (*handle[*C.cupel_scorer]).close, s.handle)
	return s, nil
}

func (s *Scorer) use() (*C.cupel_scorer, error) {
	if s == nil {
		return nil, ErrClosed
	}
	pointer, err := s.handle.read()
	runtime.KeepAlive(s)
	return pointer, err
}

func (s *Scorer) used() {
	s.handle.done()
	runtime.KeepAlive(s)
}
