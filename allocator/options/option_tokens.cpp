#include "allocator/options/option_tokens.h"

#include "allocator/words/check.h"

namespace vramlab::allocator {

OptionTokens::OptionTokens(std::string_view text, std::string_view blanks) {
  constexpr std::string_view separators = ",:[]";
  std::string word;
  const auto finish_word = [&] {
    if (!word.empty()) tokens_.push_back(std::move(word));
    word.clear();
  };
  for (const char character : text) {
    if (separators.find(character) != std::string_view::npos) {
      finish_word();
      tokens_.emplace_back(1, character);
    } else if (blanks.find(character) == std::string_view::npos) {
      word += character;
    }
  }
  finish_word();
}

const std::string& OptionTokens::next() const {
  check(!at_end(), "only a token that is there can be looked at");
  return tokens_[position_];
}

const std::string& OptionTokens::take() {
  const std::string& token = next();
  ++position_;
  return token;
}

}  // namespace vramlab::allocator
