package cupel

// #include "shim.h"
// #cgo noescape cupel_selector_new
// #cgo nocallback cupel_selector_new
// #cgo noescape cupel_selector_select
// #cgo nocallback cupel_selector_select
// #cgo noescape cupel_selector_select_groups
// #cgo nocallback cupel_selector_select_groups
// #cgo noescape cupel_selector_needed
// #cgo nocallback cupel_selector_needed
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"strings"
)

// A Selector chooses the rows of a batch that are kept under a budget of tokens,
// and their order.
//
// It is immutable and may be used by any number of goroutines concurrently. It
// keeps a share of its scorer, which may be closed before it. The garbage
// collector closes a Selector that has become unreachable.
type Selector struct {
	owner[*C.cupel_selector]
	calls bool // back into Go, through its scorer
}

// A Request is a budget of tokens, and what else differs from call to call. Only
// MaxTokens is required.
type Request struct {
	// MaxTokens is the size of the window.
	MaxTokens int64
	// TargetTokens is how much of the window to fill. 0: MaxTokens less
	// OutputReserve.
	TargetTokens int64
	// OutputReserve is the part of the window that is kept free for the answer.
	OutputReserve int64
	// ReservedTokens is the size of what the caller adds to the rows.
	ReservedTokens int64
	// SafetyMarginPercent, from 0 to 100, is how much less than the target to
	// fill, because counts of tokens are estimates.
	SafetyMarginPercent float64
	// MaxRows is the most rows that are kept; pinned rows are kept in any case.
	// 0: no limit.
	MaxRows int
	// Scores has a score for each row, in place of those of the selector's scorer.
	Scores []float64
	// Previous is an earlier selection from the same batch, to which rows have only
	// been appended since. If its rows and all new ones fit the window, they are
	// kept as they are, so that the front of the prompt does not change. It may be
	// the Selection that is selected into.
	Previous *Selection
}

