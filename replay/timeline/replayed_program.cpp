#include "replay/timeline/replayed_program.h"

#include "replay/run/replayed_histories.h"

namespace vramlab::replay {

using traces::KnownText;
using traces::ProgramEvent;
using traces::ProgramEventKind;

namespace {

ReplayConditions keeping_all(ReplayConditions conditions) {
  conditions.history_capacity = unlimited_history;
  return conditions;
}

}  // namespace

ReplayedProgram::ReplayedProgram(const std::string& file, const traces::SnapshotTables& tables,
                                 ReplayConditions conditions, AnnotationCollector& spans)
    : spans_(spans),
      replay_(file, tables, keeping_all(std::move(conditions)), watch_keeping(histories_)) {}

/// Events of a program without times follow each other by a microsecond.
void ReplayedProgram::program_event(const ProgramEvent& event) {
  ProgramEvent timed = event;
  if (!timed.time_ns) timed.time_ns = count_ * 1000;
  ++count_;
  add_span(timed);
  replay_.program_event(timed);
}

void ReplayedProgram::add_span(const ProgramEvent& event) {
  const bool begins = event.kind == ProgramEventKind::range_begin;
  if (!begins && event.kind != ProgramEventKind::range_end) return;
  traces::AnnotationValue annotation;
  annotation.name = event.text;
  annotation.stage = traces::TextId(begins ? KnownText::start : KnownText::end);
  annotation.device = event.device.value;
  annotation.time_us = *event.time_ns / 1000;
  spans_.add(annotation);
}

}  // namespace vramlab::replay
