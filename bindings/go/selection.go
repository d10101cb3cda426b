package cupel

// #include "shim.h"
// #cgo noescape cupel_selection_new
// #cgo nocallback cupel_selection_new
// #cgo noescape cupel_selection_read
// #cgo nocallback cupel_selection_read
// #cgo noescape cupel_selection_free
// #cgo nocallback cupel_selection_free
import "C"

import (
	"math"
	"unsafe"
)

// A Selection is the result of [Selector.Select]. The zero Selection is empty and
// ready to use.
//
// Its fields are Go memory and valid until the next Select into it, which reuses
// them; the caller may change them. A Selection must not be copied if the copy is
// used as a [Request.Previous]. One goroutine at a time may select into it.
type Selection struct {
	// Rows are the rows that are kept, in their order: those of one group after
	// those of another.
	Rows []int
	// Offsets tells the groups apart: those of group i are Rows[Offsets[i]] up to, not
	// including, Rows[Offsets[i+1]]. After [Selector.Select] there is one group.
	Offsets []int
	// Scores has the score of every row of the batch. It is 1 for pinned rows and
	// those of their groups, and 0 for rows with fewer than 0 tokens.
	Scores []float64
	// Reasons has for every row of the batch why it was kept or dropped.
	Reasons []Reason
	// Causes has for every row of the batch the row that its reason refers to, or
	// -1.
	Causes []int
	// Shortfalls are the count quotas that could not be met.
	Shortfalls []Shortfall
	// ShortfallOffsets tells the groups of Shortfalls apart.
	ShortfallOffsets []int

	// KeptTokens is the size of the rows that are kept.
	KeptTokens int64
	// PinnedTokens is the size of the pinned rows and their groups.
	PinnedTokens int64
	// ConsideredTokens is the size of all rows of the batch.
	ConsideredTokens int64
	// EffectiveTarget is the budget of the rows that are not pinned, of all groups
	// together.
	EffectiveTarget int64
	// AvailableTokens is what was left of it. Count quotas can exceed it, which
	// makes it negative.
	AvailableTokens int64
	// OverflowTokens is by how much the rows exceeded the target, before they were
	// truncated.
	OverflowTokens int64
	// Stable reports whether the rows of the previous selection were kept as they
	// were.
	Stable bool

	state      *selectionState
	generation uint64
}

// Group gives the rows that are kept of a group of [Selector.SelectGroups], in their
// order. It is a part of Rows.
func (s *Selection) Group(group int) []int { return s.Rows[s.Offsets[group]:s.Offsets[group+1]] }

// A Shortfall is a count quota that could not be met.
type Shortfall struct {
	// Entry is the position in [Policy.CountQuotas].
	Entry int
	// Required is the number of rows that the quota requires.
	Required int
	// Found is the number of rows that there are.
	Found int
}

// A selectionState is the selection in the library. The garbage collector frees
// it with the Selection.
type selectionState struct {
	owner[*C.cupel_selection]
	generation uint64 // of the last Select
	rows       int    // of its batch
}

// owned is the state, which a zero Selection does not have yet.
func (s *Selection) owned() (*selectionState, error) {
	if s.state != nil {
		return s.state, nil
	}
	free := func(p *C.cupel_selection) { C.cupel_selection_free(p) }
	handle, err := create("selection", free, func(out **C.cupel_selection, cError **C.cupel_error) C.cupel_status {
		return C.cupel_selection_new(out, cError)
	})
	if err != nil {
		return nil, err
	}
	s.state = new(selectionState)
	s.state.own(handle)
	return s.state, nil
}

// stale reports whether s is a copy, and the library has a later selection.
func (s *Selection) stale() bool { return s.generation != s.state.generation }

// read copies the selection out of the library.
func (s *Selection) read(pointer *C.cupel_selection) error {
	view := C.cupel_selection_view{struct_size: C.sizeof_cupel_selection_view}
	var cError *C.cupel_error
	if err := check(C.cupel_selection_read(pointer, &view, &cError), &cError); err != nil {
		return err
	}
	s.state.generation++
	s.generation = s.state.generation
	s.Rows = s.Rows[:0]
	for _, row := range unsafe.Slice(view.rows, view.rows_len) {
		s.Rows = append(s.Rows, int(row))
	}
	s.Offsets, s.ShortfallOffsets = s.Offsets[:0], s.ShortfallOffsets[:0]
	for _, offset := range unsafe.Slice(view.offsets, view.offsets_len) {
		s.Offsets = append(s.Offsets, int(offset))
	}
	for _, offset := range unsafe.Slice(view.shortfall_offsets, view.offsets_len) {
		s.ShortfallOffsets = append(s.ShortfallOffsets, int(offset))
	}
	length := int(view.batch_len)
	s.state.rows = length
	s.Scores = append(s.Scores[:0], unsafe.Slice((*float64)(unsafe.Pointer(view.scores)), length)...)
	s.Reasons = append(s.Reasons[:0], unsafe.Slice((*Reason)(unsafe.Pointer(view.reasons)), length)...)
	s.Causes = s.Causes[:0]
	for _, cause := range unsafe.Slice(view.causes, length) {
		if cause == math.MaxUint32 {
			s.Causes = append(s.Causes, -1)
		} else {
			s.Causes = append(s.Causes, int(cause))
		}
	}
	s.Shortfalls = s.Shortfalls[:0]
	for _, shortfall := range unsafe.Slice(view.shortfalls, view.shortfalls_len) {
		s.Shortfalls = append(s.Shortfalls, Shortfall{int(shortfall.entry), int(shortfall.required), int(shortfall.found)})
	}
	s.KeptTokens = int64(view.kept_tokens)
	s.PinnedTokens = int64(view.pinned_tokens)
	s.ConsideredTokens = int64(view.considered_tokens)
	s.EffectiveTarget = int64(view.effective_target)
	s.AvailableTokens = int64(view.available_tokens)
	s.OverflowTokens = int64(view.overflow_tokens)
	s.Stable = view.stable != 0
	return nil
}
