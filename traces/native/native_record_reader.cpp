#include "traces/native/native_record_reader.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "allocator/types/check.h"
#include "traces/native/native_layout.h"

namespace vramlab::traces {
namespace {

constexpr const char* needs_block = "another block of the segment";
// The fields that every event of a program may have, behind those of its kind.
enum CommonField : unsigned { device_field = 8, time_field, stack_field, thread_field };

/// Notes that a field was there.
void take_once(JsonLines& json, std::uint32_t& seen, unsigned field) {
  if ((seen >> field & 1U) != 0) json.fail("each key once", "one of them again");
  seen |= 1U << field;
}

std::int32_t read_priority(JsonLines& json) {
  const FieldValue number = json.number();
  const auto* whole = std::get_if<WholeNumber>(&number);
  const auto value = static_cast<std::int64_t>(whole == nullptr ? 0 : whole->bits);
  if (whole == nullptr || (value < 0) != whole->is_negative || value < -farthest_priority ||
      value > farthest_priority)
    json.fail("a whole number from -1000 to 1000", std::string(json.number_letters()));
  return static_cast<std::int32_t>(value);
}

constexpr const char* needs_trace = "an entry below the 'trace' of its device";

}  // namespace

/// What a line can be besides a program's event. Those that give numbers may stand anywhere.
struct NativeRecordReader::RecordRow {
  std::string_view name;
  void (*read)(NativeRecordReader& reader, JsonLines& json);
  bool may_stand_between_blocks;
};

const NativeRecordReader::RecordRow NativeRecordReader::rows[] = {
    {"entry", [](auto& reader, auto& json) { reader.read_entry(json); }, false},
    {"block", [](auto& reader, auto& json) { reader.read_block(json); }, true},
    {"text", [](auto& reader, auto& json) { reader.values_.define_text(json); }, true},
    {"frame", [](auto& reader, auto& json) { reader.values_.define_frame(json); }, true},
    {"stack", [](auto& reader, auto& json) { reader.values_.define_stack(json); }, true},
    {"value", [](auto& reader, auto& json) { reader.values_.define_value(json); }, true},
    {"shape", [](auto& reader, auto& json) { reader.values_.define_shape(json); }, true},
    {"segment", [](auto& reader, auto& json) { reader.read_segment(json); }, false},
    {"annotation", [](auto& reader, auto& json) { reader.read_annotation(json); }, false},
    {"trace", [](auto& reader, auto& json) { reader.read_trace(json); }, false},
    {"section", [](auto& reader, auto& json) { reader.read_section(json); }, false},
    {"settings", [](auto& reader, auto& json) { reader.read_settings(json); }, false},
    {"unknown_section", [](auto& reader, auto& json) { reader.read_unknown_section(json); }, false},
    {"end", [](auto& reader, auto& json) { reader.read_end(json); }, false},
    {"bare_list", [](auto& reader, auto& json) { reader.read_bare_list(json); }, false},
};

void NativeRecordReader::read_lines(JsonLines& json) {
  while (!json.is_at_end()) {
    json.take('{');
    read_record(json);
    json.take('}');
    give_segment_if_complete();
    json.end_line();
  }
}

void NativeRecordReader::read_chunk(JsonInput chunk, std::uint64_t byte, std::uint64_t bytes) {
  constexpr std::uint64_t fewest_bytes = 4096;
  constexpr std::uint64_t most_bytes = LetterWindow::default_bytes;
  JsonLines json({chunk.source, chunk.file, JsonInput::LineEnds::end_records, byte,
                  as_index(std::clamp(bytes, fewest_bytes, most_bytes))},
                 texts_);
  read_lines(json);
}

const char* NativeRecordReader::fault_of_end() const {
  if (!has_header_) return "a header";
  if (segment_) return needs_block;
  return has_end_ && !is_ended_ ? "another record, as there was no 'end'" : nullptr;
}

void NativeRecordReader::finish(JsonLines& json) const {
  if (const char* needed = fault_of_end()) json.fail(needed);
}

void NativeRecordReader::read_record(JsonLines& json) {
  const std::string_view name = json.text();
  if (!has_header_) {
    if (name != "format") json.fail_at_text("a header, which begins with 'format'", name);
    json.take(':');
    return read_header(json);
  }
  if (is_ended_) json.fail_at_text("nothing behind the 'end'", name);
  for (const RecordRow& row : rows) {
    if (row.name != name) continue;
    if (segment_ && !row.may_stand_between_blocks) json.fail_at_text(needs_block, name);
    json.take(':');
    return row.read(*this, json);
  }
  const auto kind = program_event_kind(name);
  if (!kind || !has_kind(*kind)) json.fail_at_text("the name of a kind of record", name);
  if (segment_) json.fail_at_text(needs_block, name);
  json.take(':');
  read_program_event(json, *kind);
}

void NativeRecordReader::read_header(JsonLines& json) {
  if (const std::string_view format = json.text(); format != native::format_name)
    json.fail_at_text("'" + std::string(native::format_name) + "'", format);
  NativeValueReader::next_name(json, "version");
  const std::uint64_t version = json.unsigned_number();
  if (version == 0 || version > native::newest_version)
    json.fail("version 1 to " + std::to_string(native::newest_version),
              "version " + std::to_string(version));
  TraceHeader header;
  header.version = version_ = static_cast<std::uint32_t>(version);
  std::uint32_t seen = 0;
  while (json.take_if(',')) take_once(json, seen, read_header_field(json, header));
  has_header_ = true;
  sinks_.program.header(header);
}

/// Which one it was.
unsigned NativeRecordReader::read_header_field(JsonLines& json, TraceHeader& header) {
  const std::string name(json.text());
  json.take(':');
  if (name == "origin") return header.origin = json.text(), 0;
  if (name == "settings") return header.settings = json.text(), 1;
  if (name == "reference") return header.reference = json.text(), 2;
  if (name == "has_end") return has_end_ = json.boolean(), 3;
  if (name != "devices")
    json.fail_at_text("'origin', 'settings', 'reference', 'devices' or 'has_end'", name);
  json.take_list([&] { read_device(json, header.devices.emplace_back()); });
  return 4;
}

void NativeRecordReader::read_device(JsonLines& json, TraceDevice& device) {
  json.take('{');
  NativeValueReader::take_name(json, "device");
  device.index.value = static_cast<std::uint32_t>(json.unsigned_number(UINT32_MAX));
  while (json.take_if(',')) {
    const std::string field(json.text());
    json.take(':');
    if (field == "memory")
      device.memory.count = json.unsigned_number();
    else if (field == "name")
      device.name = json.text();
    else
      json.fail_at_text("'memory' or 'name'", field);
  }
  json.take('}');
}

void NativeRecordReader::begin_section(JsonLines& json, SnapshotSection section) {
  const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(section));
  if ((sections_ & bit) != 0) json.fail("each section once", "one of them again");
  if (is_bare_list_ && section != SnapshotSection::segments)
    json.fail("segments only in a bare list", "another section");
  sections_ |= bit;
  has_top_ = true;
  sinks_.recorded.section(section);
}

