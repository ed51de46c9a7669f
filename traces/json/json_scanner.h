// JsonScanner: JSON taken piece by piece out of a ByteSource by a reader that knows what it wants
// next. A line end is no space: it ends a record. Nothing is held but the text or number at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/files/byte_source.h"
#include "traces/values/snapshot_values.h"

namespace vramlab::traces {

class JsonScanner {
 public:
  static constexpr std::size_t longest_text_bytes = std::size_t{128} << 20;

  enum class Lines : std::uint8_t { told, not_told };
  /// What messages say about where something is.
  struct Origin {
    const std::string& file;
    /// Of the source's first byte.
    std::uint64_t byte = 0;
    Lines lines = Lines::told;
  };

  /// Source and file name must outlive it.
  JsonScanner(ByteSource& source, Origin origin);

  /// The next letter that is no space; 0 at the end of the source.
  char peek();
  /// Takes the letter if it is the next one.
  bool take_if(char letter);
  void take(char letter);

  // Each takes a value, and fails where another one stands.
  /// Valid until the next call.
  std::string_view text();
  bool boolean();
  void null();
  std::uint64_t unsigned_number(std::uint64_t maximum = UINT64_MAX);
  struct Number {
    enum class Kind : std::uint8_t { whole, long_whole, real };
    Kind kind = Kind::whole;
    WholeNumber whole;
    double real = 0;
    bool is_whole() const { return kind == Kind::whole; }
  };
  Number number();
  /// The letters of the number that was taken last: valid until anything else is called.
  std::string_view number_letters() const { return word_; }
  double real();

  /// Fails where something stands before the line's end.
  void end_line();
  void skip_blank_lines();
  bool is_at_end() { return peek() == '\0'; }

  // At what was taken or looked at last.
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  [[noreturn]] void fail(const std::string& expected);
  /// Quotes a text that was found.
  [[noreturn]] void fail_at_text(const std::string& expected, std::string_view found) const {
    fail(expected, quoted(found));
  }
  std::uint64_t bytes_taken() const {
    return bytes_before_ + static_cast<std::uint64_t>(at_ - buffer_.data());
  }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

  bool fill();
  bool has_letter() { return at_ != end_ || fill(); }
  char next_letter(const char* expected);
  std::string describe_next();
  std::string_view long_text(const char* begin);
  void add_to_word(std::string_view letters);
  void take_escape();
  std::uint32_t take_hex_unit();
  void add_code(std::uint32_t code);
  void take_word(std::string_view word);
  Number whole_word() const;
  Number real_word() const;
  static std::string quoted(std::string_view text);

  ByteSource& source_;
  Origin origin_;
  std::vector<char> buffer_;
  const char* at_;
  const char* end_;
  std::uint64_t bytes_before_;
  std::uint64_t token_byte_;
  std::uint64_t line_ = 1;
  std::string word_;
};

}  // namespace vramlab::traces
