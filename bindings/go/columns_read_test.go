package cupel_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// itemOf is a row of columns as an item.
func itemOf(c *cupel.Columns, row int) cupel.Item {
	item := cupel.Item{
		Content: c.Content.At(row),
		Tokens:  c.Tokens[row],
		Kind:    c.Kind.At(row),
		Source:  c.Source.At(row),
		Pinned:  c.Pinned[row],
	}
	if c.PriorityValidity[row] {
		item.Priority = cupel.Int64(c.Priority[row])
	}
	if c.TimestampValidity[row] {
		item.Timestamp = time.Unix(0, c.Timestamp[row]).UTC()
	}
	if c.FutureRelevanceHintValidity[row] {
		item.FutureRelevanceHint = cupel.Float64(c.FutureRelevanceHint[row])
	}
	if c.OriginalTokensValidity[row] {
		item.OriginalTokens = cupel.Int64(c.OriginalTokens[row])
	}
	for i := c.TagLists[row]; i < c.TagLists[row+1]; i++ {
		item.Tags = append(item.Tags, c.Tags.At(int(i)))
	}
	for i := c.MetadataLists[row]; i < c.MetadataLists[row+1]; i++ {
		if item.Metadata == nil {
			item.Metadata = map[string]any{}
		}
		item.Metadata[c.MetadataKeys.At(int(i))] = metadataValue(c.MetadataTypes[i], c.MetadataTexts.At(int(i)), c.MetadataNumbers[i])
	}
	return item
}

func metadataValue(kind cupel.MetadataType, text string, number float64) any {
	switch kind {
	case cupel.MetadataDouble:
		return number
	case cupel.MetadataOther:
		return cupel.Other(text)
	}
	return text
}

// mixedItems are random items, of which some have every field and some have none.
func mixedItems(n int) []cupel.Item {
	items := randomItems(n)
	for i := range items {
		switch i % 5 {
		case 1:
			items[i] = fullItem
		case 2:
			items[i] = cupel.Item{Content: fmt.Sprint("plain ", i), Pinned: true, OriginalTokens: cupel.Int64(int64(-i))}
		}
	}
	return items
}

func TestReadColumns(t *testing.T) {
	const rows = 61
	batch := newBatch(t, mixedItems(rows)...)
	var columns cupel.Columns // reused
	for _, part := range [][2]int{{0, rows}, {0, 0}, {rows, 0}, {7, 1}, {3, 40}, {rows - 1, 1}, {0, rows}} {
		first, count := part[0], part[1]
		if err := batch.ReadColumns(first, count, cupel.AllColumns, &columns); err != nil {
			t.Fatal(part, err)
		}
		if columns.Rows != count || columns.Content.Len() != count || columns.Kind.Len() != count {
			t.Errorf("%v: %d rows, %d contents, %d kinds", part, columns.Rows, columns.Content.Len(), columns.Kind.Len())
		}
		for i := range count {
			want, err := batch.Item(first + i)
			if got := itemOf(&columns, i); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v: row %d (%v):\n got %#v\nwant %#v", part, first+i, err, got, want)
			}
		}
		// What was read can be appended.
		copied := newBatch(t)
		if err := copied.AppendColumns(&columns); err != nil {
			t.Fatal(part, err)
		}
		for i := range count {
			got, _ := copied.Item(i)
			want, _ := batch.Item(first + i)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v: copied row %d:\n got %#v\nwant %#v", part, i, got, want)
			}
		}
	}
}

func TestReadColumnsOneByOne(t *testing.T) {
	batch := newBatch(t, mixedItems(20)...)
	var all cupel.Columns
	if err := batch.ReadColumns(5, 10, cupel.AllColumns, &all); err != nil {
		t.Fatal(err)
	}
	fields := map[cupel.ColumnSet][]string{
		cupel.ColumnContent:             {"Content"},
		cupel.ColumnTokens:              {"Tokens"},
		cupel.ColumnKind:                {"Kind"},
		cupel.ColumnSource:              {"Source"},
		cupel.ColumnPriority:            {"Priority", "PriorityValidity"},
		cupel.ColumnTags:                {"TagLists", "Tags"},
		cupel.ColumnMetadata:            {"MetadataLists", "MetadataKeys", "MetadataTypes", "MetadataTexts", "MetadataNumbers"},
		cupel.ColumnTimestamp:           {"Timestamp", "TimestampValidity"},
		cupel.ColumnFutureRelevanceHint: {"FutureRelevanceHint", "FutureRelevanceHintValidity"},
		cupel.ColumnPinned:              {"Pinned"},
		cupel.ColumnOriginalTokens:      {"OriginalTokens", "OriginalTokensValidity"},
	}
	for column, names := range fields {
		got := *fullColumns() // what was there before must go
		if err := batch.ReadColumns(5, 10, column, &got); err != nil {
			t.Fatal(column, err)
		}
		for i := range reflect.TypeOf(got).NumField() {
			value, name := reflect.ValueOf(got).Field(i), reflect.TypeOf(got).Field(i).Name
			want := reflect.Zero(value.Type())
			if name == "Rows" || slices.Contains(names, name) {
				want = reflect.ValueOf(all).FieldByName(name)
			}
			// NaN is not equal to itself.
			if fmt.Sprint(value) != fmt.Sprint(want) {
				t.Errorf("%v: %s is %v, want %v", column, name, value, want)
			}
		}
	}
}

