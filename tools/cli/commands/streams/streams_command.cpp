// `vramlab streams`: what streams do and cost. A program's streams are simulated; of a recording,
// the frees that waited are shown.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "replay/replayer/device_replay.h"
#include "replay/replayer/replayer.h"
#include "replay/stream_waits/stream_simulation.h"
#include "streams/stream_model/stream_watcher.h"
#include "tools/cli/commands/streams/waiting_report.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"
#include "traces/model/user_frame.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::ActivityReport;
using replay::StreamReport;
using streams::CudaStatus;
using streams::FixKind;
using streams::Hazard;
using streams::HazardAct;
using streams::HazardKind;
using streams::HazardSide;
using streams::ItemKind;

/// The program to which hazards belong: its events and its stacks.
struct HazardContext {
  const replay::StreamReport& report;
  const traces::SnapshotTables& tables;
};

struct StreamOutcome {
  std::string file;
  replay::StreamReport report;
  /// The same program with frees that never wait; empty if none waited.
  std::optional<replay::ReplayReport> at_once;
  /// Streams, hazards, call sites and refused calls to show in the text, at most; 0 for all.
  std::uint64_t shown = 10;
};

struct HazardText {
  HazardKind kind;
  std::string_view name;
  std::string_view title;
};

constexpr HazardText hazard_texts[] = {
    {HazardKind::use_after_free, "use_after_free", "memory is used after it was freed"},
    {HazardKind::reused_too_early, "reused_too_early",
     "memory is reused while work may still use it"},
    {HazardKind::read_before_write, "read_before_write",
     "a read may come before the write whose result it wants"},
    {HazardKind::write_before_write, "write_before_write", "two writes may come in either order"},
    {HazardKind::write_before_read, "write_before_read",
     "a write may come before a read of what was there"},
    {HazardKind::used_after_destroy, "used_after_destroy",
     "a stream or event is used after it was destroyed"},
    {HazardKind::waits_for_ever, "waits_for_ever", "a wait never ends"},
};

const HazardText& text_of(HazardKind kind) {
  const auto* const found = std::ranges::find(hazard_texts, kind, &HazardText::kind);
  check(found != std::end(hazard_texts), "every kind of hazard has a text");
  return *found;
}

/// Such as `reused_too_early`.
std::string_view hazard_name(HazardKind kind) { return text_of(kind).name; }

/// Such as `memory was handed out again while work may still use it`.
std::string_view hazard_title(HazardKind kind) { return text_of(kind).title; }

std::string_view work_name(streams::WorkKind kind) {
  constexpr std::array<std::string_view, 8> names = {
      "kernel", "copy to device", "copy to host", "copy on device",
      "memset", "host function",  "flag write",   "flag wait"};
  return names.at(static_cast<std::size_t>(kind));
}

/// Work and nodes of graphs go by the name of their work.
std::string_view item_name(streams::ItemKind kind, streams::WorkKind work) {
  constexpr std::array<std::string_view, 7> names = {
      "", "event record", "event wait", "graph begin", "", "graph end", "allocator's mark"};
  const std::string_view name = names.at(static_cast<std::size_t>(kind));
  return name.empty() ? work_name(work) : name;
}

/// `event 12 (train.py:12 step)`.
std::string event_place(std::uint64_t event, const HazardContext& context) {
  std::string text = "event " + std::to_string(event);
  if (event >= context.report.stacks.size()) return text;
  const auto frame =
      traces::innermost_user_frame(context.report.stacks[as_index(event)], context.tables);
  return frame ? text + " (" + traces::frame_text(*frame, context.tables) + ")" : text;
}

/// Such as `stream 7`, with its device unless that is 0.
std::string stream_text(streams::StreamAt stream) {
  std::string text = "stream " + std::to_string(stream.stream.value);
  if (stream.device != 0) text += " of device " + std::to_string(stream.device);
  return text;
}

