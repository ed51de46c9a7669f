#include "traces/json/json_generic.h"

#include <utility>

#include "allocator/words/check.h"
namespace vramlab::traces {

GenericPointer JsonGeneric::read() {
  while (true) {
    if (builder_.is_in_dict()) builder_.key(tokens_.take_key());
    const char letter = tokens_.peek();
    if (letter == '{' || letter == '[') {
      check_limits();
      tokens_.take();
      if (letter == '{')
        builder_.begin_dict();
      else
        builder_.begin_list();
      if (!tokens_.take_if(letter == '{' ? '}' : ']')) continue;
      if (auto whole = builder_.end()) return *std::move(whole);
    } else {
      GenericPointer scalar = take_scalar();
      if (!builder_.is_open()) return scalar;
      check_limits();
      builder_.add(std::move(scalar));
    }
    if (GenericPointer whole = end_what_ends_here()) return whole;
  }
}

/// After an item. Null if something is left open and another item follows.
GenericPointer JsonGeneric::end_what_ends_here() {
  while (!tokens_.take_separator(builder_.is_in_dict() ? '}' : ']'))
    if (auto whole = builder_.end()) return *std::move(whole);
  return nullptr;
}

GenericPointer JsonGeneric::take_scalar() {
  FieldValue value;
  tokens_.take_scalar(value);
  if (value.kind == FieldValue::Kind::text) return builder_.text(value.text);
  return *generic_from_field(value);
}

void JsonGeneric::check_limits() const {
  if (builder_.is_at_limit_of_depth())
    tokens_.fail("at most " + std::to_string(deepest_generic_value) + " levels", "more");
  if (builder_.is_at_limit_of_parts())
    tokens_.fail("at most " + std::to_string(GenericBuilder::most_parts) + " parts of a value",
                 "more");
}

}  // namespace vramlab::traces
