package cupel

// #include "shim.h"
// #cgo noescape cupel_status_name
// #cgo nocallback cupel_status_name
// #cgo noescape cupel_error_message
// #cgo nocallback cupel_error_message
// #cgo noescape cupel_error_free
// #cgo nocallback cupel_error_free
import "C"

import (
	"errors"
	"fmt"
)

// ErrClosed is what every call on a closed (or nil) [Batch], [Scorer] or
// [Clock] gives; test for it with [errors.Is].
var ErrClosed = errors.New("cupel: used after Close")

// Status says what kind of failure an [Error] is. Its constants are errors
// themselves, to be compared with by [errors.Is]:
//
//	if errors.Is(err, cupel.ErrEmptyContent) { ... }
type Status int32

// The ways in which the library can fail. The numbers are those of the C ABI
// and never change their meaning.
const (
	// ErrNullArgument: a pointer that is required is missing.
	ErrNullArgument Status = C.CUPEL_STATUS_NULL_ARGUMENT
	// ErrInvalidUTF8: a text is not UTF-8; the message gives the byte offset.
	ErrInvalidUTF8 Status = C.CUPEL_STATUS_INVALID_UTF8
	// ErrInvalidArgument: a value that the rules of a scorer or of an item reject.
	ErrInvalidArgument Status = C.CUPEL_STATUS_INVALID_ARGUMENT
	// ErrEmptyContent: an item without content.
	ErrEmptyContent Status = C.CUPEL_STATUS_EMPTY_CONTENT
	// ErrEmptyKind: a kind that is empty or only white space.
	ErrEmptyKind Status = C.CUPEL_STATUS_EMPTY_KIND
	// ErrEmptySource: a source that is empty or only white space.
	ErrEmptySource Status = C.CUPEL_STATUS_EMPTY_SOURCE
	// ErrOutOfRange: an index or an enumerator that does not exist.
	ErrOutOfRange Status = C.CUPEL_STATUS_OUT_OF_RANGE
	// ErrLengthMismatch: two lengths that must agree do not.
	ErrLengthMismatch Status = C.CUPEL_STATUS_LENGTH_MISMATCH
	// ErrCallbackFailed: a custom scorer or clock returned an error, which the
	// [Error] wraps.
	ErrCallbackFailed Status = C.CUPEL_STATUS_CALLBACK_FAILED
	// ErrOutOfMemory: memory that could not be had.
	ErrOutOfMemory Status = C.CUPEL_STATUS_OUT_OF_MEMORY
	// ErrPanic: a defect of the library, caught at its boundary.
	ErrPanic Status = C.CUPEL_STATUS_PANIC
	// ErrInvalidJSON: text that is not the JSON that the library reads; the
	// message gives the JSON path, the line and the column.
	ErrInvalidJSON Status = C.CUPEL_STATUS_INVALID_JSON
	// ErrBusy: a batch is changed while it is being scored, or used while it
	// is being changed.
	ErrBusy Status = C.CUPEL_STATUS_BUSY
)

// String gives the name that the status has in C, such as
// CUPEL_STATUS_EMPTY_CONTENT.
func (s Status) String() string { return C.GoString(C.cupel_status_name(C.cupel_status(s))) }

// Error makes a Status an error to compare with.
func (s Status) Error() string { return "cupel: " + s.String() }

// Error is a failure that the library reports.
type Error struct {
	// Status is the kind of failure.
	Status Status
	// Message is the library's own: it names the argument, its position in its
	// list, and the offending value.
	Message string

	cause error
}

// Error gives the message, and that of the error that a custom scorer or clock
// returned.
func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("cupel: %s: %v", e.Message, e.cause)
	}
	return "cupel: " + e.Message
}

// Is reports whether target is the [Status] of this error.
func (e *Error) Is(target error) bool {
	status, ok := target.(Status)
	return ok && status == e.Status
}

// Unwrap gives the error that a custom scorer or clock returned, or nil.
func (e *Error) Unwrap() error { return e.cause }

// failure is an error of this package's own making, in the library's form.
func failure(status Status, format string, arguments ...any) error {
	return &Error{Status: status, Message: fmt.Sprintf(format, arguments...)}
}

// check turns the outcome of a C call into a Go error and frees the C one. It
// takes the address, because Go leaves open whether an argument is read before
// or after the call beside it that sets it.
func check(status C.cupel_status, cError **C.cupel_error) error {
	if status == C.CUPEL_STATUS_OK {
		return nil
	}
	err := &Error{Status: Status(status)}
	if *cError == nil {
		// An error object could not be made: memory has run out.
		err.Message = err.Status.String()
		return err
	}
	err.Message = C.GoString(C.cupel_error_message(*cError))
	C.cupel_error_free(*cError)
	return err
}
