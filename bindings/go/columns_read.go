package cupel

// #include "shim.h"
// #cgo noescape cupel_batch_read_tokens
// #cgo nocallback cupel_batch_read_tokens
// #cgo noescape cupel_batch_read_priority
// #cgo nocallback cupel_batch_read_priority
// #cgo noescape cupel_batch_read_timestamp
// #cgo nocallback cupel_batch_read_timestamp
// #cgo noescape cupel_batch_read_future_relevance_hint
// #cgo nocallback cupel_batch_read_future_relevance_hint
// #cgo noescape cupel_batch_read_original_tokens
// #cgo nocallback cupel_batch_read_original_tokens
// #cgo noescape cupel_batch_read_pinned
// #cgo nocallback cupel_batch_read_pinned
// #cgo noescape cupel_batch_read_content
// #cgo nocallback cupel_batch_read_content
// #cgo noescape cupel_batch_read_kind_codes
// #cgo nocallback cupel_batch_read_kind_codes
// #cgo noescape cupel_batch_kinds_len
// #cgo nocallback cupel_batch_kinds_len
// #cgo noescape cupel_batch_read_kind_texts
// #cgo nocallback cupel_batch_read_kind_texts
// #cgo noescape cupel_batch_read_source_codes
// #cgo nocallback cupel_batch_read_source_codes
// #cgo noescape cupel_batch_sources_len
// #cgo nocallback cupel_batch_sources_len
// #cgo noescape cupel_batch_read_source_texts
// #cgo nocallback cupel_batch_read_source_texts
// #cgo noescape cupel_batch_read_tags
// #cgo nocallback cupel_batch_read_tags
// #cgo noescape cupel_batch_read_metadata
// #cgo nocallback cupel_batch_read_metadata
// #cgo noescape cupel_batch_metadata_keys_len
// #cgo nocallback cupel_batch_metadata_keys_len
// #cgo noescape cupel_batch_read_metadata_keys
// #cgo nocallback cupel_batch_read_metadata_keys
// #cgo noescape cupel_batch_read_metadata_key
// #cgo nocallback cupel_batch_read_metadata_key
import "C"

// ReadTokens reads the sizes in tokens of len(tokens) rows from firstRow on.
func (b *Batch) ReadTokens(firstRow int, tokens []int64) error {
	return b.read(firstRow, len(tokens), "len(tokens)", func(r *reader) { r.tokens(tokens) })
}

// ReadPriority reads the priorities of len(priorities) rows from firstRow on, 0
// where there is none. If valid is not nil, it says which rows have one; its
// length must be that of priorities.
func (b *Batch) ReadPriority(firstRow int, priorities []int64, valid []bool) error {
	return b.read(firstRow, len(priorities), "len(priorities)", func(r *reader) { r.priority(priorities, valid) })
}

// ReadTimestamp reads the timestamps of len(unixNanoseconds) rows from firstRow
// on, in nanoseconds since the Unix epoch, and 0 where there is none. If valid is
// not nil, it says which rows have one; its length must be that of
// unixNanoseconds.
func (b *Batch) ReadTimestamp(firstRow int, unixNanoseconds []int64, valid []bool) error {
	return b.read(firstRow, len(unixNanoseconds), "len(unixNanoseconds)", func(r *reader) { r.timestamp(unixNanoseconds, valid) })
}

// ReadFutureRelevanceHint reads the hints of len(hints) rows from firstRow on, NaN
// where there is none. If valid is not nil, it says which rows have one; its
// length must be that of hints.
func (b *Batch) ReadFutureRelevanceHint(firstRow int, hints []float64, valid []bool) error {
	return b.read(firstRow, len(hints), "len(hints)", func(r *reader) { r.futureRelevanceHint(hints, valid) })
}

// ReadPinned reads which of len(pinned) rows from firstRow on are pinned.
func (b *Batch) ReadPinned(firstRow int, pinned []bool) error {
	return b.read(firstRow, len(pinned), "len(pinned)", func(r *reader) { r.pinned(pinned) })
}

