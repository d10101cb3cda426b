// Package conformance has no code but its tests: they run the vectors of
// tests/conformance at the top of the repository, or of the directory that
// CUPEL_CONFORMANCE_DIR names, through the Go binding.
package conformance
