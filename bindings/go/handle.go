package cupel

// #include "shim.h"
// #cgo noescape cupel_abi_version
// #cgo nocallback cupel_abi_version
import "C"

import (
	"runtime"
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

// lend lends the pointer to a call until done. No other call may be in progress
// if the call changes the object.
//
// Callers keep the object that contains the handle alive until done, because its
// cleanup closes the handle.
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

// create makes a C object, of which what says what it is.
func create[P any](what string, free func(P), construct func(*P, **C.cupel_error) C.cupel_status) (*handle[P], error) {
	if err := abiVersion(); err != nil {
		return nil, err
	}
	var pointer P
	var cError *C.cupel_error
	if err := check(construct(&pointer, &cError), &cError); err != nil {
		return nil, err
	}
	return newHandle(what, pointer, free), nil
}

// An owner is the part of a public type that owns a handle. Its zero value is
// closed.
type owner[P any] struct {
	handle  *handle[P]
	cleanup runtime.Cleanup
}

// own takes over the handle. The garbage collector closes it with o.
func (o *owner[P]) own(h *handle[P]) {
	o.handle = h
	o.cleanup = runtime.AddCleanup(o, (*handle[P]).close, h)
}

// disown gives the handle to another owner.
func (o *owner[P]) disown() *handle[P] {
	o.cleanup.Stop()
	return o.handle
}

// close frees the object after the calls in progress.
func (o *owner[P]) close() { o.disown().close() }

// lend lends the pointer until used.
func (o *owner[P]) lend(writing bool) (P, error) {
	pointer, err := o.handle.lend(writing)
	runtime.KeepAlive(o)
	return pointer, err
}

// used returns what lend or use lent. Deferring it also keeps o alive until then,
// so that the cleanup cannot run during the call.
func (o *owner[P]) used() {
	o.handle.done()
	runtime.KeepAlive(o)
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
