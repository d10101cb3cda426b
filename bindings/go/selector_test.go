package cupel_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

func selector(t testing.TB, policy cupel.Policy) *cupel.Selector {
	t.Helper()
	return keep[*cupel.Selector](t)(cupel.NewSelector(policy))
}

// sized are rows of the given tokens, an hour apart, in one content each.
func sized(tokens ...int64) []cupel.Item {
	items := make([]cupel.Item, len(tokens))
	for i, n := range tokens {
		items[i] = cupel.Item{Content: strings.Repeat("x", i+1), Tokens: n, Timestamp: now.Add(time.Duration(i) * time.Hour)}
	}
	return items
}

func wantRows(t testing.TB, selection *cupel.Selection, rows ...int) {
	t.Helper()
	if !slices.Equal(selection.Rows, rows) {
		t.Errorf("kept rows %v, want %v", selection.Rows, rows)
	}
}

func TestSelect(t *testing.T) {
	items := sized(10, 20, 30, 40, 0, -1, 20, 5)
	items[0].Pinned = true
	items[6].Content = items[1].Content
	batch := newBatch(t, items...)
	request := cupel.Request{MaxTokens: 100, TargetTokens: 70, Scores: []float64{9, 0.5, 0.9, 0.25, 0.125, 9, 0.5, math.NaN()}}
	var kept cupel.Selection
	if err := selector(t, cupel.Policy{Slicer: cupel.SlicerRanked}).Select(batch, request, &kept); err != nil {
		t.Fatal(err)
	}
	const scored, pinned, budget = cupel.ReasonScored, cupel.ReasonPinned, cupel.ReasonBudget
	wantRows(t, &kept, 0, 1, 2, 4, 7)
	wantReasons := []cupel.Reason{pinned, scored, scored, budget, cupel.ReasonZeroTokens, cupel.ReasonNegativeTokens, cupel.ReasonDuplicate, scored}
	if !slices.Equal(kept.Reasons, wantReasons) {
		t.Errorf("reasons %v, want %v", kept.Reasons, wantReasons)
	}
	if want := []int{-1, -1, -1, -1, -1, -1, 1, -1}; !slices.Equal(kept.Causes, want) {
		t.Errorf("causes %v, want %v", kept.Causes, want)
	}
	wantScores(t, kept.Scores[:7], 1, 0.5, 0.9, 0.25, 0.125, 0, 0.5)
	if kept.KeptTokens != 65 || kept.PinnedTokens != 10 || kept.ConsideredTokens != 124 || kept.EffectiveTarget != 60 || kept.AvailableTokens != 5 || kept.OverflowTokens != 0 || kept.Stable || len(kept.Shortfalls) != 0 {
		t.Errorf("got %+v", kept)
	}
}

