// The conformance vectors, run through the binding. A module of its own, so
// that the TOML reader is no dependency of the binding's users.
module github.com/libcupel/libcupel/bindings/go/conformance

go 1.24

require (
	github.com/BurntSushi/toml v1.6.0
	github.com/libcupel/libcupel/bindings/go v0.0.0
)

replace github.com/libcupel/libcupel/bindings/go => ../
