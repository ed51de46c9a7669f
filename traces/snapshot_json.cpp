#include "traces/snapshot_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "traces/generic_builder.h"
#include "traces/input_error.h"
#include "traces/letter_stream.h"
#include "traces/snapshot_fields.h"
#include "traces/snapshot_from_generic.h"

namespace vramlab::traces {
namespace {

using nlohmann::json;

/// Takes the parser's events. The lists of segments, events and annotations are walked; each item
/// of theirs, and whatever else the file holds, is built as a value of any shape.
class SnapshotJsonReader : public nlohmann::json_sax<json> {
 public:
  SnapshotJsonReader(LetterStream& letters, const std::string& file, SnapshotTables& tables,
                     SnapshotSink& sink)
      : letters_(letters),
        file_(file),
        tables_(tables),
        sink_(sink),
        filler_(tables, [this](const std::string& expected, const std::string& found) {
          fail(expected, found);
        }) {}

  bool null() override { return take(GenericBuilder::none()); }
  bool boolean(bool value) override { return take(GenericBuilder::scalar(value)); }
  bool number_integer(std::int64_t number) override;
  bool number_unsigned(std::uint64_t number) override;
  bool number_float(double number, const std::string& letters) override;
  bool string(std::string& letters) override;
  bool binary(json::binary_t&) override { return false; }
  bool start_object(std::size_t) override;
  bool key(std::string& letters) override;
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override;
  bool end_array() override { return end(); }
  bool parse_error(std::size_t position, const std::string& last_token,
                   const json::exception& error) override;

 private:
  enum class Place : std::uint8_t { start, top, segments, traces, trace, annotations, end };

  bool take(GenericPointer value);
  bool end();
  void end_place();
  void begin_list_section(KnownText key);
  void mark_section(KnownText key, SnapshotSection section);
  void give(const GenericPointer& value);
  void give_top(const GenericPointer& value);
  void check_limits();
  bool is_at_items() const {
    return place_ == Place::segments || place_ == Place::trace || place_ == Place::annotations;
  }
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw InputError({file_, "byte " + std::to_string(letters_.bytes_taken()), expected, found});
  }

