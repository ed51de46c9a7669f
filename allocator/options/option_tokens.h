// OptionTokens: an option string cut into words and separators, read from front to back. Each of
// `,` `:` `[` `]` is a token of its own, blanks vanish wherever they stand (so words on both sides
// of one grow together), and everything else gathers into words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vramlab::allocator {

class OptionTokens {
 public:
  /// `blanks`: the characters that vanish.
  OptionTokens(std::string_view text, std::string_view blanks);

  bool at_end() const { return position_ == tokens_.size(); }
  bool next_is(std::string_view token) const { return !at_end() && tokens_[position_] == token; }
  /// Requires: not at the end.
  const std::string& next() const;
  /// The next token, which is then behind us. Requires: not at the end.
  const std::string& take();
  void start_again() { position_ = 0; }

 private:
  std::vector<std::string> tokens_;
  std::size_t position_ = 0;
};

}  // namespace vramlab::allocator
