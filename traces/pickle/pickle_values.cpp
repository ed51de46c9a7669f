#include "traces/pickle/pickle_values.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "allocator/types/check.h"
#include "traces/model/generic_text.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

/// The whole input once more, as values of any shape.
struct PickleValues::SecondLook {
  std::unique_ptr<ByteSource> source;
  PickleValues values;

  SecondLook(std::unique_ptr<ByteSource> reopened, const std::string& file, SnapshotTables& tables)
      : source(std::move(reopened)), values({*source, file}, tables) {
    const PickleToken first = values.tokens.next();
    if (first.kind != PickleTokenKind::proto) values.tokens.push_back();
    values.collect(StopAt::unmatched_end);
  }
};

PickleValues::PickleValues(PickleInput input, SnapshotTables& tables)
    : tokens(input.source, input.file),
      input_(input),
      tables_(tables),
      short_texts_(tables.texts) {}

PickleValues::~PickleValues() = default;

void PickleValues::fail_as_empty(std::uint64_t index) const {
  tokens.fail("a reference to a stored value", "one to place " + std::to_string(index));
}

void PickleValues::fail_as_uncounted(std::uint64_t index) const {
  tokens.fail("a place in the memo that was counted", "place " + std::to_string(index));
}

void PickleValues::fail_as_taken(std::uint64_t index) const {
  tokens.fail("a new place in the memo", "place " + std::to_string(index) + " again");
}

std::optional<GenericValue> PickleValues::scalar_of(const PickleToken& token) {
  switch (token.kind) {
    case PickleTokenKind::none:
      return GenericValue{NoneValue{}, 0};
    case PickleTokenKind::boolean:
      return GenericValue{token.number != 0, 0};
    case PickleTokenKind::whole:
      return GenericValue{WholeNumber{token.number, token.is_negative}, 0};
    case PickleTokenKind::long_whole:
      return GenericValue{LongNumber{digits_of(token)}, 0};
    case PickleTokenKind::real:
      return GenericValue{token.real(), 0};
    case PickleTokenKind::text:
      return GenericValue{tables_.texts.intern(token.text), 0};
    default:
      return std::nullopt;
  }
}

std::string PickleValues::found(const PickleToken& token) {
  if (const auto scalar = scalar_of(token)) return found_text(*scalar, tables_.texts);
  if (token.kind == PickleTokenKind::get)
    if (const MemoEntry entry = memo_.get(token.number); entry.kind == MemoKind::text)
      return found_text({TextId(entry.id), 0}, tables_.texts);
  return std::string(pickle_token_name(token.kind));
}

std::shared_ptr<GenericValue> PickleValues::make(GenericValue value) {
  const std::uint64_t most = most_generic_values(tokens.bytes_taken());
  if (++generic_count_ > most)
    tokens.fail("at most " + std::to_string(most) + " values outside of events", "more");
  return std::make_shared<GenericValue>(std::move(value));
}

MemoEntry PickleValues::remember_pool(PoolId pool) {
  const auto hash = static_cast<std::uint32_t>(pool.graph * 31 + pool.user);
  const std::uint32_t id = pool_index_.find_or_add(
      hash, [&](std::uint32_t other) { return pools_[other] == pool; },
      [&] {
        pools_.push_back(pool);
        return static_cast<std::uint32_t>(pools_.size() - 1);
      });
  return {MemoKind::pool, id};
}

GenericPointer PickleValues::generic_of(const PickleToken& get) {
  const MemoEntry entry = fetch(get);
  switch (entry.kind) {
    case MemoKind::text:
      return make({TextId(entry.id), 0});
    case MemoKind::frame:
      return frame_as_generic({entry.id});
    case MemoKind::stack:
      return stack_as_generic({entry.id});
    case MemoKind::pool: {
      const PoolId pool = pools_[entry.id];
      return make(generic_value(
          GenericTuple{{make({WholeNumber{pool.graph}, 0}), make({WholeNumber{pool.user}, 0})}}));
    }
    case MemoKind::generic:
      generics_[entry.id].is_referenced = true;
      return generics_[entry.id].value;
    case MemoKind::passed:
      return passed_value(get.number);
    case MemoKind::nothing:
      break;
  }
  tokens.fail("a reference to a stored value", "one to an empty place");
}

