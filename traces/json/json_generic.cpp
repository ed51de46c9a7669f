#include "traces/json/json_generic.h"

#include <algorithm>
#include <utility>

#include "traces/model/generic_text.h"

namespace vramlab::traces {
namespace {

[[noreturn]] void fail_as_too_deep(const JsonTokens& tokens, std::size_t deepest) {
  tokens.fail("at most " + std::to_string(deepest) + " levels", "more");
}

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
    fail_as_too_deep(tokens, deepest_passed_value);
  closing_brackets += tokens.peek() == '{' ? '}' : ']';
  tokens.take();
}

/// After a value: takes what ends behind it. False if everything has ended.
bool has_next(JsonTokens& tokens, std::string& closing_brackets) {
  while (!closing_brackets.empty()) {
    if (tokens.take_separator(closing_brackets.back())) return true;
    closing_brackets.pop_back();
  }
  return false;
}

}  // namespace

GenericPointer JsonGeneric::read() {
  while (true) {
    if (is_in_dict()) open_.back().key = text(tokens_.take_key());
    const char letter = tokens_.peek();
    if (letter == '{' || letter == '[') {
      count_part();
      tokens_.take();
      begin(letter == '{' ? GenericValue{GenericDict{}, 1} : GenericValue{GenericList{}, 1});
      if (!tokens_.take_if(letter == '{' ? '}' : ']')) continue;
      if (GenericPointer whole = end_innermost()) return whole;
    } else {
      GenericPointer scalar = take_scalar();
      if (open_.empty()) return scalar;
      count_part();
      add(std::move(scalar));
    }
    if (GenericPointer whole = end_what_ends_here()) return whole;
  }
}

/// After an item. Null if something is left open and another item follows.
GenericPointer JsonGeneric::end_what_ends_here() {
  while (!tokens_.take_separator(is_in_dict() ? '}' : ']'))
    if (GenericPointer whole = end_innermost()) return whole;
  return nullptr;
}

void JsonGeneric::begin(GenericValue value) {
  open_.push_back({std::make_shared<GenericValue>(std::move(value)), nullptr});
}

void JsonGeneric::add(GenericPointer value) {
  Open& around = open_.back();
  around.value->depth = std::max(around.value->depth, value->depth + 1);
  if (auto* dict = std::get_if<GenericDict>(&around.value->content))
    dict->items.emplace_back(std::move(around.key), std::move(value));
  else
    std::get<GenericList>(around.value->content).items.push_back(std::move(value));
}

/// The whole value if it was the outermost thing that ended.
GenericPointer JsonGeneric::end_innermost() {
  GenericPointer value = std::move(open_.back().value);
  open_.pop_back();
  if (!open_.empty()) {
    add(std::move(value));
    return nullptr;
  }
  part_count_ = 0;
  return value;
}

GenericPointer JsonGeneric::take_scalar() {
  FieldValue value;
  tokens_.take_scalar(value);
  if (const auto* id = std::get_if<TextId>(&value)) return text(*id);
  return *generic_from_field(value);
}

GenericPointer JsonGeneric::text(TextId id) {
  if (id.value >= texts_.size()) texts_.resize(std::size_t{id.value} + 1);
  GenericPointer& text = texts_[id.value];
  if (!text) text = make_generic(id);
  return text;
}

void JsonGeneric::count_part() {
  if (open_.size() == deepest_generic_value) fail_as_too_deep(tokens_, deepest_generic_value);
  if (part_count_++ == most_parts)
    tokens_.fail("at most " + std::to_string(most_parts) + " parts of a value", "more");
}

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