func TestPolicies(t *testing.T) {
	four := sized(30, 30, 30, 30)
	for i, kind := range []string{"A", "B", "a", "B"} {
		four[i].Kind = kind
		four[i].Metadata = map[string]any{"pair": i / 2, "same": "always"}
	}
	scores := []float64{0.1, 0.4, 0.2, 0.3}
	for name, c := range map[string]struct {
		policy  cupel.Policy
		request cupel.Request
		rows    []int
	}{
		"chronological":  {cupel.Policy{}, cupel.Request{MaxTokens: 100}, []int{1, 2, 3}},
		"ranked":         {cupel.Policy{Placer: cupel.Ranked}, cupel.Request{MaxTokens: 100}, []int{1, 3, 2}},
		"u-shaped":       {cupel.Policy{Placer: cupel.UShaped}, cupel.Request{MaxTokens: 100}, []int{1, 2, 3}},
		"batch order":    {cupel.Policy{Placer: cupel.BatchOrder}, cupel.Request{MaxTokens: 100}, []int{1, 2, 3}},
		"prefix":         {cupel.Policy{Slicer: cupel.SlicerPrefix, Placer: cupel.Ranked}, cupel.Request{MaxTokens: 60}, []int{1, 3}},
		"knapsack":       {cupel.Policy{Slicer: cupel.SlicerKnapsack, BucketSize: 1, Placer: cupel.Ranked}, cupel.Request{MaxTokens: 60}, []int{1, 3}},
		"reserve":        {cupel.Policy{Placer: cupel.Ranked}, cupel.Request{MaxTokens: 100, OutputReserve: 40}, []int{1, 3}},
		"reserved":       {cupel.Policy{Placer: cupel.Ranked}, cupel.Request{MaxTokens: 100, ReservedTokens: 41}, []int{1}},
		"margin":         {cupel.Policy{Placer: cupel.Ranked}, cupel.Request{MaxTokens: 100, SafetyMarginPercent: 50}, []int{1}},
		"max rows":       {cupel.Policy{Slicer: cupel.SlicerRanked, Placer: cupel.Ranked}, cupel.Request{MaxTokens: 1000, MaxRows: 2}, []int{1, 3}},
		"groups":         {cupel.Policy{Slicer: cupel.SlicerRanked, GroupKey: "pair"}, cupel.Request{MaxTokens: 80}, []int{0, 1}},
		"duplicate key":  {cupel.Policy{DuplicateKey: "same"}, cupel.Request{MaxTokens: 1000}, []int{1}},
		"duplicates":     {cupel.Policy{DuplicateKey: "same", KeepDuplicates: true}, cupel.Request{MaxTokens: 1000}, []int{0, 1, 2, 3}},
		"quotas":         {cupel.Policy{Quotas: []cupel.Quota{{Kind: "b", MinPercent: 0, MaxPercent: 25}}}, cupel.Request{MaxTokens: 120}, []int{0, 1, 2}},
		"count quotas":   {cupel.Policy{CountQuotas: []cupel.CountQuota{{Kind: "A", MinCount: 2, MaxCount: cupel.Some(2)}, {Kind: "B", MaxCount: cupel.Some(0)}}}, cupel.Request{MaxTokens: 1000}, []int{0, 2}},
		"count, no most": {cupel.Policy{CountQuotas: []cupel.CountQuota{{Kind: "A", MinCount: 2}}}, cupel.Request{MaxTokens: 90}, []int{0, 1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			c.request.Scores = scores
			var kept cupel.Selection
			if err := selector(t, c.policy).Select(newBatch(t, four...), c.request, &kept); err != nil {
				t.Fatal(err)
			}
			wantRows(t, &kept, c.rows...)
			for row, reason := range kept.Reasons {
				if reason.Kept() != slices.Contains(kept.Rows, row) {
					t.Errorf("row %d: %v", row, reason)
				}
			}
		})
	}

	pinned := slices.Clone(four)
	pinned[3].Pinned = true
	var kept cupel.Selection
	if err := selector(t, cupel.Policy{PinnedFirst: true}).Select(newBatch(t, pinned...), cupel.Request{MaxTokens: 1000, Scores: scores}, &kept); err != nil {
		t.Fatal(err)
	}
	wantRows(t, &kept, 3, 0, 1, 2)
}

// Overflow and scarcity, each way.
func TestOverflowAndScarcity(t *testing.T) {
	items := sized(50, 40)
	items[0].Pinned = true
	batch := newBatch(t, items...)
	request := cupel.Request{MaxTokens: 100, TargetTokens: 40, Scores: []float64{0, 1}}
	var kept cupel.Selection
	for overflow, rows := range map[cupel.Overflow][]int{cupel.OverflowTruncate: {0}, cupel.OverflowProceed: {0}} {
		if err := selector(t, cupel.Policy{Overflow: overflow}).Select(batch, request, &kept); err != nil {
			t.Fatal(err)
		}
		wantRows(t, &kept, rows...)
		if kept.OverflowTokens != 10 || kept.Reasons[1] != cupel.ReasonPinnedOverride && kept.Reasons[1] != cupel.ReasonBudget {
			t.Errorf("got %+v", kept)
		}
	}
	before := kept.Rows
	wantError(t, selector(t, cupel.Policy{}).Select(batch, request, &kept), cupel.ErrOverBudget, "50", "40")
	request.MaxTokens = 49
	wantError(t, selector(t, cupel.Policy{Overflow: cupel.OverflowProceed}).Select(batch, request, &kept), cupel.ErrOverBudget)
	if !reflect.DeepEqual(kept.Rows, before) {
		t.Errorf("a failure changed the selection: %v", kept.Rows)
	}

	quotas := []cupel.CountQuota{{Kind: "Memory", MinCount: 1}, {Kind: "Message", MinCount: 3}}
	request.MaxTokens, request.TargetTokens = 100, 100
	if err := selector(t, cupel.Policy{CountQuotas: quotas}).Select(batch, request, &kept); err != nil {
		t.Fatal(err)
	}
	if want := []cupel.Shortfall{{Entry: 0, Required: 1}, {Entry: 1, Required: 3, Found: 1}}; !reflect.DeepEqual(kept.Shortfalls, want) {
		t.Errorf("shortfalls %v, want %v", kept.Shortfalls, want)
	}
	wantError(t, selector(t, cupel.Policy{CountQuotas: quotas, Scarcity: cupel.ScarcityFail}).Select(batch, request, &kept), cupel.ErrShortfall, "policy.CountQuotas[0] requires 1 of kind \"Memory\"")
	// A knapsack of a million cells for each of a thousand rows, none of which can
	// be left out.
	proportional := randomItems(2000)
	request = cupel.Request{Scores: make([]float64, len(proportional))}
	for i := range proportional {
		proportional[i].Tokens = int64(i%997+1)*2048 + 1
		request.Scores[i] = float64(proportional[i].Tokens) / 4096
		request.MaxTokens += proportional[i].Tokens / 2
	}
	err := selector(t, cupel.Policy{Slicer: cupel.SlicerKnapsack, BucketSize: 1}).Select(newBatch(t, proportional...), request, &kept)
	wantError(t, err, cupel.ErrTooLarge, " a BucketSize of ")
}

