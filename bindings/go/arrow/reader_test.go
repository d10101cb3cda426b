package cupelarrow_test

import (
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	cupel "github.com/libcupel/libcupel/bindings/go"
	cupelarrow "github.com/libcupel/libcupel/bindings/go/arrow"
)

// Records with dictionaries of their own, and the chunks of a table.
func TestAppendReader(t *testing.T) {
	rows := randomRows(150)
	schema := with(dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String), "kind", "source")
	allocators(t, func(t *testing.T, mem memory.Allocator) {
		var records []arrow.RecordBatch
		for _, part := range [][2]int{{0, 1}, {1, 64}, {64, 64}, {64, 101}, {101, 150}} {
			record := recordOf(t, mem, schema, rows[part[0]:part[1]])
			defer record.Release()
			records = append(records, record)
		}
		reader := must[array.RecordReader](t)(array.NewRecordReader(schema, records))
		defer reader.Release()
		batch := keep[*cupel.Batch](t)(cupel.NewBatch())
		if err := cupelarrow.AppendReader(batch, reader, cupel.ArrowOptions{}); err != nil {
			t.Fatal(err)
		}
		wantRows(t, batch, batchOf(t, rows))

		table := array.NewTableFromRecords(schema, records)
		defer table.Release()
		chunks := array.NewTableReader(table, 37)
		defer chunks.Release()
		batch = keep[*cupel.Batch](t)(cupel.NewBatch())
		if err := cupelarrow.AppendReader(batch, chunks, cupel.ArrowOptions{}); err != nil {
			t.Fatal(err)
		}
		wantRows(t, batch, batchOf(t, rows))
	})
}

// A testReader gives a record again and again, and then does what end does.
type testReader struct {
	schema   *arrow.Schema
	record   arrow.RecordBatch
	left     int
	end      func() error
	err      error
	retained int
}

func (r *testReader) Retain()                        { r.retained++ }
func (r *testReader) Release()                       { r.retained-- }
func (r *testReader) Schema() *arrow.Schema          { return r.schema }
func (r *testReader) RecordBatch() arrow.RecordBatch { return r.record }
func (r *testReader) Record() arrow.RecordBatch      { return r.record }
func (r *testReader) Err() error                     { return r.err }
func (r *testReader) Next() bool {
	if r.left--; r.left >= 0 {
		return true
	}
	r.err = r.end()
	return false
}

// A reader that fails leaves the batch as it was, and nothing behind.
func TestReaderFails(t *testing.T) {
	broken := errors.New("the disk is gone")
	schema := arrow.NewSchema(usual, nil)
	rows := randomRows(20)
	allocators(t, func(t *testing.T, mem memory.Allocator) {
		record := recordOf(t, mem, schema, rows)
		defer record.Release()
		batch := batchOf(t, rows[:3])
		check := func(err error) {
			t.Helper()
			var failed *cupel.Error
			if !errors.Is(err, cupel.ErrCallbackFailed) || !errors.As(err, &failed) || !errors.Is(err, broken) {
				t.Errorf("got %v", err)
			}
			wantRows(t, batch, batchOf(t, rows[:3]))
		}
		for left := range 3 {
			reader := &testReader{schema: schema, record: record, left: left, end: func() error { return broken }}
			check(cupelarrow.AppendReader(batch, reader, cupel.ArrowOptions{}))
			if reader.retained != 0 {
				t.Errorf("the reader is retained %d times", reader.retained)
			}

			reader = &testReader{schema: schema, record: record, left: left, end: func() error { panic(broken) }}
			func() {
				defer func() {
					panicked, ok := recover().(*cupel.PanicError)
					if !ok || panicked.Value != broken || len(panicked.Stack) == 0 || reader.retained != 0 {
						t.Errorf("got %v; %d retained", panicked, reader.retained)
					}
				}()
				err := cupelarrow.AppendReader(batch, reader, cupel.ArrowOptions{})
				t.Errorf("no panic, but %v", err)
			}()
			wantRows(t, batch, batchOf(t, rows[:3]))

			reader = &testReader{schema: schema, record: record, left: left, end: func() error {
				if err := batch.KeepLast(1); !errors.Is(err, cupel.ErrBusy) {
					t.Errorf("changing the batch: %v", err)
				}
				return broken
			}}
			check(cupelarrow.AppendReader(batch, reader, cupel.ArrowOptions{}))
		}

		for message, reader := range map[string]array.RecordReader{
			"the reader has no record after Next":                              &testReader{schema: schema, left: 1},
			"a record has 12 columns: the reader's schema has 1":               &testReader{schema: arrow.NewSchema(usual[:1], nil), record: record, left: 1},
			"column tokens of a record has the type int64: it is int32 in the": &testReader{schema: with(arrow.PrimitiveTypes.Int32, "tokens"), record: record, left: 1},
		} {
			wantError(t, cupelarrow.AppendReader(batch, reader, cupel.ArrowOptions{}), cupel.ErrCallbackFailed, message)
		}
		wantError(t, cupelarrow.AppendReader(batch, &testReader{}, cupel.ArrowOptions{}), cupel.ErrInvalidArgument, "reader.Schema() is nil")
		wantError(t, cupelarrow.AppendReader(batch, nil, cupel.ArrowOptions{}), cupel.ErrNullArgument, "reader is nil")
		wantRows(t, batch, batchOf(t, rows[:3]))
	})
}
