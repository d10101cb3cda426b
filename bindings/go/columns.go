package cupel

// #include "shim.h"
// #cgo noescape cupel_go_batch_append_columns
// #cgo nocallback cupel_go_batch_append_columns
import "C"

import "unsafe"

// A TextColumn is a list of texts as flat arrays. The zero TextColumn is an
// absent column.
//
// Text t is Data[Offsets[t]:Offsets[t+1]]. Without Codes, entry i of the column
// is text i. With Codes the column is dictionary-encoded: entry i is text
// Codes[i].
type TextColumn struct {
	// Data is the texts, one after another, in UTF-8.
	Data []byte
	// Offsets has one entry more than there are texts. It starts at 0 or above,
	// never decreases, and stays within Data.
	Offsets []int64
	// Codes has one code per entry of the column, or is nil.
	Codes []uint32
}

// slots is the number of entries of the column; false means that it is absent.
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

// Len is the number of entries; 0 for an absent column.
func (c *TextColumn) Len() int {
	slots, _ := c.slots()
	return slots
}

// At gives entry i.
func (c *TextColumn) At(i int) string {
	if c.Codes != nil {
		i = int(c.Codes[i])
	}
	return c.text(i)
}

func (c *TextColumn) text(t int) string { return string(c.Data[c.Offsets[t]:c.Offsets[t+1]]) }

// Columns is many rows as flat arrays, for programs that hold their items in
// that form. The library reads the arrays during the call; the binding does not
// copy them.
//
// Every column is optional; nil means absent. A column that is given has one
// entry for each row. A validity column says which entries of its column are
// present (true); nil means all.
type Columns struct {
	// Rows is the number of rows.
	Rows int
	// Content may be absent: the rows can be scored without it.
	Content TextColumn
	// Tokens: if absent, 0.
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

	// TagLists has Rows+1 offsets into Tags: the tags of row i are the entries
	// TagLists[i] up to, not including, TagLists[i+1].
	TagLists []int64
	Tags     TextColumn

	// MetadataLists has Rows+1 offsets into the columns that follow: the metadata
	// of row i is the entries MetadataLists[i] up to, not including,
	// MetadataLists[i+1]. A key that repeats within a row has its last value.
	MetadataLists []int64
	MetadataKeys  TextColumn
	// MetadataTypes: if absent, all values are strings.
	MetadataTypes []MetadataType
	// MetadataTexts has the values that are strings or other; the entry of a
	// double is not read. It may be absent if all are doubles.
	MetadataTexts TextColumn
	// MetadataNumbers has the values that are doubles; other entries are not
	// read. It may be absent if there are none.
	MetadataNumbers []float64
}

