package cupel

// #include "shim.h"
// #cgo noescape cupel_batch_to_json
// #cgo nocallback cupel_batch_to_json
import "C"

import (
	"bytes"
	"strings"
)

// JSONLines gives a range of rows as JSON Lines, which [Batch.AppendJSON] reads:
// for each row an object of every field that is set, and a line feed. JSON cannot
// express a row without content or a number that is not finite: the error names
// the row and the field. One call gives at most 2 GiB.
func (b *Batch) JSONLines(firstRow, rows int) ([]byte, error) {
	batch, err := b.use()
	if err != nil {
		return nil, err
	}
	defer b.used()
	if err := b.checkRows(firstRow, rows, "rows"); err != nil {
		return nil, err
	}
	text, err := jsonOf(func(text **C.cupel_text, cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_to_json(batch, C.size_t(firstRow), C.size_t(rows), text, cError)
	})
	return text, allocating(err, "writing %d rows", rows)
}

// MarshalJSON gives the item as a JSON object, as [Batch.JSONLines] writes a row,
// and the same each time. Metadata values become those of the library first: see
// [Item].
func (item Item) MarshalJSON() ([]byte, error) {
	batch, err := NewBatch()
	if err != nil {
		return nil, err
	}
	defer batch.Close()
	if err := batch.append([]Item{item}, true); err != nil {
		return nil, aboutItem(err, "items[0]")
	}
	text, err := batch.JSONLines(0, 1)
	return bytes.TrimSuffix(text, []byte("\n")), aboutItem(err, "row 0")
}

// UnmarshalJSON makes item the one that the JSON object describes, as
// [Batch.AppendJSON] reads it. The JSON value null leaves item unchanged.
func (item *Item) UnmarshalJSON(json []byte) error {
	if string(json) == "null" {
		return nil
	}
	batch, err := NewBatch()
	if err != nil {
		return err
	}
	defer batch.Close()
	if err := batch.AppendJSON(json); err != nil {
		return err
	}
	if rows := batch.Len(); rows != 1 || bytes.HasPrefix(bytes.TrimLeft(json, " \t\r\n"), []byte("[")) {
		return failure(ErrInvalidJSON, "an item is one JSON object: this is a list of %d", rows)
	}
	read, err := batch.Item(0)
	if err == nil {
		*item = read
	}
	return err
}

// aboutItem names the one item of a batch.
func aboutItem(err error, name string) error {
	if failed, ok := err.(*Error); ok {
		if rest, ok := strings.CutPrefix(failed.Message, name); ok {
			failed.Message = "item" + rest
		}
	}
	return err
}
