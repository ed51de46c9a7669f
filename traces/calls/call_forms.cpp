#include "traces/calls/call_forms.h"

#include <algorithm>
#include <cstdio>

#include "allocator/words/check.h"

namespace vramlab::traces {
namespace {

using Kind = ProgramEventKind;
using Field = CallField;

constexpr std::array<CallForm, 22> forms = {{
    {"malloc", Kind::malloc, {Field::id, Field::bytes, Field::stream}},
    {"free", Kind::free, {Field::id}},
    {"record_stream", Kind::use, {Field::id, Field::stream}},
    {"work", Kind::work, {Field::stream}},
    {"complete", Kind::stream_done, {Field::stream}},
    {"external", Kind::external, {Field::bytes}},
    {"empty_cache", Kind::empty_cache, {Field::maybe_pool}},
    {"snapshot", Kind::snapshot},
    {"reset_peak_stats", Kind::reset_peak_stats},
    {"reset_accumulated_stats", Kind::reset_accumulated_stats},
    {"set_config", Kind::options, {Field::text}},
    {"set_fraction", Kind::memory_fraction, {Field::fraction}},
    {"begin_pool", Kind::pool_begin, {Field::pool, Field::scope}},
    {"end_pool", Kind::pool_end, {Field::pool}},
    {"release_pool", Kind::pool_release, {Field::pool}},
    {"create_pool", Kind::pool_create, {Field::pool, Field::traits}},
    {"destroy_pool", Kind::pool_destroy, {Field::pool}},
    {"checkpoint", Kind::checkpoint, {Field::pool, Field::text}},
    {"restore", Kind::restore, {Field::text, Field::id}},
    {"capture_begin", Kind::capture_begin, {Field::stream}},
    {"capture_end", Kind::capture_end, {Field::stream}},
    {"wait", Kind::stream_wait, {Field::stream, Field::waited_stream}},
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

std::string value_text(Field field, const ProgramEvent& call, std::string_view text) {
  switch (field) {
    case Field::none:
      return {};
    case Field::id:
      return number(call.id);
    case Field::bytes:
      return number(call.bytes.count);
    case Field::stream:
      return number(call.stream.value);
    case Field::waited_stream:
      return number(call.for_stream.value);
    case Field::pool:
      return number(call.pool.user);
    case Field::maybe_pool:
      return call.pool.user == 0 ? "" : number(call.pool.user);
    case Field::fraction:
      return fraction_text(call.fraction);
    case Field::text:
      return ", \"" + std::string(text) + "\"";
    case Field::scope:
      return scope_text(call);
    case Field::traits:
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
  for (const Field field : form->fields) line += value_text(field, call, text);
  return line;
}

}  // namespace vramlab::traces
