package cupelarrow

import (
	"runtime"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// exportable gives a record that can be exported, with its buffers pinned. The
// caller releases it.
func exportable(pinner *runtime.Pinner, record arrow.RecordBatch) arrow.RecordBatch {
	columns := make([]arrow.Array, record.NumCols())
	for i, column := range record.Columns() {
		data := unsliced(column.Data())
		pin(pinner, data)
		columns[i] = array.MakeFromData(data)
		data.Release()
	}
	record = array.NewRecordBatch(record.Schema(), columns, record.NumRows())
	for _, column := range columns {
		column.Release()
	}
	return record
}

// pin pins the buffers of an array. arrow-go writes their addresses into C memory,
// and they may be Go memory.
func pin(pinner *runtime.Pinner, data arrow.ArrayData) {
	for _, buffer := range data.Buffers() {
		if buffer != nil && buffer.Len() > 0 {
			pinner.Pin(&buffer.Bytes()[0])
		}
	}
	for _, child := range data.Children() {
		pin(pinner, child)
	}
	if storage(data.DataType()).ID() == arrow.DICTIONARY {
		pin(pinner, data.Dictionary())
	}
}

// unsliced gives the data with no offset in a struct. The caller releases it.
//
// arrow-go exports a struct that is a slice with the offset of the slice and its
// fields already sliced; in C the offset of a struct applies to its fields again.
func unsliced(data arrow.ArrayData) arrow.ArrayData {
	isStruct := storage(data.DataType()).ID() == arrow.STRUCT && data.Offset() != 0
	children := make([]arrow.ArrayData, len(data.Children()))
	changed := isStruct
	for i, child := range data.Children() {
		if isStruct {
			slice := array.NewSliceData(child, int64(data.Offset()), int64(data.Offset()+data.Len()))
			children[i] = unsliced(slice)
			slice.Release()
		} else {
			children[i] = unsliced(child)
		}
		defer children[i].Release()
		changed = changed || children[i] != child
	}
	if !changed {
		data.Retain()
		return data
	}
	buffers, offset := data.Buffers(), data.Offset()
	if isStruct {
		buffers, offset = []*memory.Buffer{shifted(buffers[0], offset, data.Len())}, 0
	}
	return array.NewData(data.DataType(), data.Len(), buffers, children, data.NullN(), offset)
}

// shifted is a part of a bitmap as a bitmap of its own.
func shifted(bitmap *memory.Buffer, offset, length int) *memory.Buffer {
	if bitmap == nil || bitmap.Len() == 0 {
		return nil
	}
	bits := make([]byte, bitutil.BytesForBits(int64(length)))
	bitutil.CopyBitmap(bitmap.Bytes(), offset, length, bits, 0)
	return memory.NewBufferBytes(bits)
}

func storage(dataType arrow.DataType) arrow.DataType {
	if extension, ok := dataType.(arrow.ExtensionType); ok {
		return extension.StorageType()
	}
	return dataType
}