func TestPolicyErrors(t *testing.T) {
	recency := scorer(t)(cupel.NewRecency())
	closed := scorer(t)(cupel.NewRecency())
	closed.Close()
	for name, c := range map[string]struct {
		policy  cupel.Policy
		status  cupel.Status
		message string
	}{
		"slicer":         {cupel.Policy{Slicer: 4}, cupel.ErrOutOfRange, "policy.Slicer is 4: it must be SlicerGreedy, "},
		"placer":         {cupel.Policy{Placer: -1}, cupel.ErrOutOfRange, "policy.Placer is -1: it must be Chronological, "},
		"overflow":       {cupel.Policy{Overflow: 3}, cupel.ErrOutOfRange, "policy.Overflow is 3: it must be OverflowFail, "},
		"scarcity":       {cupel.Policy{Scarcity: 2}, cupel.ErrOutOfRange, "policy.Scarcity is 2: it must be ScarcityDegrade "},
		"bucket size":    {cupel.Policy{Slicer: cupel.SlicerKnapsack, BucketSize: -1}, cupel.ErrInvalidArgument, "policy.BucketSize is -1: "},
		"percent":        {cupel.Policy{Quotas: []cupel.Quota{{"A", 0, 1}, {"B", 0, 101}}}, cupel.ErrInvalidArgument, "policy.Quotas[1].MaxPercent is 101.0: "},
		"percent, NaN":   {cupel.Policy{Quotas: []cupel.Quota{{"A", math.NaN(), 1}}}, cupel.ErrInvalidArgument, "policy.Quotas[0].MinPercent is NaN: "},
		"kind twice":     {cupel.Policy{Quotas: []cupel.Quota{{"A", 0, 1}, {"a", 0, 1}}}, cupel.ErrInvalidArgument, "policy.Quotas[1].Kind is "},
		"kind not UTF-8": {cupel.Policy{Quotas: []cupel.Quota{{"A\xff", 0, 1}}}, cupel.ErrInvalidUTF8, "policy.Quotas[0].Kind is not valid UTF-8 at byte 1"},
		"count":          {cupel.Policy{CountQuotas: []cupel.CountQuota{{Kind: "A"}, {Kind: "B", MinCount: -1}}}, cupel.ErrOutOfRange, "policy.CountQuotas[1].MinCount is -1: "},
		"count, most":    {cupel.Policy{CountQuotas: []cupel.CountQuota{{Kind: "A", MaxCount: cupel.Some(-1)}}}, cupel.ErrOutOfRange, "policy.CountQuotas[0].MaxCount is -1: "},
		"count above":    {cupel.Policy{CountQuotas: []cupel.CountQuota{{Kind: "A", MinCount: 2, MaxCount: cupel.Some(1)}}}, cupel.ErrInvalidArgument, "policy.CountQuotas[0].M"},
		"group key":      {cupel.Policy{GroupKey: "\xff"}, cupel.ErrInvalidUTF8, "policy.GroupKey is not valid UTF-8 at byte 0"},
		"duplicate key":  {cupel.Policy{DuplicateKey: "a\xff"}, cupel.ErrInvalidUTF8, "policy.DuplicateKey is not valid UTF-8 at byte 1"},
	} {
		t.Run(name, func(t *testing.T) {
			c.policy.Scorer = recency
			made, err := cupel.NewSelector(c.policy)
			if made != nil {
				t.Errorf("a selector comes with %v", err)
			}
			wantError(t, err, c.status)
			if err != nil && !strings.HasPrefix(err.Error(), "cupel: "+c.message) {
				t.Errorf("%q does not begin with %q", err, c.message)
			}
		})
	}
	if _, err := cupel.NewSelector(cupel.Policy{Scorer: closed}); !errors.Is(err, cupel.ErrClosed) {
		t.Errorf("a closed scorer: %v", err)
	}
}

