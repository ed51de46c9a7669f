#include "traces/native/native_field_writer.h"

#include "traces/native/native_format.h"

namespace vramlab::traces {
namespace {

/// One object: each call adds a key and its value if the value has that key.
class FieldObject {
 public:
  FieldObject(std::string& line, NativeSpeller& speller, KeySet keys)
      : line_(line), speller_(speller), keys_(keys) {
    line_ += '{';
  }

  void add(KnownText key, std::uint64_t number) {
    if (begin(key)) line_ += std::to_string(number);
  }
  void add(KnownText key, std::int64_t number) {
    if (begin(key)) line_ += std::to_string(number);
  }
  void add(KnownText key, bool flag) {
    if (begin(key)) line_ += flag ? "true" : "false";
  }
  void add(KnownText key, TextId text) {
    if (begin(key)) speller_.add_text(line_, text);
  }
  void add(KnownText key, StackId stack) {
    if (begin(key)) line_ += std::to_string(speller_.stack_number(stack));
  }
  void add(KnownText key, const std::vector<TextId>& texts) {
    if (!begin(key)) return;
    line_ += '[';
    for (const TextId& text : texts) {
      if (&text != texts.data()) line_ += ',';
      speller_.add_text(line_, text);
    }
    line_ += ']';
  }
  void add(KnownText key, allocator::PoolId pool, bool is_list) {
    if (!begin(key)) return;
    if (is_list) line_.append("{\"").append(native::list).append("\":");
    line_.append("[").append(std::to_string(pool.graph)).append(",");
    line_.append(std::to_string(pool.user)).append(is_list ? "]}" : "]");
  }
  void add(const std::vector<HistoryEntry>& history);

  void end(const std::vector<UnknownField>& unknown) {
    for (const UnknownField& field : unknown) {
      separate();
      speller_.add_key(line_, field.key);
      line_ += ':';
      speller_.add_value(line_, field.value);
    }
    line_ += '}';
  }

 private:
  void separate() {
    if (line_.back() != '{') line_ += ',';
  }
  bool begin(KnownText key) {
    if (!keys_.has(key)) return false;
    separate();
    line_.append("\"").append(known_text(key)).append("\":");
    return true;
  }

  std::string& line_;
  NativeSpeller& speller_;
  KeySet keys_;
};

void FieldObject::add(const std::vector<HistoryEntry>& history) {
  if (!begin(KnownText::history)) return;
  line_ += '[';
  for (const HistoryEntry& entry : history) {
    if (&entry != history.data()) line_ += ',';
    FieldObject fields(line_, speller_, entry.keys);
    fields.add(KnownText::addr, entry.address.value);
    fields.add(KnownText::real_size, entry.real_size.count);
    fields.add(KnownText::frames, entry.stack);
    fields.end(entry.unknown);
  }
  line_ += ']';
}

}  // namespace

void add_fields(std::string& line, NativeSpeller& speller, const FrameValue& frame) {
  FieldObject fields(line, speller, frame.keys);
  fields.add(KnownText::name, frame.name);
  fields.add(KnownText::filename, frame.filename);
  fields.add(KnownText::line, frame.line);
  fields.end(frame.unknown);
}

void add_fields(std::string& line, NativeSpeller& speller, const TraceEntry& entry) {
  FieldObject fields(line, speller, entry.keys);
  fields.add(KnownText::action, entry.action);
  fields.add(KnownText::addr, entry.address.value);
  fields.add(KnownText::device_free, entry.device_free.count);
  fields.add(KnownText::size, entry.size.count);
  fields.add(KnownText::stream, entry.stream.value);
  fields.add(KnownText::compile_context, entry.compile_context);
  fields.add(KnownText::user_metadata, entry.user_metadata);
  fields.add(KnownText::time_us, entry.time_us);
  fields.add(KnownText::pool_id, entry.pool, entry.pool_is_list);
  fields.add(KnownText::frames, entry.stack);
  fields.add(KnownText::forward_frames, entry.forward_frames);
  fields.add(KnownText::internal_metadata, entry.internal_metadata);
  fields.add(KnownText::category, entry.category);
  fields.end(entry.unknown);
}

void add_fields(std::string& line, NativeSpeller& speller, const SegmentValue& segment) {
  FieldObject fields(line, speller, segment.keys);
  fields.add(KnownText::device, segment.device);
  fields.add(KnownText::address, segment.address.value);
  fields.add(KnownText::total_size, segment.total_size.count);
  fields.add(KnownText::allocated_size, segment.allocated_size.count);
  fields.add(KnownText::active_size, segment.active_size.count);
  fields.add(KnownText::requested_size, segment.requested_size.count);
  fields.add(KnownText::stream, segment.stream.value);
  fields.add(KnownText::segment_type, segment.segment_type);
  fields.add(KnownText::segment_pool_id, segment.pool, segment.pool_is_list);
  fields.add(KnownText::is_expandable, segment.is_expandable);
  fields.add(KnownText::frames, segment.stack);
  fields.add(KnownText::blocks, std::uint64_t{segment.blocks.size()});
  fields.end(segment.unknown);
}

void add_fields(std::string& line, NativeSpeller& speller, const BlockValue& block) {
  FieldObject fields(line, speller, block.keys);
  fields.add(KnownText::address, block.address.value);
  fields.add(KnownText::size, block.size.count);
  fields.add(KnownText::requested_size, block.requested_size.count);
  fields.add(KnownText::state, block.state);
  fields.add(KnownText::frames, block.stack);
  fields.add(block.history);
  fields.end(block.unknown);
}

void add_fields(std::string& line, NativeSpeller& speller, const AnnotationValue& annotation) {
  FieldObject fields(line, speller, annotation.keys);
  fields.add(KnownText::name, annotation.name);
  fields.add(KnownText::stage, annotation.stage);
  fields.add(KnownText::device, annotation.device);
  fields.add(KnownText::time_us, annotation.time_us);
  fields.end(annotation.unknown);
}

}  // namespace vramlab::traces