// ReadOriginalTokens reads the sizes before shortening of len(tokens) rows from
// firstRow on, 0 where there is none. If valid is not nil, it says which rows have
// one; its length must be that of tokens.
func (b *Batch) ReadOriginalTokens(firstRow int, tokens []int64, valid []bool) error {
	return b.read(firstRow, len(tokens), "len(tokens)", func(r *reader) { r.originalTokens(tokens, valid) })
}

// ReadColumns reads fields of a range of rows: the inverse of
// [Batch.AppendColumns]. It fills the fields of columns that which names, reuses
// their slices, and sets the other fields to nil. Where a row does not have a
// value, the validity is false, and the value is 0, or NaN for the hint.
//
// Kind, Source and MetadataKeys are dictionary-encoded: their texts are the
// distinct ones of the whole batch, some of which may be of rows that were
// removed. The codes are valid until the batch is changed. Metadata may come in
// another order than it was set in. The content of a row that came without is
// empty, and AppendColumns refuses it.
//
// If it fails, what columns holds is unspecified.
func (b *Batch) ReadColumns(firstRow, rows int, which ColumnSet, columns *Columns) error {
	if columns == nil {
		return failure(ErrNullArgument, "columns is nil")
	}
	if unknown := which &^ AllColumns; unknown != 0 {
		return failure(ErrOutOfRange, "which is %#x: no column has the bit %#x", uint32(which), uint32(unknown))
	}
	return b.read(firstRow, rows, "rows", func(r *reader) {
		old := *columns
		*columns = Columns{Rows: rows}
		if which&ColumnContent != 0 {
			columns.Content = r.content(old.Content)
		}
		if which&ColumnTokens != 0 {
			columns.Tokens = grow(old.Tokens, rows)
			r.tokens(columns.Tokens)
		}
		if which&ColumnKind != 0 {
			columns.Kind = r.kind(old.Kind)
		}
		if which&ColumnSource != 0 {
			columns.Source = r.source(old.Source)
		}
		if which&ColumnPriority != 0 {
			columns.Priority, columns.PriorityValidity = grow(old.Priority, rows), grow(old.PriorityValidity, rows)
			r.priority(columns.Priority, columns.PriorityValidity)
		}
		if which&ColumnTags != 0 {
			r.tags(columns, &old)
		}
		if which&ColumnMetadata != 0 {
			r.metadata(columns, &old)
		}
		if which&ColumnTimestamp != 0 {
			columns.Timestamp, columns.TimestampValidity = grow(old.Timestamp, rows), grow(old.TimestampValidity, rows)
			r.timestamp(columns.Timestamp, columns.TimestampValidity)
		}
		if which&ColumnFutureRelevanceHint != 0 {
			columns.FutureRelevanceHint = grow(old.FutureRelevanceHint, rows)
			columns.FutureRelevanceHintValidity = grow(old.FutureRelevanceHintValidity, rows)
			r.futureRelevanceHint(columns.FutureRelevanceHint, columns.FutureRelevanceHintValidity)
		}
		if which&ColumnPinned != 0 {
			columns.Pinned = grow(old.Pinned, rows)
			r.pinned(columns.Pinned)
		}
		if which&ColumnOriginalTokens != 0 {
			columns.OriginalTokens = grow(old.OriginalTokens, rows)
			columns.OriginalTokensValidity = grow(old.OriginalTokensValidity, rows)
			r.originalTokens(columns.OriginalTokens, columns.OriginalTokensValidity)
		}
	})
}

// A MetadataColumn is the values of one metadata key, one entry for each row.
type MetadataColumn struct {
	// Validity says which rows have the key.
	Validity []bool
	// Types has the types of the values; [MetadataString] for a row without.
	Types []MetadataType
	// Numbers has the values that are doubles; all others are NaN.
	Numbers []float64
	// Texts has the values that are strings or other; all others are empty.
	Texts TextColumn
}