GenericPointer PickleValues::make_of_limited_depth(GenericValue value) {
  if (value.depth > deepest_generic_value) tokens.fail("values of limited depth", "deeper nesting");
  return make(std::move(value));
}

GenericPointer PickleValues::frame_as_generic(FrameId id) {
  GenericPointer& known = frames_as_generic_[id.value];
  if (known) return known;
  const FrameValue& frame = tables_.frames.frame(id);
  GenericDict dict;
  const auto add = [&](KnownText key, GenericValue value) {
    if (frame.keys.has(key))
      dict.items.emplace_back(make({TextId(key), 0}), make(std::move(value)));
  };
  add(KnownText::name, {frame.name, 0});
  add(KnownText::filename, {frame.filename, 0});
  add(KnownText::line, {WholeNumber{static_cast<std::uint64_t>(frame.line), frame.line < 0}, 0});
  for (const UnknownField& field : frame.unknown)
    dict.items.emplace_back(make({field.key, 0}), field.value);
  return known = make_of_limited_depth(generic_value(std::move(dict)));
}

GenericPointer PickleValues::stack_as_generic(StackId id) {
  if (const auto known = stacks_as_generic_.find(id.value); known != stacks_as_generic_.end())
    return known->second;
  GenericList list;
  for (const FrameId frame : tables_.stacks.frames(id))
    list.items.push_back(frame_as_generic(frame));
  return stacks_as_generic_[id.value] = make_of_limited_depth(generic_value(std::move(list)));
}

GenericPointer PickleValues::passed_value(std::uint64_t index) {
  if (!second_look_) {
    auto reopened = input_.source.reopen();
    if (!reopened)
      tokens.fail("events that are not referred to again, as the input can be read only once",
                  "a reference to one; give the file itself");
    second_look_ = std::make_unique<SecondLook>(std::move(reopened), input_.file, tables_);
  }
  const MemoEntry entry = second_look_->values.memo_.get(index);
  if (entry.kind != MemoKind::generic)
    tokens.fail("the same file when it is read again", "another one");
  return second_look_->values.generics_[entry.id].value;
}

namespace {

using Kind = PickleTokenKind;

bool can_be_key(const GenericValue& value) {
  return !std::holds_alternative<GenericList>(value.content) &&
         !std::holds_alternative<GenericDict>(value.content);
}

}  // namespace

/// Runs tokens on a stack, as the format means it, and builds values of any shape. It starts with
/// an empty stack inside of a larger value and stops at the first opcode that takes more than it
/// has; the values on its stack are those that were collected.
///
/// Values nest to a limited depth, and no value becomes part of itself: a list or dict that was
/// referred to is not changed afterwards.
class PickleMachine {
 public:
  PickleMachine(PickleValues& values, PickleValues::StopAt stop_at)
      : values_(values), stop_at_(stop_at) {}

  PickleValues::Collected run() {
    PickleTokenKind ended_by = Kind::stop;
    while (true) {
      const PickleToken token = values_.tokens.next();
      if (stops_at_key(token)) {
        values_.tokens.push_back();
        ended_by = Kind::text;
        break;
      }
      if (!step(token)) {
        ended_by = token.kind;
        break;
      }
    }
    if (!marks_.empty())
      values_.tokens.fail("the end of marked items", "the end of what is around");
    PickleValues::Collected collected{{}, ended_by};
    for (Slot& slot : stack_) collected.items.push_back(std::move(slot.value));
    return collected;
  }

