// Work and hazards as sentences: the two sides, the memory, and the one call that would fix it.
#pragma once

#include <string>
#include <string_view>

#include "replay/stream_waits/stream_simulation.h"
#include "streams/stream_model/stream_watcher.h"

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

std::string_view work_name(streams::WorkKind kind);
/// Work and nodes of graphs go by the name of their work.
std::string_view item_name(streams::ItemKind kind, streams::WorkKind work);

}  // namespace vramlab::tools
