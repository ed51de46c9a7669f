#include "traces/pickle/snapshot_pickle.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "traces/model/generic_text.h"
#include "traces/model/snapshot_writer.h"
#include "traces/pickle/pickle_tokens.h"
#include "traces/pickle/snapshot_pickle_walker.h"

namespace vramlab::traces {
namespace {

using Kind = PickleTokenKind;

/// The top of a snapshot: its sections, in any order.
class SectionReader {
 public:
  SectionReader(PickleInput input, SnapshotTables& tables, SnapshotSink& sink)
      : walker_(input, tables), tokens_(walker_.tokens), sink_(sink), entry_(walker_.event) {}

  PickleFacts read() {
    PickleToken first = tokens_.next();
    if (first.kind == Kind::proto) {
      constexpr std::uint64_t newest_protocol = 5;
      if (first.number > newest_protocol)
        tokens_.fail("a pickle of protocol 0 to 5", "protocol " + std::to_string(first.number));
      facts_.protocol = static_cast<std::uint32_t>(first.number);
      first = tokens_.next();
    } else {
      // Protocols 0 and 1 do not say so. Protocol 0 has no opcode of its own for an empty dict.
      facts_.protocol = tokens_.token_bytes().size() == 1 ? 1 : 0;
    }
    if (first.kind == Kind::empty_dict) {
      read_top_dict();
    } else if (first.kind == Kind::empty_list) {
      read_bare_list();
    } else {
      walker_.fail_at(first, "a snapshot: a dict, or a list of segments");
    }
    walker_.expect(Kind::stop);
    facts_.bytes = tokens_.bytes_taken();
    return facts_;
  }

 private:
  /// The first item tells: a list is the events of a device, a dict is a segment.
  void read_bare_list() {
    walker_.values.store_if_put({MemoKind::passed, 0});
    if (walker_.first_item_is_list()) {
      mark_section(SnapshotSection::device_traces);
      return read_device_traces();
    }
    sink_.bare_list();
    mark_section(SnapshotSection::segments);
    read_values<SegmentValue>();
  }

  void read_top_dict() {
    const auto put = walker_.values.take_put();
    if (put) walker_.values.store(*put, {MemoKind::passed, 0});
    // Python stores a dict before it fills it, PyTorch's own pickler afterwards if at all.
    facts_.producer = put ? PickleProducer::python : PickleProducer::cpp;
    for (bool has_more = true; has_more;) {
      if (tokens_.peek() == PickleOpcode::mark) {
        tokens_.take_peeked();
        read_marked_sections();
      } else {
        has_more = walker_.read_unmarked_item(
            [this](TextId key) { return read_section(key); },
            [this](TextId key, const GenericPointer& value) { give_generic(key, value); });
      }
    }
    walker_.values.store_if_put({MemoKind::passed, 0});
  }

  void read_marked_sections() {
    while (true) {
      const PickleToken token = tokens_.next();
      if (token.kind == Kind::setitems) return;
      const auto key = walker_.values.text_of(token);
      if (!key) walker_.fail_at(token, "a text as key");
      if (read_section(*key)) continue;
      const auto collected = walker_.values.collect(PickleValues::StopAt::section_key);
      walker_.give_collected(*key, collected, [this](TextId text, const GenericPointer& value) {
        give_generic(text, value);
      });
      if (collected.ended_by == Kind::setitems) return;
      if (collected.ended_by != Kind::text)
        tokens_.fail("the end of a dict's items",
                     std::string(pickle_token_name(collected.ended_by)));
    }
  }

  bool read_section(TextId text) {
    const auto section = section_of(text);
    if (!section || *section == SnapshotSection::allocator_settings) return false;
    if (tokens_.next().kind != Kind::empty_list) {
      tokens_.push_back();
      return false;
    }
    mark_section(*section);
    read_list_section(*section);
    return true;
  }

