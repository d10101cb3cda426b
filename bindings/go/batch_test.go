package cupel_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

func newBatch(t testing.TB, items ...cupel.Item) *cupel.Batch {
	t.Helper()
	batch, err := cupel.NewBatch(items...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { batch.Close() })
	return batch
}

// keep closes a scorer or clock at the end of the test.
func keep[T interface{ Close() error }](t testing.TB) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { value.Close() })
		return value
	}
}

func scorer(t testing.TB) func(*cupel.Scorer, error) *cupel.Scorer { return keep[*cupel.Scorer](t) }

func clock(t testing.TB) func(*cupel.Clock, error) *cupel.Clock { return keep[*cupel.Clock](t) }

// wantError is an Error with that status whose message has all the parts, and no
// name of the C library.
func wantError(t testing.TB, err error, status cupel.Status, parts ...string) {
	t.Helper()
	var failed *cupel.Error
	if !errors.As(err, &failed) {
		t.Errorf("got %v, want an Error of %v", err, status)
		return
	}
	if failed.Status != status || !errors.Is(err, status) {
		t.Errorf("got %v (%v), want %v", err, failed.Status, status)
	}
	for _, part := range parts {
		if !strings.Contains(failed.Message, part) {
			t.Errorf("%q does not have %q", failed.Message, part)
		}
	}
	if name := nameInC.FindString(failed.Message); name != "" {
		t.Errorf("%q contains a C name: %q", failed.Message, name)
	}
}

// nameInC is a name that a Go program does not have.
var nameInC = regexp.MustCompile(`[a-z0-9]_[a-z0-9]|CUPEL_|cupel_|NULL|nanoseconds`)

// wantMessage is an Error with that status and that very message.
func wantMessage(t testing.TB, err error, status cupel.Status, message string) {
	t.Helper()
	wantError(t, err, status)
	if err != nil && err.Error() != "cupel: "+message {
		t.Errorf("got %q, want %q", err, "cupel: "+message)
	}
}

// wantScores compares bit for bit.
func wantScores(t testing.TB, got []float64, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Errorf("score %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// wantSameScores compares the scores that a scorer gives to the rows of two batches.
func wantSameScores(t testing.TB, scorer *cupel.Scorer, got, want *cupel.Batch) {
	t.Helper()
	gotScores, err := scorer.Score(got)
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := scorer.Score(want)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, gotScores, wanted...)
}

// fullItem has a value in every field.
var fullItem = cupel.Item{
	Content:  "naïve \x00 text",
	Tokens:   -7,
	Kind:     "Böser Kind",
	Source:   cupel.SourceRAG,
	Priority: cupel.Int64(math.MinInt64),
	Tags:     []string{"b", "", "a", "b"},
	Metadata: map[string]any{
		"":            "",
		"text":        "täxt",
		"number":      0.85,
		"flag":        cupel.Other("true"),
		"cupel:trust": 1.0,
	},
	Timestamp:           time.Unix(1_700_000_000, 123_456_789).UTC(),
	FutureRelevanceHint: cupel.Float64(-0.5),
	Pinned:              true,
	OriginalTokens:      cupel.Int64(math.MaxInt64),
}

func TestItemsComeBackAsTheyWent(t *testing.T) {
	plain := cupel.Item{Content: "plain"}
	batch := newBatch(t, fullItem, plain)
	if err := batch.Append(plain, fullItem); err != nil {
		t.Fatal(err)
	}
	withDefaults := cupel.Item{Content: "plain", Kind: cupel.KindMessage, Source: cupel.SourceChat}
	want := []cupel.Item{fullItem, withDefaults, withDefaults, fullItem}
	if batch.Len() != len(want) {
		t.Fatalf("%d rows, want %d", batch.Len(), len(want))
	}
	for row := range want {
		got, err := batch.Item(row)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want[row]) {
			t.Errorf("row %d:\n got %#v\nwant %#v", row, got, want[row])
		}
	}
	for _, row := range []int{-1, 4, math.MaxInt} {
		_, err := batch.Item(row)
		wantError(t, err, cupel.ErrOutOfRange, fmt.Sprint(row))
	}
}

