package cupel

import (
	"math"
	"time"
)

// The first and the last instant that a timestamp can be: an int64 of
// nanoseconds since the Unix epoch. Earlier and later ones are taken for these.
var (
	// MinTime is in September 1677.
	MinTime = time.Unix(0, math.MinInt64).UTC()
	// MaxTime is in April 2262.
	MaxTime = time.Unix(0, math.MaxInt64).UTC()
)

// unixNano is t.UnixNano, saturating where that is undefined.
func unixNano(t time.Time) int64 {
	switch {
	case t.Before(MinTime):
		return math.MinInt64
	case t.After(MaxTime):
		return math.MaxInt64
	}
	return t.UnixNano()
}
