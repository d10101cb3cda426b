package cupel

// #include "shim.h"
// #cgo noescape cupel_version
// #cgo nocallback cupel_version
import "C"

// Version is that of the C library which is running, such as 0.1.0.
func Version() string { return C.GoString(C.cupel_version()) }