func TestAppendIsAllOrNothing(t *testing.T) {
	good := cupel.Item{Content: "good", Tags: []string{"a", "b"}, Metadata: map[string]any{"a": "b", "c": 1}}
	for name, c := range map[string]struct {
		item    cupel.Item
		status  cupel.Status
		message string
	}{
		"no content":     {cupel.Item{}, cupel.ErrEmptyContent, "items[1].Content is empty: an item needs content"},
		"blank kind":     {cupel.Item{Content: "a", Kind: " \t"}, cupel.ErrEmptyKind, `items[1].Kind is blank (" \t"): it needs a character that is not white space`},
		"blank source":   {cupel.Item{Content: "a", Source: "\u00a0"}, cupel.ErrEmptySource, `items[1].Source is blank ("\u00a0"): it needs a character that is not white space`},
		"bad content":    {cupel.Item{Content: "ab\xff"}, cupel.ErrInvalidUTF8, "items[1].Content is not valid UTF-8 at byte 2"},
		"cut short":      {cupel.Item{Content: "ab\xc3"}, cupel.ErrInvalidUTF8, "items[1].Content is not valid UTF-8 at byte 2"},
		"bad kind":       {cupel.Item{Content: "a", Kind: "\xed\xa0\x80"}, cupel.ErrInvalidUTF8, "items[1].Kind is not valid UTF-8 at byte 0"},
		"bad source":     {cupel.Item{Content: "a", Source: "\x80"}, cupel.ErrInvalidUTF8, "items[1].Source is not valid UTF-8 at byte 0"},
		"bad tag":        {cupel.Item{Content: "a", Tags: []string{"t", "\xff"}}, cupel.ErrInvalidUTF8, "items[1].Tags[1] is not valid UTF-8 at byte 0"},
		"bad key":        {cupel.Item{Content: "a", Metadata: map[string]any{"\xff": 1}}, cupel.ErrInvalidUTF8, `items[1].Metadata: the key "\xff" is not valid UTF-8 at byte 0`},
		"bad value":      {cupel.Item{Content: "a", Metadata: map[string]any{"j": 1, "k": "é\xff", "l": "m"}}, cupel.ErrInvalidUTF8, `items[1].Metadata["k"] is not valid UTF-8 at byte 2`},
		"bad other text": {cupel.Item{Content: "a", Metadata: map[string]any{"k": cupel.Other("\xff")}}, cupel.ErrInvalidUTF8, `items[1].Metadata["k"] is not valid UTF-8 at byte 0`},
	} {
		t.Run(name, func(t *testing.T) {
			batch := newBatch(t, good)
			wantMessage(t, batch.Append(good, c.item, good), c.status, c.message)
			if batch.Len() != 1 {
				t.Errorf("%d rows are left, want 1", batch.Len())
			}
			_, err := cupel.NewBatch(good, c.item)
			wantMessage(t, err, c.status, c.message)
			// What failed leaves nothing behind in what is used again.
			if err := batch.Append(good, good); err != nil || batch.Len() != 3 {
				t.Errorf("append afterwards: %v, %d rows", err, batch.Len())
			}
		})
	}
}

// A character whose bytes lie in two texts is in neither.
func TestTextsAreCheckedOneByOne(t *testing.T) {
	batch := newBatch(t)
	wantError(t, batch.Append(cupel.Item{Content: "a\xc3"}, cupel.Item{Content: "\xa9b"}), cupel.ErrInvalidUTF8)
}

func TestAppendOfNothing(t *testing.T) {
	batch := newBatch(t)
	if err := errors.Join(batch.Append(), batch.AppendJSON([]byte("[]")), batch.AppendColumns(&cupel.Columns{})); err != nil {
		t.Error(err)
	}
	if batch.Len() != 0 {
		t.Errorf("%d rows", batch.Len())
	}
	scores, err := scorer(t)(cupel.NewRecency()).Score(batch)
	if err != nil || scores == nil || len(scores) != 0 {
		t.Errorf("scores of no rows: %#v, %v", scores, err)
	}
}

