package cupel

// #include "shim.h"
// #cgo noescape cupel_go_batch_append_columns
// #cgo nocallback cupel_go_batch_append_columns
import "C"

import "unsafe"

// A TextColumn is a list of texts as flat arrays. The zero TextColumn is an
// absent column.
//
// Text t is Data[Offsets[t]:Offsets[t+1]]. Without Codes, slot i has text i;
// with them, slot i has text Codes[i], so that texts which repeat are given
// once.
type TextColumn struct {
	// Data is the texts, one after another, in UTF-8.
	Data []byte
	// Offsets has one entry more than there are texts. It starts at 0 or above,
	// never decreases, and stays within Data.
	Offsets []int64
	// Codes has one entry per slot, or is nil.
	Codes []uint32
}

// slots is how many texts the column stands for, and false where it is absent.
func (c *TextColumn) slots() (int, bool) {
	switch {
	case c.Offsets == nil:
		return 0, false
	case c.Codes != nil:
		return len(c.Codes), true
	}
	return c.texts(), true
}

func (c *TextColumn) texts() int { return max(len(c.Offsets)-1, 0) }

// Columns is many rows as flat arrays, for a host that holds its items in
// that form. The arrays are lent to the library for the length of the call and
// not copied on the way.
//
// Every column may be left out (nil). One that is given has an entry for each
// row; a validity column says which entries count (true: present), and nil
// means all of them.
type Columns struct {
	// Rows is how many rows there are.
	Rows int
	// Content: without it the rows can be scored and have no content.
	Content TextColumn
	// Tokens: without it, 0.
	Tokens []int64
	// Kind: absent or missing, [KindMessage].
	Kind         TextColumn
	KindValidity []bool
	// Source: absent or missing, [SourceChat].
	Source         TextColumn
	SourceValidity []bool

	Priority         []int64
	PriorityValidity []bool
	// Timestamp is in nanoseconds since the Unix epoch.
	Timestamp                   []int64
	TimestampValidity           []bool
	FutureRelevanceHint         []float64
	FutureRelevanceHintValidity []bool
	Pinned                      []bool
	OriginalTokens              []int64
	OriginalTokensValidity      []bool

	// TagLists has Rows+1 entries: row i has the slots TagLists[i] up to, not
	// including, TagLists[i+1] of Tags.
	TagLists []int64
	Tags     TextColumn

	// MetadataLists has Rows+1 entries: row i has the slots MetadataLists[i] up
	// to, not including, MetadataLists[i+1] of the columns that follow. A key
	// that repeats within a row has its last value.
	MetadataLists []int64
	MetadataKeys  TextColumn
	// MetadataTypes: without it, all values are strings.
	MetadataTypes []MetadataType
	// MetadataTexts has the values that are strings or other; the slot of a
	// double is not read. It may be absent where all are doubles.
	MetadataTexts TextColumn
	// MetadataNumbers has the values that are doubles; no other is read.
	MetadataNumbers []float64
}

// AppendColumns appends rows that the caller holds as flat arrays: all of
// them, or none when it fails. The error names the column and the row.
func (b *Batch) AppendColumns(columns *Columns) error {
	if columns == nil {
		return failure(ErrNullArgument, "columns: nil")
	}
	if err := columns.checkLengths(); err != nil {
		return err
	}
	pointer, err := b.change()
	if err != nil {
		return err
	}
	defer b.changed(pointer)
	tagSlots, _ := columns.Tags.slots()
	metadataSlots, _ := columns.MetadataKeys.slots()
	content, kind, source := &columns.Content, &columns.Kind, &columns.Source
	tags, keys, texts := &columns.Tags, &columns.MetadataKeys, &columns.MetadataTexts
	var cError *C.cupel_error
	return check(C.cupel_go_batch_append_columns(
		pointer, C.size_t(columns.Rows),
		chars(content.Data), C.size_t(len(content.Data)), int64s(content.Offsets), C.size_t(content.texts()), uint32s(content.Codes),
		int64s(columns.Tokens),
		chars(kind.Data), C.size_t(len(kind.Data)), int64s(kind.Offsets), C.size_t(kind.texts()), uint32s(kind.Codes), bools(columns.KindValidity),
		chars(source.Data), C.size_t(len(source.Data)), int64s(source.Offsets), C.size_t(source.texts()), uint32s(source.Codes), bools(columns.SourceValidity),
		int64s(columns.Priority), bools(columns.PriorityValidity),
		int64s(columns.Timestamp), bools(columns.TimestampValidity),
		doubles(columns.FutureRelevanceHint), bools(columns.FutureRelevanceHintValidity),
		bools(columns.Pinned),
		int64s(columns.OriginalTokens), bools(columns.OriginalTokensValidity),
		int64s(columns.TagLists), C.size_t(tagSlots),
		chars(tags.Data), C.size_t(len(tags.Data)), int64s(tags.Offsets), C.size_t(tags.texts()), uint32s(tags.Codes),
		int64s(columns.MetadataLists), C.size_t(metadataSlots),
		chars(keys.Data), C.size_t(len(keys.Data)), int64s(keys.Offsets), C.size_t(keys.texts()), uint32s(keys.Codes),
		types(columns.MetadataTypes),
		chars(texts.Data), C.size_t(len(texts.Data)), int64s(texts.Offsets), C.size_t(texts.texts()), uint32s(texts.Codes),
		doubles(columns.MetadataNumbers),
		&cError), &cError)
}