func TestRequestErrors(t *testing.T) {
	batch := newBatch(t, sized(1, 2)...)
	recency := scorer(t)(cupel.NewRecency())
	plain := selector(t, cupel.Policy{Scorer: recency})
	var kept cupel.Selection
	if err := plain.Select(batch, cupel.Request{MaxTokens: 2}, &kept); err != nil {
		t.Fatal(err)
	}
	longer := newBatch(t, sized(1, 2, 3)...)
	var ofThree cupel.Selection
	if err := plain.Select(longer, cupel.Request{MaxTokens: 2}, &ofThree); err != nil {
		t.Fatal(err)
	}
	before := kept
	before.Rows, before.Scores, before.Reasons = slices.Clone(kept.Rows), slices.Clone(kept.Scores), slices.Clone(kept.Reasons)
	for name, c := range map[string]struct {
		request cupel.Request
		status  cupel.Status
		message string
	}{
		"max tokens": {cupel.Request{MaxTokens: -1}, cupel.ErrInvalidArgument, "request.MaxTokens is -1: "},
		"target":     {cupel.Request{MaxTokens: 5, TargetTokens: 6}, cupel.ErrInvalidArgument, "request.TargetTokens is 6: it must not exceed MaxTokens"},
		"reserve":    {cupel.Request{MaxTokens: 5, OutputReserve: 6}, cupel.ErrInvalidArgument, "request.OutputReserve is 6: "},
		"reserved":   {cupel.Request{MaxTokens: 5, ReservedTokens: -6}, cupel.ErrInvalidArgument, "request.ReservedTokens is -6: "},
		"margin":     {cupel.Request{MaxTokens: 5, SafetyMarginPercent: math.NaN()}, cupel.ErrInvalidArgument, "request.SafetyMarginPercent is NaN: "},
		"max rows":   {cupel.Request{MaxTokens: 5, MaxRows: -1}, cupel.ErrOutOfRange, "request.MaxRows is -1: "},
		"scores":     {cupel.Request{MaxTokens: 5, Scores: []float64{1}}, cupel.ErrLengthMismatch, "len(request.Scores) is 1: it must be 2"},
		"no scores":  {cupel.Request{MaxTokens: 5, Scores: []float64{}}, cupel.ErrLengthMismatch, "len(request.Scores) is 0: it must be 2"},
		"previous":   {cupel.Request{MaxTokens: 5, Previous: &ofThree}, cupel.ErrLengthMismatch, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := plain.Select(batch, c.request, &kept)
			wantError(t, err, c.status)
			if err != nil && !strings.HasPrefix(err.Error(), "cupel: "+c.message) {
				t.Errorf("%q does not begin with %q", err, c.message)
			}
			if !reflect.DeepEqual(kept, before) {
				t.Errorf("the selection became %v", kept)
			}
		})
	}
	wantError(t, plain.Select(batch, cupel.Request{}, nil), cupel.ErrNullArgument, "selection is nil")
	_, err := plain.Needed(batch, nil)
	wantError(t, err, cupel.ErrNullArgument, "selection is nil")
	_, err = plain.Needed(longer, &kept)
	wantMessage(t, err, cupel.ErrLengthMismatch, "selection is from 2 rows: the batch has 3")
	_, err = plain.Needed(batch, new(cupel.Selection))
	wantMessage(t, err, cupel.ErrLengthMismatch, "selection is from 0 rows: the batch has 2")
	_, err = selector(t, cupel.Policy{Scorer: recency, Slicer: cupel.SlicerKnapsack}).Needed(batch, &kept)
	wantError(t, err, cupel.ErrInvalidArgument, "policy.Slicer is ")
	wantError(t, selector(t, cupel.Policy{}).Select(batch, cupel.Request{MaxTokens: 5}, &kept), cupel.ErrInvalidArgument, "scores")
	if err := selector(t, cupel.Policy{}).Select(newBatch(t), cupel.Request{MaxTokens: 5}, &kept); err != nil || len(kept.Rows) != 0 || len(kept.Scores) != 0 {
		t.Errorf("of no rows: %v, %v", kept, err)
	}
}

