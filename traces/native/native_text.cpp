#include "traces/native/native_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>
#include <type_traits>
#include <utility>

#include "allocator/types/check.h"
#include "traces/model/generic_text.h"
#include "traces/native/native_layout.h"

namespace vramlab::traces {
namespace {

bool skip(std::string_view& bytes, std::string_view word) {
  bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
  if (!bytes.starts_with(word)) return false;
  bytes.remove_prefix(word.size());
  return true;
}

/// Null if a letter is no hexadecimal digit.
std::optional<std::string> bytes_of_hex(std::string_view hex) {
  std::string bytes;
  if (hex.size() % 2 != 0) return std::nullopt;
  for (; !hex.empty(); hex.remove_prefix(2)) {
    unsigned byte = 0;
    if (std::from_chars(hex.data(), hex.data() + 2, byte, 16).ptr != hex.data() + 2)
      return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

[[noreturn]] void fail_as_too_deep(const JsonLines& json) {
  json.fail("at most " + std::to_string(deepest_generic_value) + " levels", "more");
}

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

bool begins_like_native_text(std::string_view bytes) {
  return skip(bytes, "{") && skip(bytes, "\"format\"") && skip(bytes, ":") && skip(bytes, "\"") &&
         bytes.starts_with(native::format_name);
}

std::uint64_t read_native_text(ByteSource& source, const std::string& file, SnapshotTables& tables,
                               NativeSinks sinks) {
  JsonLines json({source, file, JsonInput::LineEnds::count}, tables.texts);
  NativeRecordReader reader(tables, sinks);
  json.skip_blank_lines();
  reader.read_lines(json);
  reader.finish(json);
  return json.window().bytes_taken();
}

void NativeValueReader::take_name(JsonLines& json, std::string_view name) {
  if (const std::string_view found = json.text(); found != name)
    json.fail_at_text("'" + std::string(name) + "'", found);
  json.take(':');
}

void NativeValueReader::next_name(JsonLines& json, std::string_view name) {
  json.take(',');
  take_name(json, name);
}

void NativeValueReader::take_number(JsonLines& json, std::size_t count_before) {
  if (const std::uint64_t number = json.unsigned_number(); number != count_before + 1)
    json.fail("the number " + std::to_string(count_before + 1), std::to_string(number));
}

void NativeValueReader::define_text(JsonLines& json) {
  take_number(json, texts_.size());
  json.take(',');
  const std::string_view spelling = json.text();
  const bool is_hex = spelling == "hex";
  if (!is_hex && spelling != "is") json.fail_at_text("'is' or 'hex'", spelling);
  json.take(':');
  const std::string_view letters = json.text();
  if (!is_hex) {
    texts_.push_back(tables_.texts.intern(letters));
    return;
  }
  const auto bytes = bytes_of_hex(letters);
  if (!bytes) json.fail_at_text("pairs of hexadecimal digits", letters);
  texts_.push_back(tables_.texts.intern(*bytes));
}

void NativeValueReader::define_frame(JsonLines& json) {
  take_number(json, frames_.size());
  next_name(json, "is");
  FrameValue frame;
  fields(json, frame);
  frames_.push_back(tables_.frames.intern(frame));
}

void NativeValueReader::define_stack(JsonLines& json) {
  take_number(json, stacks_.size());
  next_name(json, "frames");
  std::vector<FrameId> frames;
  json.take_list([&] { frames.push_back(above(json, frames_, "frame")); });
  stacks_.push_back(tables_.stacks.intern(frames));
}

void NativeValueReader::define_value(JsonLines& json) {
  take_number(json, values_.size());
  next_name(json, "is");
  values_.push_back(value(json));
  kept_parts_ += part_count_;
}

/// The keys whose values stand elsewhere, then an entry without them.
void NativeValueReader::define_shape(JsonLines& json) {
  take_number(json, shapes_.size());
  next_name(json, "keys");
  KeySet keys;
  json.take_list([&] {
    const std::string_view letters = json.text();
    const auto known = known_key(tables_.texts.intern(letters));
    if (!known || keys.has(*known)) json.fail_at_text("keys of an entry, each once", letters);
    keys.add(*known);
  });
  next_name(json, "is");
  TraceEntry shape;
  fields(json, shape);
  for (std::uint32_t key = 0; key < known_key_count; ++key)
    if (keys.has(static_cast<KnownText>(key)) && shape.keys.has(static_cast<KnownText>(key)))
      json.fail("each key once", "one of them again");
  if (!shape.keys.has(KnownText::action)) json.fail("an entry with an 'action'", "none");
  shape.keys.add_all(keys);
  if (keys_in_event(shape.keys) != keys)
    json.fail("the keys whose values an event holds", "others");
  shapes_.push_back(std::move(shape));
}

TextId NativeValueReader::text(JsonLines& json) {
  if (json.peek() != '{') return tables_.texts.intern(json.text());
  json.take('{');
  take_name(json, native::text_reference);
  const TextId text = above(json, texts_, "text");
  json.take('}');
  return text;
}

TextId NativeValueReader::key(JsonLines& json) { return key_from(json, json.text()); }

TextId NativeValueReader::key_from(JsonLines& json, std::string_view letters) {
  if (!letters.starts_with(native::special_start)) return tables_.texts.intern(letters);
  const char* end = letters.data() + letters.size();
  std::uint64_t number = 0;
  if (letters.starts_with(native::key_reference))
    if (std::from_chars(letters.data() + native::key_reference.size(), end, number).ptr != end)
      number = 0;
  if (number == 0 || number > texts_.size())
    json.fail_at_text("a key, or '$text:' and the number of a text above", letters);
  return texts_[as_index(number - 1)];
}

StackId NativeValueReader::stack(JsonLines& json) {
  const std::uint64_t number = json.unsigned_number();
  if (number > stacks_.size()) json.fail("the number of a stack above", std::to_string(number));
  return stack(static_cast<std::uint32_t>(number));
}

PoolId NativeValueReader::pool(JsonLines& json) {
  json.take('[');
  const std::uint64_t graph = json.unsigned_number();
  json.take(',');
  const std::uint64_t user = json.unsigned_number();
  json.take(']');
  return {graph, user};
}

template <typename Value>
void NativeValueReader::fields(JsonLines& json, Value& value) {
  json.take('{');
  bool is_first = true;
  while (!json.take_if('}')) {
    if (!std::exchange(is_first, false)) json.take(',');
    const TextId name = key(json);
    json.take(':');
    const auto known = known_key(name);
    if (!known || !FieldsOf<Value>::keys.has(*known))
      value.unknown.push_back({name, this->value(json)});
    else
      field(json, value, *known);
  }
}

template <typename Value>
void NativeValueReader::field(JsonLines& json, Value& value, KnownText key) {
  const std::string name(known_text(key));
  if (value.keys.has(key)) fail_as_repeated(json, key);
  if constexpr (requires { value.history; }) {
    if (key == KnownText::history) {
      value.keys.add(key);
      return history(json, value.history);
    }
  }
  if (key == KnownText::blocks) {
    value.keys.add(key);
    announced_blocks_ = json.unsigned_number();
    return;
  }
  FieldValue field;
  GenericPointer any_shape;
  const bool may_have_parts =
      key == KnownText::forward_frames || FieldsOf<Value>::describing.has(key);
  if (key == KnownText::frames) {
    field = stack(json);
  } else if (key == KnownText::pool_id || key == KnownText::segment_pool_id) {
    field = pool_field(json);
  } else if (may_have_parts && (json.peek() == '[' || json.peek() == '{')) {
    any_shape = this->value(json);
    field = field_from_generic(any_shape, key, tables_);
  } else {
    field = scalar_field(json);
  }
  if (const char* needed = put_field(value, key, field))
    json.fail(std::string(needed) + " under '" + name + "'", found_text(field, tables_.texts));
}

FieldValue NativeValueReader::pool_field(JsonLines& json) {
  const bool is_list = json.take_if('{');
  if (is_list) take_name(json, native::list);
  const PoolId id = pool(json);
  if (is_list) json.take('}');
  return DecodedPool{id, is_list};
}

FieldValue NativeValueReader::scalar_field(JsonLines& json) {
  if (const char next = json.peek(); next == '"' || next == '{') return text(json);
  FieldValue field;
  json.take_scalar(field);
  return field;
}

void NativeValueReader::history(JsonLines& json, std::vector<HistoryEntry>& history) {
  json.take_list([&] { fields(json, history.emplace_back()); });
}

void NativeValueReader::open_level(const JsonLines& json) {
  if (++open_count_ > deepest_generic_value) fail_as_too_deep(json);
}

GenericPointer NativeValueReader::value(JsonLines& json) {
  part_count_ = 0;
  return part(json);
}

/// Depth is bounded, so this may call itself.
GenericPointer NativeValueReader::part(JsonLines& json) {
  if (kept_parts_ + ++part_count_ > most_parts)
    json.fail("at most " + std::to_string(most_parts) + " values of any shape", "more");
  switch (json.peek()) {
    case '{':
      return object(json);
    case '[':
      return close(json, make_generic(GenericList{items(json)}));
    case '"':
      return make_generic(tables_.texts.intern(json.text()));
    default: {
      FieldValue scalar;
      json.take_scalar(scalar);
      return *generic_from_field(scalar);
    }
  }
}

GenericPointer NativeValueReader::close(JsonLines& json, GenericPointer value) {
  if (value->depth > deepest_generic_value) fail_as_too_deep(json);
  return value;
}

std::vector<GenericPointer> NativeValueReader::items(JsonLines& json) {
  open_level(json);
  std::vector<GenericPointer> items;
  json.take_list([&] { items.push_back(part(json)); });
  --open_count_;
  return items;
}

GenericPointer NativeValueReader::object(JsonLines& json) {
  json.take('{');
  if (json.take_if('}')) return make_generic(GenericDict{});
  const std::string_view name = json.text();
  if (name.starts_with(native::special_start) && !name.starts_with(native::key_reference))
    return special(json, name);
  const TextId first_key = key_from(json, name);
  return close(json, make_generic(dict_from(json, first_key)));
}

GenericDict NativeValueReader::dict_from(JsonLines& json, TextId first_key) {
  open_level(json);
  GenericDict dict;
  TextId next_key = first_key;
  while (true) {
    json.take(':');
    dict.items.emplace_back(make_generic(next_key), part(json));
    if (json.take_if('}')) break;
    json.take(',');
    next_key = key(json);
  }
  --open_count_;
  return dict;
}

GenericPointer NativeValueReader::special(JsonLines& json, std::string_view name) {
  // Taking the colon overwrites what the name looks at.
  const std::string kind(name);
  json.take(':');
  GenericPointer value;
  if (kind == native::text_reference) {
    value = make_generic(above(json, texts_, "text"));
  } else if (kind == native::value_reference) {
    value = above(json, values_, "value");
  } else if (kind == native::tuple) {
    value = close(json, make_generic(GenericTuple{items(json)}));
  } else if (kind == native::pairs) {
    value = close(json, make_generic(pairs(json)));
  } else if (kind == native::real_bits) {
    value = real_of_bits(json);
  } else {
    json.fail_at_text("one of the forms that begin with '$'", kind);
  }
  json.take('}');
  return value;
}

GenericPointer NativeValueReader::real_of_bits(JsonLines& json) {
  const std::string_view hex = json.text();
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), bits, 16);
  if (error != std::errc{} || end != hex.data() + hex.size())
    json.fail_at_text("the bits of a double in hexadecimal digits", hex);
  return make_generic(std::bit_cast<double>(bits));
}

GenericDict NativeValueReader::pairs(JsonLines& json) {
  open_level(json);
  GenericDict dict;
  json.take_list([&] {
    json.take('[');
    GenericPointer key = part(json);
    json.take(',');
    dict.items.emplace_back(std::move(key), part(json));
    json.take(']');
  });
  --open_count_;
  return dict;
}

template void NativeValueReader::fields(JsonLines&, FrameValue&);
template void NativeValueReader::fields(JsonLines&, TraceEntry&);
template void NativeValueReader::fields(JsonLines&, SegmentValue&);
template void NativeValueReader::fields(JsonLines&, BlockValue&);
template void NativeValueReader::fields(JsonLines&, AnnotationValue&);

/// A kind of line that is no program's event. Lines that give numbers may stand anywhere.
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

/// The number of the field that was read.
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

/// A block without an address begins where the block before it ends.
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
