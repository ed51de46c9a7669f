#include "replay/recording/annotation_spans.h"

#include "traces/model/snapshot_values.h"

namespace vramlab::replay {

void AnnotationCollector::add(const RecordedAnnotation& annotation) {
  if (!annotation.has_time) return;
  std::vector<std::size_t>& open = open_[{annotation.device, annotation.name}];
  AnnotationSpan span{annotation.device, annotation.name, {}, {}};
  if (annotation.stage == traces::TextId(traces::KnownText::start)) {
    span.begin_us = annotation.time_us;
    open.push_back(spans_.size());
    spans_.push_back(span);
  } else if (annotation.stage == traces::TextId(traces::KnownText::end)) {
    if (open.empty()) {
      span.end_us = annotation.time_us;
      spans_.push_back(span);
      return;
    }
    spans_[open.back()].end_us = annotation.time_us;
    open.pop_back();
  }
}

std::vector<AnnotationSpan> annotation_spans(const RecordedHistory& history) {
  AnnotationCollector collector;
  for (const RecordedAnnotation& annotation : history.annotations) collector.add(annotation);
  return collector.spans();
}

}  // namespace vramlab::replay
