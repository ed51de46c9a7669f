#include "traces/native/native_text_writer.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "allocator/types/check.h"
#include "traces/io/letters.h"
#include "traces/model/generic_text.h"
#include "traces/model/snapshot_fields.h"
#include "traces/native/native_layout.h"

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

constexpr std::string_view digits = "0123456789abcdef";

void add_hex(std::string& line, std::string_view bytes) {
  for (const char letter : bytes) {
    const auto byte = static_cast<unsigned char>(letter);
    line += digits[byte >> 4U];
    line += digits[byte & 15U];
  }
}

/// True for values that cost next to nothing to write wherever they come.
bool is_small(const GenericValue& value) {
  constexpr std::size_t few = 16;
  const auto* dict = std::get_if<GenericDict>(&value.content);
  const auto* items = items_of(value);
  if ((dict != nullptr && dict->items.size() > few) || (items != nullptr && items->size() > few))
    return false;
  // At this depth all parts are scalars.
  return value.depth <= 1;
}

/// A number that JSON has no spelling for is spelled by its bits.
void add_real(std::string& line, double number) {
  if (std::isfinite(number)) {
    line += real_text(number);
    return;
  }
  constexpr int longest = 16;
  char letters[longest];
  const auto end =
      std::to_chars(letters, letters + longest, std::bit_cast<std::uint64_t>(number), 16);
  line.append("{\"").append(native::real_bits).append("\":\"");
  line.append(letters, end.ptr).append("\"}");
}

bool has_texts_as_keys(const GenericDict& dict) {
  for (const auto& [key, item] : dict.items)
    if (!std::holds_alternative<TextId>(key->content)) return false;
  return true;
}

std::uint32_t& place_of(std::vector<std::uint32_t>& places, std::uint32_t id) {
  if (id >= places.size()) places.resize(std::size_t{id} + 1);
  return places[id];
}

/// Spells the value under the key of a field.
class MemberSpeller {
 public:
  MemberSpeller(std::string& line, NativeSpeller& speller) : line_(line), speller_(speller) {}