// AppendColumns appends rows that the caller holds as flat arrays: all of
// them, or none if it fails. The error names the field of columns and the
// position in it. A column of which a part is missing, such as a validity
// without its values, is refused.
func (b *Batch) AppendColumns(columns *Columns) error {
	if columns == nil {
		return failure(ErrNullArgument, "columns is nil")
	}
	if err := columns.check(); err != nil {
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
	err = check(C.cupel_go_batch_append_columns(
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
	return allocating(err, "appending %d rows", columns.Rows)
}

// check compares the length of every array with the number of rows: C has only
// pointers to the arrays. It refuses columns of which a part is missing.
func (c *Columns) check() error {
	if c.Rows < 0 {
		return failure(ErrOutOfRange, "columns.Rows is %d: it must be 0 or more", c.Rows)
	}
	var err error
	refuse := func(status Status, format string, arguments ...any) {
		if err == nil {
			err = failure(status, format, arguments...)
		}
	}
	// A name is a field and a part of it, which are put together only in an error:
	// small batches are appended by the million.
	lengthOf := func(field, part string, actual, expected int, why, of string) {
		if actual != expected {
			refuse(ErrLengthMismatch, "len(columns.%s%s) is %d: it must be %d, %s%s", field, part, actual, expected, why, of)
		}
	}
	length := func(field string, given bool, actual, expected int, why string) {
		if given {
			lengthOf(field, "", actual, expected, why, "")
		}
	}
	// with refuses a column that is given without another that it needs.
	with := func(field, part string, given bool, other, otherPart string, otherGiven bool) {
		if given && !otherGiven {
			refuse(ErrNullArgument, "columns.%s%s is missing: columns.%s%s needs it", other, otherPart, field, part)
		}
	}
	const eachRow, eachSlot, andEnd = "one for each row", "one for each entry of ", ", and the end of the last"
	text := func(field string, texts *TextColumn, expected int, why string) {
		offsets := texts.Offsets != nil
		with(field, ".Data", texts.Data != nil, field, ".Offsets", offsets)
		with(field, ".Codes", texts.Codes != nil, field, ".Offsets", offsets)
		switch {
		case !offsets:
		case len(texts.Offsets) == 0:
			refuse(ErrLengthMismatch, "len(columns.%s.Offsets) is 0: it must be one more than there are texts", field)
		case texts.Codes != nil:
			lengthOf(field, ".Codes", len(texts.Codes), expected, why, "")
		default:
			lengthOf(field, ".Offsets", len(texts.Offsets), expected+1, why, andEnd)
		}
	}
	validity := func(field string, given bool, present []bool) {
		if present != nil {
			lengthOf(field, "Validity", len(present), c.Rows, eachRow, "")
		}
		with(field, "Validity", present != nil, field, "", given)
	}
	// lists refuses lists without the column that they are about, and the reverse.
	lists := func(field string, lists []int64, column string, columnGiven bool) {
		length(field, lists != nil, len(lists), c.Rows+1, eachRow+andEnd)
		with(column, "", columnGiven, field, "", lists != nil)
		with(field, "", len(lists) > 0 && lists[0] != lists[len(lists)-1], column, "", columnGiven)
	}

	text("Content", &c.Content, c.Rows, eachRow)
	length("Tokens", c.Tokens != nil, len(c.Tokens), c.Rows, eachRow)
	text("Kind", &c.Kind, c.Rows, eachRow)
	validity("Kind", c.Kind.Offsets != nil, c.KindValidity)
	text("Source", &c.Source, c.Rows, eachRow)
	validity("Source", c.Source.Offsets != nil, c.SourceValidity)
	length("Priority", c.Priority != nil, len(c.Priority), c.Rows, eachRow)
	validity("Priority", c.Priority != nil, c.PriorityValidity)
	length("Timestamp", c.Timestamp != nil, len(c.Timestamp), c.Rows, eachRow)
	validity("Timestamp", c.Timestamp != nil, c.TimestampValidity)
	length("FutureRelevanceHint", c.FutureRelevanceHint != nil, len(c.FutureRelevanceHint), c.Rows, eachRow)
	validity("FutureRelevanceHint", c.FutureRelevanceHint != nil, c.FutureRelevanceHintValidity)
	length("Pinned", c.Pinned != nil, len(c.Pinned), c.Rows, eachRow)
	length("OriginalTokens", c.OriginalTokens != nil, len(c.OriginalTokens), c.Rows, eachRow)
	validity("OriginalTokens", c.OriginalTokens != nil, c.OriginalTokensValidity)

	tagSlots, tags := c.Tags.slots()
	text("Tags", &c.Tags, tagSlots, "")
	lists("TagLists", c.TagLists, "Tags", tags)

	metadataSlots, keys := c.MetadataKeys.slots()
	text("MetadataKeys", &c.MetadataKeys, metadataSlots, "")
	with("MetadataTypes", "", c.MetadataTypes != nil, "MetadataKeys", "", keys)
	with("MetadataTexts", "", c.MetadataTexts.Offsets != nil, "MetadataKeys", "", keys)
	with("MetadataNumbers", "", c.MetadataNumbers != nil, "MetadataKeys", "", keys)
	length("MetadataTypes", c.MetadataTypes != nil, len(c.MetadataTypes), metadataSlots, eachSlot+"MetadataKeys")
	text("MetadataTexts", &c.MetadataTexts, metadataSlots, eachSlot+"MetadataKeys")
	length("MetadataNumbers", c.MetadataNumbers != nil, len(c.MetadataNumbers), metadataSlots, eachSlot+"MetadataKeys")
	lists("MetadataLists", c.MetadataLists, "MetadataKeys", keys)
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