func TestSelectionIsReused(t *testing.T) {
	batch := newBatch(t, randomItems(500)...)
	recency := scorer(t)(cupel.NewRecency())
	plain := selector(t, cupel.Policy{Scorer: recency})
	var kept cupel.Selection
	request := cupel.Request{MaxTokens: 20_000}
	if err := plain.Select(batch, request, &kept); err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(kept.Rows)
	first := &kept.Scores[0]
	request.Scores = kept.Scores // its own, as they are lent
	if err := plain.Select(batch, request, &kept); err != nil {
		t.Fatal(err)
	}
	wantRows(t, &kept, want...)
	if first != &kept.Scores[0] {
		t.Error("the slices were not reused")
	}
	if allocations := testing.AllocsPerRun(20, func() {
		if err := plain.Select(batch, cupel.Request{MaxTokens: 20_000}, &kept); err != nil {
			t.Fatal(err)
		}
	}); allocations > 4 {
		t.Errorf("%v allocations", allocations)
	}
}

// A selection goes on from the previous one while everything fits.
func TestStablePrefix(t *testing.T) {
	batch := newBatch(t, sized(10, 10, 10, 10)...)
	recency := scorer(t)(cupel.NewRecency())
	chat := selector(t, cupel.Policy{Scorer: recency, Slicer: cupel.SlicerPrefix, Placer: cupel.BatchOrder})
	request := cupel.Request{MaxTokens: 40, TargetTokens: 20}
	var kept, none cupel.Selection
	request.Previous = &none // never selected into
	if err := chat.Select(batch, request, &kept); err != nil {
		t.Fatal(err)
	}
	wantRows(t, &kept, 2, 3)
	copied := kept
	request.Previous = &kept
	for _, step := range []struct {
		rows   []int
		stable bool
	}{{[]int{2, 3, 4}, true}, {[]int{2, 3, 4, 5}, true}, {[]int{5, 6}, false}} {
		items := sized(1, 1, 1, 1, 1, 1, 10)
		item := items[6]
		item.Content, item.Timestamp = strings.Repeat("y", batch.Len()), now.Add(time.Duration(batch.Len())*time.Hour)
		if err := batch.Append(item); err != nil {
			t.Fatal(err)
		}
		if err := chat.Select(batch, request, &kept); err != nil {
			t.Fatal(err)
		}
		wantRows(t, &kept, step.rows...)
		if kept.Stable != step.stable {
			t.Errorf("stable is %v with rows %v", kept.Stable, kept.Rows)
		}
	}
	var next cupel.Selection
	if err := chat.Select(batch, request, &next); err != nil || !next.Stable {
		t.Errorf("from another selection: %v, %v", next, err)
	}
	wantRows(t, &next, kept.Rows...)
	request.Previous = &copied
	wantError(t, chat.Select(batch, request, &next), cupel.ErrInvalidArgument, "request.Previous is a copy")
	_, err := chat.Needed(batch, &copied)
	wantError(t, err, cupel.ErrInvalidArgument, "is a copy")
}

