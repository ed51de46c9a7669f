// PickleMachine: runs tokens on a stack, as the format means it, and builds values of any shape. It
// starts with an empty stack inside of something larger and stops at the first opcode that takes
// more than it has; what is on its stack then is what was collected.
//
// Values nest to a limited depth, and none becomes part of itself: a list or dict that was referred
// to is not changed afterwards.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "traces/pickle/pickle_values.h"

namespace vramlab::traces {

class PickleMachine {
 public:
  PickleMachine(PickleValues& values, PickleValues::StopAt stop_at)
      : values_(values), stop_at_(stop_at) {}

  PickleValues::Collected run();

 private:
  struct Slot {
    GenericPointer value;
    /// A list or dict that was begun here and may get items.
    std::shared_ptr<GenericValue> open;
    /// Where the memo has it.
    std::optional<std::uint32_t> stored;
  };
  static constexpr std::size_t most_marks = std::size_t{2} * deepest_generic_value;

  /// False where the token takes more than there is.
  bool step(const PickleToken& token);
  void push(GenericValue value) { stack_.push_back({values_.make(std::move(value)), nullptr, {}}); }
  void push_open(GenericValue value);
  void push_mark();
  bool stops_at_key(const PickleToken& token);
  bool take_items(PickleTokenKind kind);
  bool take_one_item(PickleTokenKind kind);
  bool make_from_mark(PickleTokenKind kind);
  void make_small_tuple(std::size_t count);
  void add_items(Slot& container, std::size_t first, PickleTokenKind kind);
  void add_to_list(GenericValue& list, std::size_t first);
  void add_to_dict(GenericValue& dict, std::size_t first);
  void deepen(GenericValue& value, const GenericPointer& part);
  void store_top(std::uint64_t index);
  /// Where the values above the last mark begin.
  std::size_t base() const { return marks_.empty() ? 0 : marks_.back(); }

  PickleValues& values_;
  PickleValues::StopAt stop_at_;
  std::vector<Slot> stack_;
  std::vector<std::size_t> marks_;
};

}  // namespace vramlab::traces
