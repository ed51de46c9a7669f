// Tokens of JSON text: JsonTokens gives its brackets, texts and scalars one after another, out of a
// window that moves over the input. It knows the grammar of each token and which may follow a
// value; the meaning of values is for its users. It decodes texts straight into ids. JsonLines
// reads a text of records by it; JsonGeneric reads values of any shape, and pass_value() passes
// over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/io/letters.h"
#include "traces/json/letter_window.h"
#include "traces/model/snapshot_fields.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

/// The source of JSON text. Source and name must outlive what uses it.
struct JsonInput {
  enum class LineEnds : std::uint8_t { blank, count, end_records };

  ByteSource& source;
  /// The input's name for messages.
  const std::string& file;
  /// A line's end is a blank, or it ends a record; messages then name the line if it is counted.
  LineEnds line_ends = LineEnds::blank;
  /// The place of the source's first byte in the file.
  std::uint64_t first_byte = 0;
  std::size_t window_bytes = LetterWindow::default_bytes;
  /// Programs that cut names at a number of bytes leave half a character behind.
  InvalidBytes invalid_bytes = InvalidBytes::refused;
};

class JsonTokens {
 public:
  /// A text or a number is held as a whole.
  static constexpr std::uint64_t longest_word = std::uint64_t{64} << 20;

  JsonTokens(JsonInput input, TextTable& texts)
      : window_(input.source, input.window_bytes, input.first_byte),
        file_(input.file),
        line_ends_(input.line_ends),
        invalid_bytes_(input.invalid_bytes),
        texts_(texts),
        short_texts_(texts) {}

  /// The next letter that is no white space; 0 at the end of the text.
  char peek() {
    // There is mostly no blank or a single one.
    if (*window_.at() > ' ') return *window_.at();
    if (window_.at()[0] == ' ' && window_.at()[1] > ' ') {
      window_.go_to(window_.at() + 1);
      return *window_.at();
    }
    return peek_far();
  }
  /// The same where a value must begin.
  char peek_value() {
    const char letter = peek();
    if (letter == '\0') refuse(window_.at());
    return letter;
  }
  /// Takes the letter that peek() showed. Requires: it showed one.
  void take() { window_.go_to(window_.at() + 1); }
  bool take_if(char letter) {
    if (peek() != letter) return false;
    take();
    return true;
  }
  void expect(char letter) {
    if (!take_if(letter)) refuse(window_.at());
  }
  /// After an item of a list or dict: true if another one follows, false at the closing bracket.
  bool take_separator(char closing_bracket) {
    const char letter = peek();
    if (letter != ',' && letter != closing_bracket) refuse(window_.at());
    take();
    return letter == ',';
  }
  /// The items of a list or dict whose opening bracket is next; `on_item` takes an item.
  template <typename OnItem>
  void take_each(char closing_bracket, const OnItem& on_item) {
    take();
    take_items(closing_bracket, on_item);
  }
  /// The same behind the opening bracket.
  template <typename OnItem>
  void take_items(char closing_bracket, const OnItem& on_item) {
    if (take_if(closing_bracket)) return;
    do on_item();
    while (take_separator(closing_bracket));
  }
  /// A text and the colon behind it.
  TextId take_key() {
    if (peek() != '"') refuse(window_.at());
    const TextId key = take_text();
    expect(':');
    return key;
  }
  /// Requires: peek() shows a quote.
  TextId take_text() {
    begin_quotes_here();
    const char* const letters = window_.at() + 1;
    const char* const stop = find_not_plain(letters);
    const auto count = static_cast<std::size_t>(stop - letters);
    if (*stop != '"') [[unlikely]]
      return texts_.intern(take_marked_text(count));
    window_.go_to(stop + 1);
    return short_texts_.intern({letters, count});
  }

  /// The same without keeping it: valid until anything else is called. Requires: peek() shows a
  /// quote.
  std::string_view take_passing_text() {
    begin_quotes_here();
    const char* const letters = window_.at() + 1;
    const char* const stop = find_not_plain(letters);
    const auto count = static_cast<std::size_t>(stop - letters);
    if (*stop != '"') [[unlikely]]
      return take_marked_text(count);
    window_.go_to(stop + 1);
    return {letters, count};
  }

  /// A text and the colon behind it, without keeping it: valid until the next text.
  const std::string& take_passing_key();
  /// The letters of the number that was taken last: valid until anything else is called.
  std::string_view number_letters() const {
    const auto count = static_cast<std::size_t>(window_.bytes_taken() - word_position_);
    return {window_.at() - count, count};
  }
  /// A text, number, or literal into a value that is as after its construction; the value is filled
  /// in place, as copying bytes that were just written is slow. Requires: peek() shows no opening
  /// bracket.
  void take_scalar(FieldValue& value);
  /// A UTF-8 mark at the very beginning has no meaning.
  void pass_byte_order_mark();
  void expect_end() {
    if (peek() != '\0') refuse(window_.at());
  }

