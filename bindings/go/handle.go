package cupel

// #include "shim.h"
// #cgo noescape cupel_abi_version
// #cgo nocallback cupel_abi_version
import "C"

import (
	"sync"
	"sync/atomic"
)

// live counts the C objects and Go functions that are in use. Tests check that it
// returns to zero.
var live atomic.Int64

// abiVersion checks once that the shared library has the ABI of the header: another
// one would misread the structs that it is passed.
var abiVersion = sync.OnceValue(func() error {
	if got := uint32(C.cupel_abi_version()); got != C.CUPEL_ABI_VERSION {
		return failure(ErrInvalidArgument, "the loaded library has ABI version %d, the header that the program was compiled with has %d", got, C.CUPEL_ABI_VERSION)
	}
	return nil
})

// A handle owns a C object. P is the type of the pointer to it.
//
// It counts the calls in progress. The object is freed by Close or by the end of
// the last call, whichever is later. So Close may be called at any time, from a
// callback too, and does not block.
type handle[P any] struct {
	what string
	free func(P)

	mu      sync.Mutex
	pointer P
	calls   int  // in progress
	writing bool // the call in progress changes the object
	closed  bool
	freed   bool
}

func newHandle[P any](what string, pointer P, free func(P)) *handle[P] {
	live.Add(1)
	return &handle[P]{what: what, pointer: pointer, free: free}
}

// read lends the pointer to a call that does not change the object, until done.
//
// Callers keep the object that contains the handle alive until done, because its
// cleanup closes the handle.
func (h *handle[P]) read() (P, error) { return h.lend(false) }

// write lends the pointer to a call that changes the object, until done. No other
// call may be in progress.
func (h *handle[P]) write() (P, error) { return h.lend(true) }

func (h *handle[P]) lend(writing bool) (none P, err error) {
	maybeGC()
	if h == nil {
		return none, ErrClosed
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return none, ErrClosed
	case h.writing:
		return none, failure(ErrBusy, "the %s is being changed: it cannot be used until that call returns", h.what)
	case writing && h.calls > 0:
		return none, failure(ErrBusy, "the %s is in use: it cannot be changed until that call returns", h.what)
	}
	h.calls++
	h.writing = writing
	return h.pointer, nil
}

func (h *handle[P]) done() {
	h.mu.Lock()
	h.calls--
	h.writing = false
	h.freeAndUnlock()
}

// close releases the object. Closing again does nothing.
func (h *handle[P]) close() {
	if h == nil {
		return
	}
	h.mu.Lock()
	h.closed = true
	h.freeAndUnlock()
}

// freeAndUnlock frees the object after it unlocks, because freeing the last share
// of a custom scorer calls back into Go.
func (h *handle[P]) freeAndUnlock() {
	last := h.closed && !h.freed && h.calls == 0
	h.freed = h.freed || last
	h.mu.Unlock()
	if last {
		h.free(h.pointer)
		live.Add(-1)
	}
}
