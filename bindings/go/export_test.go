package cupel

import "runtime"

// Live is how many C objects and callbacks are held, after what could be
// collected has been.
func Live() int64 {
	runtime.GC()
	return live.Load()
}

// CloseSharedClock gives up what the package holds for the length of the
// program. Nothing that needs it may run afterwards.
func CloseSharedClock() {
	if clock, err := sharedSystemClock(); err == nil {
		clock.Close()
	}
}
