// How a function of the driver is written here: with its C name, compiled twice. The static library
// has it as fake_cuX, so that tests may link it beside anything; libcuda.so.1 has it as cuX.
#pragma once

#include <type_traits>

#include "streams/cuda_interface/functions.h"
#include "tests/fake_cuda/engine/fake_cuda.h"

#ifdef FAKE_CUDA_IS_LIBCUDA
#define FAKE_CUDA_SYMBOL(name) name
#else
#define FAKE_CUDA_SYMBOL(name) fake_##name
#endif
#define FAKE_CUDA_EXPORT extern "C" __attribute__((visibility("default")))

// What the interface says of them: with other parameters, a function does not compile.
#define FAKE_CUDA_DECLARE(name, symbol, version, parameters) \
  extern "C" CUresult FAKE_CUDA_SYMBOL(symbol) parameters;
#define FAKE_CUDA_DECLARE_TWO(name, symbol, version, suffix, other, parameters) \
  FAKE_CUDA_DECLARE(name, symbol, version, parameters)                          \
  extern "C" CUresult FAKE_CUDA_SYMBOL(symbol##suffix) parameters;
VRAMLAB_CUDA_FUNCTIONS(FAKE_CUDA_DECLARE, FAKE_CUDA_DECLARE_TWO)
#undef FAKE_CUDA_DECLARE
#undef FAKE_CUDA_DECLARE_TWO

/// FAKE_CUDA_CALL(cuMemAlloc_v2)(parameters) { ... }
#define FAKE_CUDA_CALL(name) FAKE_CUDA_EXPORT CUresult FAKE_CUDA_SYMBOL(name)

/// Both stream variants of a function, over on_NAME(site, arguments).
#define FAKE_CUDA_TWINS(name, suffix, needs, parameters, ...)                                     \
  FAKE_CUDA_CALL(name) parameters {                                                               \
    return on_##name({#name, needs, vramlab::fake::NullStream::legacy}, __VA_ARGS__);             \
  }                                                                                               \
  FAKE_CUDA_CALL(name##suffix) parameters {                                                       \
    return on_##name({#name #suffix, needs, vramlab::fake::NullStream::per_thread}, __VA_ARGS__); \
  }

namespace vramlab::fake {

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
CUresult fake_call(const CallSite& site, const Body& body, Arguments... arguments) {
  return the_driver().call(site, {as_number(arguments)...}, body);
}

/// Sets the output and says so in the log.
template <class Output, class Value>
CUresult give(FakeCuda& fake, Output* output, Value value) {
  if (output == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *output = static_cast<Output>(value);
  fake.set_output(as_number(*output));
  return CUDA_SUCCESS;
}

inline CUresult refuse_unless(bool holds, CUresult reason = CUDA_ERROR_INVALID_VALUE) {
  return holds ? CUDA_SUCCESS : reason;
}

}  // namespace vramlab::fake
