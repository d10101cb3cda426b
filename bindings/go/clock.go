package cupel

// #include "shim.h"
// #cgo noescape cupel_clock_system_new
// #cgo nocallback cupel_clock_system_new
// #cgo noescape cupel_clock_fixed_new
// #cgo nocallback cupel_clock_fixed_new
import "C"

import (
	"runtime"
	"sync"
	"time"
)

// A Clock tells decay scorers what time it is. It is read once per scoring
// call, so that all rows, and all decay scorers of a tree that were made with
// the same Clock, see the same now.
//
// It never changes and may be used by any number of goroutines. A scorer keeps
// a share of the clock that it was made with, so the Clock may be closed before
// it. The garbage collector closes a Clock that can no longer be reached.
type Clock struct {
	handle  *handle[*C.cupel_clock]
	cleanup runtime.Cleanup
	calls   bool // back into Go
}

// NewSystemClock is the system's clock. Where a function takes a clock, nil
// means one system clock that the whole program shares.
func NewSystemClock() (*Clock, error) {
	return newClock(false, func(out **C.cupel_clock, cError **C.cupel_error) C.cupel_status {
		return C.cupel_clock_system_new(out, cError)
	})
}

// NewFixedClock is a clock that stands still. A time before [MinTime] or after
// [MaxTime] is taken for that one; the zero Time is such a time.
func NewFixedClock(now time.Time) (*Clock, error) {
	return newClock(false, func(out **C.cupel_clock, cError **C.cupel_error) C.cupel_status {
		return C.cupel_clock_fixed_new(C.int64_t(unixNano(now)), out, cError)
	})
}

// NewCustomClock is a clock that asks now. A time before [MinTime] or after
// [MaxTime] is taken for that one.
func NewCustomClock(now NowFunc) (*Clock, error) {
	if now == nil {
		return nil, failure(ErrNullArgument, "now is nil")
	}
	function := newFunction(now)
	clock, err := newClock(true, func(out **C.cupel_clock, cError **C.cupel_error) C.cupel_status {
		return C.cupel_go_clock_custom_new(C.uintptr_t(function), out, cError)
	})
	if err != nil {
		deleteFunction(function)
	}
	return clock, err
}

// Close gives up the clock; the scorers made with it go on. It may be called
// again, at any time, and by many goroutines; it never fails.
func (c *Clock) Close() error {
	if c != nil {
		c.cleanup.Stop()
		c.handle.close()
	}
	return nil
}

var sharedSystemClock = sync.OnceValues(NewSystemClock)

func newClock(calls bool, create func(**C.cupel_clock, **C.cupel_error) C.cupel_status) (*Clock, error) {
	if err := abiVersion(); err != nil {
		return nil, err
	}
	var pointer *C.cupel_clock
	var cError *C.cupel_error
	if err := check(create(&pointer, &cError), &cError); err != nil {
		return nil, err
	}
	c := &Clock{handle: newHandle("clock", pointer, func(p *C.cupel_clock) { C.cupel_clock_free(p) }), calls: calls}
	c.cleanup = runtime.AddCleanup(c, (*handle[*C.cupel_clock]).close, c.handle)
	return c, nil
}

func (c *Clock) use() (*C.cupel_clock, error) {
	pointer, err := c.handle.read()
	runtime.KeepAlive(c)
	return pointer, err
}

func (c *Clock) used() {
	c.handle.done()
	runtime.KeepAlive(c)
}
