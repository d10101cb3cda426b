//go:build cgo

package cupel

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// An encoder lays items out as columns. Encoders are pooled: a program that
// appends a turn at a time would otherwise allocate their arrays each turn.
type encoder struct {
	columns Columns

	kinds, sources, tags, keys dictionary
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// maxKept is the most bytes that an idle encoder keeps.
const maxKept = 1 << 20

// encode lays the items out as columns, which are valid until release. Metadata is
// in the order of the keys if sorted, else in any.
func (e *encoder) encode(items []Item, sorted bool) *Columns {
	e.reset(items)
	c := &e.columns
	for i := range items {
		item := &items[i]
		appendText(&c.Content, item.Content)
		c.Tokens = append(c.Tokens, item.Tokens)
		e.kinds.append(&c.Kind, cmp.Or(item.Kind, KindMessage))
		e.sources.append(&c.Source, cmp.Or(item.Source, SourceChat))
		c.Priority = append(c.Priority, item.Priority.Value)
		c.PriorityValidity = append(c.PriorityValidity, item.Priority.Valid)
		hasTime := !item.Timestamp.IsZero()
		var nanoseconds int64
		if hasTime {
			nanoseconds = unixNano(item.Timestamp)
		}
		c.Timestamp = append(c.Timestamp, nanoseconds)
		c.TimestampValidity = append(c.TimestampValidity, hasTime)
		c.FutureRelevanceHint = append(c.FutureRelevanceHint, item.FutureRelevanceHint.Value)
		c.FutureRelevanceHintValidity = append(c.FutureRelevanceHintValidity, item.FutureRelevanceHint.Valid)
		c.Pinned = append(c.Pinned, item.Pinned)
		c.OriginalTokens = append(c.OriginalTokens, item.OriginalTokens.Value)
		c.OriginalTokensValidity = append(c.OriginalTokensValidity, item.OriginalTokens.Valid)
		for _, tag := range item.Tags {
			e.tags.append(&c.Tags, tag)
		}
		c.TagLists = append(c.TagLists, int64(len(c.Tags.Codes)))
		if sorted {
			for _, key := range slices.Sorted(maps.Keys(item.Metadata)) {
				e.appendMetadata(key, item.Metadata[key])
			}
		} else {
			for key, value := range item.Metadata {
				e.appendMetadata(key, value)
			}
		}
		c.MetadataLists = append(c.MetadataLists, int64(len(c.MetadataTypes)))
	}
	return c
}

func (e *encoder) appendMetadata(key string, value any) {
	c := &e.columns
	kind, text, number := metadataValue(value)
	e.keys.append(&c.MetadataKeys, key)
	c.MetadataTypes = append(c.MetadataTypes, kind)
	appendText(&c.MetadataTexts, text)
	c.MetadataNumbers = append(c.MetadataNumbers, number)
}

func (e *encoder) reset(items []Item) {
	var content int
	for i := range items {
		content += len(items[i].Content)
	}
	rows := len(items)
	c := &e.columns
	c.Rows = rows
	resetText(&c.Content, content, rows)
	reset(&c.Tokens, rows)
	e.kinds.reset(&c.Kind, rows)
	e.sources.reset(&c.Source, rows)
	reset(&c.Priority, rows)
	reset(&c.PriorityValidity, rows)
	reset(&c.Timestamp, rows)
	reset(&c.TimestampValidity, rows)
	reset(&c.FutureRelevanceHint, rows)
	reset(&c.FutureRelevanceHintValidity, rows)
	reset(&c.Pinned, rows)
	reset(&c.OriginalTokens, rows)
	reset(&c.OriginalTokensValidity, rows)
	reset(&c.TagLists, rows+1)
	c.TagLists = append(c.TagLists, 0)
	e.tags.reset(&c.Tags, 0)
	reset(&c.MetadataLists, rows+1)
	c.MetadataLists = append(c.MetadataLists, 0)
	e.keys.reset(&c.MetadataKeys, 0)
	reset(&c.MetadataTypes, 0)
	resetText(&c.MetadataTexts, 0, 0)
	reset(&c.MetadataNumbers, 0)
}

// release returns the encoder to the pool, unless it has grown large.
func (e *encoder) release() {
	c := &e.columns
	texts := cap(c.Content.Data) + cap(c.MetadataTexts.Data) + cap(c.Kind.Data) + cap(c.Source.Data) + cap(c.Tags.Data) + cap(c.MetadataKeys.Data)
	slots := 10*cap(c.Tokens) + cap(c.Tags.Codes) + 3*cap(c.MetadataNumbers)
	if texts+8*slots <= maxKept {
		for _, d := range []*dictionary{&e.kinds, &e.sources, &e.tags, &e.keys} {
			d.forget()
		}
		encoders.Put(e)
	}
}

// reset empties a slice and reserves capacity. The result is never nil, because
// a nil column is absent.
func reset[T any](s *[]T, room int) {
	if *s == nil || cap(*s) < room {
		*s = make([]T, 0, max(room, 8))
	}
	*s = (*s)[:0]
}

func resetText(c *TextColumn, bytes, texts int) {
	reset(&c.Data, bytes)
	reset(&c.Offsets, texts+1)
	c.Offsets = append(c.Offsets, 0)
}

func appendText(c *TextColumn, text string) {
	c.Data = append(c.Data, text...)
	c.Offsets = append(c.Offsets, int64(len(c.Data)))
}

// A dictionary encodes a column of texts: each distinct text has one code. Kinds,
// tags and keys repeat from row to row, and the library need not check and hash
// a repeated text again.
type dictionary struct {
	codes map[string]uint32
	last  string // most texts equal the previous one
	code  uint32
	any   bool
}

func (d *dictionary) reset(c *TextColumn, rows int) {
	resetText(c, 0, 0)
	reset(&c.Codes, rows)
	if d.codes == nil {
		d.codes = make(map[string]uint32)
	}
	d.forget()
}

// forget drops the references to the caller's texts.
func (d *dictionary) forget() {
	clear(d.codes)
	d.last, d.any = "", false
}

func (d *dictionary) append(c *TextColumn, text string) {
	if !d.any || text != d.last {
		code, known := d.codes[text]
		if !known {
			code = uint32(len(d.codes))
			d.codes[text] = code
			appendText(c, text)
		}
		d.last, d.code, d.any = text, code, true
	}
	c.Codes = append(c.Codes, d.code)
}