  LetterStream& letters_;
  const std::string& file_;
  SnapshotTables& tables_;
  SnapshotSink& sink_;
  SnapshotFiller filler_;
  GenericBuilder builder_;
  Place place_ = Place::start;
  bool is_bare_ = false;
  /// Of the top.
  TextId key_;
  KeySet sections_;
  DeviceIndex device_;
};

bool SnapshotJsonReader::number_integer(std::int64_t number) {
  letters_.end_word();
  return take(GenericBuilder::scalar(WholeNumber{static_cast<std::uint64_t>(number), number < 0}));
}

bool SnapshotJsonReader::number_unsigned(std::uint64_t number) {
  letters_.end_word();
  return take(GenericBuilder::scalar(WholeNumber{number, false}));
}

/// The parser makes a whole number that it can't hold into one that is not exact.
bool SnapshotJsonReader::number_float(double number, const std::string& letters) {
  letters_.end_word();
  if (letters.find_first_of(".eE") == std::string::npos)
    fail("a whole number from -2^63 to 2^64 - 1", "a larger one");
  return take(GenericBuilder::scalar(number));
}

bool SnapshotJsonReader::string(std::string& letters) {
  letters_.end_word();
  return take(builder_.text(tables_.texts.intern(letters)));
}

bool SnapshotJsonReader::key(std::string& letters) {
  letters_.end_word();
  const TextId key = tables_.texts.intern(letters);
  if (builder_.is_open())
    builder_.key(key);
  else
    key_ = key;
  return true;
}

void SnapshotJsonReader::check_limits() {
  if (builder_.is_at_limit_of_depth())
    fail("at most " + std::to_string(deepest_generic_value) + " levels", "more");
  if (builder_.is_at_limit_of_parts())
    fail("at most " + std::to_string(GenericBuilder::most_parts) + " parts of a value", "more");
}

bool SnapshotJsonReader::start_object(std::size_t) {
  if (place_ == Place::start) {
    place_ = Place::top;
    return true;
  }
  if (place_ == Place::traces && !builder_.is_open()) fail("a device's list of events", "a dict");
  check_limits();
  builder_.begin_dict();
  return true;
}

bool SnapshotJsonReader::start_array(std::size_t) {
  if (builder_.is_open()) {
    check_limits();
    builder_.begin_list();
    return true;
  }
  if (place_ == Place::start) {
    is_bare_ = true;
    sink_.bare_list();
    begin_list_section(KnownText::segments);
  } else if (place_ == Place::traces) {
    sink_.device_trace(device_);
    place_ = Place::trace;
  } else if (is_at_items()) {
    fail("a dict", "a list");
  } else {
    const auto key = known_key(key_);
    const bool is_section = key == KnownText::segments || key == KnownText::device_traces ||
                            key == KnownText::external_annotations;
    if (is_section)
      begin_list_section(*key);
    else
      builder_.begin_list();
  }
  return true;
}

void SnapshotJsonReader::begin_list_section(KnownText key) {
  if (key == KnownText::segments) {
    mark_section(key, SnapshotSection::segments);
    place_ = Place::segments;
  } else if (key == KnownText::device_traces) {
    mark_section(key, SnapshotSection::device_traces);
    place_ = Place::traces;
  } else {
    mark_section(key, SnapshotSection::external_annotations);
    place_ = Place::annotations;
  }
}

void SnapshotJsonReader::mark_section(KnownText key, SnapshotSection section) {
  if (sections_.has(key))
    fail("each key once", "the key '" + std::string(known_text(key)) + "' again");
  sections_.add(key);
  sink_.section(section);
}

bool SnapshotJsonReader::take(GenericPointer value) {
  if (builder_.is_open()) {
    check_limits();
    builder_.add(std::move(value));
    return true;
  }
  if (place_ == Place::start) fail("a snapshot: a dict, or a list of segments", "another value");
  if (place_ == Place::traces) fail("a device's list of events", "another value");
  if (is_at_items()) fail("a dict", "another value");
  give_top(value);
  return true;
}

bool SnapshotJsonReader::end() {
  if (!builder_.is_open())
    end_place();
  else if (const auto value = builder_.end())
    give(*value);
  return true;
}

void SnapshotJsonReader::end_place() {
  if (place_ == Place::trace) {
    place_ = Place::traces;
    ++device_.value;
  } else if (place_ == Place::top || is_bare_) {
    place_ = Place::end;
  } else {
    place_ = Place::top;
  }
}

void SnapshotJsonReader::give(const GenericPointer& value) {
  if (place_ == Place::segments) {
    SegmentValue segment;
    filler_.fill(segment, *value);
    sink_.segment(segment);
  } else if (place_ == Place::trace) {
    TraceEntry entry;
    filler_.fill(entry, *value);
    sink_.trace_entry(device_, entry);
  } else if (place_ == Place::annotations) {
    AnnotationValue annotation;
    filler_.fill(annotation, *value);
    sink_.annotation(annotation);
  } else {
    give_top(value);
  }
}

void SnapshotJsonReader::give_top(const GenericPointer& value) {
  const auto key = known_key(key_);
  if (key == KnownText::allocator_settings) {
    mark_section(*key, SnapshotSection::allocator_settings);
    if (!std::holds_alternative<GenericDict>(value->content))
      fail("a dict under 'allocator_settings'", "another value");
    sink_.settings(value);
  } else if (key == KnownText::segments || key == KnownText::device_traces ||
             key == KnownText::external_annotations) {
    fail("a list under '" + std::string(known_text(*key)) + "'", "another value");
  } else {
    sink_.unknown_section(key_, value);
  }
}

/// The parser counts from 1. What it read last ends where it stopped and may be anything, also half
/// a character.
bool SnapshotJsonReader::parse_error(std::size_t position, const std::string& last_token,
                                     const json::exception&) {
  constexpr std::size_t longest_quote = 20;
  const bool is_at_end = letters_.is_at_end() && position > letters_.bytes_taken();
  std::string found = is_at_end ? "the end of the text" : "'";
  if (!is_at_end) {
    for (const char letter :
         last_token.substr(last_token.size() - std::min(last_token.size(), longest_quote)))
      found += letter < ' ' || letter > '~' ? '?' : letter;
    found += "'";
  }
  const std::size_t byte = position == 0 ? 0 : position - 1;
  throw InputError({file_, "byte " + std::to_string(byte), "valid JSON", found});
}

}  // namespace

JsonFacts read_snapshot_json(ByteSource& source, const std::string& file, SnapshotTables& tables,
                             SnapshotSink& sink) {
  LetterStream letters(source, file);
  SnapshotJsonReader reader(letters, file, tables, sink);
  json::sax_parse(letters.begin(), letters.end(), &reader);
  return {letters.bytes_taken()};
}

}  // namespace vramlab::traces
