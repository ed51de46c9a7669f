// GenericBuilder: a value of any shape out of the events of a parser: something begins, a key,
// something ends. Bounded in depth and in number of parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "traces/values/snapshot_values.h"

namespace vramlab::traces {

class GenericBuilder {
 public:
  static constexpr std::size_t most_parts = std::size_t{8} << 20;

  /// Something was begun and has not ended.
  bool is_open() const { return !open_.empty(); }
  /// The innermost thing that is open is a dict.
  bool is_in_dict() const {
    return is_open() && std::holds_alternative<GenericDict>(open_.back().value->content);
  }
  bool is_at_limit_of_depth() const { return open_.size() == deepest_generic_value; }
  bool is_at_limit_of_parts() const { return part_count_ == most_parts; }

  // Requires: neither limit is reached.
  void begin_dict() { begin({GenericDict{}, 1}); }
  void begin_list() { begin({GenericList{}, 1}); }
  /// Requires: a dict is the innermost thing that is open.
  void key(TextId key) { open_.back().key = text(key); }
  /// Of the innermost thing that is open. Requires: there is one.
  void add(GenericPointer value);
  /// The whole value where it was the outermost thing that ended.
  std::optional<GenericPointer> end();

  /// The same one for the same text.
  GenericPointer text(TextId id);

 private:
  struct Open {
    std::shared_ptr<GenericValue> value;
    /// Of the next value, in a dict.
    GenericPointer key;
  };

  void begin(GenericValue value);

  std::vector<Open> open_;
  std::size_t part_count_ = 0;
  std::vector<GenericPointer> texts_;
};

}  // namespace vramlab::traces