// checkLengths holds every array against the number of rows. C has only
// pointers to them, and would read past the end of one that is too short.
func (c *Columns) checkLengths() error {
	if c.Rows < 0 {
		return failure(ErrOutOfRange, "columns.rows: %d", c.Rows)
	}
	var err error
	expect := func(column string, given bool, length, expected int) {
		if given && length != expected && err == nil {
			err = failure(ErrLengthMismatch, "columns.%s: %d entries where %d are expected", column, length, expected)
		}
	}
	text := func(column string, texts *TextColumn, expected int) {
		slots, given := texts.slots()
		if given && len(texts.Offsets) == 0 && err == nil {
			err = failure(ErrLengthMismatch, "columns.%s.offsets: empty, where there is one entry more than there are texts", column)
		}
		if !given && texts.Codes != nil && err == nil {
			err = failure(ErrNullArgument, "columns.%s: codes without offsets", column)
		}
		expect(column, given, slots, expected)
	}
	text("content", &c.Content, c.Rows)
	expect("tokens", c.Tokens != nil, len(c.Tokens), c.Rows)
	text("kind", &c.Kind, c.Rows)
	expect("kind_validity", c.KindValidity != nil, len(c.KindValidity), c.Rows)
	text("source", &c.Source, c.Rows)
	expect("source_validity", c.SourceValidity != nil, len(c.SourceValidity), c.Rows)
	expect("priority", c.Priority != nil, len(c.Priority), c.Rows)
	expect("priority_validity", c.PriorityValidity != nil, len(c.PriorityValidity), c.Rows)
	expect("timestamp", c.Timestamp != nil, len(c.Timestamp), c.Rows)
	expect("timestamp_validity", c.TimestampValidity != nil, len(c.TimestampValidity), c.Rows)
	expect("future_relevance_hint", c.FutureRelevanceHint != nil, len(c.FutureRelevanceHint), c.Rows)
	expect("future_relevance_hint_validity", c.FutureRelevanceHintValidity != nil, len(c.FutureRelevanceHintValidity), c.Rows)
	expect("pinned", c.Pinned != nil, len(c.Pinned), c.Rows)
	expect("original_tokens", c.OriginalTokens != nil, len(c.OriginalTokens), c.Rows)
	expect("original_tokens_validity", c.OriginalTokensValidity != nil, len(c.OriginalTokensValidity), c.Rows)
	expect("tag_lists", c.TagLists != nil, len(c.TagLists)-1, c.Rows)
	tagSlots, _ := c.Tags.slots()
	text("tags", &c.Tags, tagSlots)
	expect("metadata_lists", c.MetadataLists != nil, len(c.MetadataLists)-1, c.Rows)
	metadataSlots, _ := c.MetadataKeys.slots()
	text("metadata_keys", &c.MetadataKeys, metadataSlots)
	expect("metadata_types", c.MetadataTypes != nil, len(c.MetadataTypes), metadataSlots)
	text("metadata_texts", &c.MetadataTexts, metadataSlots)
	expect("metadata_numbers", c.MetadataNumbers != nil, len(c.MetadataNumbers), metadataSlots)
	return err
}

// A nil slice is NULL in C, an absent column, and any other is not, however
// short.

func chars(s []byte) *C.char      { return (*C.char)(unsafe.Pointer(unsafe.SliceData(s))) }
func int64s(s []int64) *C.int64_t { return (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(s))) }
func uint32s(s []uint32) *C.uint32_t {
	return (*C.uint32_t)(unsafe.Pointer(unsafe.SliceData(s)))
}
func doubles(s []float64) *C.double { return (*C.double)(unsafe.Pointer(unsafe.SliceData(s))) }

// A bool is a byte that is 0 or 1 in Go as well.
func bools(s []bool) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(s))) }

func types(s []MetadataType) *C.uint8_t {
	return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(s)))
}
