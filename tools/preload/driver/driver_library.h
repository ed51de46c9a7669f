// The CUDA driver that this process has loaded, its own functions behind our hooks, and the real
// dlsym. We never load a driver: a program without one stays without. The first one seen counts,
// and stays loaded.
#pragma once

#include "tools/preload/ground/hook_table.h"

namespace vramlab::preload {

/// Whether the process has a driver. Nothing is called in it.
bool driver_is_loaded();

/// Says whether this is code of that driver (libcuda.so*, not the runtime, not another
/// namespace's).
bool is_of_driver(const void* address);

/// Null without a driver, or if it has no such symbol.
void* driver_symbol(const char* name);
template <class Function>
Function driver_function_of(const char* symbol) {
  return reinterpret_cast<Function>(driver_symbol(symbol));
}

/// The driver's own function, or null.
void* driver_function(Hook hook);
/// Keeps the function that its resolver gave, for a driver that does not export the symbol.
void keep_driver_function(Hook hook, void* function);

/// The result of a call that finds no driver.
inline constexpr CUresult no_driver = CUDA_ERROR_STUB_LIBRARY;

template <Hook hook, class... Arguments>
CUresult call_driver(Arguments... arguments) {
  const auto function = reinterpret_cast<typename HookType<hook>::Function>(driver_function(hook));
  return function == nullptr ? no_driver : function(arguments...);
}

// The real dlsym, below our own: the C library's, and the next one in line where another preload
// interposes it too.

using DlsymFunction = void* (*)(void* handle, const char* name);

struct DlsymChain {
  DlsymFunction libc = nullptr;
  /// The one that our dlsym hands over to: the C library's or another interposer's.
  DlsymFunction next = nullptr;
};

/// Found on first use, without memory or locks: dlsym is called before anything is set up.
DlsymChain dlsym_chain();

/// Looks behind us, in the order of the loaded libraries.
void* symbol_after_us(const char* name);

/// Whether both lie in one library. False where either lies in none.
bool in_same_library(const void* one, const void* other);

}  // namespace vramlab::preload
