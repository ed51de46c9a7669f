#include "tools/cli/commands/streams/stream_report.h"

#include <algorithm>
#include <span>

#include "allocator/types/check.h"
#include "tools/cli/commands/streams/hazard_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using replay::ActivityReport;
using replay::StreamReport;
using streams::CudaStatus;
using streams::Hazard;

std::string share_text(streams::Duration part, streams::Time whole) {
  return whole.ns == 0 ? "-" : percent_of(part.ns, whole.ns);
}

std::string activity_text(const ActivityReport& activity, std::uint64_t shown) {
  std::string text;
  for (const auto& [device, figures] : activity.devices)
    add_line(text, "device " + std::to_string(device),
             "busy " + share_text(figures.busy, activity.end) +
                 " of the time, two or more streams at once " +
                 share_text(figures.overlapped, activity.end));
  for (const auto& [thread, figures] : activity.threads)
    add_line(text, "host thread " + std::to_string(thread.value),
             "waited " + nanoseconds_text(figures.waited.ns) + " in " +
                 std::to_string(figures.waits) + (figures.waits == 1 ? " call" : " calls"));
  Table table({left("stream", line_name_width),
               {"work", 10},
               {"busy", 10},
               {"share", 10},
               {"blocked", 10}});
  std::size_t left = shown_of(activity.streams.size(), shown);
  const std::size_t left_out = activity.streams.size() - left;
  for (const auto& [stream, figures] : activity.streams)
    if (left > 0 && left-- > 0)
      table.add({stream_text(stream), std::to_string(figures.work_count),
                 nanoseconds_text(figures.busy.ns), share_text(figures.busy, activity.end),
                 nanoseconds_text(figures.held_up.ns)});
  return text + "\n" + table.text() + rest_line(left_out, "--top");
}

std::string hazards_text(const HazardContext& context, std::uint64_t shown) {
  const std::vector<Hazard>& hazards = context.report.hazards;
  if (hazards.empty()) return "\nno hazards\n";
  const std::size_t all = hazards.size() + as_index(context.report.unlisted_hazards);
  std::string text = "\n" + std::to_string(all) + (all == 1 ? " hazard\n" : " hazards\n");
  const std::size_t listed = std::min(shown_of(all, shown), hazards.size());
  for (const Hazard& hazard : std::span(hazards).first(listed)) {
    text += "  * " + std::string(hazard_title(hazard.kind));
    if (hazard.count > 1) text += ", " + std::to_string(hazard.count) + " times";
    if (hazard.kind != streams::HazardKind::waits_for_ever)
      text += "\n      first   " + side_text(hazard.first, context);
    text += "\n      second  " + side_text(hazard.second, context);
    if (const std::string object = object_text(hazard, context); !object.empty())
      text += "\n      about   " + object;
    text += "\n      fix     " + fix_text(hazard, context) + "\n";
  }
  return text + rest_line(all - listed, "--top");
}

std::string refused_text(const HazardContext& context, std::uint64_t shown) {
  const auto& refused = context.report.refused;
  if (refused.empty()) return {};
  std::string text = "\n" + std::to_string(refused.size()) + " calls that CUDA refuses\n";
  const std::size_t listed = shown_of(refused.size(), shown);
  for (const replay::RefusedCall& call : std::span(refused).first(listed))
    text += "  " + std::string(program_event_name(call.kind)) + " of " +
            event_place(call.event, context) + ": " + std::string(cuda_status_name(call.status)) +
            "\n";
  return text + rest_line(refused.size() - listed, "--top");
}

std::string deadlock_text(const HazardContext& context) {
  const replay::Deadlock& deadlock = context.report.deadlock;
  std::string text;
  for (const replay::StuckCall& call : deadlock.threads)
    text += "  host thread " + std::to_string(call.thread.value) + " never returns from " +
            event_place(call.event, context) + ", since " + nanoseconds_text(call.since.ns) + "\n";
  for (const streams::StuckWork& work : deadlock.work) {
    text += "  " + stream_text(work.stream) + " stops before the work of " +
            event_place(work.tag, context);
    if (work.awaited) text += ", which waits for flag " + std::to_string(work.awaited->value);
    text += "\n";
  }
  return text.empty() ? text : "\ndeadlock\n" + text;
}

std::string frees_text(const StreamOutcome& outcome) {
  const std::string text = waiting_text(waiting_of(outcome));
  return "\n" + text.substr(text.find('\n') + 1);
}

/// What waiting costs in peaks, by device.
std::string at_once_text(const StreamOutcome& outcome) {
  if (!outcome.at_once) return {};
  std::string text = "\nif frees completed at once\n";
  for (const replay::DeviceReport& device : outcome.at_once->devices)
    for (const replay::DeviceReport& modelled : outcome.report.replay.devices) {
      if (modelled.device != device.device) continue;
      add_line(text, "device " + std::to_string(device.device.value),
               "peak reserved " + format_bytes(device.peak_reserved.bytes) + " instead of " +
                   format_bytes(modelled.peak_reserved.bytes) +
                   (device.failures.size() == modelled.failures.size()
                        ? ""
                        : ", " + std::to_string(device.failures.size()) +
                              " failed requests instead of " +
                              std::to_string(modelled.failures.size())));
    }
  return text;
}

}  // namespace

WaitingOutcome waiting_of(const StreamOutcome& outcome) {
  WaitingOutcome waiting{outcome.file, {}, outcome.shown};
  for (const replay::DeviceFrees& device : outcome.report.frees)
    waiting.waiting.devices.push_back({device.cost, device.places, {}, std::nullopt});
  return waiting;
}

std::string stream_text(const StreamOutcome& outcome, const traces::SnapshotTables& tables) {
  const StreamReport& report = outcome.report;
  const HazardContext context{report, tables};
  std::string text = outcome.file + "\n";
  add_line(text, "events", std::to_string(report.replay.events));
  add_line(text, "simulated time", nanoseconds_text(report.activity.end.ns));
  for (const std::string& note : report.replay.notes) add_line(text, "note", note);
  if (report.lost_context != CudaStatus::success)
    add_line(text, "context lost", std::string(cuda_status_name(report.lost_context)));
  text += activity_text(report.activity, outcome.shown);
  if (!report.frees.empty()) text += frees_text(outcome);
  text += at_once_text(outcome);
  text += hazards_text(context, outcome.shown);
  text += refused_text(context, outcome.shown);
  return text + deadlock_text(context);
}

}  // namespace vramlab::tools
