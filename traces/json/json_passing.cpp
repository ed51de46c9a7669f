#include "traces/json/json_passing.h"

namespace vramlab::traces {
namespace {

void pass_scalar(JsonTokens& tokens) {
  if (tokens.peek_value() == '"') {
    tokens.take_passing_text();
    return;
  }
  FieldValue ignored;
  tokens.take_scalar(ignored);
}

/// Takes a bracket that opens, and notes the one that closes.
void open(JsonTokens& tokens, std::string& closing_brackets) {
  if (closing_brackets.size() == deepest_passed_value)
    tokens.fail("at most " + std::to_string(deepest_passed_value) + " levels", "more");
  closing_brackets += tokens.peek() == '{' ? '}' : ']';
  tokens.take();
}

/// After a value: what ends behind it. False where nothing is open any more.
bool has_next(JsonTokens& tokens, std::string& closing_brackets) {
  while (!closing_brackets.empty()) {
    if (tokens.take_separator(closing_brackets.back())) return true;
    closing_brackets.pop_back();
  }
  return false;
}

}  // namespace

void pass_value(JsonTokens& tokens) {
  std::string closing_brackets;
  do {
    if (closing_brackets.ends_with('}')) tokens.take_passing_key();
    bool is_empty = false;
    while (!is_empty && (tokens.peek_value() == '{' || tokens.peek_value() == '[')) {
      open(tokens, closing_brackets);
      is_empty = tokens.take_if(closing_brackets.back());
      if (is_empty)
        closing_brackets.pop_back();
      else if (closing_brackets.back() == '}')
        tokens.take_passing_key();
    }
    if (!is_empty) pass_scalar(tokens);
  } while (has_next(tokens, closing_brackets));
}

}  // namespace vramlab::traces
