// Work and hazards as sentences: the two sides, the memory, and the one call that would fix it.
#pragma once

#include <string>
#include <string_view>

#include "replay/hazards/stream_simulation.h"
#include "streams/time/stream_watcher.h"

namespace vramlab::tools {

/// What is said of hazards is said in the words of the program.
struct HazardContext {
  const replay::StreamReport& report;
  const traces::SnapshotTables& tables;
};

/// Such as `reused_too_early`.
std::string_view hazard_name(streams::HazardKind kind);
/// Such as `memory was handed out again while work may still use it`.
std::string_view hazard_title(streams::HazardKind kind);
/// `event 12 (train.py:12 step)`.
std::string event_place(std::uint64_t event, const HazardContext& context);
/// `stream 7`, with its device where that is not 0.
std::string stream_text(streams::StreamAt stream);
/// `kernel of event 12 (train.py:12 step) on stream 7 writes`.
std::string side_text(const streams::HazardSide& side, const HazardContext& context);
/// The memory, stream or event that is meant; empty where it is none.
std::string object_text(const streams::Hazard& hazard, const HazardContext& context);
std::string fix_text(const streams::Hazard& hazard, const HazardContext& context);

constexpr std::string_view work_name(streams::WorkKind kind) {
  switch (kind) {
    case streams::WorkKind::kernel:
      return "kernel";
    case streams::WorkKind::copy_to_device:
      return "copy to device";
    case streams::WorkKind::copy_to_host:
      return "copy to host";
    case streams::WorkKind::copy_on_device:
      return "copy on device";
    case streams::WorkKind::memset:
      return "memset";
    case streams::WorkKind::host_function:
      return "host function";
    case streams::WorkKind::write_flag:
      return "flag write";
    case streams::WorkKind::await_flag:
      return "flag wait";
  }
  return "work";
}

constexpr std::string_view item_name(streams::ItemKind kind, streams::WorkKind work) {
  switch (kind) {
    case streams::ItemKind::work:
    case streams::ItemKind::graph_node:
      return work_name(work);
    case streams::ItemKind::event_record:
      return "event record";
    case streams::ItemKind::event_wait:
      return "event wait";
    case streams::ItemKind::graph_begin:
      return "graph begin";
    case streams::ItemKind::graph_end:
      return "graph end";
    case streams::ItemKind::mark:
      return "allocator's mark";
  }
  return "item";
}

}  // namespace vramlab::tools
