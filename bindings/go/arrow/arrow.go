// Package cupelarrow reads Arrow tables of [arrow-go] into batches of the package
// cupel, and scores tables.
//
// [AppendRecord] and [AppendReader] append tables to a batch. [ScoreRecord] scores
// the rows of a table without a batch, for all its conversations in one call:
//
//	scores, err := cupelarrow.ScoreRecord(scorer, record, cupel.ArrowOptions{Group: "conversation"})
//
// Columns are found by name, such as content, kind, priority and timestamp. The
// types that each takes are in docs/arrow.md at the top of the repository.
//
// The tables are handed over through Arrow's C data interface, without a copy.
// Nothing is retained after a call.
//
// [arrow-go]: https://github.com/apache/arrow-go
package cupelarrow

import (
	"runtime"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"
	"github.com/apache/arrow-go/v18/arrow/memory"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// AppendRecord appends one row to the batch for each row of the record: all of
// them, or none if it fails. The error names the column and the row.
func AppendRecord(batch *cupel.Batch, record arrow.RecordBatch, options cupel.ArrowOptions) error {
	if record == nil {
		return &cupel.Error{Status: cupel.ErrNullArgument, Message: "record is nil"}
	}
	return withRecord(record, func(schema, array unsafe.Pointer) error {
		return batch.AppendArrow(schema, array, options)
	})
}

// ScoreRecord gives each row of the record its score among the rows of its group,
// or among all rows if options.Group is empty. Rows of a group must follow each
// other.
//
// Only the columns that the scorer reads and the group column are looked at; see
// [cupel.Scorer.Columns]. See [cupel.Scorer.ScoreArrow] for the types of a group
// column, and for what is refused.
func ScoreRecord(scorer *cupel.Scorer, record arrow.RecordBatch, options cupel.ArrowOptions) (*array.Float64, error) {
	if record == nil {
		return nil, &cupel.Error{Status: cupel.ErrNullArgument, Message: "record is nil"}
	}
	scores := make([]float64, record.NumRows())
	err := withRecord(record, func(schema, array unsafe.Pointer) error {
		return scorer.ScoreArrow(schema, array, options, scores)
	})
	return float64s(scores, err)
}

// ScoreArray is [ScoreRecord] for an array: a struct array, whose structs are the
// rows, or a list of structs in any layout, where each list is a group. The lists
// must follow each other without gaps, and each struct from the first list to the
// last has a score.
func ScoreArray(scorer *cupel.Scorer, table arrow.Array, options cupel.ArrowOptions) (*array.Float64, error) {
	if table == nil {
		return nil, &cupel.Error{Status: cupel.ErrNullArgument, Message: "table is nil"}
	}
	scores := make([]float64, structs(table))
	err := withArray(table, func(schema, array unsafe.Pointer) error {
		return scorer.ScoreArrow(schema, array, options, scores)
	})
	return float64s(scores, err)
}

// structs is the number of scores of a table.
func structs(table arrow.Array) int64 {
	lists, ok := table.(array.ListLike)
	if !ok || table.Len() == 0 {
		return int64(table.Len())
	}
	switch table.(type) {
	case *array.ListView, *array.LargeListView:
		// Views may come in any order, and may lie anywhere if they are empty.
		first, last := int64(lists.ListValues().Len()), int64(0)
		for i := range table.Len() {
			if start, end := lists.ValueOffsets(i); table.IsValid(i) && start < end {
				first, last = min(first, start), max(last, end)
			}
		}
		return max(last-first, 0)
	}
	first, _ := lists.ValueOffsets(0)
	_, last := lists.ValueOffsets(table.Len() - 1)
	return last - first
}

// float64s wraps scores as an array.
func float64s(scores []float64, err error) (*array.Float64, error) {
	if err != nil {
		return nil, err
	}
	buffer := memory.NewBufferBytes(arrow.Float64Traits.CastToBytes(scores))
	data := array.NewData(arrow.PrimitiveTypes.Float64, len(scores), []*memory.Buffer{nil, buffer}, nil, 0, 0)
	defer data.Release()
	return array.NewFloat64Data(data), nil
}

// withRecord lends a record as C structs for a call.
func withRecord(record arrow.RecordBatch, call func(schema, array unsafe.Pointer) error) error {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	record = exportable(&pinner, record)
	defer record.Release()
	var schema cdata.CArrowSchema
	var array cdata.CArrowArray
	cdata.ExportArrowRecordBatch(record, &array, &schema)
	defer cdata.ReleaseCArrowSchema(&schema)
	defer cdata.ReleaseCArrowArray(&array)
	return call(unsafe.Pointer(&schema), unsafe.Pointer(&array))
}

// withArray lends an array as C structs for a call.
func withArray(table arrow.Array, call func(schema, array unsafe.Pointer) error) error {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	data := unsliced(table.Data())
	defer data.Release()
	pin(&pinner, data)
	table = array.MakeFromData(data)
	defer table.Release()
	var schema cdata.CArrowSchema
	var array cdata.CArrowArray
	cdata.ExportArrowArray(table, &array, &schema)
	defer cdata.ReleaseCArrowSchema(&schema)
	defer cdata.ReleaseCArrowArray(&array)
	return call(unsafe.Pointer(&schema), unsafe.Pointer(&array))
}
