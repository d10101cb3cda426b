package cupel

// #include "shim.h"
// #cgo noescape cupel_error_message
// #cgo nocallback cupel_error_message
// #cgo noescape cupel_error_free
// #cgo nocallback cupel_error_free
import "C"

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrClosed is the error of every call on a closed or nil [Batch], [Scorer] or
// [Clock]. Test for it with [errors.Is].
var ErrClosed = errors.New("cupel: used after Close")

// Status is the kind of failure of an [Error]. Its constants are errors, to be
// used with [errors.Is]:
//
//	if errors.Is(err, cupel.ErrEmptyContent) { ... }
type Status int32

// The statuses. The numbers are those of the C ABI and are never reused.
const (
	// ErrNullArgument: a required argument or column is nil.
	ErrNullArgument Status = C.CUPEL_STATUS_NULL_ARGUMENT
	// ErrInvalidUTF8: a text is not UTF-8; the message gives the byte offset.
	ErrInvalidUTF8 Status = C.CUPEL_STATUS_INVALID_UTF8
	// ErrInvalidArgument: a value that breaks a rule of a scorer or of an item.
	ErrInvalidArgument Status = C.CUPEL_STATUS_INVALID_ARGUMENT
	// ErrEmptyContent: an item without content.
	ErrEmptyContent Status = C.CUPEL_STATUS_EMPTY_CONTENT
	// ErrEmptyKind: a kind that is only white space.
	ErrEmptyKind Status = C.CUPEL_STATUS_EMPTY_KIND
	// ErrEmptySource: a source that is only white space.
	ErrEmptySource Status = C.CUPEL_STATUS_EMPTY_SOURCE
	// ErrOutOfRange: an index, an offset or a constant outside its range.
	ErrOutOfRange Status = C.CUPEL_STATUS_OUT_OF_RANGE
	// ErrLengthMismatch: two lengths that must agree do not.
	ErrLengthMismatch Status = C.CUPEL_STATUS_LENGTH_MISMATCH
	// ErrCallbackFailed: a custom scorer or clock returned an error, which the
	// [Error] wraps.
	ErrCallbackFailed Status = C.CUPEL_STATUS_CALLBACK_FAILED
	// ErrOutOfMemory: an allocation failed.
	ErrOutOfMemory Status = C.CUPEL_STATUS_OUT_OF_MEMORY
	// ErrPanic: a defect of the library, caught at the C boundary.
	ErrPanic Status = C.CUPEL_STATUS_PANIC
	// ErrInvalidJSON: a text is not JSON, or not that of items or of a scorer; the
	// message gives the JSON path, the line and the column.
	ErrInvalidJSON Status = C.CUPEL_STATUS_INVALID_JSON
	// ErrBusy: a batch was changed while it was being used, or used while it was
	// being changed.
	ErrBusy Status = C.CUPEL_STATUS_BUSY
	// ErrOverBudget: the rows that must be kept exceed the budget.
	ErrOverBudget Status = 14
	// ErrShortfall: a kind has fewer rows than its count quota requires.
	ErrShortfall Status = 15
	// ErrTooLarge: a knapsack would take too long; a larger bucket size helps.
	ErrTooLarge Status = 16
)

var statusNames = map[Status]string{
	ErrNullArgument:    "null argument",
	ErrInvalidUTF8:     "invalid UTF-8",
	ErrInvalidArgument: "invalid argument",
	ErrEmptyContent:    "empty content",
	ErrEmptyKind:       "empty kind",
	ErrEmptySource:     "empty source",
	ErrOutOfRange:      "out of range",
	ErrLengthMismatch:  "length mismatch",
	ErrCallbackFailed:  "callback failed",
	ErrOutOfMemory:     "out of memory",
	ErrPanic:           "panic in the library",
	ErrInvalidJSON:     "invalid JSON",
	ErrBusy:            "busy",
	ErrOverBudget:      "over budget",
	ErrShortfall:       "shortfall",
	ErrTooLarge:        "too large",
}

// String gives the status in words, such as "empty content".
func (s Status) String() string {
	if name, known := statusNames[s]; known {
		return name
	}
	return "status " + strconv.Itoa(int(s))
}

// Error makes a Status an error to compare with.
func (s Status) Error() string { return "cupel: " + s.String() }

// Error is a failure that the library reports.
type Error struct {
	// Status is the kind of failure.
	Status Status
	// Message names the argument, its position in its list, and the offending
	// value. When a custom scorer or clock failed, it contains the text of that
	// error.
	Message string

	cause error
}

