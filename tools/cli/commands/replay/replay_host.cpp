#include "tools/cli/commands/replay/replay_host.h"

#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::HostCallAt;
using replay::HostReport;
using replay::ReachedPeak;

std::string moment_text(const ReachedPeak& peak) {
  return format_bytes(peak.bytes) + " at event " + std::to_string(peak.event);
}

ordered_json moment_json(const ReachedPeak& peak) {
  return {{"bytes", peak.bytes.count}, {"event", peak.event}, {"time_ns", or_null(peak.time_ns)}};
}

ordered_json value_json(const StatisticValue& value) {
  return {{"current", value.current},
          {"peak", value.peak},
          {"allocated", value.allocated},
          {"freed", value.freed}};
}

/// By the power of two that a block's size is rounded up to.
ordered_json buckets_json(const HostStatisticValues& values) {
  ordered_json buckets = ordered_json::object();
  for (std::size_t bucket = 0; bucket < values.bucket_allocations.size(); ++bucket)
    if (values.bucket_allocations[bucket] != 0)
      buckets[std::to_string(bucket)] = values.bucket_allocations[bucket];
  return buckets;
}

ordered_json statistics_json(const HostStatisticValues& values) {
  return {{"active_requests", value_json(values.active_requests)},
          {"active_bytes", value_json(values.active_bytes)},
          {"allocations", value_json(values.allocations)},
          {"allocated_bytes", value_json(values.allocated_bytes)},
          {"num_host_alloc", values.allocations.allocated},
          {"num_host_free", values.allocations.freed},
          {"bucket_allocation", buckets_json(values)}};
}

ordered_json call_json(const HostCallAt& made) {
  return {{"event", made.event},
          {"call", host_system_action_name(made.call.action)},
          {"bytes", made.call.size.count}};
}

/// Such as ", 61 % more".
std::string waste_text(Bytes requested, Bytes given) {
  if (requested == Bytes{} || given <= requested) return "";
  const Bytes more = given - requested;
  const auto percent = static_cast<std::uint64_t>(
      static_cast<double>(more.count) * 100 / static_cast<double>(requested.count) + 0.5);
  return ", " + std::to_string(percent) + " % more";
}

}  // namespace

std::string host_text(const HostReport& host) {
  std::string text = "pinned host memory\n";
  const replay::MetricValues metrics = host_metrics(host);
  const auto count = [&](std::string_view name) {
    return std::to_string(find_value(metrics, name)->value);
  };
  add_line(text, "requests",
           std::to_string(host.requests) + "; " + std::to_string(host.frees) + " frees");
  add_line(text, "peak requested", moment_text(host.peak_requested));
  add_line(text, "peak active", moment_text(host.peak_active));
  add_line(text, "peak pinned", moment_text(host.peak_pinned));
  add_line(text, "at the end",
           format_bytes(host.end_pinned) + " pinned, " + format_bytes(host.end_active) +
               " of them active");
  add_line(text, "system calls",
           count("host_allocs") + " allocations, " + count("host_releases") + " releases");
  add_line(text, "sizes",
           "requests of " + format_bytes(host.requested) + " got blocks of " +
               format_bytes(host.given) + waste_text(host.requested, host.given));
  return text;
}

ordered_json host_json(const HostReport& host) {
  return {{"requests", host.requests},
          {"frees", host.frees},
          {"requested_bytes", host.requested.count},
          {"given_bytes", host.given.count},
          {"peak_requested", moment_json(host.peak_requested)},
          {"peak_active", moment_json(host.peak_active)},
          {"peak_pinned", moment_json(host.peak_pinned)},
          {"end_active_bytes", host.end_active.count},
          {"end_pinned_bytes", host.end_pinned.count},
          {"statistics", statistics_json(host.statistics)},
          {"calls", json_list(host.calls, call_json)}};
}

}  // namespace vramlab::tools
