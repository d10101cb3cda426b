//go:build asan

package leak

/*
#include <stdlib.h>
#include <string.h>
int __lsan_do_recoverable_leak_check(void);

// Many, since a register or a stack slot may hold on to the last.
static __attribute__((noinline)) void lose(void) {
  for (int i = 0; i < 10; i++) {
    void *volatile lost = malloc(4711);
    if (lost) memset((void *)lost, 1, 4711);
  }
}
*/
import "C"

// Found says whether C memory has been lost. It prints what and where.
func Found() bool { return C.__lsan_do_recoverable_leak_check() != 0 }

// Lose loses C memory, to prove that Found finds it.
func Lose() { C.lose() }
