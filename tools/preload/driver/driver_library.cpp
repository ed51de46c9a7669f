#include "tools/preload/driver/driver_library.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstring>

#include "tools/preload/driver/dlsym_chain.h"

namespace vramlab::preload {
namespace {

struct LoadedDriver {
  void* handle = nullptr;
  const link_map* map = nullptr;
};

// Found without locks: whoever finds it twice finds the same, and a fork leaves nothing locked.
// `driver_map` is set last, and says that the rest is there.
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

/// Whoever comes second with the same driver does the same again rather than go on without.
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

}  // namespace vramlab::preload