// Error gives the message.
func (e *Error) Error() string { return "cupel: " + e.Message }

// Is reports whether target is the [Status] of this error.
func (e *Error) Is(target error) bool {
	status, ok := target.(Status)
	return ok && status == e.Status
}

// Unwrap gives the error that a custom scorer or clock returned, or nil.
func (e *Error) Unwrap() error { return e.cause }

// failure is an error that this package finds, in the form of the library's.
func failure(status Status, format string, arguments ...any) error {
	return &Error{Status: status, Message: fmt.Sprintf(format, arguments...)}
}

// check turns the outcome of a C call into a Go error and frees the C error. It
// takes the address because Go does not specify whether an argument is evaluated
// before or after the call beside it that sets it.
func check(status C.cupel_status, cError **C.cupel_error) error {
	return checkWith(goMessage, status, cError)
}

// checkWith is check with another translation of messages.
func checkWith(translate func(string) string, status C.cupel_status, cError **C.cupel_error) error {
	if status == C.CUPEL_STATUS_OK {
		return nil
	}
	err := &Error{Status: Status(status)}
	if *cError == nil {
		// There was no memory for an error object.
		err.Message = err.Status.String()
		return err
	}
	err.Message = translate(C.GoString(C.cupel_error_message(*cError)))
	C.cupel_error_free(*cError)
	return err
}

// allocating adds to an error that memory ran out what it was for.
func allocating(err error, format string, arguments ...any) error {
	if failed, ok := err.(*Error); ok && failed.Status == ErrOutOfMemory {
		failed.Message += ": " + fmt.Sprintf(format, arguments...)
	}
	return err
}

// goMessage gives a message of the C library in Go's terms. If the message is
// about an argument, it begins with the argument's C name:
//
//	steps[1].max_age_nanoseconds is 0: ...   steps[1].MaxAge is 0s: ...
//	columns.kind.offsets is NULL             columns.Kind.Offsets is nil
//	out_scores_len is 1: ...                 len(scores) is 1: ...
//
// Of memory that ran out the binding says itself what it was for.
func goMessage(message string) string {
	if strings.HasPrefix(message, "out of memory") {
		return "out of memory"
	}
	group, message := cutGroup(message)
	return group + goComplaint(message)
}

// cutGroup separates the beginning of a message that says in which group a call
// failed: "group 1, rows 20 to before 40: ".
func cutGroup(message string) (group, rest string) {
	var number, first, end int
	if read, _ := fmt.Sscanf(message, "group %d, rows %d to before %d: ", &number, &first, &end); read < 3 {
		return "", message
	}
	length := strings.Index(message, ": ") + len(": ")
	return message[:length], message[length:]
}

// goComplaint is goMessage for a message that begins with the argument.
func goComplaint(message string) string {
	path, complaint, ok := strings.Cut(message, " ")
	if !ok {
		return message
	}
	name, isDuration, ok := goArgument(path)
	if !ok {
		return message
	}
	if rest, ok := strings.CutPrefix(complaint, "is NULL"); ok {
		complaint = "is nil" + rest
	}
	if isDuration {
		value, rule, _ := strings.Cut(strings.TrimPrefix(complaint, "is "), ":")
		if nanoseconds, err := strconv.ParseInt(value, 10, 64); err == nil {
			complaint = "is " + time.Duration(nanoseconds).String() + ":" + rule
		}
	}
	return name + " " + complaint
}

// goArgument gives the Go name of an argument of the C library, or false if path
// is not one. The first part is a parameter, the others are fields.
func goArgument(path string) (name string, isDuration, ok bool) {
	var parts []string
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "out_"), ".") {
		part, index, indexed := strings.Cut(part, "[")
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return "", false, false
		}
		part, isDuration = strings.CutSuffix(part, "_nanoseconds")
		words := strings.Split(part, "_")
		for i, word := range words {
			if word != "" && (i > 0 || len(parts) > 0) {
				words[i] = strings.ToUpper(word[:1]) + word[1:]
			}
		}
		part = strings.Join(words, "")
		if indexed {
			part += "[" + index
		}
		parts = append(parts, part)
	}
	name = strings.Join(parts, ".")
	if list, isLength := strings.CutSuffix(name, "Len"); isLength && list != "" {
		name = "len(" + list + ")"
	}
	return name, isDuration, true
}
