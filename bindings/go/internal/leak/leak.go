//go:build !asan

// Package leak asks LeakSanitizer, in a test binary that is built with -asan,
// whether C memory has been lost.
package leak

// Found says whether C memory has been lost, as far as this binary can tell.
func Found() bool { return false }

// Lose loses C memory, to prove that Found finds it.
func Lose() {}
