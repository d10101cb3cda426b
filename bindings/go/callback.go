package cupel

// #include "shim.h"
import "C"

import (
	"errors"
	"runtime/cgo"
	"time"
	"unsafe"
)

// A ScoreFunc is a custom scorer: it sets scores[i] to the score of row i of
// the batch, for the whole batch in one call.
//
// scores has batch.Len() entries, all 0 at first, and belongs to the library:
// it must not be kept after the function returns. The batch may be read and
// scored within the function, with other scorers too; to change it gives
// [ErrBusy].
//
// An error fails the scoring call, whose error wraps it. A panic fails it too,
// and goes on in the goroutine that scores once the call has been wound up.
// runtime.Goexit, and so testing.T.FailNow, must not be called in it.
//
// It may be called by many goroutines at once when they score at once.
type ScoreFunc func(batch *Batch, scores []float64) error

// A NowFunc is a custom clock. It is called once per scoring call; what is said
// of errors, panics and goroutines at [ScoreFunc] holds for it too.
type NowFunc func() (time.Time, error)

// A call is one scoring call with a scorer that may call back: what its
// callbacks are told, and what they leave behind for it.
type call struct {
	batch    *Batch
	err      error
	panicked bool
	value    any // of the panic
}

// guard runs a user's function, so that no panic unwinds the C frames below.
func (c *call) guard(function func() error) (status C.cupel_status) {
	status = C.CUPEL_STATUS_CALLBACK_FAILED
	c.panicked = true
	defer func() {
		if c.panicked {
			c.value = recover()
		}
	}()
	err := function()
	c.panicked = false
	if err == nil {
		return C.CUPEL_STATUS_OK
	}
	c.err = err
	return C.cupel_status(statusOf(err))
}

// statusOf is the number by which the library's message will name the error:
// that of a [Status] or [Error], where the function returns one.
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

// callingBack makes a C call that may run Go functions, raises their panic again
// and wraps their error.
func callingBack(batch *Batch, cCall func(handle C.uintptr_t, cError **C.cupel_error) C.cupel_status) error {
	call := &call{batch: batch}
	handle := cgo.NewHandle(call)
	defer handle.Delete()
	var cError *C.cupel_error
	err := check(cCall(C.uintptr_t(handle), &cError), &cError)
	if call.panicked {
		panic(call.value)
	}
	if failed, ok := err.(*Error); ok {
		failed.cause = call.err
	}
	return err
}

//export cupelGoScore
func cupelGoScore(callHandle, function C.uintptr_t, scores *C.double, scoresLen C.size_t) C.cupel_status {
	call := cgo.Handle(callHandle).Value().(*call)
	score := cgo.Handle(function).Value().(ScoreFunc)
	return call.guard(func() error {
		var out []float64
		if scoresLen > 0 {
			out = unsafe.Slice((*float64)(unsafe.Pointer(scores)), int(scoresLen))
			clear(out)
		}
		return score(call.batch, out)
	})
}

//export cupelGoNow
func cupelGoNow(callHandle, function C.uintptr_t, now *C.int64_t) C.cupel_status {
	call := cgo.Handle(callHandle).Value().(*call)
	read := cgo.Handle(function).Value().(NowFunc)
	return call.guard(func() error {
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