// What is needed keeps the row, and one token less does not.
func TestNeeded(t *testing.T) {
	items := randomItems(40)
	items[3].Pinned = true
	batch := newBatch(t, items...)
	priority := scorer(t)(cupel.NewPriority())
	for _, slicer := range []cupel.Slicer{cupel.SlicerGreedy, cupel.SlicerRanked, cupel.SlicerPrefix} {
		plain := selector(t, cupel.Policy{Scorer: priority, Slicer: slicer})
		var kept cupel.Selection
		if err := plain.Select(batch, cupel.Request{MaxTokens: 5_000}, &kept); err != nil {
			t.Fatal(err)
		}
		needed, err := plain.Needed(batch, &kept)
		if err != nil || len(needed) != len(items) || needed[3] != 0 {
			t.Fatalf("%v, %v", needed, err)
		}
		for row, tokens := range needed {
			if row == 3 {
				continue
			}
			for _, less := range []int64{0, 1} {
				request := cupel.Request{MaxTokens: items[3].Tokens + tokens - less}
				if err := plain.Select(batch, request, &kept); err != nil {
					t.Fatal(err)
				}
				if kept.Reasons[row].Kept() != (less == 0) {
					t.Errorf("slicer %d, row %d of %d: %v with %d less than %d", slicer, row, items[row].Tokens, kept.Reasons[row], less, tokens)
				}
			}
		}
	}
}

