//go:build !cupel_debug_gc

package cupel

func maybeGC() {}