  void read_list_section(SnapshotSection section) {
    if (section == SnapshotSection::segments)
      read_values<SegmentValue>();
    else if (section == SnapshotSection::device_traces)
      read_device_traces();
    else
      read_values<AnnotationValue>();
  }

  template <typename Value>
  void read_values() {
    walker_.values.store_if_put({MemoKind::passed, 0});
    walker_.read_list(Kind::empty_dict, [&](const PickleToken& item) {
      Value value;
      walker_.read_value(item, value);
      give(value);
    });
    walker_.values.store_if_put({MemoKind::passed, 0});
  }

  void read_device_traces() {
    walker_.values.store_if_put({MemoKind::passed, 0});
    DeviceIndex device;
    walker_.read_list(Kind::empty_list, [&](const PickleToken& item) {
      sink_.device_trace(device);
      read_trace(item, device);
      ++device.value;
    });
    walker_.values.store_if_put({MemoKind::passed, 0});
  }

  void read_trace(const PickleToken& first, DeviceIndex device) {
    if (first.kind == Kind::get) return give_trace(walker_.values.generic_of(first), device);
    if (first.kind != Kind::empty_list) walker_.fail_at(first, "a device's list of events");
    walker_.values.store_if_put({MemoKind::passed, 0});
    walker_.read_list(Kind::empty_dict, [&](const PickleToken& item) { read_entry(item, device); });
    walker_.values.store_if_put({MemoKind::passed, 0});
  }

  void read_entry(const PickleToken& first, DeviceIndex device) {
    // Reset by hand: the vectors keep their memory, and they are mostly empty.
    entry_.keys = {};
    entry_.address = {};
    entry_.device_free = {};
    entry_.size = {};
    entry_.pool = {};
    entry_.pool_is_list = false;
    entry_.stack = {};
    entry_.time_us = 0;
    entry_.stream = {};
    entry_.compile_context = entry_.user_metadata = entry_.internal_metadata = entry_.category = {};
    if (!entry_.forward_frames.empty()) entry_.forward_frames.clear();
    if (!entry_.unknown.empty()) entry_.unknown.clear();
    walker_.read_value(first, entry_);
    keep_if_no_time(entry_);
    if (!entry_.keys.has(KnownText::action)) tokens_.fail("an event with an 'action'", "none");
    sink_.trace_entry(device, entry_);
  }

  void give(SegmentValue& segment) {
    if (is_event(segment))
      tokens_.fail("segments, or in a list for each device events", "events alone");
    count_up_addresses(segment);
    sink_.segment(segment);
  }

  void give(const AnnotationValue& annotation) { sink_.annotation(annotation); }

  void give_generic(TextId text, const GenericPointer& value) {
    const auto section = section_of(text);
    if (!section) return sink_.unknown_section(text, value);
    mark_section(*section);
    give_section(*section, value);
  }

  void give_section(SnapshotSection section, const GenericPointer& value) {
    switch (section) {
      case SnapshotSection::segments:
        return give_values<SegmentValue>(items_of(value, section));
      case SnapshotSection::external_annotations:
        return give_values<AnnotationValue>(items_of(value, section));
      case SnapshotSection::device_traces: {
        DeviceIndex device;
        for (const GenericPointer& trace : items_of(value, section)) {
          sink_.device_trace(device);
          give_trace(trace, device);
          ++device.value;
        }
        return;
      }
      case SnapshotSection::allocator_settings:
        if (!std::holds_alternative<GenericDict>(value->content))
          tokens_.fail("a dict under 'allocator_settings'", walker_.values.found(*value));
        sink_.settings(value);
    }
  }

  template <typename Value>
  void give_values(const std::vector<GenericPointer>& items) {
    for (const GenericPointer& item : items) {
      Value value;
      walker_.fill_from_generic(item, value);
      give(value);
    }
  }

  void give_trace(const GenericPointer& trace, DeviceIndex device) {
    for (const GenericPointer& item : items_of(trace, SnapshotSection::device_traces)) {
      entry_ = {};
      walker_.fill_from_generic(item, entry_);
      sink_.trace_entry(device, entry_);
    }
  }