/// `kernel of event 12 (train.py:12 step) on stream 7 writes`.
std::string side_text(const HazardSide& side, const HazardContext& context) {
  std::string place = event_place(side.tag, context);
  if (!side.is_known) return "something long before";
  switch (side.act) {
    case HazardAct::work: {
      std::string text = std::string(work_name(side.kind)) + " of " + place;
      if (side.is_node) text += ", captured on " + stream_text(side.captured_on) + " and launched";
      text += " on " + stream_text(side.stream);
      if (side.reads && side.writes) return text + " reads and writes it";
      if (side.reads) return text + " reads it";
      return side.writes ? text + " writes it" : text;
    }
    case HazardAct::free:
      return place + " frees it";
    case HazardAct::hand_out:
      return place + " gets the memory for " + stream_text(side.stream);
    case HazardAct::destroy:
      return place + " destroys it";
    case HazardAct::use_of_handle:
      return place + " uses it";
    case HazardAct::wait:
      return place + " waits";
  }
  return place;
}

/// The memory, stream or event of the hazard; empty without one.
std::string object_text(const Hazard& hazard, const HazardContext& context) {
  if (hazard.event) return "event " + std::to_string(hazard.event->value);
  if (hazard.kind == HazardKind::used_after_destroy) return stream_text(hazard.second.stream);
  if (hazard.range.is_empty()) return {};
  const auto block_text = [&](streams::BlockNumber block) {
    const auto& events = context.report.block_events;
    if (block.value == 0 || block.value > events.size()) return std::string("a block");
    return "the block of " + event_place(events[as_index(block.value - 1)], context);
  };
  std::string text = format_bytes(hazard.range.size()) + " at " + name_of(hazard.range.begin) +
                     ": " + block_text(hazard.first_block);
  if (hazard.second_block != hazard.first_block && hazard.second_block.value != 0)
    text += ", then " + block_text(hazard.second_block);
  return text;
}

std::string fix_text(const Hazard& hazard, const HazardContext& context) {
  const streams::Fix& fix = hazard.fix;
  const auto wait = [&] {
    return stream_text(fix.stream) + " waits for an event recorded on " + stream_text(fix.awaited) +
           " after " + event_place(hazard.first.tag, context);
  };
  switch (fix.kind) {
    case FixKind::record_stream:
      return "record_stream(" + stream_text(fix.stream) +
             ") on the earlier block before it is freed";
    case FixKind::wait_for_event:
      return wait();
    case FixKind::wait_in_capture:
      return "while the graph is captured, " + wait();
    case FixKind::free_later:
      return "the block is freed after " + event_place(hazard.second.tag, context);
    case FixKind::destroy_later:
      return "it is destroyed after " + event_place(hazard.second.tag, context);
    case FixKind::write_flag:
      return fix.flag ? "something writes flag " + std::to_string(fix.flag->value)
                      : "something ends the wait";
  }
  return {};
}

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
                 counted(figures.waits, "call", "calls"));
  Table table({left("stream", line_name_width),
               {"work", 10},
               {"busy", 10},
               {"share", 10},
               {"blocked", 10}});
  const std::size_t listed = shown_of(activity.streams.size(), shown);
  for (const auto& [stream, figures] :
       std::views::take(activity.streams, static_cast<std::ptrdiff_t>(listed)))
    table.add({stream_text(stream), std::to_string(figures.work_count),
               nanoseconds_text(figures.busy.ns), share_text(figures.busy, activity.end),
               nanoseconds_text(figures.held_up.ns)});
  return text + "\n" + table.text() + rest_line(activity.streams.size() - listed, "--top");
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
      text += "\n      first   " + shown_name(side_text(hazard.first, context));
    text += "\n      second  " + shown_name(side_text(hazard.second, context));
    if (const std::string object = object_text(hazard, context); !object.empty())
      text += "\n      about   " + shown_name(object);
    text += "\n      fix     " + shown_name(fix_text(hazard, context)) + "\n";
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
            shown_name(event_place(call.event, context)) + ": " +
            std::string(cuda_status_name(call.status)) + "\n";
  return text + rest_line(refused.size() - listed, "--top");
}

