#include "traces/json/snapshot_json.h"

#include "traces/json/snapshot_json_walker.h"

namespace vramlab::traces {
namespace {

bool is_list_section(std::optional<KnownText> key) {
  return key == KnownText::segments || key == KnownText::device_traces ||
         key == KnownText::external_annotations;
}

/// The top of a snapshot: which sections there are, and who reads them.
class SectionReader {
 public:
  SectionReader(JsonInput input, SnapshotTables& tables, SnapshotSink& sink)
      : walker_(input, tables), tokens_(walker_.tokens), sink_(sink) {}

  JsonFacts read();

 private:
  void read_top();
  void read_bare_list();
  void read_list_section(KnownText key);
  void read_segments();
  void read_device_traces();
  void read_trace(DeviceIndex device);
  void read_annotations();
  void give_value(TextId key, const GenericPointer& value);
  void mark_section(KnownText key, SnapshotSection section);

  SnapshotJsonWalker walker_;
  JsonTokens& tokens_;
  SnapshotSink& sink_;
  KeySet sections_;
};

JsonFacts SectionReader::read() {
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
  return {tokens_.window().bytes_taken()};
}

void SectionReader::read_top() {
  tokens_.take();
  bool has_more = !tokens_.take_if('}');
  while (has_more) {
    const TextId key = tokens_.take_key();
    const auto known = known_key(key);
    if (is_list_section(known) && tokens_.peek_value() == '[') {
      read_list_section(*known);
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
  read_list_section(KnownText::segments);
}

void SectionReader::read_list_section(KnownText key) {
  tokens_.take();
  if (key == KnownText::segments) {
    mark_section(key, SnapshotSection::segments);
    read_segments();
  } else if (key == KnownText::device_traces) {
    mark_section(key, SnapshotSection::device_traces);
    read_device_traces();
  } else {
    mark_section(key, SnapshotSection::external_annotations);
    read_annotations();
  }
}

void SectionReader::read_segments() {
  walker_.read_items([&] {
    SegmentValue segment;
    walker_.read(segment);
    sink_.segment(segment);
  });
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

void SectionReader::read_annotations() {
  walker_.read_items([&] {
    AnnotationValue annotation;
    walker_.read(annotation);
    sink_.annotation(annotation);
  });
}

void SectionReader::give_value(TextId key, const GenericPointer& value) {
  const auto known = known_key(key);
  if (known == KnownText::allocator_settings) {
    mark_section(*known, SnapshotSection::allocator_settings);
    if (!std::holds_alternative<GenericDict>(value->content))
      tokens_.fail("a dict under 'allocator_settings'", found_text(*value, tokens_.texts()));
    sink_.settings(value);
  } else if (is_list_section(known)) {
    tokens_.fail("a list under '" + std::string(known_text(*known)) + "'",
                 found_text(*value, tokens_.texts()));
  } else {
    sink_.unknown_section(key, value);
  }
}

void SectionReader::mark_section(KnownText key, SnapshotSection section) {
  if (sections_.has(key))
    tokens_.fail("each key once", "the key '" + std::string(known_text(key)) + "' again");
  sections_.add(key);
  sink_.section(section);
}

}  // namespace

JsonFacts read_snapshot_json(ByteSource& source, const std::string& file, SnapshotTables& tables,
                             SnapshotSink& sink) {
  return SectionReader({source, file}, tables, sink).read();
}

}  // namespace vramlab::traces
