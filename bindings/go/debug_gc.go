//go:build cupel_debug_gc

package cupel

import "runtime"

// maybeGC collects garbage at every moment at which a C pointer is about to be
// used, so that an object that is not kept alive long enough is freed under
// the test that uses it and not, rarely, under a user's program.
func maybeGC() {
	runtime.GC()
	runtime.Gosched()
}
