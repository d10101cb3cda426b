package cupel

// #include "shim.h"
// #cgo noescape cupel_batch_new
// #cgo nocallback cupel_batch_new
// #cgo noescape cupel_batch_append_json
// #cgo nocallback cupel_batch_append_json
// #cgo noescape cupel_batch_len
// #cgo nocallback cupel_batch_len
// #cgo noescape cupel_batch_item
// #cgo nocallback cupel_batch_item
// #cgo noescape cupel_batch_reserve
// #cgo nocallback cupel_batch_reserve
// #cgo noescape cupel_batch_shrink
// #cgo nocallback cupel_batch_shrink
// #cgo noescape cupel_batch_retain
// #cgo nocallback cupel_batch_retain
// #cgo noescape cupel_batch_retain_rows
// #cgo nocallback cupel_batch_retain_rows
// #cgo noescape cupel_batch_keep_last
// #cgo nocallback cupel_batch_keep_last
// #cgo noescape cupel_batch_clear
// #cgo nocallback cupel_batch_clear
// #cgo noescape cupel_batch_free
// #cgo nocallback cupel_batch_free
import "C"

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// A Batch is the rows that are scored together.
//
// Any number of goroutines may score and read it concurrently. A call that
// changes it while another call uses it gives [ErrBusy].
//
// Its rows are in the library's memory. Close frees them; the garbage collector
// closes a Batch that has become unreachable.
type Batch struct {
	owner[*C.cupel_batch]
	length atomic.Int64
}

