package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/BurntSushi/toml"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

func TestVectors(t *testing.T) {
	directory := os.Getenv("CUPEL_CONFORMANCE_DIR")
	if directory == "" {
		directory = filepath.Join("..", "..", "..", "tests", "conformance")
	}
	ran, skipped := 0, 0
	err := filepath.WalkDir(directory, func(path string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() || filepath.Ext(path) != ".toml" {
			return err
		}
		var table map[string]any
		if _, err := toml.DecodeFile(path, &table); err != nil {
			return err
		}
		root := fields{"", table}
		stage := must[string](root.sub("test"), "stage")
		name, _ := filepath.Rel(directory, path)
		name = strings.TrimSuffix(name, ".toml")
		switch stage {
		case "scoring":
			t.Run(name, func(t *testing.T) { run(t, root) })
		case "pipeline", "slicing", "placing":
			t.Run(name, func(t *testing.T) { runSelecting(t, root, stage) })
		default:
			t.Logf("%s: skipped, it is about %s", path, stage)
			skipped++
			return nil
		}
		ran++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if ran == 0 {
		t.Errorf("no vector was found in %s", directory)
	}
	t.Logf("%d vectors ran, %d were skipped", ran, skipped)
}

// refused runs f and gives the error of the library that it panics with.
func refused(f func()) (err *cupel.Error) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case *cupel.Error:
			err = value
		default:
			panic(value)
		}
	}()
	f()
	return nil
}

// reportMalformed is deferred by each test that reads a vector.
func reportMalformed(t *testing.T) {
	switch value := recover().(type) {
	case nil:
	case malformed:
		t.Error(value)
	default:
		panic(value)
	}
}

