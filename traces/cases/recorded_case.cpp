#include "traces/cases/recorded_case.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "traces/cases/case_parts.h"
#include "traces/cases/recorded_answers.h"
#include "traces/io/input_bytes.h"
#include "traces/model/call_forms.h"

namespace vramlab::traces {
namespace {

using Field = CallField;

double read_fraction(const JsonValue& value, const char* expected) {
  const double fraction = value.real();
  if (!(fraction >= 0 && fraction <= 1)) value.fail(expected);
  return fraction;
}

void read_scope(const JsonValue& value, ProgramEvent& call) {
  if (value.is_null()) {
    call.scope = ScopeStreams::every_stream;
  } else if (value.is_text()) {
    if (value.text() != "capture") value.fail("a stream, null or \"capture\"");
    call.scope = ScopeStreams::capturing_streams;
  } else {
    call.scope = ScopeStreams::one_stream;
    call.stream = {value.number()};
  }
}

void read_traits(const JsonValue& value, ProgramEvent& call) {
  value.only_keys({"use_on_oom", "no_split"});
  call.use_on_oom = value.key("use_on_oom").boolean();
  call.no_split = value.key("no_split").boolean();
}

void read_field(Field field, const JsonValue& value, RecordedProgram& program) {
  ProgramEvent& call = program.calls.back();
  switch (field) {
    case Field::none:
      return;
    case Field::id:
      call.id = value.number();
      return;
    case Field::bytes:
      call.bytes = {value.number()};
      return;
    case Field::stream:
      call.stream = {value.number()};
      return;
    case Field::waited_stream:
      call.for_stream = {value.number()};
      return;
    case Field::pool:
    case Field::maybe_pool:
      call.pool = {0, value.number()};
      return;
    case Field::fraction:
      call.fraction = read_fraction(value, "a fraction from 0 to 1");
      return;
    case Field::text:
      call.text = program.add_text(value.text());
      return;
    case Field::scope:
      return read_scope(value, call);
    case Field::traits:
      return read_traits(value, call);
  }
}

const CallForm& form_of(const JsonValue& op) {
  if (op.array_size() == 0) op.fail("a call: its name and what it is about");
  const JsonValue name = op.at(0);
  const auto forms = call_forms();
  const auto form = std::ranges::find(forms, std::string_view(name.text()), &CallForm::name);
  if (form == forms.end()) name.fail("the name of a call");
  return *form;
}

void read_call(const JsonValue& op, RecordedProgram& program) {
  const CallForm& form = form_of(op);
  const auto most = static_cast<std::size_t>(
      std::ranges::count_if(form.fields, [](Field field) { return field != Field::none; }));
  const std::size_t least = form.fields[0] == Field::maybe_pool ? 0 : most;
  const std::size_t given = op.array_size() - 1;
  if (given < least || given > most)
    op.fail("'" + std::string(form.name) + "' with " + std::to_string(most) +
            (most == 1 ? " value" : " values") + " after it");
  program.calls.emplace_back().kind = form.kind;
  for (std::size_t i = 0; i < given; ++i) read_field(form.fields[i], op.at(i + 1), program);
}

/// More memory than any device has; sums of a few such numbers cannot wrap around.
constexpr std::uint64_t largest_device = std::uint64_t{1} << 50;

Bytes read_device_total(const JsonValue& device) {
  device.only_keys({"total_bytes"});
  return {device.key("total_bytes").number(largest_device)};
}

RecordedProgram read_program(const JsonValue& top) {
  top.only_keys({"name", "reference", "device", "config", "memory_fraction", "ops", "expect"});
  RecordedProgram program;
  program.name = top.key("name").text();
  program.version = &read_reference(top.key("reference"));
  program.device_total = read_device_total(top.key("device"));
  program.config = top.key("config").text();
  const JsonValue fraction = top.key("memory_fraction");
  if (!fraction.is_null())
    program.memory_fraction = read_fraction(fraction, "null or a fraction from 0 to 1");
  const JsonValue ops = top.key("ops");
  program.calls.reserve(ops.array_size());
  for (std::size_t i = 0; i < ops.array_size(); ++i) read_call(ops.at(i), program);
  return program;
}

}  // namespace

RecordedCase read_recorded_case(const std::string& path) {
  return parse_recorded_case(read_input_bytes(path), input_name(path));
}

RecordedCase parse_recorded_case(std::string_view text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  return parse_recorded_case(JsonValue(document, file));
}

RecordedCase parse_recorded_case(const JsonValue& top) {
  RecordedCase recorded{read_program(top), {}};
  recorded.expected = read_recorded_answers(top.key("expect"), recorded.program);
  return recorded;
}

RecordedProgram read_recorded_program(const std::string& path) {
  const std::string file = input_name(path);
  const nlohmann::json document = parse_json(read_input_bytes(path), file);
  return read_program(JsonValue(document, file));
}

}  // namespace vramlab::traces
