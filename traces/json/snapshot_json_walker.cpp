#include "traces/json/snapshot_json_walker.h"

namespace vramlab::traces {
namespace {

bool is_plain_number(const char* begin, const DigitRow& row) {
  const bool has_needless_zero = *begin == '0' && row.end - begin > 1;
  return row.end != begin && !row.is_too_large && !has_needless_zero;
}

}  // namespace

void SnapshotJsonWalker::read(SegmentValue& segment) {
  part_count_ = 0;
  read_dict(segment);
  count_up_addresses(segment);
}

void SnapshotJsonWalker::read(TraceEntry& entry) {
  read_dict(entry);
  if (!entry.keys.has(KnownText::action)) tokens.fail("an event with an 'action'", "none");
}

void SnapshotJsonWalker::read(AnnotationValue& annotation) { read_dict(annotation); }

template <typename Value>
void SnapshotJsonWalker::read_dict(Value& value) {
  if (tokens.peek_value() != '{') tokens.fail_at_value("a dict");
  tokens.take();
  KeyGuesses& guesses = guesses_of<Value>();
  LetterWindow& window = tokens.window();
  auto place = KeyGuesses::Place::begin();
  while (true) {
    const KeyGuesses::Guess& guess = guesses.after(place);
    KnownText key = guess.key;
    if (guess.is_at(window.at())) [[likely]] {
      tokens.begin_quotes_here();
      window.go_to(window.at() + guess.size);
    } else {
      const auto next_key = take_next_key(value, place);
      if (!next_key) return;
      key = *next_key;
    }
    read_field(value, key);
    place = KeyGuesses::Place::behind(key);
  }
}

/// Null at the end of the dict. Keys without a field are passed, with their values.
template <typename Value>
std::optional<KnownText> SnapshotJsonWalker::take_next_key(Value& value, KeyGuesses::Place place) {
  const LetterWindow& window = tokens.window();
  const std::uint64_t fill_count = window.fill_count();
  const std::uint64_t begin = window.bytes_taken();
  const bool is_first = place.number == KeyGuesses::Place::begin().number;
  bool has_more = is_first ? !tokens.take_if('}') : tokens.take_separator('}');
  for (bool is_at_place = true; has_more; is_at_place = false) {
    const TextId key = tokens.take_key();
    tokens.begin_quotes_at(begin);
    tokens.peek_value();
    const auto known = known_key(key);
    if (known && FieldsOf<Value>::keys.has(*known)) {
      const auto size = static_cast<std::size_t>(window.bytes_taken() - begin);
      if (is_at_place && window.fill_count() == fill_count)
        guesses_of<Value>().remember(place, {window.at() - size, size}, *known);
      return known;
    }
    value.unknown.push_back({key, generic.read()});
    has_more = tokens.take_separator('}');
  }
  return std::nullopt;
}

template <typename Value>
void SnapshotJsonWalker::read_field(Value& value, KnownText key) {
  if (value.keys.has(key)) [[unlikely]]
    tokens.fail("each key once", "the key '" + std::string(known_text(key)) + "' again");
  if constexpr (requires { dicts_in(value); }) {
    if (is_key_of_dicts(key)) return read_dicts(value, key);
  }
  FieldValue field;
  read_value(key, field);
  if (const char* needed = put_field(value, key, field)) [[unlikely]]
    tokens.fail(std::string(needed) + " under '" + std::string(known_text(key)) + "'",
                found_text(field, tables_.texts));
}

void SnapshotJsonWalker::read_value(KnownText key, FieldValue& value) {
  const char letter = tokens.peek_value();
  if (letter != '[' && letter != '{') return tokens.take_scalar(value);
  if (letter == '[' && key == KnownText::frames) {
    value.kind = FieldValue::Kind::stack;
    value.stack = stacks_.read();
    return;
  }
  if (letter == '[' && (key == KnownText::pool_id || key == KnownText::segment_pool_id)) {
    if (const auto pool = take_plain_pool()) {
      value.kind = FieldValue::Kind::pool;
      value.pool = *pool;
      return;
    }
  }
  read_generic(key, value);
}

/// The short way for `[1, 2]`. Null, with nothing taken, if it is written in another way or is
/// something else.
std::optional<allocator::PoolId> SnapshotJsonWalker::take_plain_pool() {
  constexpr std::size_t longest_plain_pool = 64;
  LetterWindow& window = tokens.window();
  if (!window.has(longest_plain_pool)) return std::nullopt;
  const char* const first_begin = window.at() + 1;
  const DigitRow first = read_digits(first_begin);
  if (!is_plain_number(first_begin, first) || *first.end != ',') return std::nullopt;
  const char* const second_begin = first.end + (first.end[1] == ' ' ? 2 : 1);
  const DigitRow second = read_digits(second_begin);
  if (!is_plain_number(second_begin, second) || *second.end != ']') return std::nullopt;
  window.go_to(second.end + 1);
  return allocator::PoolId{first.number, second.number};
}

void SnapshotJsonWalker::read_generic(KnownText key, FieldValue& value) {
  generic_value_ = generic.read();
  value = field_from_generic(generic_value_, key, tables_);
  // JSON has no tuples.
  value.pool_is_list = false;
}

template <typename Value>
void SnapshotJsonWalker::read_dicts(Value& value, KnownText key) {
  value.keys.add(key);
  if (tokens.peek_value() != '[') tokens.fail_at_value("a list of dicts");
  tokens.take();
  read_items([&] {
    count_part();
    read_dict(dicts_in(value).emplace_back());
  });
}

void SnapshotJsonWalker::count_part() {
  if (part_count_ == JsonGeneric::most_parts)
    tokens.fail("at most " + std::to_string(JsonGeneric::most_parts) + " parts of a value", "more");
  ++part_count_;
}

}  // namespace vramlab::traces