func run(t *testing.T, root fields) {
	defer reportMalformed(t)
	test := root.sub("test")
	expects := func(name string) bool { return read[bool](test, name) || read[bool](root, name) }

	var items []vectorItem
	for _, f := range root.list("items") {
		items = append(items, readItem(f))
	}
	if expects("expect_item_error") {
		for path, append := range appends(items) {
			batch := cupel.Must(cupel.NewBatch())
			err := append(batch)
			if batch.Len() != 0 {
				t.Errorf("by %s: rows were appended", path)
			}
			batch.Close()
			checkItemError(t, path, root.sub("error"), err)
		}
		return
	}

	if expects("expect_construction_error") {
		b := new(builder)
		defer b.close()
		err := refused(func() { b.build(root, must[string](test, "scorer")) })
		if err == nil {
			t.Error("the scorer was made")
			return
		}
		checkError(t, root.sub("error"), err)
		return
	}

	must[any](root, "items")
	for path, append := range appends(items) {
		t.Run(path, func(t *testing.T) {
			defer reportMalformed(t)
			b := new(builder) // each with a clock of its own
			defer b.close()
			var scorer *cupel.Scorer
			if err := refused(func() { scorer = b.build(root, must[string](test, "scorer")) }); err != nil {
				t.Fatalf("the scorer was refused: %v", err)
			}
			batch := cupel.Must(cupel.NewBatch())
			defer batch.Close()
			if err := append(batch); err != nil {
				t.Fatal(err)
			}
			scores, err := scorer.Score(batch)
			if expects("expect_scoring_error") {
				var failed *cupel.Error
				if !errors.As(err, &failed) {
					t.Fatalf("scored %v, %v", scores, err)
				}
				checkError(t, root.sub("error"), failed)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkScores(t, root, items, batch, scores)
			// A callback's clock may move from call to call.
			if read[string](root.sub("clock"), "type") != "callback" {
				checkAgain(t, scorer, batch, scores)
			}
		})
	}
}

// appends are the ways in which the items can come into a batch.
func appends(items []vectorItem) map[string]func(*cupel.Batch) error {
	ways := map[string]func(*cupel.Batch) error{
		"columns": func(b *cupel.Batch) error { return b.AppendColumns(columnsOf(items)) },
	}
	plain := make([]cupel.Item, len(items))
	for i, v := range items {
		if v.onlyByColumns {
			return ways
		}
		plain[i] = v.item
	}
	ways["items"] = func(b *cupel.Batch) error { return b.Append(plain...) }
	return ways
}

func checkScores(t *testing.T, root fields, items []vectorItem, batch *cupel.Batch, scores []float64) {
	expected := root.mustList("expected")
	if len(expected) != len(items) || len(scores) != len(items) {
		t.Fatalf("%d items, %d scores, %d expected", len(items), len(scores), len(expected))
	}
	accepts := tolerance(root.sub("tolerance"))
	rows := make(map[string][]int)
	for row, v := range items {
		rows[v.item.Content] = append(rows[v.item.Content], row)
	}
	for _, f := range expected {
		content := must[string](f, "content")
		if len(rows[content]) == 0 {
			t.Errorf("no item %q is left for %s", content, f.path)
			continue
		}
		row := rows[content][0]
		rows[content] = rows[content][1:]
		score := scores[row]
		if f.has("score_bits") {
			bits, err := strconv.ParseUint(strings.TrimPrefix(must[string](f, "score_bits"), "0x"), 16, 64)
			if err != nil {
				panic(f.malformed("score_bits: %v", err))
			}
			if math.Float64bits(score) != bits {
				t.Errorf("row %d (%q) scores %v (%#016x), want %#016x", row, content, score, math.Float64bits(score), bits)
			}
		} else if want := f.mustNumber("score_approx"); !accepts(score, want) {
			t.Errorf("row %d (%q) scores %v (%#016x), want %v (%#016x)", row, content, score, math.Float64bits(score), want, math.Float64bits(want))
		}
		checkItem(t, f, batch, row)
	}
}

// checkItem holds the row against the fields that the expectation names.
func checkItem(t *testing.T, f fields, batch *cupel.Batch, row int) {
	item, err := batch.Item(row)
	if err != nil {
		t.Fatal(err)
	}
	want := readItem(f)
	compare := func(name string, given bool, got, want any) {
		if given && !reflect.DeepEqual(got, want) {
			t.Errorf("row %d: %s is %v, want %v", row, name, got, want)
		}
	}
	compare("content", true, item.Content, want.item.Content)
	compare("tokens", f.has("tokens"), item.Tokens, want.item.Tokens)
	compare("kind", f.has("kind"), item.Kind, want.item.Kind)
	compare("source", f.has("source"), item.Source, want.item.Source)
	compare("pinned", f.has("pinned"), item.Pinned, want.item.Pinned)
	compare("priority", f.has("priority"), item.Priority, want.item.Priority)
	compare("originalTokens", f.has("originalTokens"), item.OriginalTokens, want.item.OriginalTokens)
	if f.has("tags") {
		compare("tags", true, fmt.Sprintf("%q", item.Tags), fmt.Sprintf("%q", want.item.Tags))
	}
	if f.has("metadata") {
		compare("metadata", true, fmt.Sprintf("%#v", item.Metadata), fmt.Sprintf("%#v", want.item.Metadata))
	}
	if _, given := f.instant("timestamp"); given && !item.Timestamp.Equal(want.item.Timestamp) {
		t.Errorf("row %d: timestamp is %v, want %v", row, item.Timestamp, want.item.Timestamp)
	}
	if hint := item.FutureRelevanceHint; f.has("futureRelevanceHint") &&
		(!hint.Valid || math.Float64bits(hint.Value) != math.Float64bits(want.item.FutureRelevanceHint.Value) && !(math.IsNaN(hint.Value) && math.IsNaN(want.item.FutureRelevanceHint.Value))) {
		t.Errorf("row %d: futureRelevanceHint is %v, want %v", row, hint, want.item.FutureRelevanceHint)
	}
	for _, name := range f.texts("absent") {
		present, known := map[string]bool{
			"priority":            item.Priority.Valid,
			"timestamp":           item.Timestamp != time.Time{},
			"futureRelevanceHint": item.FutureRelevanceHint.Valid,
			"originalTokens":      item.OriginalTokens.Valid,
		}[name]
		if present || !known {
			t.Errorf("row %d: %s is not absent", row, name)
		}
	}
}

// checkAgain holds other ways of asking against the scores.
func checkAgain(t *testing.T, scorer *cupel.Scorer, batch *cupel.Batch, scores []float64) {
	same := func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
	}
	again := make([]float64, len(scores))
	if err := scorer.ScoreInto(batch, again); err != nil {
		t.Fatal(err)
	}
	for row, score := range scores {
		alone, err := scorer.ScoreRow(batch, row)
		if err != nil || !same(alone, score) || !same(again[row], score) {
			t.Errorf("row %d: %v, then %v, and %v alone (%v)", row, score, again[row], alone, err)
		}
	}
}

func tolerance(f fields) func(got, want float64) bool {
	exact := func(got, want float64) bool {
		return math.Float64bits(got) == math.Float64bits(want) || math.IsNaN(got) && math.IsNaN(want)
	}
	if read[bool](f, "exact") {
		return exact
	}
	if f.has("score_ulps") {
		ulps := must[int64](f, "score_ulps")
		return func(got, want float64) bool {
			distance := place(got) - place(want)
			return exact(got, want) || !math.IsNaN(got) && -ulps <= distance && distance <= ulps
		}
	}
	epsilon := f.number("score_epsilon", f.number("epsilon", 1e-9))
	return func(got, want float64) bool { return exact(got, want) || math.Abs(got-want) < epsilon }
}

