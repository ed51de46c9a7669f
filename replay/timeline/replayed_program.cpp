#include "replay/timeline/replayed_program.h"

namespace vramlab::replay {

using traces::KnownText;
using traces::ProgramEvent;
using traces::ProgramEventKind;

namespace {

void add_span(const ProgramEvent& event, AnnotationCollector& spans) {
  const bool begins = event.kind == ProgramEventKind::range_begin;
  if (!begins && event.kind != ProgramEventKind::range_end) return;
  RecordedAnnotation annotation;
  annotation.name = event.text;
  annotation.stage = traces::TextId(begins ? KnownText::start : KnownText::end);
  annotation.device = event.device.value;
  annotation.time_us = *event.time_ns / 1000;
  annotation.has_time = true;
  spans.add(annotation);
}

}  // namespace

ReplayWatch watch_for_picture(std::vector<DeviceHistory>& histories, AnnotationCollector& spans) {
  ReplayWatch watch = watch_keeping(histories);
  watch.before_event = [&spans](ProgramEvent& event, std::uint64_t number) {
    if (!event.time_ns) event.time_ns = number * 1000;
    add_span(event, spans);
  };
  return watch;
}

ReplayConditions keeping_all(ReplayConditions conditions) {
  conditions.history_capacity = unlimited_history;
  return conditions;
}

}  // namespace vramlab::replay
