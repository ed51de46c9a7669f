#include "traces/model/call_forms.h"

#include <algorithm>
#include <cstdio>

#include "allocator/types/check.h"

namespace vramlab::traces {
namespace {

using Kind = ProgramEventKind;

constexpr std::array<CallForm, 22> forms = {{
    {"malloc", Kind::malloc, {CallField::id, CallField::bytes, CallField::stream}},
    {"free", Kind::free, {CallField::id}},
    {"record_stream", Kind::use, {CallField::id, CallField::stream}},
    {"work", Kind::work, {CallField::stream}},
    {"complete", Kind::stream_done, {CallField::stream}},
    {"external", Kind::external, {CallField::bytes}},
    {"empty_cache", Kind::empty_cache, {CallField::maybe_pool}},
    {"snapshot", Kind::snapshot},
    {"reset_peak_stats", Kind::reset_peak_stats},
    {"reset_accumulated_stats", Kind::reset_accumulated_stats},
    {"set_config", Kind::options, {CallField::text}},
    {"set_fraction", Kind::memory_fraction, {CallField::fraction}},
    {"begin_pool", Kind::pool_begin, {CallField::pool, CallField::scope}},
    {"end_pool", Kind::pool_end, {CallField::pool}},
    {"release_pool", Kind::pool_release, {CallField::pool}},
    {"create_pool", Kind::pool_create, {CallField::pool, CallField::traits}},
    {"destroy_pool", Kind::pool_destroy, {CallField::pool}},
    {"checkpoint", Kind::checkpoint, {CallField::pool, CallField::text}},
    {"restore", Kind::restore, {CallField::text, CallField::id}},
    {"capture_begin", Kind::capture_begin, {CallField::stream}},
    {"capture_end", Kind::capture_end, {CallField::stream}},
    {"wait", Kind::stream_wait, {CallField::stream, CallField::waited_stream}},
}};

std::string number(std::uint64_t value) { return ", " + std::to_string(value); }

std::string scope_text(const ProgramEvent& call) {
  switch (call.scope) {
    case ScopeStreams::every_stream:
      return ", null";
    case ScopeStreams::one_stream:
      return number(call.stream.value);
    case ScopeStreams::capturing_streams:
      return ", \"capture\"";
  }
  check_failed("a scope is of one of three kinds", __FILE__, __LINE__);
}

std::string fraction_text(double fraction) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), ", %.17g", fraction);
  return text.data();
}

std::string value_text(CallField field, const ProgramEvent& call, std::string_view text) {
  switch (field) {
    case CallField::none:
      return {};
    case CallField::id:
      return number(call.id);
    case CallField::bytes:
      return number(call.bytes.count);
    case CallField::stream:
      return number(call.stream.value);
    case CallField::waited_stream:
      return number(call.for_stream.value);
    case CallField::pool:
      return number(call.pool.user);
    case CallField::maybe_pool:
      return call.pool.user == 0 ? "" : number(call.pool.user);
    case CallField::fraction:
      return fraction_text(call.fraction);
    case CallField::text:
      return ", \"" + std::string(text) + "\"";
    case CallField::scope:
      return scope_text(call);
    case CallField::traits:
      return std::string(call.use_on_oom ? ", use_on_oom" : "") +
             (call.no_split ? ", no_split" : "");
  }
  check_failed("a call's value is of a known kind", __FILE__, __LINE__);
}

}  // namespace

std::span<const CallForm> call_forms() { return forms; }

std::string call_text(const ProgramEvent& call, std::string_view text) {
  const auto* const form = std::ranges::find(forms, call.kind, &CallForm::kind);
  check(form != forms.end(), "cases have such a call");
  std::string line(form->name);
  for (const CallField field : form->fields) line += value_text(field, call, text);
  return line;
}

}  // namespace vramlab::traces