// place numbers the doubles in their order; both zeros are at 0.
func place(x float64) int64 {
	bits := int64(math.Float64bits(x))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}

// statuses are the statuses by their names in vectors.
var statuses = map[string]cupel.Status{
	"INVALID_UTF8":     cupel.ErrInvalidUTF8,
	"INVALID_ARGUMENT": cupel.ErrInvalidArgument,
	"EMPTY_CONTENT":    cupel.ErrEmptyContent,
	"EMPTY_KIND":       cupel.ErrEmptyKind,
	"EMPTY_SOURCE":     cupel.ErrEmptySource,
	"OUT_OF_RANGE":     cupel.ErrOutOfRange,
	"LENGTH_MISMATCH":  cupel.ErrLengthMismatch,
	"CALLBACK_FAILED":  cupel.ErrCallbackFailed,
	"INVALID_JSON":     cupel.ErrInvalidJSON,
	"OVER_BUDGET":      cupel.ErrOverBudget,
	"SHORTFALL":        cupel.ErrShortfall,
	"TOO_LARGE":        cupel.ErrTooLarge,
}

// goNames are the arguments of vectors whose Go names differ.
var goNames = map[string]string{
	"children_len":          "children",
	"default_score":         "defaultScore",
	"half_life_nanoseconds": "halfLife",
	"max_age_nanoseconds":   "maxAge",
	"null_timestamp_score":  "nullTimestampScore",
	"steps_len":             "steps",
}

// goFields are the fields that texts of messages in vectors name.
var goFields = strings.NewReplacer("count_quotas[", "CountQuotas[", "quotas[", "Quotas[", "].kind", "].Kind")

func goName(argument string) string { return cmp.Or(goNames[argument], argument) }

// checkItemError does not check the position: the vector has no list.
func checkItemError(t *testing.T, path string, want fields, err error) {
	var failed *cupel.Error
	if !errors.As(err, &failed) {
		t.Errorf("by %s: %v", path, err)
		return
	}
	checkStatus(t, want, failed)
	// The field of an item is exported; that of the columns may be in a list.
	if argument := read[string](want, "argument"); !strings.Contains(strings.ToLower(failed.Message), argument) {
		t.Errorf("by %s: %q does not name %q", path, failed.Message, argument)
	}
}

func checkStatus(t *testing.T, want fields, err *cupel.Error) {
	if status := read[string](want, "status"); status != "" && (err.Status != statuses[status] || err.Status == 0) {
		t.Errorf("the status of %v is %v, want %s", err, err.Status, status)
	}
}

func checkError(t *testing.T, want fields, err *cupel.Error) {
	checkStatus(t, want, err)
	words := strings.FieldsFunc(err.Message, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_.+-", r)
	})
	hasWord := func(is func(word string) bool) bool {
		for _, word := range words {
			if is(strings.TrimRight(word, ".")) {
				return true
			}
		}
		return false
	}
	argument := goName(read[string](want, "argument"))
	if argument == "weights" && strings.HasPrefix(err.Message, "children[") {
		argument = "children" // a composite has its weights there
	}
	if argument != "" && !hasWord(func(w string) bool { return w == argument }) {
		t.Errorf("%q does not name %q", err.Message, argument)
	}
	if want.has("position") {
		position := strconv.FormatInt(must[int64](want, "position"), 10)
		if !hasWord(func(w string) bool { return w == position }) {
			t.Errorf("%q does not have the position %s", err.Message, position)
		}
	}
	if text, ok := want.table["value"].(string); ok {
		if !strings.Contains(err.Message, text) {
			t.Errorf("%q does not have the value %q", err.Message, text)
		}
	} else if want.has("value") {
		value := want.mustNumber("value")
		if !hasWord(func(w string) bool {
			if age, err := time.ParseDuration(w); err == nil {
				return float64(age) == value
			}
			found, err := strconv.ParseFloat(w, 64)
			return err == nil && (math.Float64bits(found) == math.Float64bits(value) || math.IsNaN(found) && math.IsNaN(value))
		}) {
			t.Errorf("%q does not have the value %v", err.Message, value)
		}
	}
	for _, text := range want.texts("message_contains") {
		text = goFields.Replace(text)
		if !strings.Contains(err.Message, text) {
			t.Errorf("%q does not have %q", err.Message, text)
		}
	}
}