void NativeRecordReader::read_end(JsonLines& json) {
  if (!json.boolean()) json.fail("true", "false");
  is_ended_ = true;
}

void NativeRecordReader::read_bare_list(JsonLines& json) {
  if (!json.boolean()) json.fail("true", "false");
  if (has_top_) json.fail("'bare_list' before everything that was recorded", "it behind");
  has_top_ = true;
  is_bare_list_ = true;
  sinks_.recorded.bare_list();
}

void NativeRecordReader::read_section(JsonLines& json) {
  constexpr std::pair<SnapshotSection, Place> places[] = {
      {SnapshotSection::segments, Place::segments},
      {SnapshotSection::device_traces, Place::traces},
      {SnapshotSection::external_annotations, Place::annotations}};
  const std::string_view name = json.text();
  for (const auto& [section, place] : places) {
    if (name != known_text(key_of(section))) continue;
    place_ = place;
    return begin_section(json, section);
  }
  json.fail_at_text("'segments', 'device_traces' or 'external_annotations'", name);
}

void NativeRecordReader::read_segment(JsonLines& json) {
  if (place_ != Place::segments) json.fail("segments in the section 'segments'", "one elsewhere");
  values_.fields(json, segment_.emplace());
  missing_blocks_ = values_.take_announced_blocks();
}

void NativeRecordReader::give_segment_if_complete() {
  if (!segment_ || missing_blocks_ != 0) return;
  sinks_.recorded.segment(*segment_);
  segment_.reset();
}

/// A block without an address is where the one before it ends.
void NativeRecordReader::read_block(JsonLines& json) {
  if (!segment_) json.fail("blocks below their segment", "one elsewhere");
  const auto next_address = segment_->blocks.empty()
                                ? segment_->address
                                : segment_->blocks.back().address + segment_->blocks.back().size;
  BlockValue& block = segment_->blocks.emplace_back();
  values_.fields(json, block);
  if (!block.keys.has(KnownText::address)) block.address = next_address;
  --missing_blocks_;
}

void NativeRecordReader::read_trace(JsonLines& json) {
  if (place_ != Place::traces) json.fail("traces in the section 'device_traces'", "one elsewhere");
  if (const std::uint64_t device = json.unsigned_number(); device != trace_count_)
    json.fail("the trace of device " + std::to_string(trace_count_),
              "that of " + std::to_string(device));
  device_ = {trace_count_++};
  sinks_.recorded.device_trace(device_);
}

