// The words of the native trace that its reader and its writer share (docs/trace_format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vramlab::traces::native {

inline constexpr std::string_view format_name = "vramlab-trace";
inline constexpr std::uint64_t newest_version = 1;

/// A text that is longer, or no UTF-8, stands in a line of its own and is referred to.
inline constexpr std::size_t longest_text_in_place = 24;

// Keys of objects that stand for what JSON has no spelling for. No other key begins like them.
inline constexpr char special_start = '$';
inline constexpr std::string_view text_reference = "$text";
inline constexpr std::string_view value_reference = "$value";
inline constexpr std::string_view tuple = "$tuple";
inline constexpr std::string_view list = "$list";
inline constexpr std::string_view pairs = "$pairs";
inline constexpr std::string_view real_bits = "$real";
/// Of a key: this and the text's number.
inline constexpr std::string_view key_reference = "$text:";

}  // namespace vramlab::traces::native
