package cupel

// #include "shim.h"
// #cgo noescape cupel_go_item_read
// #cgo nocallback cupel_go_item_read
// #cgo noescape cupel_item_tag
// #cgo nocallback cupel_item_tag
// #cgo noescape cupel_item_metadata_key
// #cgo nocallback cupel_item_metadata_key
// #cgo noescape cupel_item_metadata_value
// #cgo nocallback cupel_item_metadata_value
// #cgo noescape cupel_item_free
// #cgo nocallback cupel_item_free
import "C"

import "time"

// readItem copies a C item into a Go one and frees it.
func readItem(c *C.cupel_item) (Item, error) {
	defer C.cupel_item_free(c)
	var fields C.cupel_go_item
	var cError *C.cupel_error
	if err := check(C.cupel_go_item_read(c, &fields, &cError), &cError); err != nil {
		return Item{}, err
	}
	item := Item{
		Content:             goString(fields.content, fields.content_len),
		Tokens:              int64(fields.tokens),
		Kind:                goString(fields.kind, fields.kind_len),
		Source:              goString(fields.source, fields.source_len),
		Priority:            optional(int64(fields.priority), fields.has_priority),
		FutureRelevanceHint: optional(float64(fields.hint), fields.has_hint),
		Pinned:              bool(fields.pinned),
		OriginalTokens:      optional(int64(fields.original_tokens), fields.has_original_tokens),
	}
	if fields.has_timestamp {
		item.Timestamp = time.Unix(0, int64(fields.timestamp)).UTC()
	}
	for i := C.size_t(0); i < fields.tags_len; i++ {
		var data *C.char
		var length C.size_t
		if err := check(C.cupel_item_tag(c, i, &data, &length, &cError), &cError); err != nil {
			return Item{}, err
		}
		item.Tags = append(item.Tags, goString(data, length))
	}
	if fields.metadata_len > 0 {
		item.Metadata = make(map[string]any, int(fields.metadata_len))
	}
	for i := C.size_t(0); i < fields.metadata_len; i++ {
		var key, text *C.char
		var keyLength, textLength C.size_t
		var kind C.cupel_metadata_type
		var number C.double
		if err := check(C.cupel_item_metadata_key(c, i, &key, &keyLength, &cError), &cError); err != nil {
			return Item{}, err
		}
		if err := check(C.cupel_item_metadata_value(c, i, &kind, &text, &textLength, &number, &cError), &cError); err != nil {
			return Item{}, err
		}
		var value any
		switch MetadataType(kind) {
		case MetadataString:
			value = goString(text, textLength)
		case MetadataDouble:
			value = float64(number)
		default:
			value = Other(goString(text, textLength))
		}
		item.Metadata[goString(key, keyLength)] = value
	}
	return item, nil
}

func optional[T any](value T, present C.bool) Optional[T] {
	if !present {
		return Optional[T]{}
	}
	return Some(value)
}
