package cupel

// #include "shim.h"
// #cgo noescape cupel_go_batch_append_arrow
// #cgo nocallback cupel_go_batch_append_arrow
import "C"

import (
	"strings"
	"unsafe"
)

// ArrowOptions is how an Arrow table is read. The zero ArrowOptions is the
// default.
type ArrowOptions struct {
	// Group is the name of the column whose values make rows a group, such as a
	// conversation. Rows with one value must follow each other. Empty: the table is
	// one group, or is made of lists. Appending does not look at it.
	Group string
	// NaiveIsUTC takes timestamps without a zone as UTC instead of refusing them.
	NaiveIsUTC bool
}

func (o ArrowOptions) flags() C.uint64_t {
	if o.NaiveIsUTC {
		return C.CUPEL_ARROW_NAIVE_IS_UTC
	}
	return 0
}

// AppendArrow appends the rows of an Arrow table that is given by Arrow's C data
// interface: all of them, or none if it fails. Columns are found by name; see
// docs/arrow.md at the top of the repository. The error names the column and the
// row.
//
// schema and array are the addresses of a struct ArrowSchema and a struct
// ArrowArray. They are read during the call and stay the caller's to release.
// The interface has no sizes of buffers: that buffers are as long as the array says
// is the caller's promise. The rules of cgo for pointers hold: what the structs
// point to is C memory or pinned.
//
// This is for packages that hold such structs. With records of arrow-go, use the
// module github.com/libcupel/libcupel/bindings/go/arrow.
func (b *Batch) AppendArrow(schema, array unsafe.Pointer, options ArrowOptions) error {
	pointer, err := b.change()
	if err != nil {
		return err
	}
	defer b.changed(pointer)
	var cError *C.cupel_error
	status := C.cupel_go_batch_append_arrow(pointer, (*C.struct_ArrowSchema)(schema), (*C.struct_ArrowArray)(array), options.flags(), &cError)
	return allocating(checkArrow(status, &cError), "appending a table")
}

// AppendArrowStream appends the rows of all tables of an Arrow stream: all of
// them, or none if it fails. Otherwise it is like [Batch.AppendArrow].
//
// stream is the address of a struct ArrowArrayStream, which is read to its end and
// stays the caller's to release. What it hands out is released. If the call fails,
// the position of the stream is lost. If the stream itself fails, the status is
// [ErrCallbackFailed] and the message has that of the stream. The callbacks of the
// stream may be Go functions, which must not panic or change the batch.
func (b *Batch) AppendArrowStream(stream unsafe.Pointer, options ArrowOptions) error {
	pointer, err := b.change()
	if err != nil {
		return err
	}
	defer b.changed(pointer)
	var cError *C.cupel_error
	status := C.cupel_go_batch_append_arrow_stream(pointer, (*C.struct_ArrowArrayStream)(stream), options.flags(), &cError)
	return allocating(checkArrow(status, &cError), "appending a stream of tables")
}

// ScoreArrow scores every row of an Arrow table among the rows of its group,
// without a batch: each score has the bits that it would have in a batch of its
// group alone. The length of scores must be the number of rows. If the call fails,
// scores is unchanged.
//
// Of the table, the columns of [Scorer.Columns] and the group column are read; the
// others are not looked at. A column that is absent has its default in every row.
// The table may be a list of structs instead, in any layout of lists: each list is
// a group, and each struct from the first offset to the last has a score.
//
// The group column has integers, bool, text, binary, fixed-size binary, or a
// dictionary of one of these; null is a value like any other. A value that comes
// back after another is refused: sort by the group. A scorer that is or contains a
// custom one is refused. Otherwise the call is like [Batch.AppendArrow].
func (s *Scorer) ScoreArrow(schema, array unsafe.Pointer, options ArrowOptions, scores []float64) error {
	scorer, err := s.use()
	if err != nil {
		return err
	}
	defer s.used()
	table, rows := (*C.struct_ArrowSchema)(schema), (*C.struct_ArrowArray)(array)
	flags, group, groupLen := options.flags(), stringChars(options.Group), C.size_t(len(options.Group))
	out, length := doubles(scores), C.size_t(len(scores))
	if s.calls {
		err = callingBackWith(arrowMessage, nil, func(call C.uintptr_t, cError **C.cupel_error) C.cupel_status {
			return C.cupel_go_scorer_score_arrow(call, scorer, table, rows, flags, group, groupLen, out, length, cError)
		})
	} else {
		var cError *C.cupel_error
		err = checkArrow(C.cupel_go_scorer_score_arrow(0, scorer, table, rows, flags, group, groupLen, out, length, &cError), &cError)
	}
	return allocating(err, "scoring %d rows", len(scores))
}

// arrowMessage is [goMessage] for the messages about an argument. Others begin with
// the name of a column, which is the caller's and not a name in C.
func arrowMessage(message string) string {
	for _, argument := range []string{"schema is NULL", "array is NULL", "stream is NULL", "options.group is ", "out_scores_len is ", "out of memory"} {
		if strings.HasPrefix(message, argument) {
			return goMessage(message)
		}
	}
	return message
}

func checkArrow(status C.cupel_status, cError **C.cupel_error) error {
	return checkWith(arrowMessage, status, cError)
}
