// JsonLines: the tokens of a text of records, for a reader that knows what it wants next. A line's
// end is no space here: it ends a record.
#pragma once

#include "traces/json/json_tokens.h"

namespace vramlab::traces {

class JsonLines : public JsonTokens {
 public:
  JsonLines(JsonInput input, TextTable& texts) : JsonTokens(input, texts) {}

  void take(char letter) {
    if (!take_if(letter)) fail(std::string("'") + letter + "'");
  }

  /// A list; `on_item` takes one.
  template <typename OnItem>
  void take_list(const OnItem& on_item) {
    take('[');
    for (bool is_first = true; !take_if(']'); is_first = false) {
      if (!is_first) take(',');
      on_item();
    }
  }

  // Each takes a value, and fails if another one comes.
  /// Valid until anything else is called.
  std::string_view text();
  bool boolean();
  std::uint64_t unsigned_number(std::uint64_t maximum = UINT64_MAX);
  FieldValue number();
  double real();

  /// Fails if something stands before the line's end.
  void end_line();
  void skip_blank_lines();
  bool is_at_end() { return peek() == '\0'; }

  // About the text or number that was taken last.
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  /// Quotes a text that was found.
  [[noreturn]] void fail_at_text(const std::string& expected, std::string_view found) const;
  /// About what comes next.
  [[noreturn]] void fail(const std::string& expected);
};

}  // namespace vramlab::traces
