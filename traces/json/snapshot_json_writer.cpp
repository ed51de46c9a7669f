#include <cmath>
#include <utility>

#include "allocator/types/check.h"
#include "traces/io/input_error.h"
#include "traces/io/json_letters.h"
#include "traces/model/generic_text.h"
#include "traces/model/snapshot_writer.h"

namespace vramlab::traces {
namespace {

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

std::unique_ptr<SnapshotWriter> make_snapshot_json_writer(ByteSink& sink,
                                                          const SnapshotTables& tables) {
  return std::make_unique<SnapshotWriter>(std::make_unique<JsonEncoder>(sink, tables.texts),
                                          tables);
}

}  // namespace vramlab::traces
