// LineSource: an input's lines, one at a time, with the byte where each begins. For formats of
// short lines: a longer one is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/io/byte_source.h"

namespace vramlab::traces {

/// Some programs begin their text files with a byte order mark.
std::string_view without_byte_order_mark(std::string_view bytes);

/// The number that all of the letters are; null if they are none of 64 bits.
std::optional<std::uint64_t> whole_number(std::string_view letters, int base = 10);

class LineSource {
 public:
  static constexpr std::size_t longest_line = 4096;

  /// Both must outlive it. `file` is the input's name for messages.
  LineSource(ByteSource& source, const std::string& file)
      : source_(source), file_(file), buffer_(buffer_bytes) {}

  /// Without the line's end (`\n` or `\r\n`) and a byte order mark before the first; valid until
  /// the next call. Null at the end of the input. Throws InputError.
  std::optional<std::string_view> next();

  /// Something else than what is expected is in it; quoted, as it may be any bytes.
  [[noreturn]] void fail(const std::string& expected, std::string_view found) const;
  std::uint64_t bytes_taken() const { return next_position_; }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
  static_assert(longest_line < buffer_bytes);

  bool fill();
  std::string_view take(std::size_t count, std::size_t end_bytes);

  ByteSource& source_;
  const std::string& file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool source_ended_ = false;
  std::uint64_t position_ = 0;
  std::uint64_t next_position_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace vramlab::traces