func TestReadNumbers(t *testing.T) {
	batch := newBatch(t,
		cupel.Item{Content: "a", Tokens: 3, Priority: cupel.Int64(math.MinInt64), Timestamp: cupel.MaxTime, FutureRelevanceHint: cupel.Float64(0.25)},
		cupel.Item{Content: "b", Tokens: -1, Pinned: true},
		cupel.Item{Content: "c", Tokens: math.MaxInt64, OriginalTokens: cupel.Int64(9), Priority: cupel.Int64(0), FutureRelevanceHint: cupel.Float64(math.Inf(1))},
	)
	numbers, hints, flags, valid := make([]int64, 2), make([]float64, 2), make([]bool, 2), []bool{false, true}
	for name, c := range map[string]struct {
		read  func() error
		got   any
		want  any
		valid []bool
	}{
		"tokens":          {func() error { return batch.ReadTokens(1, numbers) }, numbers, []int64{-1, math.MaxInt64}, nil},
		"priority":        {func() error { return batch.ReadPriority(0, numbers, valid) }, numbers, []int64{math.MinInt64, 0}, []bool{true, false}},
		"timestamp":       {func() error { return batch.ReadTimestamp(0, numbers, valid) }, numbers, []int64{math.MaxInt64, 0}, []bool{true, false}},
		"original tokens": {func() error { return batch.ReadOriginalTokens(1, numbers, valid) }, numbers, []int64{0, 9}, []bool{false, true}},
		"pinned":          {func() error { return batch.ReadPinned(0, flags) }, flags, []bool{false, true}, nil},
		"hint":            {func() error { return batch.ReadFutureRelevanceHint(1, hints, valid) }, hints, []float64{math.NaN(), math.Inf(1)}, []bool{false, true}},
	} {
		if err := c.read(); err != nil || fmt.Sprint(c.got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, %v; want %v", name, c.got, err, c.want)
		}
		if c.valid != nil && !slices.Equal(valid, c.valid) {
			t.Errorf("%s: validity %v, want %v", name, valid, c.valid)
		}
	}
	for name, read := range map[string]func() error{
		"priority":        func() error { return batch.ReadPriority(1, numbers, nil) },
		"timestamp":       func() error { return batch.ReadTimestamp(1, numbers, nil) },
		"original tokens": func() error { return batch.ReadOriginalTokens(1, numbers, nil) },
		"hint":            func() error { return batch.ReadFutureRelevanceHint(1, hints, nil) },
		"no rows":         func() error { return batch.ReadPriority(3, nil, nil) },
		"no tokens":       func() error { return batch.ReadTokens(0, nil) },
	} {
		if err := read(); err != nil {
			t.Errorf("%s without validity: %v", name, err)
		}
	}
}

func TestReadMetadataKey(t *testing.T) {
	batch := newBatch(t,
		cupel.Item{Content: "a", Metadata: map[string]any{"k": "text", "other": 1}},
		cupel.Item{Content: "b"},
		cupel.Item{Content: "c", Metadata: map[string]any{"k": 0.5}},
		cupel.Item{Content: "d", Metadata: map[string]any{"k": true}},
		cupel.Item{Content: "e", Metadata: map[string]any{"k": ""}},
	)
	var values cupel.MetadataColumn
	for range 2 {
		if err := batch.ReadMetadataKey("k", 0, 5, &values); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(values.Validity, []bool{true, false, true, true, true}) {
			t.Error(values.Validity)
		}
		for row, want := range []any{"text", "", 0.5, cupel.Other("true"), ""} {
			if got := metadataValue(values.Types[row], values.Texts.At(row), values.Numbers[row]); got != want {
				t.Errorf("row %d: %#v, want %#v", row, got, want)
			}
		}
		if err := batch.ReadMetadataKey("absent", 1, 3, &values); err != nil || slices.Contains(values.Validity, true) || values.Texts.Len() != 3 {
			t.Errorf("%v, %+v", err, values)
		}
	}
	wantError(t, batch.ReadMetadataKey("\xff", 0, 1, &values), cupel.ErrInvalidUTF8, "key")
	wantMessage(t, batch.ReadMetadataKey("k", 0, 6, &values), cupel.ErrOutOfRange, "rows is 6: the batch has 5 rows from firstRow on")
	wantMessage(t, batch.ReadMetadataKey("k", 0, 1, nil), cupel.ErrNullArgument, "values is nil")
}

