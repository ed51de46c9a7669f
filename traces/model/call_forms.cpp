#include "traces/model/call_forms.h"

#include <algorithm>
#include <cstdio>

#include "allocator/types/check.h"

namespace vramlab::traces {
namespace {

using Part = CallField;
using Kind = ProgramEventKind;
using HostKind = HostCallKind;

constexpr std::array<CallForm, 22> forms = {{
    {"malloc", Kind::malloc, {Part::id, Part::bytes, Part::stream}},
    {"free", Kind::free, {Part::id}},
    {"record_stream", Kind::use, {Part::id, Part::stream}},
    {"work", Kind::work, {Part::stream}},
    {"complete", Kind::stream_done, {Part::stream}},
    {"external", Kind::external, {Part::bytes}},
    {"empty_cache", Kind::empty_cache, {Part::maybe_pool}},
    {"snapshot", Kind::snapshot},
    {"reset_peak_stats", Kind::reset_peak_stats},
    {"reset_accumulated_stats", Kind::reset_accumulated_stats},
    {"set_config", Kind::options, {Part::text}},
    {"set_fraction", Kind::memory_fraction, {Part::fraction}},
    {"begin_pool", Kind::pool_begin, {Part::pool, Part::scope}},
    {"end_pool", Kind::pool_end, {Part::pool}},
    {"release_pool", Kind::pool_release, {Part::pool}},
    {"create_pool", Kind::pool_create, {Part::pool, Part::traits}},
    {"destroy_pool", Kind::pool_destroy, {Part::pool}},
    {"checkpoint", Kind::checkpoint, {Part::pool, Part::text}},
    {"restore", Kind::restore, {Part::text, Part::id}},
    {"capture_begin", Kind::capture_begin, {Part::stream}},
    {"capture_end", Kind::capture_end, {Part::stream}},
    {"wait", Kind::stream_wait, {Part::stream, Part::waited_stream}},
}};

constexpr std::array<HostCallForm, 23> host_forms = {{
    {"malloc", HostKind::malloc, {Part::id, Part::bytes}},
    {"free", HostKind::free, {Part::id}},
    {"use", HostKind::use, {Part::id, Part::stream}},
    {"use_ptr", HostKind::use_address, {Part::id, Part::bytes, Part::stream}},
    {"work", HostKind::work, {Part::stream}},
    {"complete", HostKind::complete, {Part::stream}},
    {"background", HostKind::background},
    {"empty_cache", HostKind::empty_cache},
    {"set_config", HostKind::options, {Part::text}},
    {"host_limit", HostKind::host_limit, {Part::bytes}},
    {"poison", HostKind::poison, {Part::stream, Part::on}},
    {"stats", HostKind::statistics},
    {"snapshot", HostKind::snapshot},
    {"reset_peak_stats", HostKind::reset_peak},
    {"reset_accumulated_stats", HostKind::reset_accumulated},
    {"stream", HostKind::current_stream, {Part::stream}},
    {"capture", HostKind::capture, {Part::stream, Part::on}},
    {"begin_pool", HostKind::pool_begin, {Part::pool_graph, Part::pool, Part::scope}},
    {"end_pool", HostKind::pool_end, {Part::pool_graph, Part::pool}},
    {"release_pool", HostKind::pool_release, {Part::pool_graph, Part::pool}},
    {"record_history", HostKind::record_history, {Part::on, Part::level, Part::limit, Part::clear}},
    {"register", HostKind::register_external, {Part::address, Part::bytes}},
    {"unregister", HostKind::unregister_external, {Part::address}},
}};

std::string fraction_text(double fraction) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", fraction);
  return text.data();
}

std::string traits_text(const ProgramEvent& call) {
  return std::string(call.use_on_oom ? "use_on_oom" : "") +
         (call.use_on_oom && call.no_split ? ", " : "") + (call.no_split ? "no_split" : "");
}

std::string truth_text(bool holds) { return holds ? "true" : "false"; }

std::string own_value_text(CallField field, const ProgramEvent& call) {
  switch (field) {
    case Part::none:
      return {};
    case Part::waited_stream:
      return std::to_string(call.for_stream.value);
    case Part::maybe_pool:
      return call.pool.user == 0 ? "" : std::to_string(call.pool.user);
    case Part::fraction:
      return fraction_text(call.fraction);
    case Part::traits:
      return traits_text(call);
    default:
      check_failed("a call for a device has no such value", __FILE__, __LINE__);
  }
}

std::string own_value_text(CallField field, const HostCall& call) {
  switch (field) {
    case Part::none:
      return {};
    case Part::pool_graph:
      return std::to_string(call.pool.graph);
    case Part::address:
      return name_of(call.address);
    case Part::on:
      return truth_text(call.on);
    case Part::level:
      return std::string(host_level_names.at(static_cast<std::size_t>(call.level)));
    case Part::limit:
      return std::to_string(call.limit);
    case Part::clear:
      return truth_text(call.clear);
    default:
      check_failed("a call for pinned memory has no such value", __FILE__, __LINE__);
  }
}

template <typename Call>
std::string scope_text(const Call& call) {
  switch (call.scope) {
    case ScopeStreams::every_stream:
      return "null";
    case ScopeStreams::one_stream:
      return std::to_string(call.stream.value);
    case ScopeStreams::capturing_streams:
      return "\"capture\"";
  }
  check_failed("a scope is of one of three kinds", __FILE__, __LINE__);
}

/// Empty for a value that is left out.
template <typename Call>
std::string value_text(CallField field, const Call& call, std::string_view text) {
  switch (field) {
    case Part::id:
      return std::to_string(call.id);
    case Part::bytes:
      return std::to_string(call.bytes.count);
    case Part::stream:
      return std::to_string(call.stream.value);
    case Part::scope:
      return scope_text(call);
    case Part::text:
      return "\"" + std::string(text) + "\"";
    case Part::pool:
      return std::to_string(call.pool.user);
    default:
      return own_value_text(field, call);
  }
}

template <typename Forms, typename Call>
std::string text_by(const Forms& rows, const Call& call, std::string_view text) {
  const auto form =
      std::ranges::find_if(rows, [&](const auto& row) { return row.kind == call.kind; });
  check(form != rows.end(), "cases have such a call");
  std::string line(form->name);
  for (const CallField field : form->fields)
    if (const std::string value = value_text(field, call, text); !value.empty())
      line += ", " + value;
  return line;
}

}  // namespace

std::span<const CallForm> call_forms() { return forms; }

std::span<const HostCallForm> host_call_forms() { return host_forms; }

std::string call_text(const ProgramEvent& call, std::string_view text) {
  return text_by(forms, call, text);
}

std::string call_text(const HostCall& call) { return text_by(host_forms, call, call.text); }

}  // namespace vramlab::traces
