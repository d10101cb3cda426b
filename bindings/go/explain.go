//go:build cgo

package cupel

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// explain names the item and the field that the library refused. The library
// names a column of the encoder and a position in it, of which the caller knows
// nothing. Errors that are not about an item are returned unchanged.
func (e *encoder) explain(items []Item, err error) error {
	failed, ok := err.(*Error)
	if !ok {
		return err
	}
	switch failed.Status {
	case ErrInvalidUTF8, ErrEmptyContent, ErrEmptyKind, ErrEmptySource:
		for row := range items {
			if found := e.checkItem(row, &items[row]); found != nil {
				return found
			}
		}
	}
	return err
}

// checkItem applies the library's rules for texts to an item that was encoded.
func (e *encoder) checkItem(row int, item *Item) error {
	isUTF8 := func(text, field string, arguments ...any) error {
		if offset := invalidUTF8(text); offset >= 0 {
			return failure(ErrInvalidUTF8, "items[%d].%s is not valid UTF-8 at byte %d", row, fmt.Sprintf(field, arguments...), offset)
		}
		return nil
	}
	isNotBlank := func(text, field string, status Status) error {
		if text != "" && strings.TrimFunc(text, unicode.IsSpace) == "" {
			return failure(status, "items[%d].%s is blank (%.40q): it needs a character that is not white space", row, field, text)
		}
		return nil
	}
	if item.Content == "" {
		return failure(ErrEmptyContent, "items[%d].Content is empty: an item needs content", row)
	}
	err := cmp.Or(
		isUTF8(item.Content, "Content"),
		isUTF8(item.Kind, "Kind"),
		isNotBlank(item.Kind, "Kind", ErrEmptyKind),
		isUTF8(item.Source, "Source"),
		isNotBlank(item.Source, "Source", ErrEmptySource),
	)
	for i, tag := range item.Tags {
		err = cmp.Or(err, isUTF8(tag, "Tags[%d]", i))
	}
	// Metadata is read from the columns, so that String methods do not run again.
	c := &e.columns
	for i := c.MetadataLists[row]; i < c.MetadataLists[row+1]; i++ {
		key, value := c.MetadataKeys.text(int(c.MetadataKeys.Codes[i])), c.MetadataTexts.text(int(i))
		err = cmp.Or(err, isUTF8(key, "Metadata: the key %q", key), isUTF8(value, "Metadata[%q]", key))
	}
	return err
}

// invalidUTF8 is the offset of the first byte that is not part of a character,
// or -1.
func invalidUTF8(text string) int {
	for offset := 0; offset < len(text); {
		character, size := utf8.DecodeRuneInString(text[offset:])
		if character == utf8.RuneError && size == 1 {
			return offset
		}
		offset += size
	}
	return -1
}
