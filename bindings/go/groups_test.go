package cupel_test

import (
	"errors"
	"math"
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