func TestReadErrors(t *testing.T) {
	batch := newBatch(t, randomItems(3)...)
	var columns cupel.Columns
	numbers := make([]int64, 2)
	for message, err := range map[string]error{
		"firstRow is -1: it must be 0 or more":                               batch.ReadTokens(-1, numbers),
		"firstRow is 4: the batch has 3 rows":                                batch.ReadTokens(4, numbers),
		"len(tokens) is 2: the batch has 1 rows from firstRow on":            batch.ReadOriginalTokens(2, numbers, nil),
		"len(priorities) is 2: the batch has 1 rows from firstRow on":        batch.ReadPriority(2, numbers, nil),
		"len(unixNanoseconds) is 2: the batch has 0 rows from firstRow on":   batch.ReadTimestamp(3, numbers, nil),
		"len(hints) is 4: the batch has 3 rows from firstRow on":             batch.ReadFutureRelevanceHint(0, make([]float64, 4), nil),
		"len(pinned) is 4: the batch has 3 rows from firstRow on":            batch.ReadPinned(0, make([]bool, 4)),
		"rows is 9223372036854775807: the batch has 2 rows from firstRow on": batch.ReadColumns(1, math.MaxInt, cupel.AllColumns, &columns),
		"rows is -1: it must be 0 or more":                                   batch.ReadColumns(1, -1, cupel.AllColumns, &columns),
		"which is 0x801: no column has the bit 0x800":                        batch.ReadColumns(0, 3, 1<<11|cupel.ColumnContent, &columns),
	} {
		wantMessage(t, err, cupel.ErrOutOfRange, message)
	}
	wantMessage(t, batch.ReadPriority(0, numbers, make([]bool, 1)), cupel.ErrLengthMismatch, "len(valid) is 1: it must be 2, one for each row")
	wantMessage(t, batch.ReadTimestamp(0, numbers, []bool{}), cupel.ErrLengthMismatch, "len(valid) is 0: it must be 2, one for each row")
	wantMessage(t, batch.ReadColumns(0, 3, cupel.AllColumns, nil), cupel.ErrNullArgument, "columns is nil")
	batch.Close()
	for _, err := range []error{batch.ReadTokens(0, numbers), (*cupel.Batch)(nil).ReadTokens(0, numbers), batch.ReadColumns(0, 1, 0, &columns)} {
		if err != cupel.ErrClosed {
			t.Errorf("got %v", err)
		}
	}
}

// A function scores what it reads in bulk, to the bits of a scorer of the library.
func TestCustomReadsColumns(t *testing.T) {
	batch := newBatch(t, mixedItems(100)...)
	var columns cupel.Columns
	custom := scorer(t)(cupel.NewCustom(func(lent *cupel.Batch, scores []float64) error {
		if err := lent.ReadColumns(0, lent.Len(), cupel.ColumnKind|cupel.ColumnTags, &columns); err != nil {
			return err
		}
		if err := lent.ReadFutureRelevanceHint(0, scores, nil); err != nil {
			return err
		}
		for i, hint := range scores {
			scores[i] = 0
			if hint >= 0 && !math.IsInf(hint, 1) {
				scores[i] = min(hint, 1)
			}
		}
		if err := lent.KeepLast(1); !errors.Is(err, cupel.ErrBusy) {
			t.Errorf("removing rows while they are scored: %v", err)
		}
		return nil
	}))
	got, err := custom.Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	want, err := scorer(t)(cupel.NewReflexive()).Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, got, want...)
	item, _ := batch.Item(99)
	if batch.Len() != 100 || columns.Kind.Len() != 100 || columns.Kind.At(99) != item.Kind || columns.TagLists[100] != int64(columns.Tags.Len()) {
		t.Errorf("%d rows, %d kinds, %v", batch.Len(), columns.Kind.Len(), columns.TagLists)
	}
}

func TestColumnSets(t *testing.T) {
	for want, s := range map[string]*cupel.Scorer{
		"timestamp":                    scorer(t)(cupel.NewRecency()),
		"priority":                     scorer(t)(cupel.NewPriority()),
		"kind,tags,metadata,timestamp": scorer(t)(cupel.NewScorerFromJSON([]byte(compositeJSON), nil)),
		"content,tokens,kind,source,priority,tags,metadata,timestamp,future_relevance_hint,pinned,original_tokens": scorer(t)(cupel.NewCustom(
			func(*cupel.Batch, []float64) error { return nil })),
	} {
		columns, err := s.Columns()
		if err != nil || columns.String() != want {
			t.Errorf("got %v, %v; want %s", columns, err, want)
		}
	}
	if cupel.ColumnSet(0).String() != "" || len(cupel.AllColumns.Names()) != 11 {
		t.Error(cupel.AllColumns)
	}
	var closed cupel.Scorer
	if _, err := closed.Columns(); err != cupel.ErrClosed {
		t.Error(err)
	}
}
