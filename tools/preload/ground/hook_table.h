// The table of hooks: the driver's functions that the preload replaces with its own, and the one
// that a program gets for a symbol, or for a name, version and stream meaning that it asks
// cuGetProcAddress for. It has no state and needs no driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "streams/cuda_interface/functions.h"
#include "tools/preload/ground/memory_calls.h"

// For each hook, VRAMLAB_HOOK(symbol, type, name, since, meaning of stream 0, use), which is
// defined where this is used.
//
// Every version of a hooked name from our oldest one on is hooked, so that the program's query
// decides which one it gets. Older ones (32-bit addresses) pass through.
#define VRAMLAB_HOOKS                                                                 \
  VRAMLAB_CUDA_FUNCTIONS(VRAMLAB_HOOK_OF_ONE, VRAMLAB_HOOK_OF_TWO, VRAMLAB_CUDA_NONE, \
                         VRAMLAB_CUDA_NONE)
#define VRAMLAB_HOOK_OF_ONE(name, symbol, since, stand_in, runtime, hook, call, parameters) \
  VRAMLAB_HOOK_##hook(symbol, PFN_##name##_v##since, #name, since, legacy)
#define VRAMLAB_HOOK_OF_TWO(name, symbol, since, suffix, other, stand_in, runtime, hook, call, \
                            parameters)                                                        \
  VRAMLAB_HOOK_##hook(symbol, PFN_##name##_v##since, #name, since, legacy)                     \
      VRAMLAB_HOOK_##hook(symbol##suffix, PFN_##name##_v##other##suffix, #name, other, per_thread)
#define VRAMLAB_HOOK_no(...)
#define VRAMLAB_HOOK_resolver(...) VRAMLAB_HOOK(__VA_ARGS__, resolver)
#define VRAMLAB_HOOK_memory(...) VRAMLAB_HOOK(__VA_ARGS__, memory)
#define VRAMLAB_HOOK_streams(...) VRAMLAB_HOOK(__VA_ARGS__, streams)
#define VRAMLAB_HOOK_contexts(...) VRAMLAB_HOOK(__VA_ARGS__, contexts)
#define VRAMLAB_HOOK_taking(...) VRAMLAB_HOOK(__VA_ARGS__, taking)
#define VRAMLAB_HOOK_room(...) VRAMLAB_HOOK(__VA_ARGS__, room)
#define VRAMLAB_HOOK_recorded(...) VRAMLAB_HOOK(__VA_ARGS__, recorded)

namespace vramlab::preload {

/// By symbol.
enum class Hook : std::uint8_t {
#define VRAMLAB_HOOK(symbol, ...) symbol,
  VRAMLAB_HOOKS
#undef VRAMLAB_HOOK
};

// NOLINTNEXTLINE(bugprone-macro-parentheses): it is a part of a sum.
#define VRAMLAB_HOOK(...) +1
inline constexpr std::size_t hook_count = VRAMLAB_HOOKS;
#undef VRAMLAB_HOOK

enum class HookUse : std::uint8_t {
  resolver,
  memory,
  streams,
  contexts,
  /// Takes memory of the device, and is told to the recorder.
  taking,
  /// May be refused memory, and is asked again: left alone in recordings.
  room,
  /// Told to the recorder alone: left alone while nothing is recorded.
  recorded,
};

struct HookRow {
  Hook hook;
  std::string_view symbol;
  /// The name that cuGetProcAddress is asked for, and the version since which this function is the
  /// answer.
  std::string_view name;
  int since;
  DefaultStream if_null;
  HookUse use;
};

/// In the order of the enum.
std::span<const HookRow> hook_rows();
inline const HookRow& row_of(Hook hook) { return hook_rows()[static_cast<std::size_t>(hook)]; }

std::optional<Hook> hook_of_symbol(std::string_view symbol);

struct DriverQuery {
  std::string_view name;
  int version = 0;
  DefaultStream if_null = DefaultStream::legacy;
};
/// Functions without a stream are the same for both meanings of stream 0.
std::optional<Hook> hook_of_query(const DriverQuery& query);

/// True for `cu` and a capital letter, so not for cublas, cudnn or curl.
bool is_driver_name(const char* symbol);

/// The type of the driver's function.
template <Hook hook>
struct HookType;
#define VRAMLAB_HOOK(symbol, type, ...) \
  template <>                           \
  struct HookType<Hook::symbol> {       \
    using Function = type;              \
  };
VRAMLAB_HOOKS
#undef VRAMLAB_HOOK

}  // namespace vramlab::preload
