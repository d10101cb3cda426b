package cupel_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// groupOffsets are groups of the sizes at which kernels change, and empty ones.
func groupOffsets() []int64 {
	offsets := []int64{0}
	for _, size := range []int64{1, 0, 2, 63, 64, 0, 0, 65, 20, 127, 128, 129, 300, 1, 0} {
		offsets = append(offsets, offsets[len(offsets)-1]+size)
	}
	return offsets
}

// Scores of groups have the bits of a batch for each group.
func TestScoreGroups(t *testing.T) {
	groups := groupOffsets()
	items := mixedItems(int(groups[len(groups)-1]))
	batch := newBatch(t, items...)
	custom := clock(t)(cupel.NewCustomClock(func() (time.Time, error) { return now, nil }))
	for name, s := range map[string]*cupel.Scorer{
		"wide":         wideScorer(t, now),
		"frequency":    scorer(t)(cupel.NewFrequency()),
		"custom clock": scorer(t)(cupel.NewDecayExponential(custom, time.Hour)),
	} {
		got := make([]float64, len(items))
		if err := s.ScoreGroups(batch, groups, got); err != nil {
			t.Fatal(name, err)
		}
		var want []float64
		for i := range len(groups) - 1 {
			scores, err := s.Score(newBatch(t, items[groups[i]:groups[i+1]]...))
			if err != nil {
				t.Fatal(name, err)
			}
			want = append(want, scores...)
		}
		wantScores(t, got, want...)
		// One group is a call without groups.
		if err := s.ScoreGroups(batch, []int64{0, int64(len(items))}, got); err != nil {
			t.Fatal(name, err)
		}
		all, err := s.Score(batch)
		if err != nil {
			t.Fatal(name, err)
		}
		wantScores(t, got, all...)
	}
	if err := wideScorer(t, now).ScoreGroups(newBatch(t), []int64{0}, nil); err != nil {
		t.Errorf("no groups: %v", err)
	}
	if err := wideScorer(t, now).ScoreGroups(newBatch(t), []int64{0, 0, 0}, []float64{}); err != nil {
		t.Errorf("empty groups: %v", err)
	}
}

func TestScoreGroupsErrors(t *testing.T) {
	batch := newBatch(t, randomItems(4)...)
	priority := scorer(t)(cupel.NewPriority())
	custom := scorer(t)(cupel.NewScaled(scorer(t)(cupel.NewCustom(func(*cupel.Batch, []float64) error { return nil }))))
	broken := errors.New("the clock stopped")
	stopped := scorer(t)(cupel.NewDecayWindow(clock(t)(cupel.NewCustomClock(func() (time.Time, error) { return now, broken })), time.Hour))
	closed := newBatch(t)
	closed.Close()
	scores := []float64{7, 7, 7, 7}
	for _, c := range []struct {
		scorer  *cupel.Scorer
		groups  []int64
		scores  []float64
		status  cupel.Status
		message string
	}{
		{priority, nil, scores, cupel.ErrLengthMismatch, "len(groups) is 0: it must be one more than there are groups"},
		{priority, []int64{1, 4}, scores, cupel.ErrInvalidArgument, "groups[0] is 1: "},
		{priority, []int64{0, 3}, scores, cupel.ErrInvalidArgument, "groups[1] is 3: "},
		{priority, []int64{0, 5}, scores, cupel.ErrInvalidArgument, "groups[1] is 5: "},
		{priority, []int64{0, 3, 2, 4}, scores, cupel.ErrInvalidArgument, "groups[2] is 2: "},
		{priority, []int64{0, -1, 4}, scores, cupel.ErrInvalidArgument, "groups[1] is -1: "},
		{priority, []int64{0, math.MaxInt64, 4}, scores, cupel.ErrInvalidArgument, "groups["},
		{priority, []int64{0, 4}, scores[1:], cupel.ErrLengthMismatch, "len(scores) is 3: "},
		{priority, []int64{0, 4}, nil, cupel.ErrLengthMismatch, "len(scores) is 0: "},
		{custom, []int64{0, 4}, scores, cupel.ErrInvalidArgument, "a custom scorer cannot score groups"},
		{stopped, []int64{0, 4}, scores, cupel.ErrCallbackFailed, "the clock stopped"},
	} {
		err := c.scorer.ScoreGroups(batch, c.groups, c.scores)
		wantError(t, err, c.status, c.message)
		if c.scorer == stopped && !errors.Is(err, broken) {
			t.Errorf("%v does not wrap the clock's error", err)
		}
		wantScores(t, scores, 7, 7, 7, 7)
	}
	for _, err := range []error{
		priority.ScoreGroups(nil, []int64{0}, nil),
		priority.ScoreGroups(closed, []int64{0}, nil),
		(*cupel.Scorer)(nil).ScoreGroups(batch, []int64{0, 4}, scores),
	} {
		if err != cupel.ErrClosed {
			t.Errorf("got %v", err)
		}
	}
}