func TestReserveShrinkClear(t *testing.T) {
	batch := newBatch(t, fullItem)
	if err := errors.Join(batch.Reserve(1000), batch.Reserve(0), batch.Shrink()); err != nil {
		t.Error(err)
	}
	if got, err := batch.Item(0); err != nil || !reflect.DeepEqual(got, fullItem) {
		t.Errorf("got %v, %v", got, err)
	}
	wantError(t, batch.Reserve(-1), cupel.ErrOutOfRange, "-1")
	wantError(t, batch.Reserve(math.MaxInt), cupel.ErrOutOfMemory, "out of memory: reserving 9223372036854775807 rows")
	if err := batch.Clear(); err != nil || batch.Len() != 0 {
		t.Errorf("clear: %v, %d rows", err, batch.Len())
	}
	if err := batch.Append(fullItem); err != nil || batch.Len() != 1 {
		t.Errorf("append after clear: %v, %d rows", err, batch.Len())
	}
}

func TestTimestamps(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	for _, c := range []struct{ in, want time.Time }{
		{time.Time{}, time.Time{}},
		{time.Unix(0, 0), time.Unix(0, 0)},
		{time.Unix(0, -1), time.Unix(0, -1)},
		{time.Date(2026, 3, 14, 15, 9, 26, 535_897_932, berlin), time.Date(2026, 3, 14, 14, 9, 26, 535_897_932, time.UTC)},
		{cupel.MinTime, cupel.MinTime},
		{cupel.MaxTime, cupel.MaxTime},
		{cupel.MinTime.Add(-1), cupel.MinTime},
		{cupel.MaxTime.Add(1), cupel.MaxTime},
		{time.Time{}.Add(1), cupel.MinTime},
		{time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), cupel.MaxTime},
	} {
		item, err := newBatch(t, cupel.Item{Content: "a", Timestamp: c.in}).Item(0)
		if err != nil || !item.Timestamp.Equal(c.want) {
			t.Errorf("%v became %v (%v), want %v", c.in, item.Timestamp, err, c.want)
		}
	}
}

func TestHintBitsAreKept(t *testing.T) {
	for _, bits := range []uint64{0, 1 << 63, 0x7ff8000000000001, 0x7ff0000000000000, 0xfff0000000000000} {
		hint := math.Float64frombits(bits)
		item, err := newBatch(t, cupel.Item{Content: "a", FutureRelevanceHint: cupel.Float64(hint)}).Item(0)
		got := item.FutureRelevanceHint
		if err != nil || !got.Valid || math.Float64bits(got.Value) != bits {
			t.Errorf("%#x became %v (%v)", bits, got, err)
		}
	}
}

func TestAppendJSON(t *testing.T) {
	batch := newBatch(t)
	for _, text := range []string{
		`[{"content":"a","tokens":1},{"content":"b","tokens":2}]`,
		`{"content":"c","tokens":3,"timestamp":"2026-01-02T03:04:05.000000006+07:00","metadata":{"n":1,"s":"1","o":[true]}}`,
		"{\"content\":\"d\",\"tokens\":4}\n{\"content\":\"e\",\"tokens\":5,\"priority\":9,\"tags\":[\"x\"]}\n",
	} {
		if err := batch.AppendJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if batch.Len() != 5 {
		t.Fatalf("%d rows, want 5", batch.Len())
	}
	c, err := batch.Item(2)
	want := map[string]any{"n": 1.0, "s": "1", "o": cupel.Other("[true]")}
	if err != nil || !reflect.DeepEqual(c.Metadata, want) || !c.Timestamp.Equal(time.Date(2026, 1, 1, 20, 4, 5, 6, time.UTC)) {
		t.Errorf("got %#v, %v", c, err)
	}
	for text, part := range map[string]string{
		``:                  "",
		`nonsense`:          "line 1",
		`[{"content":"a"}]`: "tokens",
		`[{"content":"a","tokens":1},{"content":"a","tokens":1,"colour":"red"}]`: "colour",
		"[{\"content\":\"a\xff\",\"tokens\":1}]":                                 "",
	} {
		before := batch.Len()
		err := batch.AppendJSON([]byte(text))
		if text == "" && err == nil {
			continue
		}
		var failed *cupel.Error
		if !errors.As(err, &failed) || !strings.Contains(failed.Message, part) {
			t.Errorf("%q: got %v, want an error with %q", text, err, part)
		}
		if batch.Len() != before {
			t.Errorf("%q: rows were appended", text)
		}
	}
}
