#include "traces/pickle/known_event.h"

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

/// How many bytes the number of an opcode has; 0 for opcodes without numbers of one size.
constexpr std::array<std::uint8_t, 256> number_bytes = [] {
  std::array<std::uint8_t, 256> bytes{};
  bytes[static_cast<std::uint8_t>(PickleOpcode::binint1)] = 1;
  bytes[static_cast<std::uint8_t>(PickleOpcode::binint2)] = 2;
  bytes[static_cast<std::uint8_t>(PickleOpcode::binint)] = 4;
  return bytes;
}();

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

/// Without a branch for each size: sizes come in no order that could be foreseen.
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

}  // namespace vramlab::traces
