// The CUDA driver that this process has loaded, and its own functions behind our hooks. We never
// load one: a program without a driver stays without. The first one seen counts, and stays loaded.
#pragma once

#include "tools/preload/ground/hook_table.h"

namespace vramlab::preload {

/// Whether the process has a driver. Nothing is called in it.
bool driver_is_loaded();

/// Whether this is code of that driver (libcuda.so*, not the runtime, not another namespace's).
bool is_of_driver(const void* address);

/// Null where there is no driver, or it has none of this name.
void* driver_symbol(const char* name);
template <class Function>
Function driver_function_of(const char* symbol) {
  return reinterpret_cast<Function>(driver_symbol(symbol));
}

/// The driver's own function, or null.
void* driver_function(Hook hook);
/// What its resolver gave, for a driver that does not export the symbol.
void keep_driver_function(Hook hook, void* function);

/// What a call ends with that finds no driver.
inline constexpr CUresult no_driver = CUDA_ERROR_STUB_LIBRARY;

template <Hook hook, class... Arguments>
CUresult call_driver(Arguments... arguments) {
  const auto function = reinterpret_cast<typename HookType<hook>::Function>(driver_function(hook));
  return function == nullptr ? no_driver : function(arguments...);
}

}  // namespace vramlab::preload
