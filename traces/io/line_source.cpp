#include "traces/io/line_source.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "traces/io/input_error.h"

namespace vramlab::traces {

std::string_view without_byte_order_mark(std::string_view bytes) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (bytes.starts_with(mark)) bytes.remove_prefix(mark.size());
  return bytes;
}

std::optional<std::uint64_t> whole_number(std::string_view letters, int base) {
  std::uint64_t value = 0;
  const char* const end = letters.data() + letters.size();
  const auto [stop, error] = std::from_chars(letters.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::string_view> LineSource::next() {
  while (true) {
    const std::string_view there(buffer_.data() + begin_, end_ - begin_);
    const std::size_t line_end = there.find('\n');
    const bool is_here = line_end != std::string_view::npos;
    if (std::min(line_end, there.size()) > longest_line)
      throw InputError({file_, "byte " + std::to_string(next_position_),
                        "a line of at most " + std::to_string(longest_line) + " bytes",
                        "a longer one"});
    if (is_here) return take(line_end, 1);
    if (fill()) continue;
    if (there.empty()) return std::nullopt;
    return take(there.size(), 0);
  }
}

std::string_view LineSource::take(std::size_t count, std::size_t end_bytes) {
  std::string_view line(buffer_.data() + begin_, count);
  begin_ += count + end_bytes;
  position_ = next_position_;
  next_position_ += count + end_bytes;
  if (++number_ == 1) line = without_byte_order_mark(line);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void LineSource::fail(const std::string& expected, std::string_view found) const {
  constexpr std::size_t quoted_bytes = 40;
  std::string quoted = "'";
  for (const char letter : found.substr(0, quoted_bytes))
    quoted += letter < ' ' || letter > '~' ? '?' : letter;
  throw InputError({file_,
                    "byte " + std::to_string(position_) + " (line " + std::to_string(number_) + ")",
                    expected, quoted + "'"});
}

/// False at the end of the input.
bool LineSource::fill() {
  if (source_ended_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  source_ended_ = got == 0;
  return !source_ended_;
}

}  // namespace vramlab::traces
