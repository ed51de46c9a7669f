// LetterWindow: the part of an input's letters that is looked at now. Whoever scans it moves at()
// forward and asks for more letters where they end; what is behind at() goes, but for the few that
// messages quote. So memory is what the longest single text needs, not what the file needs.
//
// Promises: behind end() there is a 0 and then room to read, as letter_scan wants it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/io/byte_source.h"
#include "traces/json/letter_scan.h"

namespace vramlab::traces {

class LetterWindow {
 public:
  static constexpr std::size_t default_bytes = std::size_t{1} << 18;
  /// How much of what was passed can be quoted.
  static constexpr std::size_t quoted_bytes = 20;

  /// The source must outlive it; its first byte has the position `begin`.
  explicit LetterWindow(ByteSource& source, std::size_t bytes = default_bytes,
                        std::uint64_t begin = 0)
      : source_(source),
        buffer_(bytes + scan_padding),
        buffer_position_(begin),
        at_(buffer_.data()),
        end_(buffer_.data()) {}
  LetterWindow(const LetterWindow&) = delete;
  LetterWindow& operator=(const LetterWindow&) = delete;

  const char* at() const { return at_; }
  const char* end() const { return end_; }
  /// Requires: the place is in the window, and not behind its end.
  void go_to(const char* place) { at_ = place; }

  /// Gets more letters, if there are any; those from at() on stay, at another place. False, with
  /// nothing moved, once the input is known to have ended.
  bool fill();
  /// Whether so many letters follow; they are in the window then.
  bool has(std::size_t count) {
    while (static_cast<std::size_t>(end_ - at_) < count)
      if (!fill()) return false;
    return true;
  }
  /// A place keeps its meaning as long as this number stays.
  std::uint64_t fill_count() const { return fill_count_; }

  std::uint64_t position_of(const char* place) const {
    return buffer_position_ + static_cast<std::uint64_t>(place - buffer_.data());
  }
  std::uint64_t bytes_taken() const { return position_of(at_); }
  /// The last of the letters from a position on up to `end`, at most `quoted_bytes`.
  std::string_view last_letters(std::uint64_t from, const char* end) const;

 private:
  ByteSource& source_;
  std::vector<char> buffer_;
  /// The position of the buffer's first letter in the input.
  std::uint64_t buffer_position_;
  const char* at_;
  const char* end_;
  std::uint64_t fill_count_ = 0;
  bool source_ended_ = false;
};

}  // namespace vramlab::traces
