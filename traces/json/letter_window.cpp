#include "traces/json/letter_window.h"

#include <algorithm>
#include <cstring>

#include "allocator/types/check.h"

namespace vramlab::traces {

bool LetterWindow::fill() {
  if (source_ended_) return false;
  ++fill_count_;
  const auto passed = static_cast<std::size_t>(at_ - buffer_.data());
  const std::size_t dropped = passed - std::min(passed, quoted_bytes);
  const auto kept = static_cast<std::size_t>(end_ - buffer_.data()) - dropped;
  if (dropped > 0) std::memmove(buffer_.data(), buffer_.data() + dropped, kept);
  buffer_position_ += dropped;
  // The letters that fill it are really there, so growing is safe.
  if (2 * kept > buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t got = source_.read(buffer_.data() + kept, buffer_.size() - scan_padding - kept);
  source_ended_ = got == 0;
  at_ = buffer_.data() + (passed - dropped);
  end_ = buffer_.data() + kept + got;
  std::fill_n(buffer_.data() + kept + got, scan_padding, '\0');
  return true;
}

std::string_view LetterWindow::last_letters(std::uint64_t from, const char* end) const {
  const std::uint64_t end_position = position_of(end);
  std::uint64_t longest = std::min<std::uint64_t>(quoted_bytes, end_position - buffer_position_);
  if (from < end_position) longest = std::min(longest, end_position - from);
  return {end - longest, as_index(longest)};
}

}  // namespace vramlab::traces