  LetterWindow& window() { return window_; }
  const TextTable& texts() const { return texts_; }
  /// Messages quote nothing before this place.
  void begin_quotes_at(std::uint64_t position) { word_position_ = position; }
  void begin_quotes_here() { begin_quotes_at(window_.bytes_taken()); }

  /// Fails about the token that was taken last.
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  /// Fails about the value that is next.
  [[noreturn]] void fail_at_value(const std::string& expected);
  /// Fails as no JSON may have the letter at this place of the window.
  [[noreturn]] void refuse(const char* place) const;

 protected:
  using LineEnds = JsonInput::LineEnds;
  std::uint64_t word_position() const { return word_position_; }
  void count_line() { ++line_; }
  [[noreturn]] void fail_at(std::uint64_t byte, const std::string& expected,
                            const std::string& found) const;

 private:
  char peek_far();
  std::string_view take_marked_text(std::size_t plain_count);
  std::size_t find_closing_quote(std::size_t from);
  /// Gets more letters, if there are any, behind a word that begins at the window's place. False,
  /// with no letter moved, where none can come.
  bool lengthen_word();
  void take_number(FieldValue& value);
  /// The number that was taken last has more than 64 bits.
  void take_long_number(FieldValue& value);
  void take_real(FieldValue& value);
  void take_literal(std::string_view literal);

  LetterWindow window_;
  const std::string& file_;
  LineEnds line_ends_;
  InvalidBytes invalid_bytes_;
  std::uint64_t line_ = 1;
  TextTable& texts_;
  ShortTexts short_texts_;
  std::string decoded_;
  std::string passing_key_;
  /// The beginning of the last word: a text, a number, or letters that were taken as a whole.
  std::uint64_t word_position_ = 0;
};

/// The tokens of a text of records, for a reader that knows which token it wants next. A line's end
/// is no space here: it ends a record.
class JsonLines : public JsonTokens {
 public:
  JsonLines(JsonInput input, TextTable& texts) : JsonTokens(input, texts) {}

  void take(char letter) {
    if (!take_if(letter)) fail(std::string("'") + letter + "'");
  }

  /// A list; `on_item` takes an item.
  template <typename OnItem>
  void take_list(const OnItem& on_item) {
    take('[');
    for (bool is_first = true; !take_if(']'); is_first = false) {
      if (!is_first) take(',');
      on_item();
    }
  }

  // Each takes a value of its kind, and fails if another one comes.

  /// Valid until anything else is called.
  std::string_view text();
  bool boolean();
  std::uint64_t unsigned_number(std::uint64_t maximum = UINT64_MAX);
  FieldValue number();
  double real();

  /// Fails if a token stands before the line's end.
  void end_line();
  void skip_blank_lines();
  bool is_at_end() { return peek() == '\0'; }

  /// Fails about the text or number that was taken last.
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  /// The same, quoting the text that was found.
  [[noreturn]] void fail_at_text(const std::string& expected, std::string_view found) const;
  /// Fails about the token that comes next.
  [[noreturn]] void fail(const std::string& expected);
};

/// Reads values of any shape, without recursion, bounded in depth and in number of parts.
class JsonGeneric {
 public:
  static constexpr std::size_t most_parts = std::size_t{8} << 20;

  /// The tokens must outlive it.
  explicit JsonGeneric(JsonTokens& tokens) : tokens_(tokens) {}

  /// The value that begins where the tokens are.
  GenericPointer read();

 private:
  struct Open {
    std::shared_ptr<GenericValue> value;
    /// The key of the next value, in a dict.
    GenericPointer key;
  };

  bool is_in_dict() const {
    return !open_.empty() && std::holds_alternative<GenericDict>(open_.back().value->content);
  }
  void begin(GenericValue value);
  void add(GenericPointer value);
  GenericPointer end_innermost();
  GenericPointer end_what_ends_here();
  GenericPointer take_scalar();
  GenericPointer text(TextId id);
  void count_part();

  JsonTokens& tokens_;
  std::vector<Open> open_;
  std::size_t part_count_ = 0;
  /// The same value for the same text, by id.
  std::vector<GenericPointer> texts_;
};

inline constexpr std::size_t deepest_passed_value = 1000;

/// Passes over the value that begins where the tokens are, without recursion: its grammar is
/// checked, and it is not kept.
void pass_value(JsonTokens& tokens);

}  // namespace vramlab::traces