func TestTopK(t *testing.T) {
	items := randomItems(300)
	batch := newBatch(t, items...)
	priority := scorer(t)(cupel.NewPriority())
	scores, err := priority.Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	ranked := make([]int, len(items))
	for row := range ranked {
		ranked[row] = row
	}
	slices.SortStableFunc(ranked, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	for _, k := range []int{1, 2, 17, 299, 300, 1000} {
		rows, err := priority.TopK(batch, k)
		if err != nil || !slices.Equal(rows, ranked[:min(k, len(ranked))]) {
			t.Errorf("the best %d are %v, %v", k, rows, err)
		}
	}
	for _, k := range []int{0, -1} {
		_, err := priority.TopK(batch, k)
		wantError(t, err, cupel.ErrOutOfRange, "k is ")
	}
}

func TestSelectCallsBack(t *testing.T) {
	batch := newBatch(t, sized(1, 2, 3)...)
	cause := errors.New("no model")
	var fail, panics bool
	custom := scorer(t)(cupel.NewCustom(func(b *cupel.Batch, scores []float64) error {
		if b != batch || len(scores) != 3 {
			t.Errorf("%p with %d scores", b, len(scores))
		}
		if err := b.Append(fullItem); !errors.Is(err, cupel.ErrBusy) {
			t.Errorf("append within a callback: %v", err)
		}
		if panics {
			panic(cause)
		}
		if fail {
			return cause
		}
		scores[1] = 1
		return nil
	}))
	plain := selector(t, cupel.Policy{Scorer: custom, Slicer: cupel.SlicerRanked})
	var kept cupel.Selection
	request := cupel.Request{MaxTokens: 2}
	if err := plain.Select(batch, request, &kept); err != nil {
		t.Fatal(err)
	}
	wantRows(t, &kept, 1)
	fail = true
	err := plain.Select(batch, request, &kept)
	wantError(t, err, cupel.ErrCallbackFailed, "no model")
	if !errors.Is(err, cause) {
		t.Errorf("%v does not wrap the error", err)
	}
	panics = true
	func() {
		defer func() {
			if err, _ := recover().(*cupel.PanicError); !errors.Is(err, cause) {
				t.Errorf("recovered %v", err)
			}
		}()
		plain.Select(batch, request, &kept)
	}()
	wantRows(t, &kept, 1)
	if err := batch.Append(fullItem); err != nil {
		t.Error(err)
	}
}

func TestChildren(t *testing.T) {
	batch := newBatch(t, randomItems(60)...)
	recency, kind := scorer(t)(cupel.NewRecency()), scorer(t)(cupel.NewKindDefault())
	custom := scorer(t)(cupel.NewCustom(func(_ *cupel.Batch, scores []float64) error {
		for row := range scores {
			scores[row] = float64(row)
		}
		return nil
	}))
	scaled := scorer(t)(cupel.NewScaled(custom))
	tree := scorer(t)(cupel.NewComposite(cupel.WeightedScorer{Scorer: recency, Weight: 2}, cupel.WeightedScorer{Scorer: kind, Weight: 1}, cupel.WeightedScorer{Scorer: scaled, Weight: 3}))
	want, err := tree.Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	children, err := tree.Children()
	if err != nil || len(children) != 3 {
		t.Fatalf("%v, %v", children, err)
	}
	tree.Close()
	sum := make([]float64, len(want))
	for i, child := range children {
		if name, err := child.Scorer.Type(); err != nil || name != []string{"recency", "kind", "scaled"}[i] {
			t.Errorf("child %d is %q, %v", i, name, err)
		}
		scores, err := child.Scorer.Score(batch)
		if err != nil {
			t.Fatal(err)
		}
		for row, score := range scores {
			sum[row] += float64(score * child.Weight)
		}
	}
	wantScores(t, sum, want...)
	inner, err := children[2].Scorer.Children()
	if err != nil || len(inner) != 1 || inner[0].Weight != 1 {
		t.Fatalf("%v, %v", inner, err)
	}
	if name, err := inner[0].Scorer.Type(); err != nil || name != "custom" {
		t.Errorf("the inner scorer is %q, %v", name, err)
	}
	if none, err := recency.Children(); err != nil || len(none) != 0 {
		t.Errorf("the children of recency are %v, %v", none, err)
	}
	for _, child := range append(children, inner...) {
		child.Scorer.Close()
	}
}

func TestSelectorLifetime(t *testing.T) {
	batch := newBatch(t, sized(1, 2, 3)...)
	recency := cupel.Must(cupel.NewRecency())
	plain := selector(t, cupel.Policy{Scorer: recency})
	recency.Close()
	var kept cupel.Selection
	if err := plain.Select(batch, cupel.Request{MaxTokens: 5}, &kept); err != nil {
		t.Fatal(err)
	}
	wantRows(t, &kept, 1, 2)
	plain.Close()
	plain.Close()
	closed := newBatch(t)
	closed.Close()
	other := selector(t, cupel.Policy{})
	var zero cupel.Selector
	_, needed := plain.Needed(batch, &kept)
	for name, err := range map[string]error{
		"selector":      plain.Select(batch, cupel.Request{MaxTokens: 5}, &kept),
		"batch":         other.Select(closed, cupel.Request{MaxTokens: 5}, &kept),
		"nil batch":     other.Select(nil, cupel.Request{MaxTokens: 5}, &kept),
		"nil selector":  (*cupel.Selector)(nil).Select(batch, cupel.Request{MaxTokens: 5}, &kept),
		"zero selector": zero.Select(batch, cupel.Request{MaxTokens: 5}, &kept),
		"needed":        needed,
	} {
		if !errors.Is(err, cupel.ErrClosed) {
			t.Errorf("%s: %v, want %v", name, err, cupel.ErrClosed)
		}
	}
	if err := errors.Join(zero.Close(), (*cupel.Selector)(nil).Close()); err != nil {
		t.Error(err)
	}
	wantRows(t, &kept, 1, 2)
}

// Forgotten selectors and selections are freed.
func TestCollectorFreesSelections(t *testing.T) {
	before := cupel.Live()
	func() {
		batch := cupel.Must(cupel.NewBatch(sized(1, 2, 3)...))
		plain := cupel.Must(cupel.NewSelector(cupel.Policy{Scorer: cupel.Must(cupel.NewRecency())}))
		var kept cupel.Selection
		if err := plain.Select(batch, cupel.Request{MaxTokens: 5}, &kept); err != nil {
			t.Error(err)
		}
	}()
	if !settle(before) {
		t.Errorf("%d held, %d before", cupel.Live(), before)
	}
}

func TestConcurrentSelecting(t *testing.T) {
	batch := newBatch(t, randomItems(300)...)
	wide := wideScorer(t, now)
	plain := selector(t, cupel.Policy{Scorer: wide})
	var want cupel.Selection
	if err := plain.Select(batch, cupel.Request{MaxTokens: 9_000}, &want); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var kept cupel.Selection
			for range 20 {
				if err := plain.Select(batch, cupel.Request{MaxTokens: 9_000}, &kept); err != nil {
					t.Error(err)
				}
				wantRows(t, &kept, want.Rows...)
			}
		}()
	}
	wait.Wait()
}

func TestReasons(t *testing.T) {
	for reason, name := range map[cupel.Reason]string{
		cupel.ReasonScored: "scored", cupel.ReasonZeroTokens: "zero tokens", cupel.ReasonBudget: "budget", cupel.ReasonRowLimit: "row limit", 99: "reason 99",
	} {
		if reason.String() != name {
			t.Errorf("%d is %q, want %q", uint8(reason), reason, name)
		}
	}
	for reason := range cupel.Reason(30) {
		if reason.Kept() != (reason < 16) {
			t.Errorf("%v: kept is %v", reason, reason.Kept())
		}
	}
}