  const std::vector<GenericPointer>& items_of(const GenericPointer& value,
                                              SnapshotSection section) {
    const auto* list = std::get_if<GenericList>(&value->content);
    if (list == nullptr)
      tokens_.fail("a list under '" + std::string(known_text(key_of(section))) + "'",
                   walker_.values.found(*value));
    return list->items;
  }

  void mark_section(SnapshotSection section) {
    add_once(sections_, key_of(section), tokens_);
    sink_.section(section);
  }

  SnapshotPickleWalker walker_;
  PickleTokens& tokens_;
  SnapshotSink& sink_;
  KeySet sections_;
  TraceEntry& entry_;
  PickleFacts facts_;
};

/// Spells a snapshot as Python's pickle module does, with two liberties that every reader accepts:
/// no FRAME opcodes, which only help with buffering, and no place for values that nobody refers to.
class PickleEncoder : public SnapshotEncoder {
 public:
  PickleEncoder(ByteSink& sink, const TextTable& texts) : bytes_(sink), texts_(texts) {
    constexpr char protocol = 4;
    add(PickleOpcode::proto);
    bytes_.add(protocol);
  }

  void begin_dict() override { begin(PickleOpcode::empty_dict, Kind::dict); }
  void end_dict() override { end(PickleOpcode::setitems); }
  void begin_list() override { begin(PickleOpcode::empty_list, Kind::list); }
  void end_list() override { end(PickleOpcode::appends); }
  void key(TextId key) override {
    begin_item(PickleOpcode::setitems);
    add_text(key);
  }
  void begin_foreign_key() override { begin_item(PickleOpcode::setitems); }

  void begin_tuple(std::size_t item_count) override {
    begin_value();
    if (item_count > 3) add(PickleOpcode::mark);
    open_.push_back({Kind::tuple});
  }

  void end_tuple(std::size_t item_count) override {
    constexpr PickleOpcode opcodes[] = {PickleOpcode::empty_tuple, PickleOpcode::tuple1,
                                        PickleOpcode::tuple2, PickleOpcode::tuple3};
    add(item_count > 3 ? PickleOpcode::tuple : opcodes[item_count]);
    open_.pop_back();
  }

  void scalar(NoneValue) override { add_value(PickleOpcode::none); }
  void scalar(bool value) override {
    add_value(value ? PickleOpcode::newtrue : PickleOpcode::newfalse);
  }

  void scalar(WholeNumber number) override {
    begin_value();
    const auto as_signed = static_cast<std::int64_t>(number.bits);
    const bool is_small = number.is_negative ? as_signed >= INT32_MIN : number.bits <= INT32_MAX;
    if (!is_small) return add_long(number);
    if (!number.is_negative && number.bits <= UINT8_MAX) {
      add(PickleOpcode::binint1);
      add_number(number.bits, 1);
    } else if (!number.is_negative && number.bits <= UINT16_MAX) {
      add(PickleOpcode::binint2);
      add_number(number.bits, 2);
    } else {
      add(PickleOpcode::binint);
      add_number(number.bits, 4);
    }
  }

  void scalar(LongNumber number) override {
    const std::string bytes = bytes_of_decimal(texts_.text(number.digits));
    add_value(PickleOpcode::long1);
    add_number(bytes.size(), 1);
    bytes_.add(bytes);
  }

  void scalar(double number) override {
    add_value(PickleOpcode::binfloat);
    const auto bits = std::bit_cast<std::uint64_t>(number);
    for (int shift = 56; shift >= 0; shift -= 8) bytes_.add(static_cast<char>(bits >> shift));
  }

  void scalar(TextId text) override {
    begin_value();
    add_text(text);
  }

  std::uint32_t remember() override {
    add(PickleOpcode::memoize);
    return place_count_++;
  }
  bool refer_to(std::uint32_t place) override {
    begin_value();
    add_reference(place);
    return true;
  }

