package cupel_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

func texts(texts ...string) cupel.TextColumn {
	column := cupel.TextColumn{Offsets: []int64{0}}
	for _, text := range texts {
		column.Data = append(column.Data, text...)
		column.Offsets = append(column.Offsets, int64(len(column.Data)))
	}
	return column
}

func coded(column cupel.TextColumn, codes ...uint32) cupel.TextColumn {
	column.Codes = codes
	return column
}

func fullColumns() *cupel.Columns {
	return &cupel.Columns{
		Rows:                        3,
		Content:                     texts("one", "two", "three"),
		Tokens:                      []int64{1, 2, 3},
		Kind:                        coded(texts(cupel.KindMemory, cupel.KindDocument), 1, 0, 0),
		KindValidity:                []bool{true, false, true},
		Source:                      texts("Tool", "Rag", "Rag"),
		SourceValidity:              []bool{false, true, true},
		Priority:                    []int64{7, 8, 9},
		PriorityValidity:            []bool{true, true, false},
		Timestamp:                   []int64{math.MinInt64, 0, math.MaxInt64},
		TimestampValidity:           []bool{true, false, true},
		FutureRelevanceHint:         []float64{0.25, 0.5, 0.75},
		FutureRelevanceHintValidity: []bool{false, true, true},
		Pinned:                      []bool{false, true, false},
		OriginalTokens:              []int64{10, 20, 30},
		OriginalTokensValidity:      []bool{false, false, true},
		TagLists:                    []int64{0, 2, 2, 3},
		Tags:                        coded(texts("x", "y"), 1, 0, 1),
		MetadataLists:               []int64{0, 1, 3, 3},
		MetadataKeys:                texts("a", "b", "c"),
		MetadataTypes:               []cupel.MetadataType{cupel.MetadataString, cupel.MetadataDouble, cupel.MetadataOther},
		MetadataTexts:               texts("text", "", "null"),
		MetadataNumbers:             []float64{0, 1.5, 0},
	}
}

func TestAppendColumns(t *testing.T) {
	batch := newBatch(t)
	if err := batch.AppendColumns(fullColumns()); err != nil {
		t.Fatal(err)
	}
	want := []cupel.Item{
		{Content: "one", Tokens: 1, Kind: "Document", Source: "Chat", Priority: cupel.Int64(7), Timestamp: cupel.MinTime,
			Tags: []string{"y", "x"}, Metadata: map[string]any{"a": "text"}},
		{Content: "two", Tokens: 2, Kind: "Message", Source: "Rag", Priority: cupel.Int64(8), FutureRelevanceHint: cupel.Float64(0.5),
			Pinned: true, Metadata: map[string]any{"b": 1.5, "c": cupel.Other("null")}},
		{Content: "three", Tokens: 3, Kind: "Memory", Source: "Rag", Timestamp: cupel.MaxTime, FutureRelevanceHint: cupel.Float64(0.75),
			OriginalTokens: cupel.Int64(30), Tags: []string{"y"}},
	}
	for row := range want {
		if got, err := batch.Item(row); err != nil || !reflect.DeepEqual(got, want[row]) {
			t.Errorf("row %d (%v):\n got %#v\nwant %#v", row, err, got, want[row])
		}
	}
}

func TestScoreOnlyRows(t *testing.T) {
	batch := newBatch(t)
	if err := batch.AppendColumns(&cupel.Columns{Rows: 2, Priority: []int64{2, 1}}); err != nil {
		t.Fatal(err)
	}
	scores, err := scorer(t)(cupel.NewPriority()).Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, scores, 1, 0)
	item, err := batch.Item(1)
	if err != nil || item.Content != "" || item.Kind != cupel.KindMessage || item.Source != cupel.SourceChat {
		t.Errorf("got %#v, %v", item, err)
	}
}

