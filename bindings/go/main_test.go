package cupel_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
	"github.com/libcupel/libcupel/bindings/go/internal/leak"
)

// TestMain holds what all tests together have left behind against nothing:
// handles and callbacks that are still open once the garbage collector has had
// its chance, and, in a binary built with -asan, C memory that is lost.
func TestMain(m *testing.M) {
	code := m.Run()
	if !settle(0, cupel.CloseSharedClock) {
		fmt.Printf("FAIL: %d C objects or callbacks are still held\n", cupel.Live())
		code = 1
	}
	if os.Getenv("CUPEL_TEST_LEAK") != "" {
		leak.Lose() // to see that it is found
	}
	if leak.Found() {
		fmt.Println("FAIL: C memory was lost")
		code = 1
	}
	os.Exit(code)
}

// settle waits for the cleanups of what is no longer reachable, until no more
// than baseline is held.
func settle(baseline int64, before ...func()) bool {
	for _, f := range before {
		f()
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if cupel.Live() <= baseline {
			return true
		}
	}
	return false
}

// settled is how much is held once nothing more is collected, as after tests that
// leave something to the garbage collector.
func settled() int64 {
	live := cupel.Live()
	for same := 0; same < 5; time.Sleep(time.Millisecond) {
		if now := cupel.Live(); now == live {
			same++
		} else {
			live, same = now, 0
		}
	}
	return live
}