  void finish() override {
    add(PickleOpcode::stop);
    bytes_.flush();
  }

 private:
  enum class Kind : std::uint8_t { dict, list, tuple };
  struct Open {
    Kind kind;
    /// Since the last mark.
    std::uint32_t items = 0;
  };

  void add(PickleOpcode opcode) { bytes_.add(static_cast<char>(opcode)); }
  void add_number(std::uint64_t number, unsigned byte_count) {
    for (unsigned i = 0; i < byte_count; ++i) bytes_.add(static_cast<char>(number >> (8 * i)));
  }
  void begin(PickleOpcode opcode, Kind kind) {
    add_value(opcode);
    open_.push_back({kind});
  }
  void end(PickleOpcode take_items) {
    if (open_.back().items > 0) add(take_items);
    open_.pop_back();
  }
  void add_value(PickleOpcode opcode) {
    begin_value();
    add(opcode);
  }
  /// A value of a dict belongs to its key.
  void begin_value() {
    if (!open_.empty() && open_.back().kind == Kind::list) begin_item(PickleOpcode::appends);
  }

  /// Items are handed over a thousand at a time, as Python does it, so that a loader needs no long
  /// stack.
  void begin_item(PickleOpcode take_items) {
    constexpr std::uint32_t items_at_a_time = 1000;
    Open& around = open_.back();
    if (around.items == items_at_a_time) {
      add(take_items);
      around.items = 0;
    }
    if (around.items == 0) add(PickleOpcode::mark);
    ++around.items;
  }

  void add_text(TextId text) {
    if (text.value >= text_places_.size()) text_places_.resize(texts_.count());
    std::uint32_t& place = text_places_[text.value];
    if (place != 0) return add_reference(place - 1);
    const std::string_view letters = texts_.text(text);
    if (letters.size() <= UINT8_MAX) {
      add(PickleOpcode::short_binunicode);
      add_number(letters.size(), 1);
    } else if (letters.size() <= UINT32_MAX) {
      add(PickleOpcode::binunicode);
      add_number(letters.size(), 4);
    } else {
      add(PickleOpcode::binunicode8);
      add_number(letters.size(), 8);
    }
    bytes_.add(letters);
    place = remember() + 1;
  }

  void add_reference(std::uint32_t place) {
    const bool is_short = place <= UINT8_MAX;
    add(is_short ? PickleOpcode::binget : PickleOpcode::long_binget);
    add_number(place, is_short ? 1 : 4);
  }

  /// Writes as few bytes as leave the highest bit as the sign.
  void add_long(WholeNumber number) {
    const std::uint64_t without_sign = number.is_negative ? ~number.bits : number.bits;
    const unsigned byte_count = static_cast<unsigned>(std::bit_width(without_sign)) / 8 + 1;
    add(PickleOpcode::long1);
    bytes_.add(static_cast<char>(byte_count));
    constexpr unsigned word_bytes = 8;
    add_number(number.bits, std::min(byte_count, word_bytes));
    // Only numbers from 2^63 on have a ninth byte.
    if (byte_count > word_bytes) bytes_.add('\0');
  }

  ByteCollector bytes_;
  const TextTable& texts_;
  std::vector<Open> open_;
  /// The place under which each text was remembered, plus one; 0 if it was not.
  std::vector<std::uint32_t> text_places_;
  std::uint32_t place_count_ = 0;
};

}  // namespace

PickleFacts read_snapshot_pickle(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, SnapshotSink& sink) {
  return SectionReader({source, file}, tables, sink).read();
}

std::unique_ptr<SnapshotWriter> make_snapshot_pickle_writer(ByteSink& sink,
                                                            const SnapshotTables& tables) {
  return std::make_unique<SnapshotWriter>(std::make_unique<PickleEncoder>(sink, tables.texts),
                                          tables);
}

}  // namespace vramlab::traces
