// Values of any shape in JSON text: JsonGeneric reads them, pass_value() passes over them. Without
// recursion, bounded in depth and in number of parts.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "traces/json/json_tokens.h"

namespace vramlab::traces {

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

/// Passes over the value that begins where the tokens are: its grammar is checked, and it is not
/// kept.
void pass_value(JsonTokens& tokens);

}  // namespace vramlab::traces
