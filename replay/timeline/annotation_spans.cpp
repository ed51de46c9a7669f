#include "replay/timeline/annotation_spans.h"

#include "traces/model/known_texts.h"

namespace vramlab::replay {

void AnnotationCollector::add(const traces::AnnotationValue& annotation) {
  if (!annotation.keys.has(traces::KnownText::time_us)) return;
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

}  // namespace vramlab::replay
