package cupel

// #include "shim.h"
// #cgo noescape cupel_clock_system_new
// #cgo nocallback cupel_clock_system_new
// #cgo noescape cupel_clock_fixed_new
// #cgo nocallback cupel_clock_fixed_new
import "C"

import (
	"sync"
	"time"
)

// A Clock gives decay scorers the present time. It is read once per scoring call:
// all rows, and all decay scorers of a tree that were made with the same Clock,
// have the same time.
//
// It is immutable and may be used by any number of goroutines. A scorer keeps a
// share of its clock, so the Clock may be closed before the scorer. The garbage
// collector closes a Clock that has become unreachable.
type Clock struct {
	owner[*C.cupel_clock]
	calls bool // back into Go
}

// NewSystemClock is the system clock. A nil clock as an argument means one system
// clock that the whole program shares.
func NewSystemClock() (*Clock, error) {
	return newClock(false, func(out **C.cupel_clock, cError **C.cupel_error) C.cupel_status {
		return C.cupel_clock_system_new(out, cError)
	})
}

// NewFixedClock is a clock that always gives now. A time before [MinTime] is taken
// as MinTime, and one after [MaxTime] as MaxTime.
func NewFixedClock(now time.Time) (*Clock, error) {
	return newClock(false, func(out **C.cupel_clock, cError **C.cupel_error) C.cupel_status {
		return C.cupel_clock_fixed_new(C.int64_t(unixNano(now)), out, cError)
	})
}

// NewCustomClock is a clock that calls now. A time before [MinTime] is taken as
// MinTime, and one after [MaxTime] as MaxTime.
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

// Close frees the clock; the scorers made with it keep their share. It may be
// called again, at any time and from any goroutine. It never fails.
func (c *Clock) Close() error {
	if c != nil {
		c.close()
	}
	return nil
}

var sharedSystemClock = sync.OnceValues(NewSystemClock)

func newClock(calls bool, construct func(**C.cupel_clock, **C.cupel_error) C.cupel_status) (*Clock, error) {
	handle, err := create("clock", func(p *C.cupel_clock) { C.cupel_clock_free(p) }, construct)
	if err != nil {
		return nil, err
	}
	c := &Clock{calls: calls}
	c.own(handle)
	return c, nil
}
