#include "tools/preload/driver/dlsym_chain.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

namespace vramlab::preload {
namespace {

// Static storage without constructors: zero until found, and finding twice gives the same.
std::atomic<DlsymFunction> libc_dlsym;
std::atomic<DlsymFunction> next_dlsym;

/// The version under which each platform's C library has it: x86-64, 64-bit ARM, all since 2.34.
DlsymFunction find_libc_dlsym() {
  for (const char* const version : {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.34"})
    if (void* const found = dlvsym(RTLD_NEXT, "dlsym", version))
      return reinterpret_cast<DlsymFunction>(found);
  // Without it, no look-up of the process could be answered.
  std::abort();
}

}  // namespace

DlsymChain dlsym_chain() {
  DlsymChain chain{libc_dlsym.load(std::memory_order_acquire),
                   next_dlsym.load(std::memory_order_acquire)};
  if (chain.next != nullptr) return chain;
  chain.libc = find_libc_dlsym();
  libc_dlsym.store(chain.libc, std::memory_order_release);
  void* const next = chain.libc(RTLD_NEXT, "dlsym");
  chain.next = next == nullptr ? chain.libc : reinterpret_cast<DlsymFunction>(next);
  next_dlsym.store(chain.next, std::memory_order_release);
  return chain;
}

void* symbol_after_us(const char* name) {
  // The C library goes by who calls it, so this call must stay one (no jump).
  void* volatile found = dlsym_chain().libc(RTLD_NEXT, name);
  return found;
}

bool in_same_library(const void* one, const void* other) {
  Dl_info of_one{};
  Dl_info of_other{};
  return dladdr(one, &of_one) != 0 && dladdr(other, &of_other) != 0 &&
         of_one.dli_fbase == of_other.dli_fbase;
}

}  // namespace vramlab::preload
