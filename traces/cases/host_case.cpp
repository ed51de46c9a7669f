#include <algorithm>

#include "traces/cases/case_parts.h"
#include "traces/cases/host_case_reader.h"

namespace vramlab::traces {
namespace {

using HostField = HostCallField;

HostStackLevel read_stack_level(const JsonValue& value) {
  const auto* const name = std::ranges::find(host_level_names, std::string_view(value.text()));
  if (name == host_level_names.end()) value.fail("never, state, alloc or all");
  return static_cast<HostStackLevel>(name - host_level_names.begin());
}

void read_host_scope(const JsonValue& value, HostCall& call) {
  if (value.is_null()) return;
  if (value.is_text()) {
    if (value.text() != "capture") value.fail("a stream, null or \"capture\"");
    call.scope = ScopeStreams::capturing_streams;
    return;
  }
  call.scope = ScopeStreams::one_stream;
  call.stream = {value.number()};
}

void read_host_field(HostField field, const JsonValue& value, HostCall& call) {
  switch (field) {
    case HostField::none:
      return;
    case HostField::id:
      call.id = value.number();
      return;
    case HostField::bytes:
      call.bytes = {value.number()};
      return;
    case HostField::address:
      call.address = {value.number()};
      return;
    case HostField::stream:
      call.stream = {value.number()};
      return;
    case HostField::on:
      call.on = value.boolean();
      return;
    case HostField::pool_graph:
      call.pool.graph = value.number();
      return;
    case HostField::pool_user:
      call.pool.user = value.number();
      return;
    case HostField::scope:
      return read_host_scope(value, call);
    case HostField::level:
      call.level = read_stack_level(value);
      return;
    case HostField::limit:
      call.limit = value.number();
      return;
    case HostField::clear:
      call.clear = value.boolean();
      return;
    case HostField::text:
      call.text = value.text();
      return;
  }
}

HostCall read_host_call(const JsonValue& op) {
  if (op.array_size() == 0) op.fail("a call: its name and what it is about");
  const JsonValue name = op.at(0);
  const auto forms = host_call_forms();
  const auto form = std::ranges::find(forms, std::string_view(name.text()), &HostCallForm::name);
  if (form == forms.end()) name.fail("the name of a call");
  const auto count = static_cast<std::size_t>(std::ranges::count_if(
      form->fields, [](HostField field) { return field != HostField::none; }));
  if (op.array_size() != count + 1)
    op.fail("'" + std::string(form->name) + "' with " + std::to_string(count) +
            (count == 1 ? " value" : " values") + " after it");
  HostCall call;
  call.kind = form->kind;
  for (std::size_t i = 0; i < count; ++i) read_host_field(form->fields[i], op.at(i + 1), call);
  return call;
}

}  // namespace

HostCase parse_host_case(const JsonValue& top) {
  top.only_keys({"name", "reference", "config", "ops", "expect"});
  HostCase recorded;
  recorded.program = {top.key("name").text(), &read_reference(top.key("reference")),
                      top.key("config").text(),
                      read_array<HostCall>(top.key("ops"), read_host_call)};
  read_host_answers(top.key("expect"), recorded);
  return recorded;
}

}  // namespace vramlab::traces
