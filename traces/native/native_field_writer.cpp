#include "traces/native/native_speller.h"

#include "traces/native/native_layout.h"
#include "traces/values/snapshot_fields.h"

namespace vramlab::traces {
namespace {

/// Spells what stands under the key of a field.
class MemberSpeller {
 public:
  MemberSpeller(std::string& line, NativeSpeller& speller) : line_(line), speller_(speller) {}

  void add(std::uint64_t number) { line_ += std::to_string(number); }
  void add(std::int64_t number) { line_ += std::to_string(number); }
  void add(allocator::Bytes size) { add(size.count); }
  void add(allocator::Address address) { add(address.value); }
  void add(allocator::StreamId stream) { add(stream.value); }
  void add(bool flag) { line_ += flag ? "true" : "false"; }
  void add(TextId text) { speller_.add_text(line_, text); }
  void add(StackId stack) { add(std::uint64_t{speller_.stack_number(stack)}); }
  void add(const std::vector<BlockValue>& blocks) { add(std::uint64_t{blocks.size()}); }
  void add(const HistoryEntry& entry) { add_fields(line_, speller_, entry); }
  void add(PoolParts<const allocator::PoolId, const bool> pool) {
    if (pool.is_list) line_.append("{\"").append(native::list).append("\":");
    line_.append("[").append(std::to_string(pool.id.graph)).append(",");
    line_.append(std::to_string(pool.id.user)).append(pool.is_list ? "]}" : "]");
  }
  template <typename Item>
  void add(const std::vector<Item>& items) {
    line_ += '[';
    for (const Item& item : items) {
      if (&item != items.data()) line_ += ',';
      add(item);
    }
    line_ += ']';
  }

 private:
  std::string& line_;
  NativeSpeller& speller_;
};

void separate(std::string& line) {
  if (line.back() != '{') line += ',';
}

}  // namespace

template <typename Value>
void add_fields(std::string& line, NativeSpeller& speller, const Value& value) {
  line += '{';
  each_field(value, value.keys, [&](KnownText key, const auto& member) {
    separate(line);
    line.append("\"").append(known_text(key)).append("\":");
    MemberSpeller(line, speller).add(member);
  });
  for (const UnknownField& field : value.unknown) {
    separate(line);
    speller.add_key(line, field.key);
    line += ':';
    speller.add_value(line, field.value);
  }
  line += '}';
}

template void add_fields(std::string&, NativeSpeller&, const FrameValue&);
template void add_fields(std::string&, NativeSpeller&, const TraceEntry&);
template void add_fields(std::string&, NativeSpeller&, const HistoryEntry&);
template void add_fields(std::string&, NativeSpeller&, const SegmentValue&);
template void add_fields(std::string&, NativeSpeller&, const BlockValue&);
template void add_fields(std::string&, NativeSpeller&, const AnnotationValue&);

}  // namespace vramlab::traces
