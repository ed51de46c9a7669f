#include <algorithm>
#include <bit>
#include <utility>

#include "traces/model/long_number.h"
#include "traces/model/snapshot_writer.h"
#include "traces/pickle/pickle_opcodes.h"

namespace vramlab::traces {
namespace {

/// Spells a snapshot as Python's pickle module does, with two liberties that every reader takes: no
/// FRAME opcodes, which only help with buffering, and no place for what nobody refers to.
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

  /// Items are handed over a thousand at a time, as Python does it, so that whoever loads them
  /// needs no long stack.
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

  /// As few bytes as leave the highest bit as the sign.
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

std::unique_ptr<SnapshotWriter> make_snapshot_pickle_writer(ByteSink& sink,
                                                            const SnapshotTables& tables) {
  return std::make_unique<SnapshotWriter>(std::make_unique<PickleEncoder>(sink, tables.texts),
                                          tables);
}

}  // namespace vramlab::traces