 private:
  struct Slot {
    GenericPointer value;
    /// A list or dict that was begun here and may get items.
    std::shared_ptr<GenericValue> open;
    /// Its place in the memo.
    std::optional<std::uint32_t> stored;
  };
  static constexpr std::size_t most_marks = std::size_t{2} * deepest_generic_value;

  /// False where the token takes more values than there are.
  bool step(const PickleToken& token) {
    switch (token.kind) {
      case Kind::mark:
        push_mark();
        return true;
      case Kind::none:
      case Kind::boolean:
      case Kind::whole:
      case Kind::long_whole:
      case Kind::real:
      case Kind::text:
        push(*values_.scalar_of(token));
        return true;
      case Kind::empty_dict:
        push_open({GenericDict{}, 1});
        return true;
      case Kind::empty_list:
        push_open({GenericList{}, 1});
        return true;
      case Kind::empty_tuple:
        push({GenericTuple{}, 1});
        return true;
      case Kind::get:
        stack_.push_back({values_.generic_of(token), nullptr, {}});
        return true;
      case Kind::put:
        store_top(token.number);
        return true;
      case Kind::memoize:
        store_top(values_.memo_.next_index());
        return true;
      case Kind::appends:
      case Kind::setitems:
        return take_items(token.kind);
      case Kind::append:
      case Kind::setitem:
        return take_one_item(token.kind);
      case Kind::dict:
      case Kind::list:
      case Kind::tuple:
        return make_from_mark(token.kind);
      case Kind::small_tuple:
        make_small_tuple(as_index(token.number));
        return true;
      case Kind::stop:
        return false;
      case Kind::proto:
        values_.tokens.fail("a value", "a protocol number");
    }
    return false;
  }

  void push(GenericValue value) { stack_.push_back({values_.make(std::move(value)), nullptr, {}}); }

  void push_open(GenericValue value) {
    auto made = values_.make(std::move(value));
    stack_.push_back({made, made, {}});
  }

  void push_mark() {
    if (marks_.size() == most_marks)
      values_.tokens.fail("nesting at most " + std::to_string(most_marks) + " deep",
                          "deeper nesting");
    marks_.push_back(stack_.size());
  }

  /// The first value belongs to a key that was read before, so a key comes after every second
  /// value. (After an empty dict the text could also be that dict's only key; no snapshot has a
  /// section in such a place.)
  bool stops_at_key(const PickleToken& token) {
    if (stop_at_ != PickleValues::StopAt::section_key || !marks_.empty()) return false;
    if (stack_.size() % 2 == 0) return false;
    if (token.kind == Kind::text)
      return section_of(values_.tables_.texts.intern(token.text)).has_value();
    if (token.kind != Kind::get) return false;
    const MemoEntry entry = values_.fetch(token);
    return entry.kind == MemoKind::text && section_of(TextId(entry.id));
  }

  bool take_items(PickleTokenKind kind) {
    if (marks_.empty()) return false;
    const std::size_t first = marks_.back();
    marks_.pop_back();
    if (first == base()) values_.tokens.fail("a list or dict to put items into", "none");
    add_items(stack_[first - 1], first, kind);
    stack_.resize(first);
    return true;
  }

  bool take_one_item(PickleTokenKind kind) {
    const std::size_t item_slots = kind == Kind::append ? 1 : 2;
    if (stack_.size() < base() + item_slots + 1) {
      if (marks_.empty()) return false;
      values_.tokens.fail("a list or dict to put an item into", "none");
    }
    const std::size_t first = stack_.size() - item_slots;
    add_items(stack_[first - 1], first, kind == Kind::append ? Kind::appends : Kind::setitems);
    stack_.resize(first);
    return true;
  }

  bool make_from_mark(PickleTokenKind kind) {
    if (marks_.empty()) values_.tokens.fail("marked items", "none");
    const std::size_t first = marks_.back();
    marks_.pop_back();
    auto made = values_.make({NoneValue{}, 1});
    if (kind == Kind::dict) {
      made->content = GenericDict{};
      add_to_dict(*made, first);
    } else {
      made->content = GenericList{};
      add_to_list(*made, first);
      if (kind == Kind::tuple)
        made->content = GenericTuple{std::move(std::get<GenericList>(made->content).items)};
    }
    stack_.resize(first);
    stack_.push_back({made, kind == Kind::tuple ? nullptr : made, {}});
    return true;
  }

