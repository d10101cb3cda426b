package cupel

// #include "shim.h"
// #cgo noescape cupel_error_new
// #cgo nocallback cupel_error_new
import "C"

import (
	"errors"
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"time"
	"unsafe"
)

// A ScoreFunc is a custom scorer. It sets scores[i] to the score of row i of
// the batch, for the whole batch in one call.
//
// scores has batch.Len() entries, initially 0. It is memory of the library and
// must not be used after the function returns. The function may read the batch
// and score it with other scorers; changing it gives [ErrBusy].
//
// An error fails the scoring call. The call's error contains its text and wraps
// it. A panic fails the call too: it continues as a [*PanicError] in the
// goroutine that scores. The function must not call runtime.Goexit, and
// therefore not testing.T.FailNow.
//
// Goroutines that score concurrently call the function concurrently.
type ScoreFunc func(batch *Batch, scores []float64) error

// A NowFunc is a custom clock. It is called once per scoring call. The rules of
// [ScoreFunc] for errors, panics and goroutines apply.
type NowFunc func() (time.Time, error)

// A PanicError is the value with which a scoring call panics when a [ScoreFunc]
// or a [NowFunc] panicked in it.
type PanicError struct {
	// Value is the value of the original panic.
	Value any
	// Stack is the stack of the original panic, as [debug.Stack] formats it.
	Stack []byte
}

// Error gives the value and the stack of the original panic.
func (p *PanicError) Error() string {
	return fmt.Sprintf("cupel: panic in a callback: %v\n\n%s", p.Value, p.Stack)
}

// Unwrap gives the value of the original panic if it is an error, or nil.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// A call is a scoring call with a scorer that may call back: the input of its
// callbacks, and how they failed.
type call struct {
	batch    *Batch
	err      error
	panicked *PanicError
}

// guard runs a user's function. It recovers a panic, which must not unwind the
// C frames below.
func (c *call) guard(outError **C.cupel_error, function func() error) (status C.cupel_status) {
	returned := false
	defer func() {
		if returned {
			return
		}
		status = C.CUPEL_STATUS_CALLBACK_FAILED
		value := recover()
		if inner, ok := value.(*PanicError); ok {
			c.panicked = inner // of a scoring call within this one
			return
		}
		c.panicked = &PanicError{Value: value, Stack: debug.Stack()}
	}()
	err := function()
	status = C.CUPEL_STATUS_OK
	if err != nil {
		message := err.Error()
		status = C.cupel_status(statusOf(err))
		*outError = C.cupel_error_new(status, stringChars(message), C.size_t(len(message)))
		c.err = err
	}
	returned = true
	return status
}

// statusOf is the status that the library reports for the error: that of a
// [Status] or an [Error] in its tree, else ErrCallbackFailed.
func statusOf(err error) Status {
	var status Status
	var failed *Error
	switch {
	case errors.As(err, &status) && status != 0:
		return status
	case errors.As(err, &failed) && failed.Status != 0:
		return failed.Status
	}
	return ErrCallbackFailed
}

// callingBack makes a C call that may run Go functions. It continues their panic
// and wraps their error.
func callingBack(batch *Batch, cCall func(handle C.uintptr_t, cError **C.cupel_error) C.cupel_status) error {
	return callingBackWith(goMessage, batch, cCall)
}

// callingBackWith is callingBack with another translation of messages.
func callingBackWith(translate func(string) string, batch *Batch, cCall func(handle C.uintptr_t, cError **C.cupel_error) C.cupel_status) error {
	call := &call{batch: batch}
	handle := cgo.NewHandle(call)
	defer handle.Delete()
	var cError *C.cupel_error
	err := checkWith(translate, cCall(C.uintptr_t(handle), &cError), &cError)
	if call.panicked != nil {
		panic(call.panicked)
	}
	if failed, ok := err.(*Error); ok {
		failed.cause = call.err
	}
	return err
}

//export cupelGoScore
func cupelGoScore(callHandle, function C.uintptr_t, scores *C.double, scoresLen C.size_t, outError **C.cupel_error) C.cupel_status {
	call := cgo.Handle(callHandle).Value().(*call)
	score := cgo.Handle(function).Value().(ScoreFunc)
	return call.guard(outError, func() error {
		var out []float64
		if scoresLen > 0 {
			out = unsafe.Slice((*float64)(unsafe.Pointer(scores)), int(scoresLen))
			clear(out)
		}
		return score(call.batch, out)
	})
}

//export cupelGoNow
func cupelGoNow(callHandle, function C.uintptr_t, now *C.int64_t, outError **C.cupel_error) C.cupel_status {
	call := cgo.Handle(callHandle).Value().(*call)
	read := cgo.Handle(function).Value().(NowFunc)
	return call.guard(outError, func() error {
		t, err := read()
		if err == nil {
			*now = C.int64_t(unixNano(t))
		}
		return err
	})
}

//export cupelGoDestroy
func cupelGoDestroy(function C.uintptr_t) { deleteFunction(cgo.Handle(function)) }

func newFunction(function any) cgo.Handle {
	live.Add(1)
	return cgo.NewHandle(function)
}

func deleteFunction(function cgo.Handle) {
	function.Delete()
	live.Add(-1)
}
