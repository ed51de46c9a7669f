#include "traces/model/host_calls.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::traces {
namespace {

using HostKind = HostCallKind;
using HostField = HostCallField;

constexpr std::array<HostCallForm, 23> host_forms = {{
    {"malloc", HostKind::malloc, {HostField::id, HostField::bytes}},
    {"free", HostKind::free, {HostField::id}},
    {"use", HostKind::use, {HostField::id, HostField::stream}},
    {"use_ptr", HostKind::use_address, {HostField::id, HostField::bytes, HostField::stream}},
    {"work", HostKind::work, {HostField::stream}},
    {"complete", HostKind::complete, {HostField::stream}},
    {"background", HostKind::background},
    {"empty_cache", HostKind::empty_cache},
    {"set_config", HostKind::options, {HostField::text}},
    {"host_limit", HostKind::host_limit, {HostField::bytes}},
    {"poison", HostKind::poison, {HostField::stream, HostField::on}},
    {"stats", HostKind::statistics},
    {"snapshot", HostKind::snapshot},
    {"reset_peak_stats", HostKind::reset_peak},
    {"reset_accumulated_stats", HostKind::reset_accumulated},
    {"stream", HostKind::current_stream, {HostField::stream}},
    {"capture", HostKind::capture, {HostField::stream, HostField::on}},
    {"begin_pool",
     HostKind::pool_begin,
     {HostField::pool_graph, HostField::pool_user, HostField::scope}},
    {"end_pool", HostKind::pool_end, {HostField::pool_graph, HostField::pool_user}},
    {"release_pool", HostKind::pool_release, {HostField::pool_graph, HostField::pool_user}},
    {"record_history",
     HostKind::record_history,
     {HostField::on, HostField::level, HostField::limit, HostField::clear}},
    {"register", HostKind::register_external, {HostField::address, HostField::bytes}},
    {"unregister", HostKind::unregister_external, {HostField::address}},
}};

std::string host_scope_text(const HostCall& call) {
  if (call.scope == ScopeStreams::every_stream) return "null";
  if (call.scope == ScopeStreams::capturing_streams) return "\"capture\"";
  return std::to_string(call.stream.value);
}

std::string host_value_text(HostField field, const HostCall& call) {
  const auto truth = [](bool holds) { return std::string(holds ? "true" : "false"); };
  switch (field) {
    case HostField::none:
      return {};
    case HostField::id:
      return std::to_string(call.id);
    case HostField::bytes:
      return std::to_string(call.bytes.count);
    case HostField::address:
      return name_of(call.address);
    case HostField::stream:
      return std::to_string(call.stream.value);
    case HostField::on:
      return truth(call.on);
    case HostField::pool_graph:
      return std::to_string(call.pool.graph);
    case HostField::pool_user:
      return std::to_string(call.pool.user);
    case HostField::scope:
      return host_scope_text(call);
    case HostField::level:
      return std::string(host_level_names.at(static_cast<std::size_t>(call.level)));
    case HostField::limit:
      return std::to_string(call.limit);
    case HostField::clear:
      return truth(call.clear);
    case HostField::text:
      return "\"" + call.text + "\"";
  }
  check_failed("a call's value is of a known kind", __FILE__, __LINE__);
}

}  // namespace

std::span<const HostCallForm> host_call_forms() { return host_forms; }

std::string call_text(const HostCall& call) {
  const auto* const form = std::ranges::find(host_forms, call.kind, &HostCallForm::kind);
  check(form != host_forms.end(), "every call has a form");
  std::string line(form->name);
  for (const HostField field : form->fields)
    if (field != HostField::none) line += ", " + host_value_text(field, call);
  return line;
}

}  // namespace vramlab::traces