std::string deadlock_text(const HazardContext& context) {
  const replay::Deadlock& deadlock = context.report.deadlock;
  std::string text;
  for (const replay::StuckCall& call : deadlock.threads)
    text += "  host thread " + std::to_string(call.thread.value) + " never returns from " +
            shown_name(event_place(call.event, context)) + ", since " +
            nanoseconds_text(call.since.ns) + "\n";
  for (const streams::StuckWork& work : deadlock.work) {
    text += "  " + stream_text(work.stream) + " stops before the work of " +
            shown_name(event_place(work.tag, context));
    if (work.awaited) text += ", which waits for flag " + std::to_string(work.awaited->value);
    text += "\n";
  }
  return text.empty() ? text : "\ndeadlock\n" + text;
}

/// The cost of the program's frees, in the form that recordings have.
WaitingOutcome waiting_of(const StreamOutcome& outcome) {
  WaitingOutcome waiting{outcome.file, {}, outcome.shown};
  for (const replay::DeviceFrees& device : outcome.report.frees)
    waiting.waiting.devices.push_back({device.cost, device.places, {}, std::nullopt});
  return waiting;
}

std::string frees_text(const StreamOutcome& outcome) {
  const std::string text = waiting_text(waiting_of(outcome));
  return "\n" + text.substr(text.find('\n') + 1);
}

/// The cost of waiting in peaks, by device.
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