// NewBatch makes a batch of the items, as [Batch.Append] appends them.
func NewBatch(items ...Item) (*Batch, error) {
	free := func(p *C.cupel_batch) { C.cupel_batch_free(p) }
	handle, err := create("batch", free, func(out **C.cupel_batch, cError **C.cupel_error) C.cupel_status {
		return C.cupel_batch_new(C.size_t(len(items)), out, cError)
	})
	if err != nil {
		return nil, err
	}
	b := new(Batch)
	b.own(handle)
	if err := b.Append(items...); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Append appends one row per item: all of them, or none if it fails. The error
// names the item, the field and the value, such as items[57].Tags[0].
//
// It calls C once for all items and copies them. During the call it needs about
// as much additional memory as the items' texts; append very many large items
// some thousands at a time.
func (b *Batch) Append(items ...Item) error {
	if len(items) == 0 {
		pointer, err := b.change()
		if err == nil {
			b.changed(pointer)
		}
		return err
	}
	return b.append(items, false)
}

// append appends at least one item, with metadata in the order of the keys if
// sorted.
func (b *Batch) append(items []Item, sorted bool) error {
	encoder := encoders.Get().(*encoder)
	err := encoder.explain(items, b.AppendColumns(encoder.encode(items, sorted)))
	encoder.release()
	return err
}

// AppendJSON appends items that are given as JSON: an array of objects, one
// object, or JSON Lines. It appends all of them, or none if it fails. The error
// gives the JSON path, the line and the column.
func (b *Batch) AppendJSON(json []byte) error {
	pointer, err := b.change()
	if err != nil {
		return err
	}
	defer b.changed(pointer)
	var cError *C.cupel_error
	err = check(C.cupel_batch_append_json(pointer, chars(json), C.size_t(len(json)), &cError), &cError)
	return allocating(err, "appending %d bytes of JSON", len(json))
}

// Len is the number of rows: 0 for a nil Batch, and unchanged after Close.
func (b *Batch) Len() int {
	if b == nil {
		return 0
	}
	return int(b.length.Load())
}

// Item gives a row as an item with copies of its texts. A metadata value is a
// string, a float64 or an [Other]. A row that was appended without content has
// an empty Content.
func (b *Batch) Item(row int) (Item, error) {
	pointer, err := b.use()
	if err != nil {
		return Item{}, err
	}
	defer b.used()
	if row < 0 {
		return Item{}, failure(ErrOutOfRange, "row is %d: it must be 0 or more", row)
	}
	var item *C.cupel_item
	var cError *C.cupel_error
	if err := check(C.cupel_batch_item(pointer, C.size_t(row), &item, &cError), &cError); err != nil {
		return Item{}, err
	}
	return readItem(item)
}

// Reserve allocates memory for additionalRows more rows in advance.
func (b *Batch) Reserve(additionalRows int) error {
	if additionalRows < 0 {
		return failure(ErrOutOfRange, "additionalRows is %d: it must be 0 or more", additionalRows)
	}
	pointer, err := b.change()
	if err != nil {
		return err
	}
	defer b.changed(pointer)
	var cError *C.cupel_error
	err = check(C.cupel_batch_reserve(pointer, C.size_t(additionalRows), &cError), &cError)
	return allocating(err, "reserving %d rows", additionalRows)
}

// Shrink frees the memory that the rows do not need.
func (b *Batch) Shrink() error {
	pointer, err := b.change()
	if err != nil {
		return err
	}
	defer b.changed(pointer)
	var cError *C.cupel_error
	return check(C.cupel_batch_shrink(pointer, &cError), &cError)
}

// Retain removes the rows whose entry of keep is false; len(keep) must be the
// number of rows. The rows that remain keep their order and are numbered anew, so
// that scores are those of a batch that has had these rows only. The memory of
// removed rows is used for later ones, and given back once more rows were removed
// than remain.
func (b *Batch) Retain(keep []bool) error {
	pointer, err := b.change()
	if err != nil {
		return err
	}
	defer b.changed(pointer)
	var cError *C.cupel_error
	return check(C.cupel_batch_retain(pointer, bools(keep), C.size_t(len(keep)), &cError), &cError)
}

// RetainRows removes all rows but those of a list, each greater than the one
// before; otherwise it is like [Batch.Retain]. [Selection.Rows] are in the order of
// the prompt: sort them first if that is not the order of the batch.
func (b *Batch) RetainRows(rows []int) error {
	numbers := make([]uint32, len(rows))
	for i, row := range rows {
		if row < 0 {
			return failure(ErrOutOfRange, "rows[%d] is %d: it must be 0 or more", i, row)
		}
		if row > math.MaxUint32 {
			return failure(ErrOutOfRange, "rows[%d] is %d: the batch has %d rows", i, row, b.Len())
		}
		numbers[i] = uint32(row)
	}
	pointer, err := b.change()
	if err != nil {
		return err
	}
	defer b.changed(pointer)
	var cError *C.cupel_error
	return check(C.cupel_batch_retain_rows(pointer, uint32s(numbers), C.size_t(len(numbers)), &cError), &cError)
}

// KeepLast removes all rows but the last ones; otherwise it is like
// [Batch.Retain]. With as many rows as there are, or more, it removes nothing.
func (b *Batch) KeepLast(rows int) error {
	if rows < 0 {
		return failure(ErrOutOfRange, "rows is %d: it must be 0 or more", rows)
	}
	pointer, err := b.change()
	if err != nil {
		return err
	}
	defer b.changed(pointer)
	var cError *C.cupel_error
	return check(C.cupel_batch_keep_last(pointer, C.size_t(rows), &cError), &cError)
}

// Clear removes all rows and keeps their memory for later ones.
func (b *Batch) Clear() error {
	pointer, err := b.change()
	if err != nil {
		return err
	}
	defer b.changed(pointer)
	var cError *C.cupel_error
	return check(C.cupel_batch_clear(pointer, &cError), &cError)
}

// Close frees the batch, after the calls that are using it have returned. It may
// be called again, at any time and from any goroutine. It never fails.
func (b *Batch) Close() error {
	if b != nil {
		b.close()
	}
	return nil
}

// use and change borrow the C batch for a call, used and changed return it.

func (b *Batch) use() (*C.cupel_batch, error) {
	if b == nil {
		return nil, ErrClosed
	}
	return b.lend(false)
}

func (b *Batch) change() (*C.cupel_batch, error) {
	if b == nil {
		return nil, ErrClosed
	}
	return b.lend(true)
}

func (b *Batch) changed(pointer *C.cupel_batch) {
	b.length.Store(int64(C.cupel_batch_len(pointer)))
	b.used()
}

func goString(data *C.char, length C.size_t) string {
	return string(unsafe.Slice((*byte)(unsafe.Pointer(data)), int(length)))
}
