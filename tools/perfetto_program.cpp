#include "tools/perfetto_program.h"

#include <limits>

namespace vramlab::tools {
namespace {

using traces::KnownText;
using traces::ProgramEvent;
using traces::ProgramEventKind;

replay::ReplayConditions conditions() {
  replay::ReplayConditions conditions;
  conditions.on_out_of_memory = replay::OnOutOfMemory::skip;
  conditions.history_capacity = std::numeric_limits<std::size_t>::max();
  return conditions;
}

replay::ReplayWatch keeping(std::vector<replay::DeviceHistory>& histories) {
  replay::ReplayWatch watch;
  watch.at_end = [&histories](replay::DeviceReplay& device) {
    replay::DeviceHistory& history = histories.emplace_back();
    history.device = device.device().value;
    history.traits.names_pools = true;
    history.traits.requests_frees = true;
    history.events = device.history();
    history.final_segments = device.take_snapshot().segments;
  };
  return watch;
}

}  // namespace

PerfettoProgram::PerfettoProgram(const std::string& file, const traces::SnapshotTables& tables,
                                 replay::AnnotationCollector& spans)
    : spans_(spans), replay_(file, tables, conditions(), keeping(histories_)) {}

/// Events of a program without times follow each other by a microsecond.
void PerfettoProgram::program_event(const ProgramEvent& event) {
  ProgramEvent timed = event;
  if (!timed.time_ns) timed.time_ns = count_ * 1000;
  ++count_;
  add_span(timed);
  replay_.program_event(timed);
}

void PerfettoProgram::add_span(const ProgramEvent& event) {
  const bool begins = event.kind == ProgramEventKind::range_begin;
  if (!begins && event.kind != ProgramEventKind::range_end) return;
  traces::AnnotationValue annotation;
  annotation.name = event.text;
  annotation.stage = traces::TextId(begins ? KnownText::start : KnownText::end);
  annotation.device = event.device.value;
  annotation.time_us = *event.time_ns / 1000;
  spans_.add(annotation);
}

std::vector<replay::DeviceHistory> PerfettoProgram::take_histories() {
  replay_.finish();
  return std::move(histories_);
}

}  // namespace vramlab::tools