// ReadMetadataKey reads the values of one metadata key of a range of rows. It
// reuses the slices of values. If it fails, what values holds is unspecified.
func (b *Batch) ReadMetadataKey(key string, firstRow, rows int, values *MetadataColumn) error {
	if values == nil {
		return failure(ErrNullArgument, "values is nil")
	}
	return b.read(firstRow, rows, "rows", func(r *reader) {
		values.Validity = grow(values.Validity, rows)
		values.Types = grow(values.Types, rows)
		values.Numbers = grow(values.Numbers, rows)
		values.Texts.Offsets, values.Texts.Codes = grow(values.Texts.Offsets, rows+1), nil
		r.texts(&values.Texts, func(offsets *C.int64_t, data *C.char, length C.size_t, cError **C.cupel_error) C.cupel_status {
			return C.cupel_batch_read_metadata_key(r.batch, stringChars(key), C.size_t(len(key)), r.first, r.rows,
				types(values.Types), bools(values.Validity), doubles(values.Numbers), offsets, data, length, cError)
		})
	})
}

// read borrows the batch to read a range of its rows. name is what the caller
// calls the number of rows.
func (b *Batch) read(firstRow, rows int, name string, fields func(*reader)) error {
	batch, err := b.use()
	if err != nil {
		return err
	}
	defer b.used()
	if err := b.checkRows(firstRow, rows, name); err != nil {
		return err
	}
	r := reader{batch: batch, first: C.size_t(firstRow), rows: C.size_t(rows)}
	fields(&r)
	return r.err
}

// checkRows refuses rows that the batch, which is borrowed, does not have.
func (b *Batch) checkRows(firstRow, rows int, name string) error {
	switch length := b.Len(); {
	case firstRow < 0:
		return failure(ErrOutOfRange, "firstRow is %d: it must be 0 or more", firstRow)
	case rows < 0:
		return failure(ErrOutOfRange, "%s is %d: it must be 0 or more", name, rows)
	case firstRow > length:
		return failure(ErrOutOfRange, "firstRow is %d: the batch has %d rows", firstRow, length)
	case rows > length-firstRow:
		return failure(ErrOutOfRange, "%s is %d: the batch has %d rows from firstRow on", name, rows, length-firstRow)
	}
	return nil
}

// A reader reads a range of rows of a borrowed batch. Once a call has failed, the
// others do nothing.
type reader struct {
	batch       *C.cupel_batch
	first, rows C.size_t
	err         error
}

func (r *reader) call(read func(**C.cupel_error) C.cupel_status) {
	if r.err == nil {
		var cError *C.cupel_error
		r.err = check(read(&cError), &cError)
	}
}

// valid is the pointer to a slice of validity. Its length is checked, because C
// does not get it.
func (r *reader) valid(valid []bool) *C.uint8_t {
	if r.err == nil && valid != nil && len(valid) != int(r.rows) {
		r.err = failure(ErrLengthMismatch, "len(valid) is %d: it must be %d, one for each row", len(valid), r.rows)
	}
	return bools(valid)
}

func (r *reader) tokens(tokens []int64) {
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_tokens(r.batch, r.first, r.rows, int64s(tokens), cError)
	})
}

func (r *reader) priority(priorities []int64, valid []bool) {
	present := r.valid(valid)
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_priority(r.batch, r.first, r.rows, int64s(priorities), present, cError)
	})
}

func (r *reader) timestamp(unixNanoseconds []int64, valid []bool) {
	present := r.valid(valid)
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_timestamp(r.batch, r.first, r.rows, int64s(unixNanoseconds), present, cError)
	})
}

func (r *reader) futureRelevanceHint(hints []float64, valid []bool) {
	present := r.valid(valid)
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_future_relevance_hint(r.batch, r.first, r.rows, doubles(hints), present, cError)
	})
}

func (r *reader) pinned(pinned []bool) {
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_pinned(r.batch, r.first, r.rows, bools(pinned), cError)
	})
}

func (r *reader) originalTokens(tokens []int64, valid []bool) {
	present := r.valid(valid)
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_original_tokens(r.batch, r.first, r.rows, int64s(tokens), present, cError)
	})
}

// readTexts is a C function that reads texts.
type readTexts = func(offsets *C.int64_t, data *C.char, length C.size_t, cError **C.cupel_error) C.cupel_status

// texts reads texts into a column whose Offsets have their length: first the
// offsets, which say how many bytes there are, then all.
func (r *reader) texts(texts *TextColumn, read readTexts) {
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return read(int64s(texts.Offsets), nil, 0, cError)
	})
	if r.err != nil {
		return
	}
	texts.Data = grow(texts.Data, int(texts.Offsets[len(texts.Offsets)-1]))
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return read(int64s(texts.Offsets), chars(texts.Data), C.size_t(len(texts.Data)), cError)
	})
}

