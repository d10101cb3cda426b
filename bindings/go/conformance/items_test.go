package conformance

import (
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// An entry is one setting of a metadata key; the value is a string, a float64
// or a cupel.Other.
type entry struct {
	key   string
	value any
}

// A vectorItem is an item as the vector gives it, which can say two things that
// a cupel.Item cannot: a kind or source that is given as an empty text, and a
// metadata key that is set twice.
type vectorItem struct {
	item          cupel.Item
	metadata      []entry
	kind, source  bool // given
	onlyByColumns bool
}

func readItem(f fields) vectorItem {
	v := vectorItem{
		item: cupel.Item{
			Content: must[string](f, "content"),
			Tokens:  read[int64](f, "tokens"),
			Kind:    read[string](f, "kind"),
			Source:  read[string](f, "source"),
			Tags:    f.texts("tags"),
			Pinned:  read[bool](f, "pinned"),
		},
		metadata: readMetadata(f),
		kind:     f.has("kind"),
		source:   f.has("source"),
	}
	v.onlyByColumns = v.kind && v.item.Kind == "" || v.source && v.item.Source == ""
	if f.has("priority") {
		v.item.Priority = cupel.Int64(must[int64](f, "priority"))
	}
	if f.has("originalTokens") {
		v.item.OriginalTokens = cupel.Int64(must[int64](f, "originalTokens"))
	}
	if f.has("futureRelevanceHint") {
		v.item.FutureRelevanceHint = cupel.Float64(f.mustNumber("futureRelevanceHint"))
	}
	if nanoseconds, given := f.instant("timestamp"); given {
		v.item.Timestamp = time.Unix(0, nanoseconds)
	}
	if len(v.metadata) > 0 {
		v.item.Metadata = asMap(v.metadata)
	}
	return v
}

func asMap(metadata []entry) map[string]any {
	m := make(map[string]any)
	for _, e := range metadata {
		m[e.key] = e.value
	}
	return m
}

func readMetadata(f fields) []entry {
	var metadata []entry
	add := func(key string, value any) {
		if table, ok := value.(map[string]any); ok && len(table) == 1 {
			value = cupel.Other(must[string](fields{f.path + ".metadata." + key, table}, "other"))
		} else if n, ok := number(value); ok {
			value = n
		} else if _, ok := value.(string); !ok {
			panic(f.malformed("metadata %q is %T", key, value))
		}
		metadata = append(metadata, entry{key, value})
	}
	if table, ok := f.table["metadata"].(map[string]any); ok {
		for key, value := range table {
			add(key, value)
		}
		return metadata
	}
	for _, e := range f.list("metadata") {
		add(must[string](e, "key"), must[any](e, "value"))
	}
	return metadata
}

// columnsOf lays the items out as flat arrays, text by text.
func columnsOf(items []vectorItem) *cupel.Columns {
	c := &cupel.Columns{
		Rows:            len(items),
		TagLists:        []int64{0},
		MetadataLists:   []int64{0},
		MetadataTypes:   []cupel.MetadataType{},
		MetadataNumbers: []float64{},
	}
	columns := []*cupel.TextColumn{&c.Content, &c.Kind, &c.Source, &c.Tags, &c.MetadataKeys, &c.MetadataTexts}
	for _, column := range columns {
		column.Offsets = []int64{0}
	}
	text := func(column *cupel.TextColumn, s string) {
		column.Data = append(column.Data, s...)
		column.Offsets = append(column.Offsets, int64(len(column.Data)))
	}
	for i := range items {
		v := &items[i]
		item := &v.item
		text(&c.Content, item.Content)
		c.Tokens = append(c.Tokens, item.Tokens)
		text(&c.Kind, item.Kind)
		c.KindValidity = append(c.KindValidity, v.kind)
		text(&c.Source, item.Source)
		c.SourceValidity = append(c.SourceValidity, v.source)
		c.Priority = append(c.Priority, item.Priority.Value)
		c.PriorityValidity = append(c.PriorityValidity, item.Priority.Valid)
		hasTime := !item.Timestamp.IsZero()
		var nanoseconds int64
		if hasTime {
			nanoseconds = item.Timestamp.UnixNano()
		}
		c.Timestamp = append(c.Timestamp, nanoseconds)
		c.TimestampValidity = append(c.TimestampValidity, hasTime)
		c.FutureRelevanceHint = append(c.FutureRelevanceHint, item.FutureRelevanceHint.Value)
		c.FutureRelevanceHintValidity = append(c.FutureRelevanceHintValidity, item.FutureRelevanceHint.Valid)
		c.Pinned = append(c.Pinned, item.Pinned)
		c.OriginalTokens = append(c.OriginalTokens, item.OriginalTokens.Value)
		c.OriginalTokensValidity = append(c.OriginalTokensValidity, item.OriginalTokens.Valid)
		for _, tag := range item.Tags {
			text(&c.Tags, tag)
		}
		c.TagLists = append(c.TagLists, int64(len(c.Tags.Offsets)-1))
		for _, e := range v.metadata {
			text(&c.MetadataKeys, e.key)
			kind, s, n := cupel.MetadataOther, "", 0.0
			switch value := e.value.(type) {
			case string:
				kind, s = cupel.MetadataString, value
			case float64:
				kind, n = cupel.MetadataDouble, value
			case cupel.Other:
				s = string(value)
			}
			c.MetadataTypes = append(c.MetadataTypes, kind)
			text(&c.MetadataTexts, s)
			c.MetadataNumbers = append(c.MetadataNumbers, n)
		}
		c.MetadataLists = append(c.MetadataLists, int64(len(c.MetadataTypes)))
	}
	return c
}