  void add(std::uint64_t number) { line_ += std::to_string(number); }
  void add(std::int64_t number) { line_ += std::to_string(number); }
  void add(std::int32_t number) { line_ += std::to_string(number); }
  void add(double number) {
    constexpr std::size_t longest = 32;
    char letters[longest];
    line_.append(letters, std::to_chars(letters, letters + longest, number).ptr);
  }
  void add(Bytes size) { add(size.count); }
  void add(Address address) { add(address.value); }
  void add(StreamId stream) { add(stream.value); }
  void add(EventId event) { add(event.value); }
  void add(bool flag) { line_ += flag ? "true" : "false"; }
  void add(TextId text) { speller_.add_text(line_, text); }
  void add(StackId stack) { add(std::uint64_t{speller_.stack_number(stack)}); }
  void add(const std::vector<BlockValue>& blocks) { add(std::uint64_t{blocks.size()}); }
  void add(const HistoryEntry& entry) { add_fields(line_, speller_, entry); }
  void add(PoolParts<const PoolId, const bool> pool) {
    if (pool.is_list) line_.append("{\"").append(native::list).append("\":");
    add(pool.id);
    if (pool.is_list) line_ += '}';
  }
  void add(PoolId pool) {
    line_.append("[").append(std::to_string(pool.graph)).append(",");
    line_.append(std::to_string(pool.user)).append("]");
  }
  template <typename Choice>
    requires std::is_enum_v<Choice>
  void add(Choice choice) {
    add_json_text(line_, choice_words<Choice>[static_cast<std::size_t>(choice)]);
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
  // The settings have a line of their own.
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

bool NativeSpeller::stands_in_place(TextId text) {
  std::uint32_t& place = place_of(texts_, text.value);
  if (place != not_seen) return place == in_place;
  const std::string_view letters = tables_.texts.text(text);
  if (letters.size() > native::longest_text_in_place || !is_utf8(letters)) return false;
  place = in_place;
  return true;
}

std::uint32_t NativeSpeller::text_number(TextId text) {
  std::uint32_t& place = place_of(texts_, text.value);
  if (place != not_seen && place != in_place) return place;
  place = ++text_count_;
  const std::string_view letters = tables_.texts.text(text);
  std::string line = "{\"text\":" + std::to_string(place);
  if (is_utf8(letters)) {
    line += ",\"is\":";
    add_json_text(line, letters);
  } else {
    line += ",\"hex\":\"";
    add_hex(line, letters);
    line += '"';
  }
  lines_.line(line += '}', LineKind::definition);
  return place;
}

void NativeSpeller::add_text(std::string& line, TextId text) {
  if (stands_in_place(text)) return add_json_text(line, tables_.texts.text(text));
  add_reference(line, native::text_reference, text_number(text));
}

void NativeSpeller::add_key(std::string& line, TextId key) {
  const std::string_view letters = tables_.texts.text(key);
  if (stands_in_place(key) && !letters.starts_with(native::special_start))
    return add_json_text(line, letters);
  line += '"';
  line.append(native::key_reference).append(std::to_string(text_number(key)));
  line += '"';
}

void NativeSpeller::add_reference(std::string& line, std::string_view kind, std::uint32_t number) {
  line.append("{\"").append(kind).append("\":").append(std::to_string(number)) += '}';
}

std::uint32_t NativeSpeller::frame_number(FrameId id) {
  if (const std::uint32_t number = place_of(frames_, id.value); number != not_seen) return number;
  std::string fields;
  add_fields(fields, *this, tables_.frames.frame(id));
  const std::uint32_t number = place_of(frames_, id.value) = ++frame_count_;
  lines_.line("{\"frame\":" + std::to_string(number) + ",\"is\":" + fields + "}",
              LineKind::definition);
  return number;
}

std::uint32_t NativeSpeller::stack_number(StackId stack) {
  if (stack == StackId{}) return 0;
  if (const std::uint32_t number = place_of(stacks_, stack.value); number != not_seen)
    return number;
  std::string frames;
  for (const FrameId frame : tables_.stacks.frames(stack)) {
    if (!frames.empty()) frames += ',';
    frames += std::to_string(frame_number(frame));
  }
  const std::uint32_t number = place_of(stacks_, stack.value) = ++stack_count_;
  lines_.line("{\"stack\":" + std::to_string(number) + ",\"frames\":[" + frames + "]}",
              LineKind::definition);
  return number;
}

/// Depth is bounded by deepest_generic_value, so this may call itself.
void NativeSpeller::add_value(std::string& line, const GenericPointer& value) {
  if (value.use_count() == 1 || is_small(*value)) return add_parts(line, *value);
  add_reference(line, native::value_reference, value_number(value));
}

std::uint32_t NativeSpeller::value_number(const GenericPointer& value) {
  const auto known = values_.find(value.get());
  if (known != values_.end()) return known->second.number;
  std::string parts;
  add_parts(parts, *value);
  const auto number = static_cast<std::uint32_t>(values_.size() + 1);
  values_[value.get()] = {value, number};
  lines_.line("{\"value\":" + std::to_string(number) + ",\"is\":" + parts + "}",
              LineKind::definition);
  return number;
}

void NativeSpeller::add_parts(std::string& line, const GenericValue& value) {
  if (const auto* flag = std::get_if<bool>(&value.content)) {
    line += *flag ? "true" : "false";
  } else if (const auto* number = std::get_if<WholeNumber>(&value.content)) {
    line += whole_text(*number);
  } else if (const auto* long_number = std::get_if<LongNumber>(&value.content)) {
    line += tables_.texts.text(long_number->digits);
  } else if (const auto* real = std::get_if<double>(&value.content)) {
    add_real(line, *real);
  } else if (const auto* text = std::get_if<TextId>(&value.content)) {
    add_text(line, *text);
  } else if (const auto* dict = std::get_if<GenericDict>(&value.content)) {
    add_dict(line, *dict);
  } else if (const auto* list = std::get_if<GenericList>(&value.content)) {
    add_items(line, list->items);
  } else if (const auto* tuple = std::get_if<GenericTuple>(&value.content)) {
    line.append("{\"").append(native::tuple).append("\":");
    add_items(line, tuple->items);
    line += '}';
  } else {
    line += "null";
  }
}

void NativeSpeller::add_items(std::string& line, const std::vector<GenericPointer>& items) {
  line += '[';
  for (const GenericPointer& item : items) {
    if (line.back() != '[') line += ',';
    add_value(line, item);
  }
  line += ']';
}

void NativeSpeller::add_dict(std::string& line, const GenericDict& dict) {
  const bool has_texts = has_texts_as_keys(dict);
  if (!has_texts) line.append("{\"").append(native::pairs).append("\":[");
  if (has_texts) line += '{';
  const std::size_t begin = line.size();
  for (const auto& [key, item] : dict.items) {
    if (line.size() != begin) line += ',';
    if (has_texts) {
      add_key(line, std::get<TextId>(key->content));
      line += ':';
    } else {
      line += '[';
      add_value(line, key);
      line += ',';
    }
    add_value(line, item);
    if (!has_texts) line += ']';
  }
  line += has_texts ? "}" : "]}";
}

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

void add_program_field(std::string& line, NativeSpeller& speller, const ProgramEvent& event,
                       ProgramField field) {
  with_member(event, field, [&](const auto& member) { MemberSpeller(line, speller).add(member); });
}

}  // namespace vramlab::traces