std::string stream_text(const StreamOutcome& outcome, const traces::SnapshotTables& tables) {
  const StreamReport& report = outcome.report;
  const HazardContext context{report, tables};
  std::string text = shown_name(outcome.file) + "\n";
  add_line(text, "events", std::to_string(report.replay.calls));
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

ordered_json stream_key(streams::StreamAt stream) {
  return {{"device", stream.device}, {"stream", stream.stream.value}};
}

ordered_json place_json(std::uint64_t event, const HazardContext& context) {
  return {{"event", event}, {"place", event_place(event, context)}};
}

ordered_json side_json(const HazardSide& side, const HazardContext& context) {
  const bool is_work = side.act == streams::HazardAct::work;
  ordered_json json = place_json(side.tag, context);
  json["is_known"] = side.is_known;
  json.update(stream_key(side.stream));
  json["thread"] = side.thread.value;
  json["work"] = is_work ? ordered_json(work_name(side.kind)) : ordered_json(nullptr);
  json["reads"] = side.reads;
  json["writes"] = side.writes;
  json["text"] = side_text(side, context);
  return json;
}

ordered_json hazard_json(const streams::Hazard& hazard, const HazardContext& context) {
  ordered_json memory;
  if (!hazard.range.is_empty())
    memory = {{"address", hazard.range.begin.value}, {"bytes", hazard.range.size().count}};
  return {
      {"kind", hazard_name(hazard.kind)},          {"count", hazard.count},
      {"first", side_json(hazard.first, context)}, {"second", side_json(hazard.second, context)},
      {"about", object_text(hazard, context)},     {"memory", std::move(memory)},
      {"mend", fix_text(hazard, context)}};
}

ordered_json activity_json(const replay::ActivityReport& activity) {
  const auto of_stream = [](const auto& row) {
    const auto& [stream, figures] = row;
    ordered_json json = stream_key(stream);
    json["work"] = figures.work_count;
    json["graph_launches"] = figures.launches;
    json["busy_ns"] = figures.busy.ns;
    json["held_up_ns"] = figures.held_up.ns;
    json["first_begin_ns"] = figures.first_begin.ns;
    json["last_end_ns"] = figures.last_end.ns;
    return json;
  };
  const auto of_device = [](const auto& row) -> ordered_json {
    return {{"device", row.first},
            {"busy_ns", row.second.busy.ns},
            {"overlapped_ns", row.second.overlapped.ns}};
  };
  const auto of_thread = [](const auto& row) -> ordered_json {
    return {{"thread", row.first.value},
            {"waits", row.second.waits},
            {"waited_ns", row.second.waited.ns}};
  };
  return {{"time_ns", activity.end.ns},
          {"streams", json_list(activity.streams, of_stream)},
          {"devices", json_list(activity.devices, of_device)},
          {"threads", json_list(activity.threads, of_thread)}};
}

ordered_json peaks_json(const replay::ReplayReport& report) {
  return json_list(report.devices, [](const replay::DeviceReport& device) -> ordered_json {
    return {{"device", device.device.value},
            {"peak_allocated_bytes", device.peak_allocated.bytes.count},
            {"peak_reserved_bytes", device.peak_reserved.bytes.count},
            {"failed_requests", device.failures.size()}};
  });
}

ordered_json deadlock_json(const HazardContext& context) {
  const auto of_call = [&](const replay::StuckCall& call) {
    ordered_json json = place_json(call.event, context);
    json["thread"] = call.thread.value;
    json["since_ns"] = call.since.ns;
    return json;
  };
  const auto of_work = [&](const streams::StuckWork& work) {
    ordered_json json = place_json(work.tag, context);
    json.update(stream_key(work.stream));
    json["flag"] = work.awaited ? ordered_json(work.awaited->value) : ordered_json(nullptr);
    return json;
  };
  return {{"threads", json_list(context.report.deadlock.threads, of_call)},
          {"streams", json_list(context.report.deadlock.work, of_work)}};
}

/// Everything, whatever `shown` says.
std::string stream_json(const StreamOutcome& outcome, const traces::SnapshotTables& tables) {
  const replay::StreamReport& report = outcome.report;
  const HazardContext context{report, tables};
  const auto of_hazard = [&](const auto& hazard) { return hazard_json(hazard, context); };
  const auto of_refused = [&](const replay::RefusedCall& call) {
    ordered_json json = place_json(call.event, context);
    json["call"] = program_event_name(call.kind);
    json["error"] = cuda_status_name(call.status);
    return json;
  };
  const bool is_lost = report.lost_context != streams::CudaStatus::success;
  return json_text({{"schema_version", 1},
                    {"file", outcome.file},
                    {"kind", "program"},
                    {"reference", report.replay.reference},
                    {"events", report.replay.calls},
                    {"notes", report.replay.notes},
                    {"context_lost", is_lost ? ordered_json(cuda_status_name(report.lost_context))
                                             : ordered_json(nullptr)},
                    {"activity", activity_json(report.activity)},
                    {"waiting_frees", waiting_devices_json(waiting_of(outcome))},
                    {"as_modelled", peaks_json(report.replay)},
                    {"if_completed_at_once", or_null(outcome.at_once, peaks_json)},
                    {"hazards", json_list(report.hazards, of_hazard)},
                    {"unlisted_hazards", report.unlisted_hazards},
                    {"refused_calls", json_list(report.refused, of_refused)},
                    {"endless_waits", deadlock_json(context)}});
}

/// A trace of the streams for ui.perfetto.dev: a track for each stream, arrows from the records of
/// events to their waits, curves of memory, and marks at hazards. It is written as work ends.
class StreamPicture {
 public:
  /// Both must outlive it.
  StreamPicture(traces::ByteSink& sink, const traces::SnapshotTables& tables);

  void add(const replay::FinishedItem& finished);
  /// After each event of the program.
  void add_moment(const replay::DeviceReplay& device, streams::Time now);
  void finish(const replay::StreamReport& report);

 private:
  struct Place {
    streams::StreamAt stream;
    streams::Time at;
  };

  std::uint64_t track_of(streams::StreamAt stream);
  void event(const std::string& members);
  void arrow(const Place& from, const Place& to);
  static std::string at_text(std::uint64_t track, std::uint32_t device, streams::Time at);

  traces::ByteSink& sink_;
  const traces::SnapshotTables& tables_;
  std::map<streams::StreamAt, std::uint64_t> tracks_;
  /// When each event of the program was called.
  std::vector<streams::Time> called_;
  std::map<traces::DeviceIndex, std::string> last_figures_;
  std::uint64_t arrow_count_ = 0;
  bool is_first_ = true;
};

/// Microseconds, to the nanosecond.
std::string microseconds(std::uint64_t time_ns) {
  constexpr std::uint64_t ns_of_a_us = 1000;
  std::string rest = std::to_string(time_ns % ns_of_a_us);
  rest.insert(0, 3 - rest.size(), '0');
  return std::to_string(time_ns / ns_of_a_us) + "." + rest;
}

StreamPicture::StreamPicture(traces::ByteSink& sink, const traces::SnapshotTables& tables)
    : sink_(sink), tables_(tables) {
  sink_.write(
      "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"written by\":\"vramlab\"},\"traceEvents\":[");
}

void StreamPicture::event(const std::string& members) {
  sink_.write(is_first_ ? "\n{" : ",\n{");
  sink_.write(members);
  sink_.write("}");
  is_first_ = false;
}

std::string StreamPicture::at_text(std::uint64_t track, std::uint32_t device, streams::Time at) {
  return "\"pid\":" + std::to_string(device) + ",\"tid\":" + std::to_string(track) +
         ",\"ts\":" + microseconds(at.ns);
}

/// The track of a stream, which is named when it is first met.
std::uint64_t StreamPicture::track_of(streams::StreamAt stream) {
  const auto [found, is_new] = tracks_.try_emplace(stream, tracks_.size() + 1);
  if (!is_new) return found->second;
  const std::string place = "\"pid\":" + std::to_string(stream.device) + ",\"tid\":";
  event("\"ph\":\"M\",\"name\":\"process_name\"," + place + "0,\"args\":{\"name\":\"device " +
        std::to_string(stream.device) + "\"}");
  event("\"ph\":\"M\",\"name\":\"thread_name\"," + place + std::to_string(found->second) +
        ",\"args\":{\"name\":\"stream " + std::to_string(stream.stream.value) + "\"}");
  return found->second;
}

void StreamPicture::add(const replay::FinishedItem& finished) {
  const streams::EndedItem& item = finished.item;
  if (item.kind == ItemKind::mark) return;
  const bool waits = item.kind == ItemKind::event_wait;
  const streams::Time begin = waits ? finished.could_begin : item.begin;
  event("\"ph\":\"X\"," + at_text(track_of(item.stream), item.stream.device, begin) +
        ",\"dur\":" + microseconds((item.end - begin).ns) +
        ",\"name\":" + compact_json_text(item_name(item.kind, finished.work)) +
        ",\"args\":{\"event\":" + std::to_string(item.tag) + "}");
  if (waits && finished.awaited && finished.awaited->at)
    arrow({finished.awaited->stream, *finished.awaited->at}, {item.stream, item.end});
}

void StreamPicture::arrow(const Place& from, const Place& to) {
  const std::string id =
      ",\"cat\":\"wait\",\"name\":\"event\",\"id\":" + std::to_string(++arrow_count_);
  event("\"ph\":\"s\"," + at_text(track_of(from.stream), from.stream.device, from.at) + id);
  event("\"ph\":\"f\",\"bp\":\"e\"," + at_text(track_of(to.stream), to.stream.device, to.at) + id);
}

void StreamPicture::add_moment(const replay::DeviceReplay& device, streams::Time now) {
  called_.push_back(now);
  const StatisticValues values = device.statistics();
  const auto waiting = values.active_bytes.all.current - values.allocated_bytes.all.current;
  const std::string figures =
      "\"allocated\":" + std::to_string(values.allocated_bytes.all.current) +
      ",\"waiting\":" + std::to_string(waiting) +
      ",\"reserved\":" + std::to_string(values.reserved_bytes.all.current);
  std::string& last = last_figures_[device.device()];
  if (figures == last) return;
  last = figures;
  event("\"ph\":\"C\",\"name\":\"memory\"," + at_text(0, device.device().value, now) +
        ",\"args\":{" + figures + "}");
}

void StreamPicture::finish(const replay::StreamReport& report) {
  const HazardContext context{report, tables_};
  for (const streams::Hazard& hazard : report.hazards) {
    const streams::HazardSide& side = hazard.second;
    const streams::Time at =
        side.tag < called_.size() ? called_[as_index(side.tag)] : streams::Time{};
    event("\"ph\":\"i\",\"s\":\"t\"," + at_text(track_of(side.stream), side.stream.device, at) +
          ",\"name\":" + compact_json_text("hazard: " + std::string(hazard_title(hazard.kind))) +
          ",\"args\":{\"first\":" + compact_json_text(side_text(hazard.first, context)) +
          ",\"second\":" + compact_json_text(side_text(side, context)) +
          ",\"fix\":" + compact_json_text(fix_text(hazard, context)) + "}");
  }
  sink_.write("\n]}\n");
}

struct StreamsCommand {
  std::string file;
  std::string reference;
  std::string format = "text";
  OutputArguments output;
  std::uint64_t shown = 10;
  std::uint64_t latency_ns = 0;
  std::uint64_t call_ns = 0;
  streams::ConcurrencyLimits limits;
  bool leaves_hazards_out = false;
  bool fails_on_findings = false;
  CommonFlags flags;

  std::string wanted_format() const { return flags.json ? "json" : format; }
};

const ReferenceVersion* version_of(const StreamsCommand& command) {
  return command.reference.empty() ? nullptr : allocator::find_reference_version(command.reference);
}

replay::StreamConditions conditions_of(const StreamsCommand& command) {
  replay::StreamConditions conditions;
  conditions.replay.version = version_of(command);
  conditions.replay.stream_model = {{command.latency_ns}, {command.call_ns}, command.limits};
  conditions.finds_hazards = !command.leaves_hazards_out;
  return conditions;
}

/// Whether there is a hazard, a refused call or a deadlock.
enum class Findings : std::uint8_t { none, some };

void write_recording(const StreamsCommand& command, const WaitingOutcome& outcome,
                     traces::ByteSink& sink) {
  sink.write(shown_lines(command.wanted_format() == "json" ? waiting_json(outcome)
                                                           : waiting_text(outcome)));
}

/// Replays the program with frees that never wait; empty if none waited.
std::optional<replay::ReplayReport> replay_at_once(replay::Recording& recording,
                                                   const StreamsCommand& command,
                                                   const replay::StreamReport& report) {
  const bool has_waited = std::ranges::any_of(
      report.frees, [](const replay::DeviceFrees& device) { return device.cost.totals.count > 0; });
  if (!has_waited) return std::nullopt;
  replay::ReplayConditions conditions = conditions_of(command).replay;
  conditions.timing = replay::FreeTiming::eager;
  return replay::Replayer(recording).run(conditions);
}

Findings write_program(const StreamsCommand& command, const StreamOutcome& outcome,
                       const traces::SnapshotTables& tables, traces::ByteSink& sink) {
  sink.write(shown_lines(command.wanted_format() == "json" ? stream_json(outcome, tables)
                                                           : stream_text(outcome, tables)));
  return outcome.report.has_findings() ? Findings::some : Findings::none;
}

Findings draw_program(const StreamsCommand& command, replay::Recording& recording,
                      traces::ByteSink& sink) {
  if (!recording.is_program())
    throw traces::InputError({recording.file(), "",
                              "a program whose streams can be simulated (vramlab convert draws the "
                              "memory of a recording)",
                              "a recording, which does not say what ran when"});
  StreamPicture picture(sink, recording.tables());
  replay::StreamSimulation simulation(
      recording.file(), recording.tables(), conditions_of(command),
      {[&picture](const replay::FinishedItem& finished) { picture.add(finished); },
       [&picture](const replay::DeviceReplay& device, streams::Time now) {
         picture.add_moment(device, now);
       }});
  recording.pass_program(simulation);
  const replay::StreamReport report = simulation.finish();
  picture.finish(report);
  return report.has_findings() ? Findings::some : Findings::none;
}

Findings simulate_program(const StreamsCommand& command, replay::Recording& recording,
                          traces::ByteSink& sink) {
  replay::StreamSimulation simulation(recording.file(), recording.tables(), conditions_of(command),
                                      {});
  recording.pass_program(simulation);
  StreamOutcome outcome{recording.file(), simulation.finish(), std::nullopt, command.shown};
  outcome.at_once = replay_at_once(recording, command, outcome.report);
  return write_program(command, outcome, recording.tables(), sink);
}

Findings write_answer(const StreamsCommand& command, traces::ByteSink& sink) {
  ProgressBar bar(command.file, command.flags);
  const bool is_drawn = command.wanted_format() == "perfetto";
  const auto passes = is_drawn ? replay::Passes::one : replay::Passes::many;
  const std::unique_ptr<replay::Recording> recording =
      open_recording(command.file, bar.listener(), {version_of(command), {}, passes});
  if (is_drawn) return draw_program(command, *recording, sink);
  if (recording->is_program()) return simulate_program(command, *recording, sink);
  write_recording(command, {recording->file(), find_waiting(*recording), command.shown}, sink);
  return Findings::none;
}

ExitStatus show_streams(const StreamsCommand& command) {
  OpenOutput output(command.output, {command.file});
  const Findings findings = write_answer(command, output);
  output.finish();
  return command.fails_on_findings && findings == Findings::some ? ExitStatus::answer_is_no
                                                                 : ExitStatus::done;
}

void add_model(CLI::App& command, StreamsCommand& arguments) {
  command
      .add_option("--launch-latency", arguments.latency_ns,
                  "From a call until what it launches can begin, such as 5us (default: nothing)")
      ->transform(time_in_nanoseconds());
  command
      .add_option("--call-time", arguments.call_ns,
                  "What each call costs its host thread, such as 2us (default: nothing)")
      ->transform(time_in_nanoseconds());
  command.add_option("--kernels", arguments.limits.kernels,
                     "Kernels that run at once on a device (default: 0, any number)");
  command
      .add_option("--copy-engines", arguments.limits.copy_engines,
                  "1: copies in both directions take turns; 2: one each way (default: 0, any)")
      ->check(CLI::Range(0, 2));
  command.add_option("--host-functions", arguments.limits.host_functions,
                     "Host functions that run at once (default: 0, any number)");
  command.add_option("--hardware-queues", arguments.limits.hardware_queues,
                     "Queues that streams share, with false dependencies (default: 0, none)");
}

void add_outputs(CLI::App& command, StreamsCommand& arguments) {
  command.add_option("--format", arguments.format, "text, json or perfetto (default: text)")
      ->check(CLI::IsMember({"text", "json", "perfetto"}));
  add_output(command, arguments.output, "Write there instead of standard output");
  add_force(command, arguments.output);
  command.add_option("--top", arguments.shown,
                     "Streams, hazards and call sites to show, at most (default: 10; 0 for all)");
  command.add_flag("--no-hazards", arguments.leaves_hazards_out, "Don't look for hazards");
  command.add_flag("--fail-on-findings", arguments.fails_on_findings,
                   "Exit with 1 on a hazard, a refused call or a deadlock");
}

void add_options(CLI::App& command, StreamsCommand& arguments) {
  add_file(command, arguments.file,
           "A native trace of a program, or a PyTorch memory snapshot (also .gz, .zst; - is "
           "standard input)");
  add_reference(command, arguments.reference, "default: from the file");
  add_model(command, arguments);
  add_outputs(command, arguments);
}

}  // namespace

Command streams_command() {
  return {"streams",
          "Find hazards and deadlocks in a program's streams, or show the cost of waiting frees",
          "Example: vramlab streams traces/samples/missing_record_stream.vtrace.jsonl",
          with<StreamsCommand>(add_options, show_streams)};
}

}  // namespace vramlab::tools
