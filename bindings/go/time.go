package cupel

import (
	"math"
	"time"
)

// The earliest and the latest time of a timestamp, which is an int64 of
// nanoseconds since the Unix epoch. Earlier times are taken as MinTime and later
// ones as MaxTime.
var (
	// MinTime is in September 1677.
	MinTime = time.Unix(0, math.MinInt64).UTC()
	// MaxTime is in April 2262.
	MaxTime = time.Unix(0, math.MaxInt64).UTC()
)

// unixNano is t.UnixNano, and saturates where that is undefined.
func unixNano(t time.Time) int64 {
	switch {
	case t.Before(MinTime):
		return math.MinInt64
	case t.After(MaxTime):
		return math.MaxInt64
	}
	return t.UnixNano()
}