func TestColumnErrors(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(*cupel.Columns)
		status cupel.Status
		part   string
	}{
		"rows below 0":           {func(c *cupel.Columns) { c.Rows = -1 }, cupel.ErrOutOfRange, "rows"},
		"too few contents":       {func(c *cupel.Columns) { c.Content = texts("a") }, cupel.ErrLengthMismatch, "content"},
		"an empty content":       {func(c *cupel.Columns) { c.Content = texts("a", "", "b") }, cupel.ErrEmptyContent, "content"},
		"no offset at all":       {func(c *cupel.Columns) { c.Content.Offsets = []int64{} }, cupel.ErrLengthMismatch, "content"},
		"an offset too far":      {func(c *cupel.Columns) { c.Content.Offsets[3]++ }, cupel.ErrOutOfRange, "content"},
		"a negative offset":      {func(c *cupel.Columns) { c.Content.Offsets[0]-- }, cupel.ErrOutOfRange, "content"},
		"falling offsets":        {func(c *cupel.Columns) { c.Content.Offsets[1] = 7 }, cupel.ErrOutOfRange, "content"},
		"too few tokens":         {func(c *cupel.Columns) { c.Tokens = c.Tokens[1:] }, cupel.ErrLengthMismatch, "tokens"},
		"too few codes":          {func(c *cupel.Columns) { c.Kind.Codes = c.Kind.Codes[1:] }, cupel.ErrLengthMismatch, "kind"},
		"a code too high":        {func(c *cupel.Columns) { c.Kind.Codes[0] = 2 }, cupel.ErrOutOfRange, "kind"},
		"codes alone":            {func(c *cupel.Columns) { c.Kind.Offsets = nil }, cupel.ErrNullArgument, "kind"},
		"kind validity":          {func(c *cupel.Columns) { c.KindValidity = []bool{} }, cupel.ErrLengthMismatch, "kind_validity"},
		"source validity":        {func(c *cupel.Columns) { c.SourceValidity = []bool{} }, cupel.ErrLengthMismatch, "source_validity"},
		"priority":               {func(c *cupel.Columns) { c.Priority = []int64{} }, cupel.ErrLengthMismatch, "priority"},
		"priority validity":      {func(c *cupel.Columns) { c.PriorityValidity = []bool{true} }, cupel.ErrLengthMismatch, "priority_validity"},
		"timestamp":              {func(c *cupel.Columns) { c.Timestamp = []int64{1} }, cupel.ErrLengthMismatch, "timestamp"},
		"timestamp validity":     {func(c *cupel.Columns) { c.TimestampValidity = make([]bool, 4) }, cupel.ErrLengthMismatch, "timestamp_validity"},
		"hint":                   {func(c *cupel.Columns) { c.FutureRelevanceHint = []float64{1} }, cupel.ErrLengthMismatch, "future_relevance_hint"},
		"hint validity":          {func(c *cupel.Columns) { c.FutureRelevanceHintValidity = []bool{true} }, cupel.ErrLengthMismatch, "future_relevance_hint_validity"},
		"pinned":                 {func(c *cupel.Columns) { c.Pinned = []bool{true} }, cupel.ErrLengthMismatch, "pinned"},
		"original tokens":        {func(c *cupel.Columns) { c.OriginalTokens = []int64{} }, cupel.ErrLengthMismatch, "original_tokens"},
		"original validity":      {func(c *cupel.Columns) { c.OriginalTokensValidity = []bool{} }, cupel.ErrLengthMismatch, "original_tokens_validity"},
		"tag lists":              {func(c *cupel.Columns) { c.TagLists = []int64{0} }, cupel.ErrLengthMismatch, "tag_lists"},
		"empty tag lists":        {func(c *cupel.Columns) { c.TagLists = []int64{} }, cupel.ErrLengthMismatch, "tag_lists"},
		"a tag list too long":    {func(c *cupel.Columns) { c.TagLists[3] = 4 }, cupel.ErrOutOfRange, "tag_lists"},
		"tag lists without tags": {func(c *cupel.Columns) { c.Tags = cupel.TextColumn{} }, cupel.ErrOutOfRange, "tag"},
		"metadata lists":         {func(c *cupel.Columns) { c.MetadataLists = []int64{0, 1} }, cupel.ErrLengthMismatch, "metadata_lists"},
		"metadata types":         {func(c *cupel.Columns) { c.MetadataTypes = c.MetadataTypes[1:] }, cupel.ErrLengthMismatch, "metadata_types"},
		"an unknown type":        {func(c *cupel.Columns) { c.MetadataTypes[1] = 3 }, cupel.ErrOutOfRange, "metadata_types"},
		"metadata texts":         {func(c *cupel.Columns) { c.MetadataTexts = texts("a") }, cupel.ErrLengthMismatch, "metadata_texts"},
		"no metadata texts":      {func(c *cupel.Columns) { c.MetadataTexts = cupel.TextColumn{} }, cupel.ErrNullArgument, "metadata_texts"},
		"metadata numbers":       {func(c *cupel.Columns) { c.MetadataNumbers = []float64{} }, cupel.ErrLengthMismatch, "metadata_numbers"},
		"no metadata numbers":    {func(c *cupel.Columns) { c.MetadataNumbers = nil }, cupel.ErrNullArgument, "metadata_numbers"},
		"blank kind":             {func(c *cupel.Columns) { c.Kind = texts("a", "b", " ") }, cupel.ErrEmptyKind, "kind"},
	} {
		t.Run(name, func(t *testing.T) {
			columns := fullColumns()
			c.spoil(columns)
			batch := newBatch(t)
			err := batch.AppendColumns(columns)
			wantError(t, err, c.status, c.part)
			if batch.Len() != 0 {
				t.Errorf("%d rows were appended", batch.Len())
			}
		})
	}
	wantError(t, newBatch(t).AppendColumns(nil), cupel.ErrNullArgument, "columns")
}

// The last of a key's values in a row counts, as when it is set again.
func TestMetadataKeyThatRepeats(t *testing.T) {
	batch := newBatch(t)
	err := batch.AppendColumns(&cupel.Columns{
		Rows:          1,
		MetadataLists: []int64{0, 2},
		MetadataKeys:  texts("k", "k"),
		MetadataTexts: texts("first", "last"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if item, err := batch.Item(0); err != nil || !reflect.DeepEqual(item.Metadata, map[string]any{"k": "last"}) {
		t.Errorf("got %v, %v", item.Metadata, err)
	}
}

// The columns that Append makes give the batch that a C program makes of the
// same items; by the scores of a scorer that reads every field.
func TestItemsAndColumnsAgree(t *testing.T) {
	items := randomItems(500)
	batch := newBatch(t, items...)
	columns := newBatch(t)
	if err := columns.AppendColumns(columnsOf(items)); err != nil {
		t.Fatal(err)
	}
	for row := range items {
		a, errA := batch.Item(row)
		b, errB := columns.Item(row)
		if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("row %d: %v, %v:\n%#v\n%#v", row, errA, errB, a, b)
		}
	}
	wide := wideScorer(t, time.Unix(1_760_000_000, 0))
	got, err := wide.Score(batch)
	if err != nil {
		t.Fatal(err)
	}
	want, err := wide.Score(columns)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, got, want...)
}
