#include "traces/json/snapshot_json.h"

#include "traces/json/snapshot_json_walker.h"

namespace vramlab::traces {
namespace {

/// The top of a snapshot: which sections there are, and who reads them.
class SectionReader {
 public:
  SectionReader(JsonInput input, SnapshotTables& tables, SnapshotSink& sink)
      : walker_(input, tables), tokens_(walker_.tokens), sink_(sink) {}

  std::uint64_t read();

 private:
  void read_top();
  void read_bare_list();
  void read_list_section(SnapshotSection section);
  template <typename Value>
  Value read_value();
  void read_device_traces();
  void read_trace(DeviceIndex device);
  void give_value(TextId key, const GenericPointer& value);
  void mark_section(SnapshotSection section);

  SnapshotJsonWalker walker_;
  JsonTokens& tokens_;
  SnapshotSink& sink_;
  KeySet sections_;
};

std::uint64_t SectionReader::read() {
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

void SectionReader::read_top() {
  tokens_.take();
  bool has_more = !tokens_.take_if('}');
  while (has_more) {
    const TextId key = tokens_.take_key();
    const auto section = section_of(key);
    if (section && *section != SnapshotSection::allocator_settings && tokens_.peek_value() == '[') {
      read_list_section(*section);
      has_more = tokens_.take_separator('}');
    } else {
      const GenericPointer value = walker_.generic.read();
      has_more = tokens_.take_separator('}');
      give_value(key, value);
    }
  }
}

void SectionReader::read_bare_list() {
  sink_.bare_list();
  read_list_section(SnapshotSection::segments);
}

void SectionReader::read_list_section(SnapshotSection section) {
  tokens_.take();
  mark_section(section);
  if (section == SnapshotSection::segments)
    walker_.read_items([&] { sink_.segment(read_value<SegmentValue>()); });
  else if (section == SnapshotSection::device_traces)
    read_device_traces();
  else
    walker_.read_items([&] { sink_.annotation(read_value<AnnotationValue>()); });
}

template <typename Value>
Value SectionReader::read_value() {
  Value value;
  walker_.read(value);
  return value;
}

void SectionReader::read_device_traces() {
  DeviceIndex device;
  walker_.read_items([&] {
    if (tokens_.peek_value() != '[') tokens_.fail_at_value("a device's list of events");
    tokens_.take();
    sink_.device_trace(device);
    read_trace(device);
    ++device.value;
  });
}

void SectionReader::read_trace(DeviceIndex device) {
  walker_.read_items([&] {
    TraceEntry entry;
    walker_.read(entry);
    sink_.trace_entry(device, entry);
  });
}

void SectionReader::give_value(TextId key, const GenericPointer& value) {
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

void SectionReader::mark_section(SnapshotSection section) {
  const KnownText key = key_of(section);
  if (sections_.has(key))
    tokens_.fail("each key once", "the key '" + std::string(known_text(key)) + "' again");
  sections_.add(key);
  sink_.section(section);
}

}  // namespace

std::uint64_t read_snapshot_json(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, SnapshotSink& sink) {
  return SectionReader({source, file}, tables, sink).read();
}

}  // namespace vramlab::traces
