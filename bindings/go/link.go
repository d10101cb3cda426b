package cupel

// How the C library is found. Without a build tag, pkg-config is asked for
// "cupel". The tag cupel_nopkgconfig leaves the search paths to CGO_CFLAGS and
// CGO_LDFLAGS; the tag cupel_static links the static library and goes with
// either. README.md shows each of the four.

/*
#cgo !cupel_nopkgconfig,!cupel_static pkg-config: cupel
#cgo !cupel_nopkgconfig,cupel_static pkg-config: --static cupel
#cgo cupel_nopkgconfig,!cupel_static LDFLAGS: -lcupel
#cgo cupel_nopkgconfig,cupel_static,!linux LDFLAGS: -lcupel

// Where a directory holds both libraries, -lcupel means the shared one. Naming
// the archive takes every symbol from it, and --as-needed then drops the
// shared library that pkg-config adds.
#cgo cupel_static,linux LDFLAGS: -l:libcupel.a -Wl,--as-needed -lpthread -lm -ldl
*/
import "C"