// Each group gets the selection of a batch of its own.
func TestSelectGroups(t *testing.T) {
	groups := groupOffsets()
	items := randomItems(int(groups[len(groups)-1]))
	for i := range items {
		items[i].Pinned = i%41 == 0
	}
	batch := newBatch(t, items...)
	custom := clock(t)(cupel.NewCustomClock(func() (time.Time, error) { return now, nil }))
	var got, want cupel.Selection
	for name, policy := range map[string]cupel.Policy{
		"greedy":       {Scorer: wideScorer(t, now)},
		"prefix":       {Scorer: scorer(t)(cupel.NewRecency()), Slicer: cupel.SlicerPrefix, Placer: cupel.BatchOrder},
		"quotas":       {Scorer: scorer(t)(cupel.NewPriority()), CountQuotas: []cupel.CountQuota{{Kind: "Memory", MinCount: 9}}},
		"custom clock": {Scorer: scorer(t)(cupel.NewDecayExponential(custom, time.Hour)), Placer: cupel.Ranked},
	} {
		chooser := selector(t, policy)
		request := cupel.Request{MaxTokens: 12_000, OutputReserve: 100}
		if err := chooser.SelectGroups(batch, groups, request, &got); err != nil {
			t.Fatal(name, err)
		}
		if len(got.Offsets) != len(groups) || len(got.ShortfallOffsets) != len(groups) || len(got.Reasons) != len(items) {
			t.Fatalf("%s: %d offsets, %d of shortfalls", name, len(got.Offsets), len(got.ShortfallOffsets))
		}
		kept := int64(0)
		for i := range len(groups) - 1 {
			first, end := int(groups[i]), int(groups[i+1])
			if err := chooser.Select(newBatch(t, items[first:end]...), request, &want); err != nil {
				t.Fatal(name, i, err)
			}
			for row := range want.Rows {
				want.Rows[row] += first
			}
			if !slices.Equal(got.Group(i), want.Rows) || !slices.Equal(want.Group(0), want.Rows) {
				t.Errorf("%s: group %d: %v, want %v", name, i, got.Group(i), want.Rows)
			}
			if !slices.Equal(got.Reasons[first:end], want.Reasons) {
				t.Errorf("%s: group %d: reasons %v, want %v", name, i, got.Reasons[first:end], want.Reasons)
			}
			if shortfalls := got.Shortfalls[got.ShortfallOffsets[i]:got.ShortfallOffsets[i+1]]; !slices.Equal(shortfalls, want.Shortfalls) {
				t.Errorf("%s: group %d: shortfalls %v, want %v", name, i, shortfalls, want.Shortfalls)
			}
			wantScores(t, got.Scores[first:end], want.Scores...)
			kept += want.KeptTokens
		}
		if got.KeptTokens != kept || got.Offsets[len(groups)-1] != len(got.Rows) {
			t.Errorf("%s: %d tokens, want %d; offsets %v", name, got.KeptTokens, kept, got.Offsets)
		}
	}
}

func TestSelectGroupsErrors(t *testing.T) {
	items := sized(10, 20, 30, 40)
	items[2].Pinned = true
	batch := newBatch(t, items...)
	recency := selector(t, cupel.Policy{Scorer: scorer(t)(cupel.NewRecency()), CountQuotas: []cupel.CountQuota{{Kind: "Memory", MinCount: 1}}})
	custom := selector(t, cupel.Policy{Scorer: scorer(t)(cupel.NewCustom(func(*cupel.Batch, []float64) error { return nil }))})
	failing := selector(t, cupel.Policy{Scorer: scorer(t)(cupel.NewRecency()), CountQuotas: []cupel.CountQuota{{Kind: "Memory", MinCount: 1}}, Scarcity: cupel.ScarcityFail})
	var selection cupel.Selection
	if err := recency.SelectGroups(batch, []int64{0, 2, 4}, cupel.Request{MaxTokens: 100}, &selection); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(selection.Rows)
	for _, c := range []struct {
		selector *cupel.Selector
		groups   []int64
		request  cupel.Request
		status   cupel.Status
		message  string
	}{
		{recency, nil, cupel.Request{MaxTokens: 1}, cupel.ErrLengthMismatch, "len(groups) is 0: it must be one more than there are groups"},
		{recency, []int64{0, 3}, cupel.Request{MaxTokens: 1}, cupel.ErrInvalidArgument, "groups[1] is 3: "},
		{recency, []int64{0, 4}, cupel.Request{MaxTokens: -1}, cupel.ErrInvalidArgument, "request.MaxTokens is -1: "},
		{recency, []int64{0, 4}, cupel.Request{MaxTokens: 1, MaxRows: -1}, cupel.ErrOutOfRange, "request.MaxRows is -1: "},
		{recency, []int64{0, 4}, cupel.Request{MaxTokens: 1, Scores: []float64{1}}, cupel.ErrLengthMismatch, "len(request.Scores) is 1: "},
		{recency, []int64{0, 2, 4}, cupel.Request{MaxTokens: 20}, cupel.ErrOverBudget, "group 1, rows 2 to before 4: "},
		{recency, []int64{0, 4}, cupel.Request{MaxTokens: 100, Previous: &selection}, cupel.ErrInvalidArgument, "request.Previous "},
		{failing, []int64{0, 2, 4}, cupel.Request{MaxTokens: 100}, cupel.ErrShortfall, `group 0, rows 0 to before 2: policy.CountQuotas[0] requires 1 of kind "Memory"`},
		{custom, []int64{0, 4}, cupel.Request{MaxTokens: 100}, cupel.ErrInvalidArgument, "a custom scorer cannot"},
	} {
		wantError(t, c.selector.SelectGroups(batch, c.groups, c.request, &selection), c.status, c.message)
		if !slices.Equal(selection.Rows, before) || len(selection.Offsets) != 3 {
			t.Errorf("%s: the selection changed", c.message)
		}
	}
	if err := custom.SelectGroups(batch, []int64{0, 1, 4}, cupel.Request{MaxTokens: 100, Scores: []float64{1, 2, 3, 4}}, &selection); err != nil {
		t.Errorf("scores of the request: %v", err)
	}
	wantMessage(t, recency.SelectGroups(batch, []int64{0, 4}, cupel.Request{MaxTokens: 1}, nil), cupel.ErrNullArgument, "selection is nil")
}
