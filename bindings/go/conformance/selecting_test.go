package conformance

import (
	"math"
	"slices"
	"testing"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// runSelecting runs a vector of a stage after scoring. Slicing and placing have
// scores of their own, and the other stages are switched off.
func runSelecting(t *testing.T, root fields, stage string) {
	defer reportMalformed(t)
	config, test := root.sub("config"), root.sub("test")
	b := new(builder)
	defer b.close()
	var policy cupel.Policy
	list, budget := "items", root.sub("budget")
	request := cupel.Request{
		MaxTokens:           read[int64](budget, "max_tokens"),
		TargetTokens:        read[int64](budget, "target_tokens"),
		OutputReserve:       read[int64](budget, "output_reserve"),
		SafetyMarginPercent: budget.number("estimation_safety_margin_percent", 0),
	}
	reserved := budget.sub("reserved_slots")
	for kind := range reserved.table {
		request.ReservedTokens += must[int64](reserved, kind)
	}
	switch stage {
	case "pipeline":
		policy.Scorer = b.build(root, "composite")
		policy.KeepDuplicates = !read[bool](config, "deduplication")
		setSlicer(&policy, must[string](config, "slicer"), config)
		setPlacer(&policy, must[string](config, "placer"), config)
		switch read[string](config, "overflow_strategy") {
		case "", "throw":
		case "truncate":
			policy.Overflow = cupel.OverflowTruncate
		case "proceed":
			policy.Overflow = cupel.OverflowProceed
		default:
			panic(config.malformed("an overflow of type %q", config.table["overflow_strategy"]))
		}
	case "slicing":
		list, policy.KeepDuplicates, request.MaxTokens = "scored_items", true, request.TargetTokens
		setSlicer(&policy, must[string](test, "slicer"), config)
	case "placing":
		policy.KeepDuplicates, request.MaxTokens = true, math.MaxInt64
		policy.Slicer = cupel.SlicerRanked
		setPlacer(&policy, must[string](test, "placer"), test)
	}
	var items []cupel.Item
	for _, f := range root.mustList(list) {
		items = append(items, readItem(f).item)
		if stage != "pipeline" {
			request.Scores = append(request.Scores, f.mustNumber("score"))
		}
	}
	batch := cupel.Must(cupel.NewBatch(items...))
	defer batch.Close()
	selector := cupel.Must(cupel.NewSelector(policy))
	defer selector.Close()

	var selection cupel.Selection
	err := selector.Select(batch, request, &selection)
	if root.has("expected_error") {
		if err == nil {
			t.Errorf("selected %v", selection.Rows)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	contents := func(rows []int) (contents []string) {
		for _, row := range rows {
			contents = append(contents, items[row].Content)
		}
		return contents
	}
	expected := root.sub("expected")
	got := contents(selection.Rows)
	var want []string
	switch stage {
	case "pipeline":
		for _, f := range root.list("expected_output") {
			want = append(want, must[string](f, "content"))
		}
	case "slicing": // in any order
		want = expected.texts("selected_contents")
		slices.Sort(want)
		slices.Sort(got)
	case "placing":
		want = expected.texts("ordered_contents")
	}
	if !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	count := func(name string, got int) {
		if expected.has(name) && must[int64](expected, name) != int64(got) {
			t.Errorf("%s is %d, want %v", name, got, expected.table[name])
		}
	}
	count("shortfall_count", len(selection.Shortfalls))
	capped := 0
	for _, reason := range selection.Reasons {
		if reason == cupel.ReasonCountCap {
			capped++
		}
	}
	count("cap_excluded_count", capped)
	if diagnostics := expected.sub("diagnostics"); diagnostics.table != nil {
		checkDiagnostics(t, diagnostics, items, &selection)
	}
}

func setSlicer(policy *cupel.Policy, name string, config fields) {
	switch name {
	case "greedy":
		policy.Slicer = cupel.SlicerGreedy
	case "knapsack":
		policy.Slicer = cupel.SlicerKnapsack
		policy.BucketSize = read[int64](config, "bucket_size")
	case "quota":
		for _, f := range config.mustList("quotas") {
			policy.Quotas = append(policy.Quotas, cupel.Quota{Kind: must[string](f, "kind"), MinPercent: f.mustNumber("require"), MaxPercent: f.mustNumber("cap")})
		}
		setSlicer(policy, must[string](config, "inner_slicer"), config)
	case "count_quota", "count_constrained_knapsack":
		for _, f := range config.mustList("entries") {
			policy.CountQuotas = append(policy.CountQuotas, cupel.CountQuota{
				Kind:     must[string](f, "kind"),
				MinCount: int(must[int64](f, "require_count")),
				MaxCount: cupel.Some(int(must[int64](f, "cap_count"))),
			})
		}
		switch read[string](config, "scarcity_behavior") {
		case "", "degrade":
		case "throw":
			policy.Scarcity = cupel.ScarcityFail
		default:
			panic(config.malformed("a scarcity of type %q", config.table["scarcity_behavior"]))
		}
		setSlicer(policy, must[string](config, "inner_slicer"), config)
	default:
		panic(config.malformed("a slicer of type %q", name))
	}
}

func setPlacer(policy *cupel.Policy, name string, f fields) {
	switch name {
	case "chronological":
		policy.Placer = cupel.Chronological
	case "u-shaped":
		policy.Placer = cupel.UShaped
	default:
		panic(f.malformed("a placer of type %q", name))
	}
}

var upstreamReasons = map[string]cupel.Reason{
	"Scored":           cupel.ReasonScored,
	"Pinned":           cupel.ReasonPinned,
	"ZeroToken":        cupel.ReasonZeroTokens,
	"BudgetExceeded":   cupel.ReasonBudget,
	"Deduplicated":     cupel.ReasonDuplicate,
	"NegativeTokens":   cupel.ReasonNegativeTokens,
	"PinnedOverride":   cupel.ReasonPinnedOverride,
	"CountCapExceeded": cupel.ReasonCountCap,
}

func checkDiagnostics(t *testing.T, want fields, items []cupel.Item, selection *cupel.Selection) {
	if summary := want.sub("summary"); summary.table != nil {
		if total := must[int64](summary, "total_candidates"); total != int64(len(selection.Reasons)) {
			t.Errorf("%d candidates, want %d", len(selection.Reasons), total)
		}
		if total := must[int64](summary, "total_tokens_considered"); total != selection.ConsideredTokens {
			t.Errorf("%d tokens considered, want %d", selection.ConsideredTokens, total)
		}
	}
	checked := make(map[int]bool)
	check := func(list, reasonField string, kept bool) {
		for _, f := range want.list(list) {
			content := must[string](f, "content")
			row := -1
			for i := range items {
				if items[i].Content == content && selection.Reasons[i].Kept() == kept && !checked[i] {
					row = i
					break
				}
			}
			if row < 0 {
				t.Errorf("%s: no row has %q", f.path, content)
				continue
			}
			checked[row] = true
			name := must[string](f, reasonField)
			if reason, known := upstreamReasons[name]; !known || selection.Reasons[row] != reason {
				t.Errorf("%q: the reason is %v, want %s", content, selection.Reasons[row], name)
			}
			if score := f.mustNumber("score_approx"); !(math.Abs(selection.Scores[row]-score) < 1e-9) {
				t.Errorf("%q: the score is %v, want %v", content, selection.Scores[row], score)
			}
			for _, cause := range []string{"deduplicated_against", "displaced_by"} {
				if f.has(cause) && (selection.Causes[row] < 0 || items[selection.Causes[row]].Content != must[string](f, cause)) {
					t.Errorf("%q: the cause is row %d, want %v", content, selection.Causes[row], f.table[cause])
				}
			}
			if f.has("available_tokens") && selection.AvailableTokens != must[int64](f, "available_tokens") {
				t.Errorf("%d tokens available, want %v", selection.AvailableTokens, f.table["available_tokens"])
			}
		}
	}
	check("included", "inclusion_reason", true)
	check("excluded", "exclusion_reason", false)
}
