package cupelarrow

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// AppendReader appends the rows of all records of the reader: all of them, or none
// if it fails. It reads the reader to its end, and does not release it. For a table,
// use [array.NewTableReader].
//
// If the reader fails, the error has the status [cupel.ErrCallbackFailed], contains
// the text of the reader's error, and wraps it. If the reader panics, the call
// panics with a [*cupel.PanicError]. A reader that uses the batch gets
// [cupel.ErrBusy].
func AppendReader(batch *cupel.Batch, reader array.RecordReader, options cupel.ArrowOptions) error {
	if reader == nil {
		return &cupel.Error{Status: cupel.ErrNullArgument, Message: "reader is nil"}
	}
	schema := reader.Schema()
	if schema == nil {
		return &cupel.Error{Status: cupel.ErrInvalidArgument, Message: "reader.Schema() is nil"}
	}
	// Exporting a type that C does not have panics, which must not happen below C.
	var probe cdata.CArrowSchema
	cdata.ExportArrowSchema(schema, &probe)
	cdata.ReleaseCArrowSchema(&probe)

	guarded := &guardedReader{RecordReader: reader, schema: schema}
	defer guarded.done()
	var stream cdata.CArrowArrayStream
	cdata.ExportRecordReader(guarded, &stream)
	defer cdata.ReleaseCArrowArrayStream(&stream)
	err := batch.AppendArrowStream(unsafe.Pointer(&stream), options)
	if guarded.panicked != nil {
		panic(guarded.panicked)
	}
	if guarded.err != nil && errors.Is(err, cupel.ErrCallbackFailed) {
		return &readerError{err, guarded.err}
	}
	return err
}

// A guardedReader is a reader that C calls. It turns a panic into an error, because
// a panic must not unwind C frames, pins the record until the next one, and refuses
// records that do not have the types of the schema, which C cannot notice.
type guardedReader struct {
	array.RecordReader
	schema   *arrow.Schema
	record   arrow.RecordBatch
	pinner   runtime.Pinner
	err      error
	panicked *cupel.PanicError
}

func (r *guardedReader) Schema() *arrow.Schema          { return r.schema }
func (r *guardedReader) RecordBatch() arrow.RecordBatch { return r.record }
func (r *guardedReader) Err() error                     { return r.err }

func (r *guardedReader) Next() (more bool) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		more, r.err = false, errors.New("the reader panicked")
		if inner, ok := value.(*cupel.PanicError); ok {
			r.panicked = inner
			return
		}
		r.panicked = &cupel.PanicError{Value: value, Stack: debug.Stack()}
	}()
	r.done()
	if !r.RecordReader.Next() {
		r.err = r.RecordReader.Err()
		return false
	}
	record := r.RecordReader.RecordBatch()
	if r.err = r.check(record); r.err != nil {
		return false
	}
	r.record = exportable(&r.pinner, record)
	return true
}

// done lets go of the record, which C has released by now.
func (r *guardedReader) done() {
	if r.record != nil {
		r.record.Release()
		r.record = nil
	}
	r.pinner.Unpin()
}

func (r *guardedReader) check(record arrow.RecordBatch) error {
	if record == nil {
		return errors.New("the reader has no record after Next")
	}
	if int(record.NumCols()) != r.schema.NumFields() {
		return fmt.Errorf("a record has %d columns: the reader's schema has %d", record.NumCols(), r.schema.NumFields())
	}
	for i, column := range record.Columns() {
		if field := r.schema.Field(i); !arrow.TypeEqual(column.DataType(), field.Type) {
			return fmt.Errorf("column %s of a record has the type %s: it is %s in the reader's schema", field.Name, column.DataType(), field.Type)
		}
	}
	return nil
}

// A readerError is an error of the library that wraps that of the reader.
type readerError struct{ failed, cause error }

func (e *readerError) Error() string   { return e.failed.Error() }
func (e *readerError) Unwrap() []error { return []error{e.failed, e.cause} }
