#include "traces/json/snapshot_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "allocator/types/check.h"
#include "traces/io/input_error.h"
#include "traces/io/letters.h"
#include "traces/json/json_tokens.h"
#include "traces/json/letter_window.h"
#include "traces/model/generic_text.h"
#include "traces/model/snapshot_writer.h"

namespace vramlab::traces {

/// Reads a list of frames as a stack, by the letters of frames that are known. It is visible
/// outside of this source, as compiling it into its only caller makes reading slower.
class JsonStacks {
 public:
  /// All must outlive it.
  JsonStacks(JsonTokens& tokens, JsonGeneric& generic, SnapshotTables& tables)
      : tokens_(tokens), generic_(generic), tables_(tables) {}

  /// Requires: the tokens are at the bracket that opens a list.
  StackId read();

 private:
  FrameId read_frame(KnownFrames::Place place);
  std::optional<FrameId> take_known(KnownFrames::Place place);
  FrameValue read_fields();
  void read_field(FrameValue& frame);

  JsonTokens& tokens_;
  JsonGeneric& generic_;
  SnapshotTables& tables_;
  KnownFrames known_frames_;
  std::vector<FrameId> frames_;
};

namespace {

/// The letters that stood before the next value of a dict last time, key and all, by the key
/// before. Dicts of a kind have the same keys in the same order and are written in the same way, so
/// a guess is nearly always right, and comparing a few words tells.
class KeyGuesses {
 public:
  /// Such as `, "size": `; more letters are not kept.
  static constexpr std::size_t longest_letters = 32;
  static_assert(longest_letters <= scan_padding);

  /// A place in a dict: behind one of its keys, or at its beginning.
  struct Place {
    std::uint32_t number = known_key_count;
    static Place begin() { return {}; }
    static Place behind(KnownText key) { return {static_cast<std::uint32_t>(key)}; }
  };

  struct Guess {
    std::array<std::uint64_t, longest_letters / letters_per_word> words{};
    /// The bits of the words that count.
    std::array<std::uint64_t, longest_letters / letters_per_word> masks{};
    /// 0 if no letters are known.
    std::size_t size = 0;
    KnownText key{};

    /// True if these letters stand at `at`. Requires: `scan_padding` bytes can be read behind it.
    bool is_at(const char* at) const {
      std::uint64_t difference = size == 0 ? 1 : 0;
      for (std::size_t i = 0; i < words.size(); ++i)
        difference |= (load_word(at + i * letters_per_word) ^ words[i]) & masks[i];
      return difference == 0;
    }
  };

  const Guess& after(Place place) const { return guesses_[place.number]; }

  void remember(Place place, std::string_view letters, KnownText key) {
    if (letters.size() > longest_letters) return;
    Guess guess;
    guess.size = letters.size();
    guess.key = key;
    std::array<char, longest_letters> bytes{};
    std::array<char, longest_letters> mask{};
    std::ranges::copy(letters, bytes.begin());
    std::fill_n(mask.begin(), letters.size(), '\xFF');
    std::memcpy(guess.words.data(), bytes.data(), bytes.size());
    std::memcpy(guess.masks.data(), mask.data(), mask.size());
    guesses_[place.number] = guess;
  }

 private:
  std::array<Guess, std::size_t{known_key_count} + 1> guesses_{};
};

bool is_plain_number(const char* begin, const DigitRow& row) {
  const bool has_needless_zero = *begin == '0' && row.end - begin > 1;
  return row.end != begin && !row.is_too_large && !has_needless_zero;
}

/// The pieces of a snapshot: dicts with known keys, and lists of such dicts. The known structure is
/// read straight into the values; a key without a field gets a value of any shape.
class SnapshotJsonWalker {
 public:
  SnapshotJsonWalker(JsonInput input, SnapshotTables& tables)
      : tokens(input, tables.texts),
        generic(tokens),
        stacks_(tokens, generic, tables),
        tables_(tables) {}

  JsonTokens tokens;
  JsonGeneric generic;

  // Each reads a dict into a value that is as after its construction. Blocks without an address get
  // theirs by counting up.
  void read(SegmentValue& segment) {
    part_count_ = 0;
    read_dict(segment);
    if (is_event(segment))
      tokens.fail("segments, or in a list for each device events", "events alone");
    count_up_addresses(segment);
  }

  void read(TraceEntry& entry) {
    read_dict(entry);
    if (!entry.keys.has(KnownText::action)) tokens.fail("an event with an 'action'", "none");
  }

  void read(AnnotationValue& annotation) { read_dict(annotation); }

