// How a function of the driver is written here: STAND_IN_CALL or STAND_IN_TWINS with its symbol,
// and the word `written` in its row of streams/cuda_interface/function_list.h. driver_functions.cpp
// answers for all others.
#pragma once

#include <cstring>
#include <type_traits>

#include "streams/cuda_interface/functions.h"
#include "tools/cuda_standins/driver/driver_symbols.h"
#include "tools/cuda_standins/model/stand_in_driver.h"

// With other parameters than the list has, a function does not compile.
#define VRAMLAB_CUDA_SYMBOL(symbol, parameters) \
  extern "C" CUresult STAND_IN_SYMBOL(symbol) parameters; /* NOLINT(bugprone-macro-parentheses) */
VRAMLAB_CUDA_SYMBOLS
#undef VRAMLAB_CUDA_SYMBOL

/// STAND_IN_CALL(cuMemAlloc_v2)(parameters) { ... }
#define STAND_IN_CALL(name) STAND_IN_EXPORT CUresult STAND_IN_SYMBOL(name)

/// Both stream variants of a function, over on_NAME(site, arguments).
#define STAND_IN_TWINS(name, suffix, needs, parameters, ...)                             \
  STAND_IN_CALL(name) parameters {                                                       \
    return on_##name({#name, needs, vramlab::dry_run::NullStream::legacy}, __VA_ARGS__); \
  }                                                                                      \
  STAND_IN_CALL(name##suffix) parameters {                                               \
    return on_##name({#name #suffix, needs, vramlab::dry_run::NullStream::per_thread},   \
                     __VA_ARGS__);                                                       \
  }

namespace vramlab::dry_run {

/// Each function names what it needs.
using enum CallNeeds;

template <class Value>
std::uint64_t as_number(Value value) {
  if constexpr (std::is_pointer_v<Value>)
    return reinterpret_cast<std::uintptr_t>(value);
  else
    return static_cast<std::uint64_t>(value);
}

template <class Body, class... Arguments>
CUresult driver_call(const CallSite& site, const Body& body, Arguments... arguments) {
  return the_driver().call(site, {as_number(arguments)...}, body);
}

/// Sets the output and says so in the log.
template <class Output, class Value>
CUresult give(StandInDriver& driver, Output* output, Value value) {
  if (output == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *output = static_cast<Output>(value);
  driver.set_output(as_number(*output));
  return CUDA_SUCCESS;
}

/// Writes the value to an output of a type that the caller names.
template <class Value>
CUresult put(void* into, Value value) {
  std::memcpy(into, &value, sizeof value);  // NOLINT(bugprone-sizeof-expression): also pointers.
  return CUDA_SUCCESS;
}

/// A call that changes nothing here.
inline CUresult accept(const char* name) {
  return the_driver().call({name, context}, {}, [](StandInDriver&) { return CUDA_SUCCESS; });
}

inline bool has_device(const StandInDriver& driver, CUdevice device) {
  return device >= 0 && static_cast<std::uint32_t>(device) < driver.options().device_count;
}

inline CUresult refuse_unless(bool holds, CUresult reason = CUDA_ERROR_INVALID_VALUE) {
  return holds ? CUDA_SUCCESS : reason;
}

}  // namespace vramlab::dry_run
