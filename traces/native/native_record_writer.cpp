#include "traces/native/native_record_writer.h"

#include "allocator/types/check.h"
#include "traces/io/json_letters.h"
#include "traces/io/utf8.h"
#include "traces/native/native_layout.h"
#include "traces/native/native_speller.h"

namespace vramlab::traces {
namespace {

void add_header_text(std::string& line, std::string_view key, std::string_view text) {
  check(is_utf8(text), "what a header says is UTF-8");
  if (text.empty()) return;
  line.append(",\"").append(key).append("\":");
  add_json_text(line, text);
}

void add_device(std::string& line, const TraceDevice& device) {
  line += "{\"device\":" + std::to_string(device.index.value);
  if (device.memory.count != 0) line += ",\"memory\":" + std::to_string(device.memory.count);
  add_header_text(line, "name", device.name);
  line += '}';
}

std::string header_line(const TraceHeader& header) {
  std::string line = "{\"format\":\"";
  line.append(native::format_name).append("\",\"version\":");
  line += std::to_string(header.version);
  add_header_text(line, "origin", header.origin);
  add_header_text(line, "settings", header.settings);
  add_header_text(line, "reference", header.reference);
  if (!header.devices.empty()) {
    line += ",\"devices\":[";
    for (const TraceDevice& device : header.devices) {
      if (&device != header.devices.data()) line += ',';
      add_device(line, device);
    }
    line += ']';
  }
  return line += ",\"has_end\":true}";
}

bool is_at_default(const ProgramEvent& event, ProgramField field) {
  return has_default(field) && with_member(event, field, []<typename Member>(const Member& member) {
           return member == Member{};
         });
}

}  // namespace

NativeRecordWriter::NativeRecordWriter(LineSink& lines, const SnapshotTables& tables)
    : lines_(lines), speller_(lines, tables) {}

void NativeRecordWriter::header(const TraceHeader& header) {
  check(!has_header_, "a trace has one header, its first line");
  check(header.version >= 1 && header.version <= native::newest_version,
        "a trace is of a version that there is");
  version_ = header.version;
  has_header_ = true;
  lines_.line(header_line(header), LineKind::record);
}

void NativeRecordWriter::write_missing_header() {
  if (has_header_) return;
  TraceHeader from_snapshot;
  from_snapshot.origin = "snapshot";
  header(from_snapshot);
}

void NativeRecordWriter::check_version(const ProgramEvent& event) {
  write_missing_header();
  check(trace_version_of(event.kind) <= version_, "the header says the version of every event");
}

void NativeRecordWriter::finish() {
  begin("end");
  line_ += "true";
  end();
}

void NativeRecordWriter::begin(std::string_view kind) {
  write_missing_header();
  line_.assign("{\"").append(kind).append("\":");
}

template <typename Value>
void NativeRecordWriter::write_fields(std::string_view kind, const Value& value) {
  begin(kind);
  add_fields(line_, speller_, value);
  end();
}

void NativeRecordWriter::end() { lines_.line(line_ += '}', LineKind::record); }

void NativeRecordWriter::bare_list() {
  begin("bare_list");
  line_ += "true";
  end();
}

void NativeRecordWriter::section(SnapshotSection section) {
  // Their own line says that the settings come.
  if (section == SnapshotSection::allocator_settings) return;
  begin("section");
  add_json_text(line_, known_text(key_of(section)));
  end();
}

void NativeRecordWriter::segment(const SegmentValue& segment) {
  write_fields("segment", segment);
  for (const BlockValue& block : segment.blocks) write_fields("block", block);
}

void NativeRecordWriter::device_trace(DeviceIndex device) {
  begin("trace");
  line_ += std::to_string(device.value);
  end();
}

void NativeRecordWriter::trace_entry(DeviceIndex, const TraceEntry& entry) {
  write_fields("entry", entry);
}

void NativeRecordWriter::settings(const GenericPointer& settings) {
  begin("settings");
  speller_.add_root(line_, settings);
  end();
}

void NativeRecordWriter::annotation(const AnnotationValue& annotation) {
  write_fields("annotation", annotation);
}

void NativeRecordWriter::unknown_section(TextId key, const GenericPointer& value) {
  begin("unknown_section");
  speller_.add_root(line_, value);
  line_ += ",\"key\":";
  speller_.add_text(line_, key);
  end();
}

void NativeRecordWriter::program_event(const ProgramEvent& event) {
  check_version(event);
  begin(program_event_name(event.kind));
  const auto fields = program_fields(event.kind);
  if (fields.empty())
    line_ += "true";
  else
    add_program_field(line_, speller_, event, fields.front());
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (is_at_default(event, fields[i])) continue;
    line_.append(",\"").append(program_field_name(fields[i])).append("\":");
    add_program_field(line_, speller_, event, fields[i]);
  }
  if (event.device != DeviceIndex{})
    line_.append(",\"device\":").append(std::to_string(event.device.value));
  if (event.thread != 0) line_.append(",\"thread\":").append(std::to_string(event.thread));
  if (event.time_ns) line_.append(",\"time_ns\":").append(std::to_string(*event.time_ns));
  if (event.stack != StackId{})
    line_.append(",\"stack\":").append(std::to_string(speller_.stack_number(event.stack)));
  end();
}

}  // namespace vramlab::traces
