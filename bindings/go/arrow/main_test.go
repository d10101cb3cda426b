package cupelarrow_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/libcupel/libcupel/bindings/go/internal/leak"
)

// TestMain finds, in a binary built with -asan, structs that were not released.
func TestMain(m *testing.M) {
	code := m.Run()
	if leak.Found() {
		fmt.Println("FAIL: C memory was lost")
		code = 1
	}
	os.Exit(code)
}