// NewSelector makes a selector that follows the policy.
func NewSelector(policy Policy) (*Selector, error) {
	if err := policy.check(); err != nil {
		return nil, err
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	text := func(text string) (*C.char, C.size_t) {
		chars := stringChars(text)
		if chars != nil {
			pinner.Pin(chars)
		}
		return chars, C.size_t(len(text))
	}
	flag := func(set bool) C.int32_t {
		if set {
			return 1
		}
		return 0
	}
	c := C.cupel_policy{
		struct_size:     C.sizeof_cupel_policy,
		bucket_size:     C.int64_t(policy.BucketSize),
		slicer:          C.int32_t(policy.Slicer),
		placer:          C.int32_t(policy.Placer),
		overflow:        C.int32_t(policy.Overflow),
		scarcity:        C.int32_t(policy.Scarcity),
		keep_duplicates: flag(policy.KeepDuplicates),
		pinned_first:    flag(policy.PinnedFirst),
	}
	calls := false
	if policy.Scorer != nil {
		scorer, err := policy.Scorer.use()
		if err != nil {
			return nil, fmt.Errorf("policy.Scorer: %w", err)
		}
		defer policy.Scorer.used()
		c.scorer, calls = scorer, policy.Scorer.calls
	}
	c.group_key, c.group_key_len = text(policy.GroupKey)
	c.duplicate_key, c.duplicate_key_len = text(policy.DuplicateKey)
	if len(policy.Quotas) > 0 {
		quotas := make([]C.cupel_quota, len(policy.Quotas))
		for i, quota := range policy.Quotas {
			quotas[i].min_percent, quotas[i].max_percent = C.double(quota.MinPercent), C.double(quota.MaxPercent)
			quotas[i].kind, quotas[i].kind_len = text(quota.Kind)
		}
		pinner.Pin(&quotas[0])
		c.quotas, c.quotas_len = &quotas[0], C.size_t(len(quotas))
	}
	if len(policy.CountQuotas) > 0 {
		quotas := make([]C.cupel_count_quota, len(policy.CountQuotas))
		for i, quota := range policy.CountQuotas {
			quotas[i].min_count, quotas[i].max_count = C.size_t(quota.MinCount), C.SIZE_MAX
			if quota.MaxCount.Valid {
				quotas[i].max_count = C.size_t(quota.MaxCount.Value)
			}
			quotas[i].kind, quotas[i].kind_len = text(quota.Kind)
		}
		pinner.Pin(&quotas[0])
		c.count_quotas, c.count_quotas_len = &quotas[0], C.size_t(len(quotas))
	}
	selector, err := newSelector(calls, func(out **C.cupel_selector, cError **C.cupel_error) C.cupel_status {
		return C.cupel_selector_new(&c, out, cError)
	})
	return selector, namingFields(err)
}

// Select chooses rows of the batch for the request and writes the result into
// selection. The slices of selection are reused. If it fails, selection is
// unchanged.
//
// A failure of [ErrOverBudget] means that the pinned rows, or the rows that count
// quotas require, exceed the budget; one of [ErrShortfall] that a kind has fewer
// rows than its count quota requires; one of [ErrTooLarge] that a knapsack would
// take too long.
func (s *Selector) Select(batch *Batch, request Request, selection *Selection) error {
	return s.selectRows(batch, nil, request, selection)
}

// SelectGroups is [Selector.Select] for each group of the rows, such as those of
// one conversation, in one call: each group gets the selection that it would have
// in a batch of its own, with request as the budget of each.
//
// groups is as in [Scorer.ScoreGroups]. [Selection.Group] gives the rows of one
// group. Sums of tokens are over all groups. A clock is read once. A request with a
// Previous is refused, and so is a scorer that is or contains a custom one, unless
// the request has Scores. If a group fails, the call fails, and the message names
// the group.
func (s *Selector) SelectGroups(batch *Batch, groups []int64, request Request, selection *Selection) error {
	if len(groups) == 0 {
		return noGroups()
	}
	return s.selectRows(batch, groups, request, selection)
}

// selectRows selects for each group, or from all rows if groups is nil.
func (s *Selector) selectRows(batch *Batch, groups []int64, request Request, selection *Selection) error {
	if selection == nil {
		return failure(ErrNullArgument, "selection is nil")
	}
	if request.MaxRows < 0 {
		return failure(ErrOutOfRange, "request.MaxRows is %d: it must be 0 or more", request.MaxRows)
	}
	selector, err := s.use()
	if err != nil {
		return err
	}
	defer s.used()
	rows, err := batch.use()
	if err != nil {
		return err
	}
	defer batch.used()
	into, err := selection.owned()
	if err != nil {
		return err
	}
	result, err := into.lend(true)
	if err != nil {
		return err
	}
	defer into.used()

	c := C.cupel_request{
		struct_size:           C.sizeof_cupel_request,
		max_tokens:            C.int64_t(request.MaxTokens),
		target_tokens:         C.int64_t(request.TargetTokens),
		output_reserve:        C.int64_t(request.OutputReserve),
		reserved_tokens:       C.int64_t(request.ReservedTokens),
		safety_margin_percent: C.double(request.SafetyMarginPercent),
		max_rows:              C.size_t(request.MaxRows),
	}
	if request.Scores != nil {
		var pinner runtime.Pinner
		defer pinner.Unpin()
		c.scores, c.scores_len = doubles(request.Scores), C.size_t(len(request.Scores))
		if c.scores != nil {
			pinner.Pin(c.scores)
		}
	}
	if previous := request.Previous; previous != nil && previous.state != nil {
		if groups != nil {
			return failure(ErrInvalidArgument, "request.Previous is not nil: groups are selected without an earlier selection")
		}
		if previous.stale() {
			return failure(ErrInvalidArgument, "request.Previous is a copy of a Selection that was selected into since")
		}
		c.previous = result
		if previous.state != into {
			if c.previous, err = previous.state.lend(false); err != nil {
				return fmt.Errorf("request.Previous: %w", err)
			}
			defer previous.state.used()
		}
	}
	offsets, groupsLen := int64s(groups), C.size_t(max(len(groups)-1, 0))
	var cError *C.cupel_error
	switch {
	case s.calls:
		err = callingBack(batch, func(call C.uintptr_t, cError **C.cupel_error) C.cupel_status {
			if groups != nil {
				return C.cupel_go_selector_select_groups(call, selector, rows, offsets, groupsLen, &c, result, cError)
			}
			return C.cupel_go_selector_select(call, selector, rows, &c, result, cError)
		})
	case groups != nil:
		err = check(C.cupel_selector_select_groups(selector, rows, offsets, groupsLen, &c, result, &cError), &cError)
	default:
		err = check(C.cupel_selector_select(selector, rows, &c, result, &cError), &cError)
	}
	if err != nil {
		return allocating(namingFields(err), "selecting from %d rows", batch.Len())
	}
	return selection.read(result)
}

// Needed gives for each row the least budget from which on it is always kept: the
// number of tokens that are left for rows that are not pinned. It is 0 for a
// pinned row, and -1 for one that did not take part. selection must be from this
// selector and batch. A policy with [SlicerKnapsack] or with quotas gives
// [ErrInvalidArgument].
func (s *Selector) Needed(batch *Batch, selection *Selection) ([]int64, error) {
	if selection == nil {
		return nil, failure(ErrNullArgument, "selection is nil")
	}
	selector, err := s.use()
	if err != nil {
		return nil, err
	}
	defer s.used()
	rows, err := batch.use()
	if err != nil {
		return nil, err
	}
	defer batch.used()
	from, err := selection.owned()
	if err != nil {
		return nil, err
	}
	if selection.stale() {
		return nil, failure(ErrInvalidArgument, "selection is a copy of a Selection that was selected into since")
	}
	if from.rows != batch.Len() {
		return nil, failure(ErrLengthMismatch, "selection is from %d rows: the batch has %d", from.rows, batch.Len())
	}
	result, err := from.lend(false)
	if err != nil {
		return nil, err
	}
	defer from.used()

	tokens := make([]int64, batch.Len())
	var cError *C.cupel_error
	err = check(C.cupel_selector_needed(selector, rows, result, int64s(tokens), C.size_t(len(tokens)), &cError), &cError)
	if err != nil {
		return nil, allocating(namingFields(err), "computing the budgets of %d rows", len(tokens))
	}
	return tokens, nil
}

// TopK gives the k rows of the batch with the highest scores, best first; equal
// scores are in the order of the batch. Pinned rows are among them in any case,
// with a score of 1, and rows with fewer than 0 tokens never are. k must be 1 or
// more.
func (s *Scorer) TopK(batch *Batch, k int) ([]int, error) {
	if k < 1 {
		return nil, failure(ErrOutOfRange, "k is %d: it must be 1 or more", k)
	}
	selector, err := NewSelector(Policy{Scorer: s, Slicer: SlicerRanked, Placer: Ranked, KeepDuplicates: true})
	if err != nil {
		return nil, err
	}
	defer selector.Close()
	var selection Selection
	if err := selector.Select(batch, Request{MaxTokens: math.MaxInt64, MaxRows: k}, &selection); err != nil {
		return nil, err
	}
	return selection.Rows, nil
}

// Close frees the selector, after the calls that are using it have returned. It
// may be called again, at any time and from any goroutine. It never fails.
func (s *Selector) Close() error {
	if s != nil {
		s.close()
	}
	return nil
}

func newSelector(calls bool, construct func(**C.cupel_selector, **C.cupel_error) C.cupel_status) (*Selector, error) {
	handle, err := create("selector", func(p *C.cupel_selector) { C.cupel_selector_free(p) }, construct)
	if err != nil {
		return nil, err
	}
	s := &Selector{calls: calls}
	s.own(handle)
	return s, nil
}

func (s *Selector) use() (*C.cupel_selector, error) {
	if s == nil {
		return nil, ErrClosed
	}
	return s.lend(false)
}

// goFields are the fields of C structs that messages name without their struct,
// and their names in Go.
var goFields = map[string]string{
	"bucketSize":          "policy.BucketSize",
	"countQuotas":         "policy.CountQuotas",
	"duplicateKey":        "policy.DuplicateKey",
	"groupKey":            "policy.GroupKey",
	"quotas":              "policy.Quotas",
	"slicer":              "policy.Slicer",
	"maxRows":             "request.MaxRows",
	"maxTokens":           "request.MaxTokens",
	"outputReserve":       "request.OutputReserve",
	"reservedTokens":      "request.ReservedTokens",
	"safetyMarginPercent": "request.SafetyMarginPercent",
	"scores":              "request.Scores",
	"targetTokens":        "request.TargetTokens",
}

// goRules has the fields that rules mention.
var goRules = strings.NewReplacer(" max_tokens", " MaxTokens", " bucket_size", " BucketSize")

// namingFields names the fields of a [Policy] and a [Request] in an error of a
// selector: count_quotas[1] is policy.CountQuotas[1].
func namingFields(err error) error {
	failed, ok := err.(*Error)
	if !ok || failed.cause != nil {
		return err
	}
	group, message := cutGroup(failed.Message)
	if !strings.Contains(message, `"`) { // quotes a text of the caller
		message = goRules.Replace(message)
	}
	rest, isLength := strings.CutPrefix(message, "len(")
	if end := strings.IndexAny(rest, " .[)"); end >= 0 && goFields[rest[:end]] != "" {
		message = goFields[rest[:end]] + rest[end:]
		if isLength {
			message = "len(" + message
		}
	}
	failed.Message = group + message
	return err
}
