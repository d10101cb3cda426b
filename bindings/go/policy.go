//go:build cgo

package cupel

import "strconv"

// A Slicer is how a [Selector] fills the budget from the rows, best first.
type Slicer int32

const (
	// SlicerGreedy takes rows by score per token, and skips what does not fit.
	SlicerGreedy Slicer = 0
	// SlicerKnapsack takes the rows whose scores have the greatest sum. It keeps
	// no row of score 0.
	SlicerKnapsack Slicer = 1
	// SlicerRanked takes rows by score, and skips what does not fit.
	SlicerRanked Slicer = 2
	// SlicerPrefix takes rows by score, up to the first that does not fit.
	SlicerPrefix Slicer = 3
)

// A Placer is the order of the rows that a [Selector] keeps.
type Placer int32

const (
	// Chronological is by timestamp; rows without one are last.
	Chronological Placer = 0
	// UShaped has the best rows at the two ends.
	UShaped Placer = 1
	// Ranked is by score.
	Ranked Placer = 2
	// BatchOrder is the order of the batch.
	BatchOrder Placer = 3
)

// An Overflow is what a [Selector] does when the rows that it has to keep exceed
// the target.
type Overflow int32

const (
	// OverflowFail fails with [ErrOverBudget].
	OverflowFail Overflow = 0
	// OverflowTruncate drops rows that are not pinned.
	OverflowTruncate Overflow = 1
	// OverflowProceed keeps all of them, as long as they fit the window.
	OverflowProceed Overflow = 2
)

// A Scarcity is what a [Selector] does when there are fewer rows of a kind than a
// [CountQuota] requires.
type Scarcity int32

const (
	// ScarcityDegrade keeps what there is and records a [Shortfall].
	ScarcityDegrade Scarcity = 0
	// ScarcityFail fails with [ErrShortfall].
	ScarcityFail Scarcity = 1
)

// A Policy is how a [Selector] chooses rows. The zero value of every field is its
// default.
type Policy struct {
	// Scorer gives the scores. Without one, every [Request] has Scores.
	Scorer *Scorer
	// Slicer fills the budget.
	Slicer Slicer
	// Placer orders the rows that are kept.
	Placer Placer
	// Quotas are shares of the budget by kind.
	Quotas []Quota
	// CountQuotas are numbers of rows by kind.
	CountQuotas []CountQuota
	// Scarcity is for kinds with fewer rows than a count quota requires.
	Scarcity Scarcity
	// Overflow is for rows that exceed the target.
	Overflow Overflow
	// GroupKey is a metadata key: rows with the same text at it are kept or
	// dropped together. Empty: no groups.
	GroupKey string
	// DuplicateKey is a metadata key: rows with the same text at it are
	// duplicates. Empty: rows with the same content are.
	DuplicateKey string
	// KeepDuplicates keeps duplicates. Otherwise only the best of them is kept.
	KeepDuplicates bool
	// BucketSize is the number of tokens of a step of [SlicerKnapsack]: larger is
	// faster and less exact. 0: 100.
	BucketSize int64
	// PinnedFirst places pinned rows before all others.
	PinnedFirst bool
}

// A Quota gives the rows of a kind a share of the budget, in percent.
type Quota struct {
	Kind string
	// MinPercent is reserved for the kind.
	MinPercent float64
	// MaxPercent is the most that the kind gets.
	MaxPercent float64
}

// A CountQuota bounds the number of rows of a kind.
type CountQuota struct {
	Kind string
	// MinCount rows are kept, whatever they cost.
	MinCount int
	// MaxCount is the most rows that are kept; none: no limit.
	MaxCount Optional[int]
}

// check refuses what has no form in C.
func (p *Policy) check() error {
	enumerator := func(field string, value int32, last int32, names string) error {
		if value < 0 || value > last {
			return failure(ErrOutOfRange, "policy.%s is %d: it must be %s", field, value, names)
		}
		return nil
	}
	if err := enumerator("Slicer", int32(p.Slicer), int32(SlicerPrefix), "SlicerGreedy, SlicerKnapsack, SlicerRanked or SlicerPrefix"); err != nil {
		return err
	}
	if err := enumerator("Placer", int32(p.Placer), int32(BatchOrder), "Chronological, UShaped, Ranked or BatchOrder"); err != nil {
		return err
	}
	if err := enumerator("Overflow", int32(p.Overflow), int32(OverflowProceed), "OverflowFail, OverflowTruncate or OverflowProceed"); err != nil {
		return err
	}
	if err := enumerator("Scarcity", int32(p.Scarcity), int32(ScarcityFail), "ScarcityDegrade or ScarcityFail"); err != nil {
		return err
	}
	for i, quota := range p.CountQuotas {
		if quota.MinCount < 0 {
			return failure(ErrOutOfRange, "policy.CountQuotas[%d].MinCount is %d: it must be 0 or more", i, quota.MinCount)
		}
		if quota.MaxCount.Valid && quota.MaxCount.Value < 0 {
			return failure(ErrOutOfRange, "policy.CountQuotas[%d].MaxCount is %d: it must be 0 or more", i, quota.MaxCount.Value)
		}
	}
	return nil
}

// A Reason is why a row was kept or dropped.
type Reason uint8

const (
	// ReasonScored: the row took part and fitted.
	ReasonScored Reason = 1
	// ReasonPinned: the row is pinned.
	ReasonPinned Reason = 2
	// ReasonZeroTokens: the row has no tokens.
	ReasonZeroTokens Reason = 3
	// ReasonGroup: the row's group has a pinned row.
	ReasonGroup Reason = 4
	// ReasonBudget: the row did not fit.
	ReasonBudget Reason = 16
	// ReasonDuplicate: the cause is an equal row that was better.
	ReasonDuplicate Reason = 17
	// ReasonNegativeTokens: the row has fewer than 0 tokens.
	ReasonNegativeTokens Reason = 18
	// ReasonPinnedOverride: the row would fit without the pinned rows, the first
	// of which is the cause.
	ReasonPinnedOverride Reason = 19
	// ReasonCountCap: as many rows of the kind as its count quota allows are kept.
	ReasonCountCap Reason = 20
	// ReasonRowLimit: as many rows as the request allows are kept.
	ReasonRowLimit Reason = 21
)

var reasonNames = map[Reason]string{
	ReasonScored:         "scored",
	ReasonPinned:         "pinned",
	ReasonZeroTokens:     "zero tokens",
	ReasonGroup:          "group",
	ReasonBudget:         "budget",
	ReasonDuplicate:      "duplicate",
	ReasonNegativeTokens: "negative tokens",
	ReasonPinnedOverride: "pinned override",
	ReasonCountCap:       "count cap",
	ReasonRowLimit:       "row limit",
}

// Kept reports whether a row with the reason was kept.
func (r Reason) Kept() bool { return r < ReasonBudget }

// String gives the reason in words, such as "duplicate".
func (r Reason) String() string {
	if name, known := reasonNames[r]; known {
		return name
	}
	return "reason " + strconv.Itoa(int(r))
}
