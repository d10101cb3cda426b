//go:build !cgo

package cupel

// The package needs cgo. Without it, or without a C compiler, the other files
// are not compiled, and this is the only error.
var _ = libcupel_needs_cgo__set_CGO_ENABLED_1_and_install_a_C_compiler
