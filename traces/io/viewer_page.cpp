#include "traces/io/viewer_page.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> base64_digits = [] {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint8_t, 256> table{};
  table.fill(no_digit);
  std::uint8_t digit = 0;
  for (const char letter : letters) table[static_cast<unsigned char>(letter)] = digit++;
  return table;
}();

/// The bytes that a text of base64 within another source spells, up to the quote that ends it.
class Base64Source : public ByteSource {
 public:
  /// The text begins at byte `begin` of the source.
  Base64Source(std::unique_ptr<ByteSource> source, std::uint64_t begin, std::string file)
      : source_(std::move(source)), begin_(begin), file_(std::move(file)) {
    while (position_ < begin_) next_letter();
  }

  std::size_t read(char* target, std::size_t count) override {
    std::size_t got = 0;
    while (got < count && fill_group())
      while (got < count && group_at_ < group_bytes_) target[got++] = group_[group_at_++];
    return got;
  }

  std::unique_ptr<ByteSource> reopen() const override {
    auto again = source_->reopen();
    return again ? std::make_unique<Base64Source>(std::move(again), begin_, file_) : nullptr;
  }

 private:
  char next_letter() {
    if (at_ == count_) {
      count_ = source_->read(piece_.data(), piece_.size());
      at_ = 0;
      if (count_ == 0) fail("the rest of a snapshot in base64", "the end of the file");
    }
    ++position_;
    return piece_[at_++];
  }

  /// Four letters are three bytes, fewer at the end. False at the end.
  bool fill_group() {
    if (group_at_ < group_bytes_) return true;
    if (has_ended_) return false;
    std::uint32_t bits = 0;
    std::size_t letters = 0;
    for (; letters < 4; ++letters) {
      const char letter = next_letter();
      const std::uint8_t digit = base64_digits[static_cast<unsigned char>(letter)];
      if (digit == no_digit) {
        end_text(letter, letters);
        break;
      }
      bits = bits << 6U | digit;
    }
    bits <<= 6U * (4 - letters);
    for (std::size_t i = 0; i < group_.size(); ++i)
      group_[i] = static_cast<char>(bits >> (16 - 8 * i));
    group_at_ = 0;
    group_bytes_ = letters == 0 ? 0 : letters - 1;
    return group_bytes_ > 0;
  }

  /// From the letter on that is no digit, behind so many letters of a group.
  void end_text(char letter, std::size_t letters) {
    while (letter == '=') letter = next_letter();
    if (letter != '"' || letters == 1) fail("a snapshot in base64", "another letter");
    has_ended_ = true;
  }

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw InputError({file_, "byte " + std::to_string(position_), expected, found});
  }

  std::unique_ptr<ByteSource> source_;
  std::uint64_t begin_;
  std::string file_;
  std::string piece_ = std::string(std::size_t{1} << 16, '\0');
  std::size_t count_ = 0;
  std::size_t at_ = 0;
  /// The place behind the letter that was taken last.
  std::uint64_t position_ = 0;
  std::array<char, 3> group_{};
  std::size_t group_bytes_ = 0;
  std::size_t group_at_ = 0;
  bool has_ended_ = false;
};

/// The place of the first letter of base64; null where there is none.
std::optional<std::size_t> find_base64(std::string_view page) {
  constexpr std::string_view key = "\"base64\"";
  std::size_t at = page.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  at += key.size();
  for (const char wanted : {':', '"'}) {
    at = page.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos || page[at] != wanted) return std::nullopt;
    ++at;
  }
  return at;
}

}  // namespace

bool begins_like_page(std::string_view bytes) {
  bytes = without_byte_order_mark(bytes);
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && bytes[begin] == '<';
}

std::unique_ptr<ByteSource> open_page_snapshot(std::unique_ptr<ByteSource>& page,
                                               const std::string& file) {
  constexpr std::size_t most_bytes_before = std::size_t{1} << 16;
  const auto begin = find_base64(look_ahead(page, most_bytes_before));
  if (!begin) return nullptr;
  return std::make_unique<Base64Source>(std::move(page), *begin, file);
}

}  // namespace vramlab::traces
