#include "traces/pickle/snapshot_pickle_walker.h"

namespace vramlab::traces {

void SnapshotPickleWalker::fail_as_repeated(KnownText key) {
  tokens.fail("each key once", "the key '" + std::string(known_text(key)) + "' again");
}

bool SnapshotPickleWalker::read_field(KnownText key, FieldValue& field) {
  const PickleToken token = tokens.next();
  switch (token.kind) {
    case PickleTokenKind::whole:
      if (key == KnownText::pool_id || key == KnownText::segment_pool_id) {
        field = DecodedPool{read_pool(token), false};
        return true;
      }
      field = WholeNumber{token.number, token.is_negative};
      return true;
    case PickleTokenKind::long_whole:
      field = LongNumber{values.digits_of(token)};
      return true;
    case PickleTokenKind::get:
      read_field_reference(token, key, field);
      return true;
    case PickleTokenKind::text:
      field = *values.text_of(token);
      return true;
    case PickleTokenKind::boolean:
      field = token.number != 0;
      return true;
    case PickleTokenKind::real:
      field = token.real();
      return true;
    case PickleTokenKind::none:
      field = NoneValue{};
      return true;
    case PickleTokenKind::empty_list:
      if (key != KnownText::frames) break;
      field = read_stack();
      return true;
    default:
      break;
  }
  tokens.push_back();
  return false;
}

void SnapshotPickleWalker::read_field_reference(const PickleToken& get, KnownText key,
                                                FieldValue& field) {
  const MemoEntry entry = values.fetch(get);
  switch (entry.kind) {
    case MemoKind::text:
      field = TextId(entry.id);
      return;
    case MemoKind::stack:
      field = StackId{entry.id};
      return;
    case MemoKind::pool:
      field = DecodedPool{values.pool(entry.id), false};
      return;
    default:
      // Kept until the next one, as the field looks at it.
      referenced_ = values.generic_of(get);
      field = field_from_generic(referenced_, key, tables_);
  }
}

PoolId SnapshotPickleWalker::read_pool(const PickleToken& first) {
  const PickleToken second = tokens.next();
  const bool are_numbers =
      second.kind == PickleTokenKind::whole && !first.is_negative && !second.is_negative;
  if (!are_numbers)
    fail_at(first.is_negative ? first : second, "a pair of whole numbers from 0 on");
  const PickleToken end = tokens.next();
  if (end.kind != PickleTokenKind::small_tuple || end.number != 2)
    fail_at(end, "a pair of whole numbers");
  const PoolId pool{first.number, second.number};
  if (const auto index = values.take_put()) values.store(*index, values.remember_pool(pool));
  return pool;
}

StackId SnapshotPickleWalker::read_stack() {
  const auto stored_before = values.take_put();
  if (stored_before) values.store(*stored_before, {MemoKind::passed, 0});
  stack_frames_.clear();
  const auto take_frame = [&](std::uint64_t index) {
    const MemoEntry entry = values.look_up(index);
    if (entry.kind != MemoKind::frame) return false;
    stack_frames_.push_back({entry.id});
    return true;
  };
  read_list(PickleTokenKind::empty_dict, [&](const PickleToken& item) {
    if (item.kind == PickleTokenKind::get) {
      const MemoEntry entry = values.fetch(item);
      if (entry.kind == MemoKind::frame) {
        stack_frames_.push_back({entry.id});
        // Mostly more of them follow. They can't be anything but items, as the list has one.
        tokens.take_references(take_frame);
        return;
      }
    }
    stack_frames_.push_back(read_frame(item));
  });
  if (tables_.stacks.frame_count() > PickleValues::most_table_items)
    tokens.fail("at most " + std::to_string(PickleValues::most_table_items) + " frames in stacks",
                "more");
  const StackId stack = tables_.stacks.intern(stack_frames_);
  if (stored_before) values.complete(*stored_before, {MemoKind::stack, stack.value});
  values.store_if_put({MemoKind::stack, stack.value});
  return stack;
}

FrameId SnapshotPickleWalker::read_frame(const PickleToken& first) {
  if (first.kind == PickleTokenKind::get) {
    const auto frame = frame_from_generic(values.generic_of(first), tables_);
    if (!frame) tokens.fail("a frame", "a reference to another value");
    return *frame;
  }
  if (first.kind != PickleTokenKind::empty_dict) fail_at(first, "a frame");
  const auto stored_before = values.take_put();
  if (stored_before) values.store(*stored_before, {MemoKind::passed, 0});
  FrameValue frame;
  read_items(frame);
  const FrameId id = tables_.frames.intern(frame);
  if (stored_before) values.complete(*stored_before, {MemoKind::frame, id.value});
  values.store_if_put({MemoKind::frame, id.value});
  return id;
}

/// After an empty list, a reference is an item of it only if it refers to such an item: a text is
/// the next key, a list the next item of what is around.
bool SnapshotPickleWalker::is_reference_to_item(const PickleToken& get, PickleTokenKind item_kind) {
  if (get.kind != PickleTokenKind::get) return false;
  const bool wants_dict = item_kind == PickleTokenKind::empty_dict;
  switch (values.fetch(get).kind) {
    case MemoKind::frame:
      return wants_dict;
    case MemoKind::stack:
      return !wants_dict;
    case MemoKind::generic:
    case MemoKind::passed: {
      const GenericPointer value = values.generic_of(get);
      return wants_dict ? std::holds_alternative<GenericDict>(value->content)
                        : std::holds_alternative<GenericList>(value->content);
    }
    default:
      return false;
  }
}

}  // namespace vramlab::traces
