// The real dlsym, below our own: the C library's, and the next one in line where another preload
// interposes it too.
#pragma once

namespace vramlab::preload {

using DlsymFunction = void* (*)(void* handle, const char* name);

struct DlsymChain {
  DlsymFunction libc = nullptr;
  /// Whom our dlsym hands over to: the C library's or another interposer's.
  DlsymFunction next = nullptr;
};

/// Found on first use, without memory or locks: dlsym is called before anything is set up.
DlsymChain dlsym_chain();

/// Looks behind us, in the order of the loaded libraries.
void* symbol_after_us(const char* name);

/// Whether both lie in one library. False where either lies in none.
bool in_same_library(const void* one, const void* other);

}  // namespace vramlab::preload
