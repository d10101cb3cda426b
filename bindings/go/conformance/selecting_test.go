package conformance

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// runSelecting runs a vector of a stage after scoring. Slicing and placing have
// scores of their own, and the other stages are switched off.
func runSelecting(t *testing.T, root fields, stage string) {
	defer reportMalformed(t)
	config, test, budget := root.sub("config"), root.sub("test"), root.sub("budget")
	b := new(builder)
	defer b.close()
	policy := readPolicy(config)
	request := cupel.Request{
		MaxTokens:           read[int64](budget, "max_tokens"),
		TargetTokens:        read[int64](budget, "target_tokens"),
		OutputReserve:       read[int64](budget, "output_reserve"),
		ReservedTokens:      read[int64](budget, "reserved_tokens"),
		SafetyMarginPercent: budget.number("safety_margin_percent", 0),
		MaxRows:             int(read[int64](budget, "max_rows")),
		Scores:              root.numbers("scores"),
	}
	list := "items"
	switch stage {
	case "pipeline":
		must[int64](budget, "max_tokens")
		if config.has("scorers") {
			policy.Scorer = b.build(root, "composite")
		}
	case "slicing":
		list, policy.KeepDuplicates, policy.Overflow, request.MaxTokens = "scored_items", true, cupel.OverflowProceed, math.MaxInt64
		switch slicer := must[string](test, "slicer"); slicer {
		case "quota", "count_quota":
		case "count_constrained_knapsack":
			policy.Slicer = cupel.SlicerKnapsack
		default:
			policy.Slicer = choice(test, "slicer", slicers)
		}
	case "placing":
		policy.KeepDuplicates, policy.Slicer, request.MaxTokens = true, cupel.SlicerRanked, math.MaxInt64
		policy.Placer = choice(test, "placer", placers)
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

	var selection cupel.Selection
	selector, err := cupel.NewSelector(policy)
	if err == nil {
		defer selector.Close()
		err = selector.Select(batch, request, &selection)
	}
	if root.has("error") {
		var failed *cupel.Error
		if !errors.As(err, &failed) {
			t.Fatalf("selected %v, %v", selection.Rows, err)
		}
		checkError(t, root.sub("error"), failed)
		return
	}
	if err != nil {
		t.Fatal(err)
	}

	got := make([]string, len(selection.Rows))
	for i, row := range selection.Rows {
		got[i] = items[row].Content
	}
	expected := root.sub("expected")
	want := []string{}
	switch stage {
	case "pipeline":
		for _, f := range root.mustList("expected_output") {
			want = append(want, must[string](f, "content"))
		}
	case "slicing": // in any order
		must[any](expected, "selected_contents")
		want = expected.texts("selected_contents")
		slices.Sort(want)
		slices.Sort(got)
	case "placing":
		must[any](expected, "ordered_contents")
		want = expected.texts("ordered_contents")
	}
	if !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	checkReport(t, expected, &selection)
	if diagnostics := expected.sub("diagnostics"); diagnostics.table != nil {
		checkDiagnostics(t, diagnostics, items, &selection)
	}
}

// checkReport checks what the vector says of rows, and of all rows together.
func checkReport(t *testing.T, want fields, selection *cupel.Selection) {
	var reasons, causes []string
	capped := int64(0)
	for row, reason := range selection.Reasons {
		reasons = append(reasons, strings.ReplaceAll(strings.ToUpper(reason.String()), " ", "_"))
		causes = append(causes, strconv.Itoa(selection.Causes[row]))
		if reason == cupel.ReasonCountCap {
			capped++
		}
	}
	if want.has("reasons") && !slices.Equal(reasons, want.texts("reasons")) {
		t.Errorf("the reasons are %v, want %v", reasons, want.table["reasons"])
	}
	if want.has("causes") && fmt.Sprint(causes) != fmt.Sprint(want.table["causes"]) {
		t.Errorf("the causes are %v, want %v", causes, want.table["causes"])
	}
	for name, got := range map[string]int64{
		"shortfall_count":    int64(len(selection.Shortfalls)),
		"cap_excluded_count": capped,
		"kept_tokens":        selection.KeptTokens,
		"pinned_tokens":      selection.PinnedTokens,
		"considered_tokens":  selection.ConsideredTokens,
		"effective_target":   selection.EffectiveTarget,
		"available_tokens":   selection.AvailableTokens,
		"overflow_tokens":    selection.OverflowTokens,
	} {
		if want.has(name) && must[int64](want, name) != got {
			t.Errorf("%s is %d, want %v", name, got, want.table[name])
		}
	}
}

var (
	slicers = map[string]cupel.Slicer{
		"greedy": cupel.SlicerGreedy, "knapsack": cupel.SlicerKnapsack, "ranked": cupel.SlicerRanked, "prefix": cupel.SlicerPrefix,
	}
	placers = map[string]cupel.Placer{
		"chronological": cupel.Chronological, "u-shaped": cupel.UShaped, "ranked": cupel.Ranked, "batch-order": cupel.BatchOrder,
	}
	overflows = map[string]cupel.Overflow{
		"throw": cupel.OverflowFail, "fail": cupel.OverflowFail, "truncate": cupel.OverflowTruncate, "proceed": cupel.OverflowProceed,
	}
	scarcities = map[string]cupel.Scarcity{
		"degrade": cupel.ScarcityDegrade, "throw": cupel.ScarcityFail, "fail": cupel.ScarcityFail,
	}
)

// choice is the value that a field names; without the field it is the default.
func choice[T any](f fields, name string, values map[string]T) T {
	value, known := values[read[string](f, name)]
	if !known && f.has(name) {
		panic(f.malformed("%s is %v", name, f.table[name]))
	}
	return value
}

func readPolicy(config fields) cupel.Policy {
	slicer := "slicer"
	if !config.has(slicer) {
		slicer = "inner_slicer"
	}
	policy := cupel.Policy{
		Slicer:         choice(config, slicer, slicers),
		Placer:         choice(config, "placer", placers),
		Overflow:       choice(config, "overflow_strategy", overflows),
		Scarcity:       choice(config, "scarcity_behavior", scarcities),
		BucketSize:     read[int64](config, "bucket_size"),
		GroupKey:       read[string](config, "group_key"),
		DuplicateKey:   read[string](config, "duplicate_key"),
		PinnedFirst:    read[bool](config, "pinned_first"),
		KeepDuplicates: config.has("deduplication") && !read[bool](config, "deduplication"),
	}
	for _, f := range config.list("quotas") {
		policy.Quotas = append(policy.Quotas, cupel.Quota{Kind: must[string](f, "kind"), MinPercent: f.mustNumber("require"), MaxPercent: f.mustNumber("cap")})
	}
	for _, f := range config.list("entries") {
		quota := cupel.CountQuota{Kind: must[string](f, "kind"), MinCount: int(must[int64](f, "require_count"))}
		if f.has("cap_count") {
			quota.MaxCount = cupel.Some(int(must[int64](f, "cap_count")))
		}
		policy.CountQuotas = append(policy.CountQuotas, quota)
	}
	return policy
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
