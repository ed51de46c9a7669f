#include "tools/preload/driver/driver_library.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace vramlab::preload {
namespace {

struct LoadedDriver {
  void* handle = nullptr;
  const link_map* map = nullptr;
};

// Found without locks: a second search finds the same, and a fork leaves nothing locked.
// `driver_map` is set last, and says that the rest is set.
std::atomic<void*> driver_handle;
std::atomic<const link_map*> driver_map;
std::array<std::atomic<void*>, hook_count> driver_functions;

bool has_driver_file_name(const char* path) {
  if (path == nullptr) return false;
  const char* const slash = std::strrchr(path, '/');
  return std::string_view(slash == nullptr ? path : slash + 1).starts_with("libcuda.so");
}

void find_functions(void* handle) {
  for (const HookRow& row : hook_rows()) {
    if (void* const found = dlsym_chain().libc(handle, row.symbol.data()))
      driver_functions[static_cast<std::size_t>(row.hook)].store(found, std::memory_order_relaxed);
  }
}

/// The library of this name in our own namespace, if it is loaded.
LoadedDriver loaded_library(const char* name) {
  LoadedDriver driver;
  driver.handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  link_map* map = nullptr;
  if (driver.handle != nullptr && dlinfo(driver.handle, RTLD_DI_LINKMAP, &map) == 0)
    driver.map = map;
  return driver;
}

/// A thread that comes second with the same driver does the same again rather than go on without.
const link_map* adopt(const LoadedDriver& driver) {
  if (driver.map == nullptr) return nullptr;
  void* first = nullptr;
  if (driver_handle.compare_exchange_strong(first, driver.handle) || first == driver.handle) {
    find_functions(driver.handle);
    driver_map.store(driver.map, std::memory_order_release);
  }
  return driver_map.load(std::memory_order_acquire);
}

/// The library that an address lies in; null where it lies in none.
const link_map* library_of(const void* address) {
  Dl_info info{};
  link_map* map = nullptr;
  const int found = dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP);
  return found == 0 ? nullptr : map;
}

}  // namespace

bool driver_is_loaded() {
  if (driver_map.load(std::memory_order_acquire) != nullptr) return true;
  return adopt(loaded_library("libcuda.so.1")) != nullptr;
}

bool is_of_driver(const void* address) {
  const link_map* const library = library_of(address);
  if (library == nullptr || !has_driver_file_name(library->l_name)) return false;
  if (const link_map* const known = driver_map.load(std::memory_order_acquire))
    return library == known;
  const LoadedDriver driver = loaded_library(library->l_name);
  return driver.map == library && adopt(driver) == library;
}

void* driver_symbol(const char* name) {
  if (!driver_is_loaded()) return nullptr;
  return dlsym_chain().libc(driver_handle.load(std::memory_order_acquire), name);
}

void* driver_function(Hook hook) {
  if (!driver_is_loaded()) return nullptr;
  return driver_functions[static_cast<std::size_t>(hook)].load(std::memory_order_relaxed);
}

void keep_driver_function(Hook hook, void* function) {
  void* none = nullptr;
  driver_functions[static_cast<std::size_t>(hook)].compare_exchange_strong(none, function);
}

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
  // The C library looks at its caller, so this must stay a call and never become a jump.
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
