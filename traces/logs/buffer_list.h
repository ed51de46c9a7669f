// Reads lists of buffers as google/minimalloc has them: comma-separated values with a line of
// names, a buffer a line, each with its lifetime and size. The names of columns differ from list to
// list:
//
//   id, buffer_id, buffer      its name
//   lower, start, begin        when it begins
//   upper                      when it is over; with `end` instead: its last moment
//   size, alignment, hint, offset
//   gaps                       when it is not needed: `7-9 11-12@0:4`; a window behind the @ names
//                              the only bytes that are needed then
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/io/byte_source.h"

namespace vramlab::traces {

struct BufferGap {
  /// [lower, upper) in time.
  std::uint64_t lower = 0;
  std::uint64_t upper = 0;
  /// The bytes that are needed in the gap, too.
  std::uint64_t needed_bytes = 0;
};

struct BufferRow {
  std::string id;
  /// [lower, upper) in time.
  std::uint64_t lower = 0;
  std::uint64_t upper = 0;
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
  /// The offset at which the buffer was placed, or should be.
  std::optional<std::uint64_t> hint;
  std::optional<std::uint64_t> offset;
  /// Ascending, inside the lifetime.
  std::vector<BufferGap> gaps;
};

/// True if these first bytes are a line of such names.
bool begins_like_buffer_list(std::string_view bytes);

/// `file` is the input's name for messages. All sizes together are below 2^62. Throws InputError.
std::vector<BufferRow> read_buffer_list(ByteSource& source, const std::string& file);

}  // namespace vramlab::traces
