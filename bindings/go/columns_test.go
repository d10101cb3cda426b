package cupel_test

import (
	"math"
	"reflect"
	"strings"
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
		spoil   func(*cupel.Columns)
		status  cupel.Status
		message string // or its beginning
	}{
		"rows below 0":                        {func(c *cupel.Columns) { c.Rows = -1 }, cupel.ErrOutOfRange, `columns.Rows is -1: it must be 0 or more`},
		"too few contents":                    {func(c *cupel.Columns) { c.Content = texts("a") }, cupel.ErrLengthMismatch, `len(columns.Content.Offsets) is 2: it must be 4, one for each row, and the end of the last`},
		"no offset at all":                    {func(c *cupel.Columns) { c.Content.Offsets = []int64{} }, cupel.ErrLengthMismatch, `len(columns.Content.Offsets) is 0: it must be one more than there are texts`},
		"too few tokens":                      {func(c *cupel.Columns) { c.Tokens = c.Tokens[1:] }, cupel.ErrLengthMismatch, `len(columns.Tokens) is 2: it must be 3, one for each row`},
		"too few codes":                       {func(c *cupel.Columns) { c.Kind.Codes = c.Kind.Codes[1:] }, cupel.ErrLengthMismatch, `len(columns.Kind.Codes) is 2: it must be 3, one for each row`},
		"kind validity":                       {func(c *cupel.Columns) { c.KindValidity = c.KindValidity[:2] }, cupel.ErrLengthMismatch, `len(columns.KindValidity) is 2: it must be 3, one for each row`},
		"kind validity, empty":                {func(c *cupel.Columns) { c.KindValidity = c.KindValidity[:0] }, cupel.ErrLengthMismatch, `len(columns.KindValidity) is 0: it must be 3, one for each row`},
		"source validity":                     {func(c *cupel.Columns) { c.SourceValidity = c.SourceValidity[:2] }, cupel.ErrLengthMismatch, `len(columns.SourceValidity) is 2: it must be 3, one for each row`},
		"source validity, empty":              {func(c *cupel.Columns) { c.SourceValidity = c.SourceValidity[:0] }, cupel.ErrLengthMismatch, `len(columns.SourceValidity) is 0: it must be 3, one for each row`},
		"priority":                            {func(c *cupel.Columns) { c.Priority = c.Priority[:2] }, cupel.ErrLengthMismatch, `len(columns.Priority) is 2: it must be 3, one for each row`},
		"priority, empty":                     {func(c *cupel.Columns) { c.Priority = c.Priority[:0] }, cupel.ErrLengthMismatch, `len(columns.Priority) is 0: it must be 3, one for each row`},
		"priority validity":                   {func(c *cupel.Columns) { c.PriorityValidity = c.PriorityValidity[:2] }, cupel.ErrLengthMismatch, `len(columns.PriorityValidity) is 2: it must be 3, one for each row`},
		"priority validity, empty":            {func(c *cupel.Columns) { c.PriorityValidity = c.PriorityValidity[:0] }, cupel.ErrLengthMismatch, `len(columns.PriorityValidity) is 0: it must be 3, one for each row`},
		"timestamp":                           {func(c *cupel.Columns) { c.Timestamp = c.Timestamp[:2] }, cupel.ErrLengthMismatch, `len(columns.Timestamp) is 2: it must be 3, one for each row`},
		"timestamp, empty":                    {func(c *cupel.Columns) { c.Timestamp = c.Timestamp[:0] }, cupel.ErrLengthMismatch, `len(columns.Timestamp) is 0: it must be 3, one for each row`},
		"timestamp validity":                  {func(c *cupel.Columns) { c.TimestampValidity = c.TimestampValidity[:2] }, cupel.ErrLengthMismatch, `len(columns.TimestampValidity) is 2: it must be 3, one for each row`},
		"timestamp validity, empty":           {func(c *cupel.Columns) { c.TimestampValidity = c.TimestampValidity[:0] }, cupel.ErrLengthMismatch, `len(columns.TimestampValidity) is 0: it must be 3, one for each row`},
		"hint":                                {func(c *cupel.Columns) { c.FutureRelevanceHint = c.FutureRelevanceHint[:2] }, cupel.ErrLengthMismatch, `len(columns.FutureRelevanceHint) is 2: it must be 3, one for each row`},
		"hint, empty":                         {func(c *cupel.Columns) { c.FutureRelevanceHint = c.FutureRelevanceHint[:0] }, cupel.ErrLengthMismatch, `len(columns.FutureRelevanceHint) is 0: it must be 3, one for each row`},
		"hint validity":                       {func(c *cupel.Columns) { c.FutureRelevanceHintValidity = c.FutureRelevanceHintValidity[:2] }, cupel.ErrLengthMismatch, `len(columns.FutureRelevanceHintValidity) is 2: it must be 3, one for each row`},
		"hint validity, empty":                {func(c *cupel.Columns) { c.FutureRelevanceHintValidity = c.FutureRelevanceHintValidity[:0] }, cupel.ErrLengthMismatch, `len(columns.FutureRelevanceHintValidity) is 0: it must be 3, one for each row`},
		"pinned":                              {func(c *cupel.Columns) { c.Pinned = c.Pinned[:2] }, cupel.ErrLengthMismatch, `len(columns.Pinned) is 2: it must be 3, one for each row`},
		"pinned, empty":                       {func(c *cupel.Columns) { c.Pinned = c.Pinned[:0] }, cupel.ErrLengthMismatch, `len(columns.Pinned) is 0: it must be 3, one for each row`},
		"original tokens":                     {func(c *cupel.Columns) { c.OriginalTokens = c.OriginalTokens[:2] }, cupel.ErrLengthMismatch, `len(columns.OriginalTokens) is 2: it must be 3, one for each row`},
		"original tokens, empty":              {func(c *cupel.Columns) { c.OriginalTokens = c.OriginalTokens[:0] }, cupel.ErrLengthMismatch, `len(columns.OriginalTokens) is 0: it must be 3, one for each row`},
		"original tokens validity":            {func(c *cupel.Columns) { c.OriginalTokensValidity = c.OriginalTokensValidity[:2] }, cupel.ErrLengthMismatch, `len(columns.OriginalTokensValidity) is 2: it must be 3, one for each row`},
		"original tokens validity, empty":     {func(c *cupel.Columns) { c.OriginalTokensValidity = c.OriginalTokensValidity[:0] }, cupel.ErrLengthMismatch, `len(columns.OriginalTokensValidity) is 0: it must be 3, one for each row`},
		"tag lists":                           {func(c *cupel.Columns) { c.TagLists = c.TagLists[:3] }, cupel.ErrLengthMismatch, `len(columns.TagLists) is 3: it must be 4, one for each row, and the end of the last`},
		"empty tag lists":                     {func(c *cupel.Columns) { c.TagLists = []int64{} }, cupel.ErrLengthMismatch, `len(columns.TagLists) is 0: it must be 4, one for each row, and the end of the last`},
		"metadata lists":                      {func(c *cupel.Columns) { c.MetadataLists = []int64{0, 1} }, cupel.ErrLengthMismatch, `len(columns.MetadataLists) is 2: it must be 4, one for each row, and the end of the last`},
		"metadata types":                      {func(c *cupel.Columns) { c.MetadataTypes = c.MetadataTypes[1:] }, cupel.ErrLengthMismatch, `len(columns.MetadataTypes) is 2: it must be 3, one for each entry of MetadataKeys`},
		"metadata texts":                      {func(c *cupel.Columns) { c.MetadataTexts = texts("a") }, cupel.ErrLengthMismatch, `len(columns.MetadataTexts.Offsets) is 2: it must be 4, one for each entry of MetadataKeys, and the end of the last`},
		"metadata numbers":                    {func(c *cupel.Columns) { c.MetadataNumbers = []float64{} }, cupel.ErrLengthMismatch, `len(columns.MetadataNumbers) is 0: it must be 3, one for each entry of MetadataKeys`},
		"Content: data alone":                 {func(c *cupel.Columns) { c.Content.Offsets = nil }, cupel.ErrNullArgument, `columns.Content.Offsets is missing: columns.Content.Data needs it`},
		"Kind: codes alone":                   {func(c *cupel.Columns) { c.Kind.Data = nil; c.Kind.Offsets = nil }, cupel.ErrNullArgument, `columns.Kind.Offsets is missing: columns.Kind.Codes needs it`},
		"Source: data alone":                  {func(c *cupel.Columns) { c.Source.Offsets = nil }, cupel.ErrNullArgument, `columns.Source.Offsets is missing: columns.Source.Data needs it`},
		"Tags: codes alone":                   {func(c *cupel.Columns) { c.Tags.Data = nil; c.Tags.Offsets = nil }, cupel.ErrNullArgument, `columns.Tags.Offsets is missing: columns.Tags.Codes needs it`},
		"MetadataKeys: data alone":            {func(c *cupel.Columns) { c.MetadataKeys.Offsets = nil }, cupel.ErrNullArgument, `columns.MetadataKeys.Offsets is missing: columns.MetadataKeys.Data needs it`},
		"MetadataTexts: data alone":           {func(c *cupel.Columns) { c.MetadataTexts.Offsets = nil }, cupel.ErrNullArgument, `columns.MetadataTexts.Offsets is missing: columns.MetadataTexts.Data needs it`},
		"Kind: data alone":                    {func(c *cupel.Columns) { c.Kind.Offsets, c.Kind.Codes = nil, nil }, cupel.ErrNullArgument, `columns.Kind.Offsets is missing: columns.Kind.Data needs it`},
		"Kind: validity alone":                {func(c *cupel.Columns) { c.Kind = cupel.TextColumn{} }, cupel.ErrNullArgument, `columns.Kind is missing: columns.KindValidity needs it`},
		"Source: validity alone":              {func(c *cupel.Columns) { c.Source = cupel.TextColumn{} }, cupel.ErrNullArgument, `columns.Source is missing: columns.SourceValidity needs it`},
		"Priority: validity alone":            {func(c *cupel.Columns) { c.Priority = nil }, cupel.ErrNullArgument, `columns.Priority is missing: columns.PriorityValidity needs it`},
		"Timestamp: validity alone":           {func(c *cupel.Columns) { c.Timestamp = nil }, cupel.ErrNullArgument, `columns.Timestamp is missing: columns.TimestampValidity needs it`},
		"FutureRelevanceHint: validity alone": {func(c *cupel.Columns) { c.FutureRelevanceHint = nil }, cupel.ErrNullArgument, `columns.FutureRelevanceHint is missing: columns.FutureRelevanceHintValidity needs it`},
		"OriginalTokens: validity alone":      {func(c *cupel.Columns) { c.OriginalTokens = nil }, cupel.ErrNullArgument, `columns.OriginalTokens is missing: columns.OriginalTokensValidity needs it`},
		"tags without lists":                  {func(c *cupel.Columns) { c.TagLists = nil }, cupel.ErrNullArgument, `columns.TagLists is missing: columns.Tags needs it`},
		"lists without tags":                  {func(c *cupel.Columns) { c.Tags = cupel.TextColumn{} }, cupel.ErrNullArgument, `columns.Tags is missing: columns.TagLists needs it`},
		"metadata without lists":              {func(c *cupel.Columns) { c.MetadataLists = nil }, cupel.ErrNullArgument, `columns.MetadataLists is missing: columns.MetadataKeys needs it`},
		"metadata without keys":               {func(c *cupel.Columns) { c.MetadataKeys = cupel.TextColumn{} }, cupel.ErrNullArgument, `columns.MetadataKeys is missing: columns.MetadataTypes needs it`},
		"metadata texts without keys":         {func(c *cupel.Columns) { c.MetadataKeys, c.MetadataTypes = cupel.TextColumn{}, nil }, cupel.ErrNullArgument, `columns.MetadataKeys is missing: columns.MetadataTexts needs it`},
		"metadata numbers without keys": {func(c *cupel.Columns) {
			c.MetadataKeys, c.MetadataTypes, c.MetadataTexts = cupel.TextColumn{}, nil, cupel.TextColumn{}
		}, cupel.ErrNullArgument, `columns.MetadataKeys is missing: columns.MetadataNumbers needs it`},
		"metadata lists alone": {func(c *cupel.Columns) {
			c.MetadataKeys, c.MetadataTypes, c.MetadataTexts, c.MetadataNumbers = cupel.TextColumn{}, nil, cupel.TextColumn{}, nil
		}, cupel.ErrNullArgument, `columns.MetadataKeys is missing: columns.MetadataLists needs it`},
		"an empty content":    {func(c *cupel.Columns) { c.Content = texts("a", "", "b") }, cupel.ErrEmptyContent, `columns.Content[1] is empty: an item needs content`},
		"an offset too far":   {func(c *cupel.Columns) { c.Content.Offsets[3]++ }, cupel.ErrOutOfRange, `columns.Content.Offsets[3] is 12: `},
		"a negative offset":   {func(c *cupel.Columns) { c.Content.Offsets[0]-- }, cupel.ErrOutOfRange, `columns.Content.Offsets[0] is -1: `},
		"falling offsets":     {func(c *cupel.Columns) { c.Content.Offsets[1] = 7 }, cupel.ErrOutOfRange, `columns.Content.Offsets[2] is 6: `},
		"a code too high":     {func(c *cupel.Columns) { c.Kind.Codes[0] = 2 }, cupel.ErrOutOfRange, `columns.Kind.Codes[0] is 2: `},
		"a tag list too long": {func(c *cupel.Columns) { c.TagLists[3] = 4 }, cupel.ErrOutOfRange, `columns.TagLists[3] is 4: `},
		"an unknown type":     {func(c *cupel.Columns) { c.MetadataTypes[1] = 3 }, cupel.ErrOutOfRange, `columns.MetadataTypes[1] is 3: `},
		"no metadata texts":   {func(c *cupel.Columns) { c.MetadataTexts = cupel.TextColumn{} }, cupel.ErrNullArgument, `columns.MetadataTexts.Offsets is nil`},
		"no metadata numbers": {func(c *cupel.Columns) { c.MetadataNumbers = nil }, cupel.ErrNullArgument, `columns.MetadataNumbers is nil`},
		"blank kind":          {func(c *cupel.Columns) { c.Kind = texts("a", "b", " ") }, cupel.ErrEmptyKind, `columns.Kind[2] is blank (" "): it needs a character that is not white space`},
		"bad tag":             {func(c *cupel.Columns) { c.Tags.Data[0] = 0xff }, cupel.ErrInvalidUTF8, `columns.Tags[1] is not valid UTF-8 at byte 0`},
	} {
		t.Run(name, func(t *testing.T) {
			columns := fullColumns()
			c.spoil(columns)
			batch := newBatch(t)
			err := batch.AppendColumns(columns)
			wantError(t, err, c.status)
			if err != nil && !strings.HasPrefix(err.Error(), "cupel: "+c.message) {
				t.Errorf("got %q, want %q", err, "cupel: "+c.message)
			}
			if batch.Len() != 0 {
				t.Errorf("%d rows were appended", batch.Len())
			}
		})
	}
	wantError(t, newBatch(t).AppendColumns(nil), cupel.ErrNullArgument, "columns")
}

// Lists that are all empty need no column of tags or metadata.
func TestEmptyLists(t *testing.T) {
	batch := newBatch(t)
	if err := batch.AppendColumns(&cupel.Columns{Rows: 2, TagLists: []int64{0, 0, 0}, MetadataLists: []int64{0, 0, 0}}); err != nil {
		t.Error(err)
	}
	if batch.Len() != 2 {
		t.Errorf("%d rows", batch.Len())
	}
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
	wantSameScores(t, wideScorer(t, time.Unix(1_760_000_000, 0)), batch, columns)
}
