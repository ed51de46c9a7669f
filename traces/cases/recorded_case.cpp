#include "traces/cases/recorded_case.h"

#include <nlohmann/json.hpp>

#include "traces/cases/recorded_parts.h"
#include "traces/files/input_bytes.h"

namespace vramlab::traces {
namespace {

using allocator::ReferenceVersion;

/// More memory than any device has; sums of a few such numbers cannot wrap around.
constexpr std::uint64_t largest_device = std::uint64_t{1} << 50;

const ReferenceVersion& read_version(const JsonValue& value) {
  std::string known;
  for (const ReferenceVersion& row : allocator::reference_versions()) {
    if (row.description == value.text()) return row;
    known += (known.empty() ? "\"" : " or \"") + std::string(row.description) + "\"";
  }
  value.fail(known);
}

std::optional<double> read_memory_fraction(const JsonValue& value) {
  if (value.is_null()) return std::nullopt;
  const double fraction = value.real();
  if (!(fraction >= 0 && fraction <= 1)) value.fail("null or a fraction from 0 to 1");
  return fraction;
}

allocator::Bytes read_device_total(const JsonValue& device) {
  device.only_keys({"total_bytes"});
  return {device.key("total_bytes").number(largest_device)};
}

RecordedProgram read_program(const JsonValue& top) {
  top.only_keys({"name", "reference", "device", "config", "memory_fraction", "ops", "expect"});
  RecordedProgram program;
  program.name = top.key("name").text();
  program.version = &read_version(top.key("reference"));
  program.device_total = read_device_total(top.key("device"));
  program.config = top.key("config").text();
  program.memory_fraction = read_memory_fraction(top.key("memory_fraction"));
  read_recorded_calls(top.key("ops"), program);
  return program;
}

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace

RecordedCase read_recorded_case(const std::string& path) {
  return parse_recorded_case(read_input_bytes(path), shown_name(path));
}

RecordedCase parse_recorded_case(std::string_view text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  const JsonValue top(document, file);
  RecordedCase recorded{read_program(top), {}};
  recorded.expected = read_recorded_answers(top.key("expect"), recorded.program);
  return recorded;
}

RecordedProgram read_recorded_program(const std::string& path) {
  const std::string file = shown_name(path);
  const nlohmann::json document = parse_json(read_input_bytes(path), file);
  return read_program(JsonValue(document, file));
}

}  // namespace vramlab::traces
