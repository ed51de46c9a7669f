#include "traces/calls/call_text.h"

#include <array>
#include <cstdio>

#include "allocator/words/check.h"

namespace vramlab::traces {
namespace {

std::string number(std::uint64_t value) { return ", " + std::to_string(value); }

std::string scope_text(const Call& call) {
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

std::string traits_text(const Call& call) {
  std::string text;
  if (call.use_on_oom) text += ", use_on_oom";
  if (call.no_split) text += ", no_split";
  return text;
}

std::string fraction_text(double fraction) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), ", %.17g", fraction);
  return text.data();
}

}  // namespace

std::string call_text(const Call& call) {
  switch (call.kind) {
    case CallKind::malloc:
      return "malloc" + number(call.id) + number(call.bytes.count) + number(call.stream.value);
    case CallKind::free:
      return "free" + number(call.id);
    case CallKind::record_stream:
      return "record_stream" + number(call.id) + number(call.stream.value);
    case CallKind::work:
      return "work" + number(call.stream.value);
    case CallKind::complete:
      return "complete" + number(call.stream.value);
    case CallKind::external:
      return "external" + number(call.bytes.count);
    case CallKind::empty_cache:
      return "empty_cache" + (call.pool == 0 ? "" : number(call.pool));
    case CallKind::snapshot:
      return "snapshot";
    case CallKind::reset_peak_stats:
      return "reset_peak_stats";
    case CallKind::reset_accumulated_stats:
      return "reset_accumulated_stats";
    case CallKind::set_config:
      return "set_config, \"" + call.text + "\"";
    case CallKind::set_fraction:
      return "set_fraction" + fraction_text(call.fraction);
    case CallKind::begin_pool:
      return "begin_pool" + number(call.pool) + scope_text(call);
    case CallKind::end_pool:
      return "end_pool" + number(call.pool);
    case CallKind::release_pool:
      return "release_pool" + number(call.pool);
    case CallKind::create_pool:
      return "create_pool" + number(call.pool) + traits_text(call);
    case CallKind::destroy_pool:
      return "destroy_pool" + number(call.pool);
    case CallKind::checkpoint:
      return "checkpoint" + number(call.pool) + ", \"" + call.text + "\"";
    case CallKind::restore:
      return "restore, \"" + call.text + "\"" + number(call.id);
    case CallKind::capture_begin:
      return "capture_begin" + number(call.stream.value);
    case CallKind::capture_end:
      return "capture_end" + number(call.stream.value);
    case CallKind::wait:
      return "wait" + number(call.stream.value) + number(call.waited_stream.value);
  }
  check_failed("a call is of a known kind", __FILE__, __LINE__);
}

}  // namespace vramlab::traces