const char* NativeRecordReader::fault_of_entry() const {
  if (const char* needed = fault_of_program_event()) return needed;
  return place_ == Place::traces && trace_count_ != 0 ? nullptr : needs_trace;
}

const char* NativeRecordReader::fault_of_program_event() const {
  if (!has_header_) return "a header";
  if (is_ended_) return "nothing behind the 'end'";
  return segment_ ? needs_block : nullptr;
}

void NativeRecordReader::read_entry(JsonLines& json) {
  if (const char* needed = fault_of_entry()) json.fail(needed, "one elsewhere");
  TraceEntry entry;
  values_.fields(json, entry);
  if (!entry.keys.has(KnownText::action)) json.fail("an entry with an 'action'", "none");
  sinks_.recorded.trace_entry(device_, entry);
}

void NativeRecordReader::read_settings(JsonLines& json) {
  const GenericPointer settings = values_.value(json);
  if (!std::holds_alternative<GenericDict>(settings->content))
    json.fail("a dict of settings", values_.found(*settings));
  place_ = Place::between;
  begin_section(json, SnapshotSection::allocator_settings);
  sinks_.recorded.settings(settings);
}

void NativeRecordReader::read_annotation(JsonLines& json) {
  if (place_ != Place::annotations)
    json.fail("annotations in the section 'external_annotations'", "one elsewhere");
  AnnotationValue annotation;
  values_.fields(json, annotation);
  sinks_.recorded.annotation(annotation);
}

void NativeRecordReader::read_unknown_section(JsonLines& json) {
  const GenericPointer value = values_.value(json);
  NativeValueReader::next_name(json, "key");
  const TextId key = values_.text(json);
  if (section_of(key)) json.fail("a section that is unknown", "a known one");
  if (is_bare_list_) json.fail("segments only in a bare list", "another section");
  place_ = Place::between;
  has_top_ = true;
  sinks_.recorded.unknown_section(key, value);
}

void NativeRecordReader::read_program_event(JsonLines& json, ProgramEventKind kind) {
  ProgramEvent event;
  event.kind = kind;
  const auto fields = program_fields(kind);
  std::uint32_t seen = 1;
  if (fields.empty() ? !json.boolean() : (read_program_field(json, event, fields.front()), false))
    json.fail("true", "false");
  while (json.take_if(',')) {
    const std::string name(json.text());
    json.take(':');
    if (read_common_field(json, event, {name, seen})) continue;
    const auto field = program_field(name);
    std::size_t place = 1;
    while (place < fields.size() && fields[place] != field) ++place;
    if (place >= fields.size()) json.fail_at_text("a field of this event", name);
    take_once(json, seen, static_cast<unsigned>(place));
    read_program_field(json, event, fields[place]);
  }
  for (std::size_t place = 1; place < fields.size(); ++place)
    if ((seen >> place & 1U) == 0 && !has_default(fields[place]))
      json.fail("the field '" + std::string(program_field_name(fields[place])) + "'");
  sinks_.program.program_event(event);
}

bool NativeRecordReader::read_common_field(JsonLines& json, ProgramEvent& event, SeenName name) {
  if (name.letters == "device") {
    take_once(json, name.seen, device_field);
    event.device.value = static_cast<std::uint32_t>(json.unsigned_number(UINT16_MAX));
  } else if (name.letters == "thread") {
    take_once(json, name.seen, thread_field);
    event.thread = static_cast<std::uint32_t>(json.unsigned_number(UINT16_MAX));
  } else if (name.letters == "time_ns") {
    take_once(json, name.seen, time_field);
    event.time_ns = json.unsigned_number();
  } else if (name.letters == "stack") {
    take_once(json, name.seen, stack_field);
    event.stack = values_.stack(json);
  } else {
    return false;
  }
  return true;
}

void NativeRecordReader::read_program_field(JsonLines& json, ProgramEvent& event,
                                            ProgramField field) {
  with_member(event, field, [&]<typename Member>(Member& member) {
    if constexpr (std::is_enum_v<Member>) {
      const auto& words = choice_words<Member>;
      const std::string_view word = json.text();
      const auto found = std::ranges::find(words, word);
      if (found == words.end())
        json.fail_at_text("the name of a " + std::string(program_field_name(field)), word);
      member = static_cast<Member>(found - words.begin());
    } else if constexpr (std::is_same_v<Member, bool>) {
      member = json.boolean();
    } else if constexpr (std::is_same_v<Member, double>) {
      member = json.real();
    } else if constexpr (std::is_same_v<Member, std::int32_t>) {
      member = read_priority(json);
    } else if constexpr (std::is_same_v<Member, PoolId>) {
      member = values_.pool(json);
    } else if constexpr (std::is_same_v<Member, TextId>) {
      member = values_.text(json);
    } else {
      number_in(member) = json.unsigned_number();
    }
  });
}

}  // namespace vramlab::traces