func (r *reader) content(texts TextColumn) TextColumn {
	texts.Offsets, texts.Codes = grow(texts.Offsets, int(r.rows)+1), nil
	r.texts(&texts, func(offsets *C.int64_t, data *C.char, length C.size_t, cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_content(r.batch, r.first, r.rows, offsets, data, length, cError)
	})
	return texts
}

func (r *reader) kind(texts TextColumn) TextColumn {
	texts.Codes = grow(texts.Codes, int(r.rows))
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_kind_codes(r.batch, r.first, r.rows, uint32s(texts.Codes), cError)
	})
	texts.Offsets = grow(texts.Offsets, int(C.cupel_batch_kinds_len(r.batch))+1)
	r.texts(&texts, func(offsets *C.int64_t, data *C.char, length C.size_t, cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_kind_texts(r.batch, offsets, C.size_t(len(texts.Offsets)), data, length, cError)
	})
	return texts
}

func (r *reader) source(texts TextColumn) TextColumn {
	texts.Codes = grow(texts.Codes, int(r.rows))
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_source_codes(r.batch, r.first, r.rows, uint32s(texts.Codes), cError)
	})
	texts.Offsets = grow(texts.Offsets, int(C.cupel_batch_sources_len(r.batch))+1)
	r.texts(&texts, func(offsets *C.int64_t, data *C.char, length C.size_t, cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_source_texts(r.batch, offsets, C.size_t(len(texts.Offsets)), data, length, cError)
	})
	return texts
}

func (r *reader) tags(columns, old *Columns) {
	lists, tags := grow(old.TagLists, int(r.rows)+1), TextColumn{Data: old.Tags.Data}
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_tags(r.batch, r.first, r.rows, int64s(lists), nil, 0, nil, 0, cError)
	})
	if r.err != nil {
		return
	}
	tags.Offsets = grow(old.Tags.Offsets, int(lists[r.rows])+1)
	r.texts(&tags, func(offsets *C.int64_t, data *C.char, length C.size_t, cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_tags(r.batch, r.first, r.rows, int64s(lists), offsets, C.size_t(len(tags.Offsets)), data, length, cError)
	})
	columns.TagLists, columns.Tags = lists, tags
}

func (r *reader) metadata(columns, old *Columns) {
	lists := grow(old.MetadataLists, int(r.rows)+1)
	r.call(func(cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_metadata(r.batch, r.first, r.rows, int64s(lists), nil, nil, nil, nil, 0, nil, 0, cError)
	})
	if r.err != nil {
		return
	}
	entries := int(lists[r.rows])
	keys := TextColumn{
		Data:    old.MetadataKeys.Data,
		Offsets: grow(old.MetadataKeys.Offsets, int(C.cupel_batch_metadata_keys_len(r.batch))+1),
		Codes:   grow(old.MetadataKeys.Codes, entries),
	}
	values := TextColumn{Data: old.MetadataTexts.Data, Offsets: grow(old.MetadataTexts.Offsets, entries+1)}
	kinds, numbers := grow(old.MetadataTypes, entries), grow(old.MetadataNumbers, entries)
	r.texts(&values, func(offsets *C.int64_t, data *C.char, length C.size_t, cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_metadata(r.batch, r.first, r.rows, int64s(lists),
			uint32s(keys.Codes), types(kinds), doubles(numbers), offsets, C.size_t(entries), data, length, cError)
	})
	r.texts(&keys, func(offsets *C.int64_t, data *C.char, length C.size_t, cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_read_metadata_keys(r.batch, offsets, C.size_t(len(keys.Offsets)), data, length, cError)
	})
	columns.MetadataLists, columns.MetadataKeys = lists, keys
	columns.MetadataTypes, columns.MetadataTexts, columns.MetadataNumbers = kinds, values, numbers
}

// grow gives a slice of the length, in the memory of s if that is large enough.
// It is not nil, which would be an absent column.
func grow[T any](s []T, length int) []T {
	if s != nil && length <= cap(s) {
		return s[:length]
	}
	return make([]T, length)
}
