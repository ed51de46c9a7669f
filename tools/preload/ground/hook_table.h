// The table of hooks: which of our functions a program gets for a symbol, or for a name, version
// and stream meaning that it asks cuGetProcAddress for. No state, no driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tools/preload/ground/hook_list.h"
#include "tools/preload/ground/memory_calls.h"

namespace vramlab::preload {

/// By symbol.
enum class Hook : std::uint8_t {
#define VRAMLAB_HOOK_NAME(symbol, type, use) symbol,
  VRAMLAB_HOOKS(VRAMLAB_HOOK_NAME)
#undef VRAMLAB_HOOK_NAME
};

// NOLINTNEXTLINE(bugprone-macro-parentheses): it is a part of a sum.
#define VRAMLAB_COUNT_HOOK(symbol, type, use) +1
inline constexpr std::size_t hook_count = VRAMLAB_HOOKS(VRAMLAB_COUNT_HOOK);
#undef VRAMLAB_COUNT_HOOK

enum class HookUse : std::uint8_t {
  resolver,
  memory,
  streams,
  contexts,
  /// Told to the recorder and to nobody else: left alone while nothing is recorded.
  recorded,
};

struct HookRow {
  Hook hook;
  std::string_view symbol;
  /// What cuGetProcAddress is asked for, and since which version this function is the answer.
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

/// `cu` and a capital letter: none of cublas, cudnn, curl.
bool is_driver_name(const char* symbol);

/// The type of the driver's function.
template <Hook hook>
struct HookType;
#define VRAMLAB_HOOK_TYPE(symbol, type, use) \
  template <>                                \
  struct HookType<Hook::symbol> {            \
    using Function = type;                   \
  };
VRAMLAB_HOOKS(VRAMLAB_HOOK_TYPE)
#undef VRAMLAB_HOOK_TYPE

}  // namespace vramlab::preload