 private:
  template <typename Value>
  void read_dict(Value& value) {
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
  std::optional<KnownText> take_next_key(Value& value, KeyGuesses::Place place) {
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
  void read_field(Value& value, KnownText key) {
    if (value.keys.has(key)) [[unlikely]]
      fail_as_repeated(tokens, key);
    if constexpr (requires { dicts_in(value); }) {
      if (is_key_of_dicts(key)) return read_dicts(value, key);
    }
    FieldValue field;
    read_value(key, field);
    if (const char* needed = put_field(value, key, field)) [[unlikely]]
      tokens.fail(std::string(needed) + " under '" + std::string(known_text(key)) + "'",
                  found_text(field, tables_.texts));
  }

  template <typename Value>
  KeyGuesses& guesses_of() {
    return std::get<Guesses<Value>>(guesses_).keys;
  }

  template <typename Value>
  void read_dicts(Value& value, KnownText key) {
    value.keys.add(key);
    if (tokens.peek_value() != '[') tokens.fail_at_value("a list of dicts");
    tokens.take_each(']', [&] {
      count_part();
      read_dict(dicts_in(value).emplace_back());
    });
  }

  /// Reads into a value that is as after its construction.
  void read_value(KnownText key, FieldValue& value) {
    const char letter = tokens.peek_value();
    if (letter != '[' && letter != '{') return tokens.take_scalar(value);
    if (letter == '[' && key == KnownText::frames) {
      value = stacks_.read();
      return;
    }
    if (letter == '[' && (key == KnownText::pool_id || key == KnownText::segment_pool_id)) {
      if (const auto pool = take_plain_pool()) {
        value = DecodedPool{*pool, false};
        return;
      }
    }
    read_generic(key, value);
  }

  /// The short way for `[1, 2]`. Null, with nothing taken, for a pool that is written in another
  /// way and for any other value.
  std::optional<PoolId> take_plain_pool() {
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
    return PoolId{first.number, second.number};
  }

  void read_generic(KnownText key, FieldValue& value) {
    generic_value_ = generic.read();
    value = field_from_generic(generic_value_, key, tables_);
    // JSON has no tuples.
    if (auto* pool = std::get_if<DecodedPool>(&value)) pool->is_list = false;
  }

  void count_part() {
    if (part_count_ == JsonGeneric::most_parts)
      tokens.fail("at most " + std::to_string(JsonGeneric::most_parts) + " parts of a value",
                  "more");
    ++part_count_;
  }

  /// Each kind of dict has guesses of its own.
  template <typename Value>
  struct Guesses {
    KeyGuesses keys;
  };

  JsonStacks stacks_;
  std::tuple<Guesses<SegmentValue>, Guesses<BlockValue>, Guesses<HistoryEntry>, Guesses<TraceEntry>,
             Guesses<AnnotationValue>>
      guesses_;
  SnapshotTables& tables_;
  /// The value that a field looks at until the next one is read.
  GenericPointer generic_value_;
  /// The parts of the segment, in all its lists.
  std::size_t part_count_ = 0;
};

/// The top of a snapshot: its sections, and their readers.
class SectionReader {
 public:
  SectionReader(JsonInput input, SnapshotTables& tables, SnapshotSink& sink)
      : walker_(input, tables), tokens_(walker_.tokens), sink_(sink) {}

  std::uint64_t read() {
    tokens_.pass_byte_order_mark();
    const char letter = tokens_.peek_value();
    if (letter == '{') {
      read_top();
    } else if (letter == '[') {
      read_bare_list();
    } else {
      tokens_.fail_at_value("a snapshot: a dict, or a list of segments");
    }
    tokens_.expect_end();
    return tokens_.window().bytes_taken();
  }

 private:
  /// The first item tells: a list is the events of a device, a dict is a segment.
  void read_bare_list() {
    tokens_.take();
    if (tokens_.peek_value() == '[') return read_items_of_section(SnapshotSection::device_traces);
    sink_.bare_list();
    read_items_of_section(SnapshotSection::segments);
  }

  void read_top() {
    tokens_.take();
    bool has_more = !tokens_.take_if('}');
    while (has_more) {
      const TextId key = tokens_.take_key();
      const auto section = section_of(key);
      if (section && *section != SnapshotSection::allocator_settings &&
          tokens_.peek_value() == '[') {
        read_list_section(*section);
        has_more = tokens_.take_separator('}');
      } else {
        const GenericPointer value = walker_.generic.read();
        has_more = tokens_.take_separator('}');
        give_value(key, value);
      }
    }
  }

  void read_list_section(SnapshotSection section) {
    tokens_.take();
    read_items_of_section(section);
  }

  void read_items_of_section(SnapshotSection section) {
    mark_section(section);
    if (section == SnapshotSection::segments)
      tokens_.take_items(']', [&] { sink_.segment(read_value<SegmentValue>()); });
    else if (section == SnapshotSection::device_traces)
      read_device_traces();
    else
      tokens_.take_items(']', [&] { sink_.annotation(read_value<AnnotationValue>()); });
  }

  template <typename Value>
  Value read_value() {
    Value value;
    walker_.read(value);
    return value;
  }

  void read_device_traces() {
    DeviceIndex device;
    tokens_.take_items(']', [&] {
      if (tokens_.peek_value() != '[') tokens_.fail_at_value("a device's list of events");
      sink_.device_trace(device);
      tokens_.take_each(']', [&] {
        TraceEntry entry;
        walker_.read(entry);
        sink_.trace_entry(device, entry);
      });
      ++device.value;
    });
  }

  void give_value(TextId key, const GenericPointer& value) {
    const auto section = section_of(key);
    if (!section) return sink_.unknown_section(key, value);
    const bool is_settings = *section == SnapshotSection::allocator_settings;
    if (is_settings) mark_section(*section);
    if (!is_settings || !std::holds_alternative<GenericDict>(value->content))
      tokens_.fail((is_settings ? "a dict under '" : "a list under '") +
                       std::string(known_text(key_of(*section))) + "'",
                   found_text(*value, tokens_.texts()));
    sink_.settings(value);
  }

  void mark_section(SnapshotSection section) {
    add_once(sections_, key_of(section), tokens_);
    sink_.section(section);
  }

  SnapshotJsonWalker walker_;
  JsonTokens& tokens_;
  SnapshotSink& sink_;
  KeySet sections_;
};

/// Spells a snapshot as JSON. Every segment and event has a line of its own.
class JsonEncoder : public SnapshotEncoder {
 public:
  JsonEncoder(ByteSink& sink, const TextTable& texts) : bytes_(sink), texts_(texts) {}

  void begin_dict() override { begin('{', Kind::dict); }
  void end_dict() override { end('}'); }
  void begin_list() override { begin('[', Kind::list); }
  void end_list() override { end(']'); }
  void begin_tuple(std::size_t) override { begin_list(); }
  void end_tuple(std::size_t) override { end_list(); }
  void key(TextId key) override {
    begin_item();
    add_text(key);
    bytes_.add(": ");
  }
  void begin_foreign_key() override {
    throw InputError({"the recording", "", "texts as keys, as JSON has no others", "another key"});
  }

  void scalar(NoneValue) override { add_value("null"); }
  void scalar(bool value) override { add_value(value ? "true" : "false"); }
  void scalar(WholeNumber number) override { add_value(whole_text(number)); }
  void scalar(LongNumber number) override { add_value(texts_.text(number.digits)); }
  void scalar(double number) override;
  void scalar(TextId text) override {
    begin_value();
    add_text(text);
  }

  std::uint32_t remember() override { return 0; }
  bool refer_to(std::uint32_t) override { return false; }

  void finish() override {
    bytes_.add('\n');
    bytes_.flush();
  }

 private:
  enum class Kind : std::uint8_t { dict, list };
  struct Open {
    Kind kind;
    bool has_items = false;
  };

  void begin(char bracket, Kind kind) {
    begin_value();
    bytes_.add(bracket);
    open_.push_back({kind});
  }
  void end(char bracket) {
    bytes_.add(bracket);
    open_.pop_back();
  }
  void add_value(std::string_view letters) {
    begin_value();
    bytes_.add(letters);
  }
  void begin_value() {
    if (!open_.empty() && open_.back().kind == Kind::list) begin_item();
  }
  void begin_item();
  void add_text(TextId text);

  ByteCollector bytes_;
  const TextTable& texts_;
  /// The texts that were written before, between their quotes, by id.
  std::vector<std::string> spelled_;
  std::vector<Open> open_;
};

void JsonEncoder::begin_item() {
  // The top, its sections, and the lists of single devices.
  constexpr std::size_t deepest_on_lines = 3;
  Open& around = open_.back();
  const bool is_on_line = open_.size() <= deepest_on_lines && around.kind == Kind::list;
  const bool is_first = !std::exchange(around.has_items, true);
  if (is_on_line || open_.size() == 1)
    bytes_.add(is_first ? "\n" : ",\n");
  else if (!is_first)
    bytes_.add(", ");
}

void JsonEncoder::add_text(TextId text) {
  if (text.value >= spelled_.size()) spelled_.resize(texts_.count());
  std::string& letters = spelled_[text.value];
  if (letters.empty()) add_json_text(letters, texts_.text(text));
  bytes_.add(letters);
}

void JsonEncoder::scalar(double number) {
  if (!std::isfinite(number))
    throw InputError({"the recording", "", "numbers that JSON can write",
                      std::isnan(number) ? "not a number" : "an infinite number"});
  add_value(real_text(number));
}

}  // namespace

std::uint64_t read_snapshot_json(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, SnapshotSink& sink) {
  return SectionReader({source, file}, tables, sink).read();
}

void KnownFrames::remember(Place place, std::string_view letters, FrameId id) {
  if (letters.size() > longest_letters) return;
  const bool is_held = id.value < by_id_.size() && by_id_[id.value] != nullptr &&
                       by_id_[id.value]->letters == letters;
  const Frame* const frame = is_held ? by_id_[id.value] : keep(letters, id);
  at_places_[slot_number(place)] = frame;
}

const KnownFrames::Frame* KnownFrames::keep(std::string_view letters, FrameId id) {
  const std::size_t bytes = sizeof(Frame) + letters.size();
  if (held_bytes_ + bytes > most_bytes_) forget_all();
  held_bytes_ += bytes;
  frames_.push_back({std::string(letters), id});
  if (id.value >= by_id_.size()) by_id_.resize(std::size_t{id.value} + 1);
  by_id_[id.value] = &frames_.back();
  return &frames_.back();
}

void KnownFrames::forget_all() {
  held_bytes_ = 0;
  frames_.clear();
  by_id_.clear();
  std::ranges::fill(at_places_, nullptr);
}

StackId JsonStacks::read() {
  frames_.clear();
  KnownFrames::Place place;
  tokens_.take_each(']', [&] {
    if (frames_.size() == JsonGeneric::most_parts)
      tokens_.fail("at most " + std::to_string(JsonGeneric::most_parts) + " frames of a stack",
                   "more");
    if (tokens_.peek_value() != '{') tokens_.fail_at_value("a list of frames under 'frames'");
    const FrameId frame = read_frame(place);
    frames_.push_back(frame);
    place.pass(frame);
  });
  return tables_.stacks.intern(frames_);
}

FrameId JsonStacks::read_frame(KnownFrames::Place place) {
  if (const auto known = take_known(place)) return *known;
  LetterWindow& window = tokens_.window();
  // The letters are then mostly still in the window when the frame is read.
  window.has(KnownFrames::longest_letters);
  const std::uint64_t fill_count = window.fill_count();
  const std::uint64_t begin = window.bytes_taken();
  const FrameValue frame = read_fields();
  const FrameId id = tables_.frames.intern(frame);
  if (can_be_compared(frame) && window.fill_count() == fill_count) {
    const auto size = static_cast<std::size_t>(window.bytes_taken() - begin);
    known_frames_.remember(place, {window.at() - size, size}, id);
  }
  tokens_.begin_quotes_here();
  return id;
}

std::optional<FrameId> JsonStacks::take_known(KnownFrames::Place place) {
  const KnownFrames::Frame* const guess = known_frames_.guess(place);
  if (guess == nullptr) return std::nullopt;
  LetterWindow& window = tokens_.window();
  const std::size_t size = guess->letters.size();
  if (!window.has(size) || std::memcmp(window.at(), guess->letters.data(), size) != 0)
    return std::nullopt;
  window.go_to(window.at() + size);
  tokens_.begin_quotes_here();
  return guess->id;
}

FrameValue JsonStacks::read_fields() {
  FrameValue frame;
  tokens_.take_each('}', [&] { read_field(frame); });
  return frame;
}

/// A key that comes again replaces the one before.
void JsonStacks::read_field(FrameValue& frame) {
  const TextId key = tokens_.take_key();
  const auto known = known_key(key);
  if (!known || !FieldsOf<FrameValue>::keys.has(*known)) {
    frame.unknown.push_back({key, generic_.read()});
    return;
  }
  GenericPointer generic;
  FieldValue field;
  if (const char letter = tokens_.peek_value(); letter == '{' || letter == '[') {
    generic = generic_.read();
    field = field_from_generic(generic, *known, tables_);
  } else {
    tokens_.take_scalar(field);
  }
  put_field(frame, *known, field);
}

std::unique_ptr<SnapshotWriter> make_snapshot_json_writer(ByteSink& sink,
                                                          const SnapshotTables& tables) {
  return std::make_unique<SnapshotWriter>(std::make_unique<JsonEncoder>(sink, tables.texts),
                                          tables);
}

}  // namespace vramlab::traces
