#include "traces/pickle/pickle_values.h"

#include <utility>

#include "traces/model/generic_text.h"

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
  if (++generic_count_ > most_generic_values)
    tokens.fail("at most " + std::to_string(most_generic_values) + " values outside of events",
                "more");
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

}  // namespace vramlab::traces
