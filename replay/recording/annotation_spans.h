// AnnotationSpans: what people named in a recording, as spans of time: each beginning with the next
// end of the same name on the same device. One whose beginning or end was not recorded reaches to
// that end of the recording. An annotation whose time is not known is left out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

struct AnnotationSpan {
  std::int64_t device = 0;
  traces::TextId name;
  /// Empty if it was not recorded.
  std::optional<std::uint64_t> begin_us;
  std::optional<std::uint64_t> end_us;
  friend bool operator==(const AnnotationSpan&, const AnnotationSpan&) = default;
};

class AnnotationCollector {
 public:
  /// In the order of the file.
  void add(const RecordedAnnotation& annotation);
  /// In the order in which their first ends were seen.
  const std::vector<AnnotationSpan>& spans() const { return spans_; }

 private:
  std::vector<AnnotationSpan> spans_;
  /// Those that have not ended, innermost last.
  std::map<std::pair<std::int64_t, traces::TextId>, std::vector<std::size_t>> open_;
};

std::vector<AnnotationSpan> annotation_spans(const RecordedHistory& history);

}  // namespace vramlab::replay
