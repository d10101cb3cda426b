/* For tests under Wine alone: old versions of it lack bcryptprimitives.dll, which the Rust standard library asks for random
 * bytes. Windows has it. */
#include <windows.h>

#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T len) {
  while (len > 0) {
    const ULONG part = len < 0x10000000 ? (ULONG)len : 0x10000000;
    if (!RtlGenRandom(data, part)) {
      return FALSE;
    }
    data += part;
    len -= part;
  }
  return TRUE;
}
