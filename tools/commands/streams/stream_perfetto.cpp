#include "tools/commands/streams/stream_perfetto.h"

#include <nlohmann/json.hpp>

#include "replay/run/device_replay.h"
#include "tools/commands/streams/hazard_text.h"
#include "tools/printers/json_text.h"

namespace vramlab::tools {
namespace {

using streams::ItemKind;

/// Microseconds, to the nanosecond.
std::string microseconds(std::uint64_t time_ns) {
  constexpr std::uint64_t ns_of_a_us = 1000;
  std::string rest = std::to_string(time_ns % ns_of_a_us);
  rest.insert(0, 3 - rest.size(), '0');
  return std::to_string(time_ns / ns_of_a_us) + "." + rest;
}

}  // namespace

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

/// Named when it is first met.
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
  const allocator::StatisticValues values = device.statistics();
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
    const streams::Time at = side.tag < called_.size() ? called_[side.tag] : streams::Time{};
    event("\"ph\":\"i\",\"s\":\"t\"," + at_text(track_of(side.stream), side.stream.device, at) +
          ",\"name\":" + compact_json_text("hazard: " + std::string(hazard_title(hazard.kind))) +
          ",\"args\":{\"first\":" + compact_json_text(side_text(hazard.first, context)) +
          ",\"second\":" + compact_json_text(side_text(side, context)) +
          ",\"fix\":" + compact_json_text(fix_text(hazard, context)) + "}");
  }
  sink_.write("\n]}\n");
}

}  // namespace vramlab::tools
