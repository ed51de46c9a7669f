#include "tests/support/fuzz/snapshot_listing.h"

#include <string_view>

#include "allocator/types/bytes_and_ids.h"
#include "tests/support/kit/dribbling_source.h"
#include "traces/io/input_error.h"
#include "traces/json/snapshot_json.h"
#include "traces/model/generic_text.h"
#include "traces/pickle/snapshot_pickle.h"

namespace vramlab::support {
namespace {

using traces::KnownText;

class ListingSink : public traces::SnapshotSink {
 public:
  explicit ListingSink(const traces::SnapshotTables& tables) : tables_(tables) {}

  void bare_list() override { lines += "bare list\n"; }
  void section(traces::SnapshotSection section) override {
    lines += "section " + std::to_string(static_cast<int>(section)) + "\n";
  }
  void device_trace(traces::DeviceIndex device) override {
    lines += "trace " + std::to_string(device.value) + "\n";
  }
  void settings(const traces::GenericPointer& settings) override {
    lines += "settings " + traces::generic_text(*settings, tables_.texts) + "\n";
  }
  void unknown_section(traces::TextId key, const traces::GenericPointer& value) override {
    lines += "unknown " + text(key) + " " + traces::generic_text(*value, tables_.texts) + "\n";
  }
  void segment(const traces::SegmentValue& segment) override;
  void trace_entry(traces::DeviceIndex device, const traces::TraceEntry& entry) override;
  void annotation(const traces::AnnotationValue& annotation) override;

  std::string lines;

 private:
  std::string text(traces::TextId id) const { return std::string(tables_.texts.text(id)); }
  void add(const char* name, const std::string& value) { ((lines += ' ') += name) += '=' + value; }
  void add(const char* name, std::uint64_t value) { add(name, std::to_string(value)); }
  void add_stack(const traces::KeySet& keys, traces::StackId stack);
  void add_unknown(const std::vector<traces::UnknownField>& fields);
  void add_block(const traces::BlockValue& block);

  const traces::SnapshotTables& tables_;
};

void ListingSink::add_stack(const traces::KeySet& keys, traces::StackId stack) {
  if (!keys.has(KnownText::frames)) return;
  lines += " frames=[";
  for (const traces::FrameId id : tables_.stacks.frames(stack)) {
    const traces::FrameValue& frame = tables_.frames.frame(id);
    lines += text(frame.name) + "@" + text(frame.filename) + ":" + std::to_string(frame.line) + ";";
  }
  lines += "]";
}

void ListingSink::add_unknown(const std::vector<traces::UnknownField>& fields) {
  for (const traces::UnknownField& field : fields)
    add(text(field.key).c_str(), traces::generic_text(*field.value, tables_.texts));
}

void ListingSink::segment(const traces::SegmentValue& segment) {
  lines += "segment " + name_of(segment.address);
  add("device", std::to_string(segment.device));
  add("total", segment.total_size.count);
  add("allocated", segment.allocated_size.count);
  add("active", segment.active_size.count);
  add("requested", segment.requested_size.count);
  add("stream", segment.stream.value);
  add("type", text(segment.segment_type));
  add("pool", name_of(segment.pool));
  add("expandable", std::uint64_t{segment.is_expandable});
  add_stack(segment.keys, segment.stack);
  add_unknown(segment.unknown);
  lines += "\n";
  for (const traces::BlockValue& block : segment.blocks) add_block(block);
}

void ListingSink::add_block(const traces::BlockValue& block) {
  lines += "block " + name_of(block.address);
  add("size", block.size.count);
  add("requested", block.requested_size.count);
  add("state", text(block.state));
  add_stack(block.keys, block.stack);
  for (const traces::HistoryEntry& entry : block.history) {
    add("was", name_of(entry.address));
    add("real_size", entry.real_size.count);
    add_stack(entry.keys, entry.stack);
    add_unknown(entry.unknown);
  }
  add_unknown(block.unknown);
  lines += "\n";
}

void ListingSink::trace_entry(traces::DeviceIndex device, const traces::TraceEntry& entry) {
  lines += "event " + text(entry.action);
  add("device", device.value);
  add("address", name_of(entry.address));
  add("free", entry.device_free.count);
  add("size", entry.size.count);
  add("stream", entry.stream.value);
  add("time_us", entry.time_us);
  add("pool", name_of(entry.pool));
  add("context", text(entry.compile_context));
  add("user", text(entry.user_metadata));
  add_stack(entry.keys, entry.stack);
  for (const traces::TextId frame : entry.forward_frames) add("forward", text(frame));
  add_unknown(entry.unknown);
  lines += "\n";
}

void ListingSink::annotation(const traces::AnnotationValue& annotation) {
  lines += "annotation " + text(annotation.name);
  add("stage", text(annotation.stage));
  add("device", std::to_string(annotation.device));
  add("time_us", annotation.time_us);
  add_unknown(annotation.unknown);
  lines += "\n";
}

using ReadBytes = void (*)(traces::ByteSource& source, traces::SnapshotTables& tables,
                           traces::SnapshotSink& sink);

SnapshotReading read_bytes(DribblingSource source, ReadBytes read) {
  traces::SnapshotTables tables;
  ListingSink sink(tables);
  SnapshotReading reading;
  try {
    read(source, tables, sink);
  } catch (const traces::InputError& error) {
    reading.error = error.what();
  }
  reading.lines = std::move(sink.lines);
  return reading;
}

}  // namespace

SnapshotReading read_pickle_bytes(const std::string& bytes, std::size_t bytes_at_a_time) {
  return read_bytes(DribblingSource(bytes, bytes_at_a_time),
                    [](auto& source, auto& tables, auto& sink) {
                      traces::read_snapshot_pickle(source, "file", tables, sink);
                    });
}

SnapshotReading read_json_bytes(const std::string& bytes, std::size_t bytes_at_a_time) {
  return read_bytes(DribblingSource(bytes, bytes_at_a_time),
                    [](auto& source, auto& tables, auto& sink) {
                      traces::read_snapshot_json(source, "file", tables, sink);
                    });
}

}  // namespace vramlab::support