  void make_small_tuple(std::size_t count) {
    if (stack_.size() < base() + count) values_.tokens.fail("values for a tuple", "too few");
    const std::size_t first = stack_.size() - count;
    auto made = values_.make({GenericList{}, 1});
    add_to_list(*made, first);
    made->content = GenericTuple{std::move(std::get<GenericList>(made->content).items)};
    stack_.resize(first);
    stack_.push_back({made, nullptr, {}});
  }

  void add_items(Slot& container, std::size_t first, PickleTokenKind kind) {
    const bool wants_list = kind == Kind::appends;
    const auto fits = [&](const GenericValue& value) {
      return wants_list ? std::holds_alternative<GenericList>(value.content)
                        : std::holds_alternative<GenericDict>(value.content);
    };
    if (!container.open || !fits(*container.open))
      values_.tokens.fail(
          wants_list ? "a new list to put items into" : "a new dict to put items into",
          values_.found(*container.value));
    if (container.stored && values_.generics_[*container.stored].is_referenced)
      values_.tokens.fail("values that are not part of themselves",
                          "items for a value that was referred to already");
    if (wants_list)
      add_to_list(*container.open, first);
    else
      add_to_dict(*container.open, first);
  }

  void add_to_list(GenericValue& list, std::size_t first) {
    auto& items = std::get<GenericList>(list.content).items;
    for (std::size_t i = first; i < stack_.size(); ++i) {
      deepen(list, stack_[i].value);
      items.push_back(std::move(stack_[i].value));
    }
  }

  void add_to_dict(GenericValue& dict, std::size_t first) {
    if ((stack_.size() - first) % 2 != 0) values_.tokens.fail("keys with values", "a key alone");
    auto& items = std::get<GenericDict>(dict.content).items;
    for (std::size_t i = first; i < stack_.size(); i += 2) {
      if (!can_be_key(*stack_[i].value))
        values_.tokens.fail("a key", values_.found(*stack_[i].value));
      deepen(dict, stack_[i].value);
      deepen(dict, stack_[i + 1].value);
      items.emplace_back(std::move(stack_[i].value), std::move(stack_[i + 1].value));
    }
  }

  void deepen(GenericValue& value, const GenericPointer& part) {
    value.depth = std::max(value.depth, part->depth + 1);
    if (value.depth > deepest_generic_value)
      values_.tokens.fail("nesting at most " + std::to_string(deepest_generic_value) + " deep",
                          "deeper nesting");
  }

  void store_top(std::uint64_t index) {
    if (stack_.size() == base()) values_.tokens.fail("a value to store in the memo", "none");
    Slot& top = stack_.back();
    if (const auto* text = std::get_if<TextId>(&top.value->content)) {
      values_.store(index, {MemoKind::text, text->value});
      return;
    }
    // A second number is another name of the same value.
    if (!top.stored) {
      top.stored = static_cast<std::uint32_t>(values_.generics_.size());
      // Nobody changes the value through this pointer: an open value has its own in the slot.
      values_.generics_.push_back({std::const_pointer_cast<GenericValue>(top.value), false});
    }
    values_.store(index, {MemoKind::generic, *top.stored});
  }

  /// The place at which the values above the last mark begin.
  std::size_t base() const { return marks_.empty() ? 0 : marks_.back(); }

  PickleValues& values_;
  PickleValues::StopAt stop_at_;
  std::vector<Slot> stack_;
  std::vector<std::size_t> marks_;
};

PickleValues::Collected PickleValues::collect(StopAt stop_at) {
  return PickleMachine(*this, stop_at).run();
}

}  // namespace vramlab::traces
