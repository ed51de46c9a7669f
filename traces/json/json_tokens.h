// JsonTokens: the brackets, texts and scalars of JSON text, one after another, out of a window that
// moves over the input. It knows the grammar of each token and which may follow a value; what the
// values mean is for its users. It decodes texts straight into ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traces/json/letter_window.h"
#include "traces/model/short_texts.h"
#include "traces/model/snapshot_fields.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

/// The source of JSON text. Source and name must outlive what uses it.
struct JsonInput {
  enum class LineEnds : std::uint8_t { blank, count, end_records };

  ByteSource& source;
  /// The input's name for messages.
  const std::string& file;
  /// Whether a line's end is a blank, or ends a record, with lines counted for messages or not.
  LineEnds line_ends = LineEnds::blank;
  /// The place of the source's first byte in the file.
  std::uint64_t first_byte = 0;
  std::size_t window_bytes = LetterWindow::default_bytes;
};

class JsonTokens {
 public:
  /// A text or a number is held as a whole.
  static constexpr std::uint64_t longest_word = std::uint64_t{64} << 20;

  JsonTokens(JsonInput input, TextTable& texts)
      : window_(input.source, input.window_bytes, input.first_byte),
        file_(input.file),
        line_ends_(input.line_ends),
        texts_(texts),
        short_texts_(texts) {}

  /// The next letter that is no white space; 0 at the end of the text.
  char peek() {
    // Mostly none or one blank.
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
  /// The items of a list or dict, the opening bracket of which is next; `on_item` takes one.
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
  /// A text, number, or literal into a value that is as after its construction (it is filled where
  /// it is, as copying what was just written is slow). Requires: peek() shows no bracket that
  /// opens.
  void take_scalar(FieldValue& value);
  /// A UTF-8 mark at the very beginning means nothing.
  void pass_byte_order_mark();
  void expect_end() {
    if (peek() != '\0') refuse(window_.at());
  }

  LetterWindow& window() { return window_; }
  const TextTable& texts() const { return texts_; }
  /// Messages quote nothing before this place.
  void begin_quotes_at(std::uint64_t position) { word_position_ = position; }
  void begin_quotes_here() { begin_quotes_at(window_.bytes_taken()); }

  /// About what was taken last.
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  /// About the value that is next.
  [[noreturn]] void fail_at_value(const std::string& expected);
  /// The letter at a place of the window can't be there.
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
  /// More letters, if there are any, behind a word that begins at the window's place. False, with
  /// nothing moved, where none can come.
  bool lengthen_word();
  void take_number(FieldValue& value);
  /// The number that was taken last has more than 64 bits.
  void take_long_number(FieldValue& value);
  void take_real(FieldValue& value);
  void take_literal(std::string_view literal);

  LetterWindow window_;
  const std::string& file_;
  LineEnds line_ends_;
  std::uint64_t line_ = 1;
  TextTable& texts_;
  ShortTexts short_texts_;
  std::string decoded_;
  std::string passing_key_;
  /// The beginning of the last text or number, or of what else was taken as a whole.
  std::uint64_t word_position_ = 0;
};

}  // namespace vramlab::traces
