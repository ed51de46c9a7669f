#include "traces/pickle/snapshot_pickle_walker.h"

#include <bit>
#include <cstring>

namespace vramlab::traces {
namespace {

template <typename Number>
Number number_at(const char* at) {
  static_assert(std::endian::native == std::endian::little);
  Number number{};
  std::memcpy(&number, at, sizeof number);
  return number;
}

constexpr std::array<std::uint64_t, sizeof(std::uint64_t) + 1> lowest_bytes = [] {
  std::array<std::uint64_t, sizeof(std::uint64_t) + 1> masks{};
  for (std::size_t size = 1; size < masks.size(); ++size) masks[size] = masks[size - 1] << 8 | 0xff;
  return masks;
}();

/// The bytes of the number behind an opcode; 0 for opcodes without numbers of a fixed size.
constexpr std::array<std::uint8_t, 256> number_bytes = [] {
  std::array<std::uint8_t, 256> bytes{};
  bytes[static_cast<std::uint8_t>(PickleOpcode::binint1)] = 1;
  bytes[static_cast<std::uint8_t>(PickleOpcode::binint2)] = 2;
  bytes[static_cast<std::uint8_t>(PickleOpcode::binint)] = 4;
  return bytes;
}();

bool is_key_of_pool(KnownText key) {
  return key == KnownText::pool_id || key == KnownText::segment_pool_id;
}

PickleOpcode opcode_at(const char* at) { return static_cast<PickleOpcode>(*at); }

}  // namespace

void KnownEvent::note_key(std::string_view bytes) {
  if (taken_count_ == most_fields || bytes.size() > longest_reference) return;
  Field& field = fields_[taken_count_];
  field = {0, lowest_bytes[bytes.size()], bytes.size(), {}};
  std::memcpy(&field.key_bytes, bytes.data(), bytes.size());
  field_count_ = taken_count_;
}

void KnownEvent::learn(const Place& place) {
  if (taken_count_ == most_fields || fields_[taken_count_].key_size == 0) return;
  fields_[taken_count_].place = place;
  field_count_ = ++taken_count_;
}

bool KnownEvent::take_fields() {
  taken_count_ = 0;
  const char* at = tokens_.look_ahead(longest_event + 1);
  if (at == nullptr) return false;
  // Kept apart from what is written meanwhile, so that they can stay in registers.
  const std::size_t count = field_count_;
  std::size_t taken = 0;
  KeySet keys = entry_.keys;
  for (; taken < count; ++taken) {
    const Field& field = fields_[taken];
    if ((number_at<std::uint64_t>(at) & field.key_mask) != field.key_bytes) break;
    const char* const behind = take_value(at + field.key_size, field.place);
    if (behind == nullptr) break;
    keys.add(field.place.key);
    at = behind;
  }
  if (taken == 0) return false;
  taken_count_ = taken;
  entry_.keys = keys;
  const bool is_end = opcode_at(at) == PickleOpcode::setitems;
  tokens_.pass_to(is_end ? at + 1 : at);
  return is_end;
}

inline const char* KnownEvent::take_value(const char* at, const Place& place) const {
  return place.number != nullptr ? take_number(at, *place.number) : take_text(at, *place.text);
}

/// There is no branch for each size, as sizes come in no order that could be foreseen.
inline const char* KnownEvent::take_number(const char* at, std::uint64_t& number) {
  const auto opcode = number_at<std::uint8_t>(at);
  const bool says_size = opcode_at(at) == PickleOpcode::long1;
  const std::size_t size = says_size ? number_at<std::uint8_t>(at + 1) : number_bytes[opcode];
  if (size == 0 || size > sizeof number) return nullptr;
  const char* const bits_at = at + 1 + (says_size ? 1 : 0);
  const std::uint64_t bits = number_at<std::uint64_t>(bits_at) & lowest_bytes[size];
  const bool has_sign = says_size || opcode_at(at) == PickleOpcode::binint;
  const bool highest_bit = (bits >> (8 * size - 1)) != 0;
  if (has_sign && highest_bit) return nullptr;
  number = bits;
  return bits_at + size;
}

inline const char* KnownEvent::take_text(const char* at, TextId& text) const {
  const bool is_short = opcode_at(at) == PickleOpcode::binget;
  if (!is_short && opcode_at(at) != PickleOpcode::long_binget) return nullptr;
  const std::uint32_t place =
      is_short ? number_at<std::uint8_t>(at + 1) : number_at<std::uint32_t>(at + 1);
  const MemoEntry entry = memo_.get(place);
  if (entry.kind != MemoKind::text) return nullptr;
  text = TextId(entry.id);
  return at + (is_short ? 2 : longest_reference);
}

bool SnapshotPickleWalker::read_field(KnownText key, FieldValue& field) {
  const PickleToken token = tokens.next();
  switch (token.kind) {
    case PickleTokenKind::whole:
      if (is_key_of_pool(key)) {
        field = DecodedPool{read_pool(token, PickleTokenKind::small_tuple), false};
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
    case PickleTokenKind::mark:
      // Protocols 0 and 1 mark the begin of a pair.
      if (!is_key_of_pool(key)) break;
      field = DecodedPool{read_pool(tokens.next(), PickleTokenKind::tuple), false};
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
      // The value is kept until the next one, as the field looks at it.
      referenced_ = values.generic_of(get);
      field = field_from_generic(referenced_, key, tables_);
  }
}

PoolId SnapshotPickleWalker::read_pool(const PickleToken& first, PickleTokenKind end_kind) {
  const auto is_number = [](const PickleToken& token) {
    return token.kind == PickleTokenKind::whole && !token.is_negative;
  };
  if (!is_number(first)) fail_at(first, "a pair of whole numbers from 0 on");
  const PickleToken second = tokens.next();
  if (!is_number(second)) fail_at(second, "a pair of whole numbers from 0 on");
  const PickleToken end = tokens.next();
  const bool is_pair = end.kind == PickleTokenKind::tuple || end.number == 2;
  if (end.kind != end_kind || !is_pair) fail_at(end, "a pair of whole numbers");
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
        // Mostly more references follow. They can only be items, as the list has one already.
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

/// After an empty list, a reference is its item only if it refers to such an item: a text is the
/// next key, a list the next item of the list around.
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
