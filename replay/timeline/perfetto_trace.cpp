#include "replay/timeline/perfetto_trace.h"

#include <algorithm>
#include <limits>
#include <set>

namespace vramlab::replay {
namespace {

using traces::PerfettoPlace;

/// A thing to write, as a place in one of the lists.
struct Item {
  enum class Kind : std::uint8_t { slice_end, figures, failure, slice_begin };
  std::uint64_t time_us = 0;
  Kind kind = Kind::figures;
  /// Index of the timeline or the span.
  std::uint32_t list = 0;
  std::size_t index = 0;
};

class PerfettoTrace {
 public:
  PerfettoTrace(const std::vector<MemoryTimeline>& timelines,
                const std::vector<AnnotationSpan>& spans, const traces::TextTable& texts,
                traces::PerfettoWriter& writer)
      : timelines_(timelines), spans_(spans), texts_(texts), writer_(writer) {}

  void write() {
    write_beginning();
    for (std::uint32_t list = 0; list < timelines_.size(); ++list) collect_timeline(list);
    collect_spans();
    std::stable_sort(items_.begin(), items_.end(),
                     [](const Item& a, const Item& b) { return a.time_us < b.time_us; });
    for (const Item& item : items_) write_item(item);
  }

 private:
  void write_beginning() {
    std::set<std::int64_t> devices;
    for (const MemoryTimeline& timeline : timelines_) {
      devices.insert(timeline.device);
      for (const std::string& doubt : timeline.doubts)
        writer_.note("device " + std::to_string(timeline.device) + ": " + doubt);
    }
    for (const AnnotationSpan& span : spans_) devices.insert(span.device);
    for (const std::int64_t device : devices) writer_.device(device);
  }

  /// Failures are sorted among the points by their times.
  void collect_timeline(std::uint32_t list) {
    const MemoryTimeline& timeline = timelines_[list];
    for (std::size_t i = 0; i < timeline.points.size(); ++i)
      items_.push_back({timeline.points[i].time_us, Item::Kind::figures, list, i});
    for (std::size_t i = 0; i < timeline.failures.size(); ++i)
      items_.push_back({timeline.failures[i].time_us, Item::Kind::failure, list, i});
  }

  /// A span's beginning is collected before its end, so that it stays first where both have the
  /// same time.
  void collect_spans() {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t last = 0;
    const auto widen = [&](std::uint64_t time_us) {
      first = std::min(first, time_us);
      last = std::max(last, time_us);
    };
    for (const Item& item : items_) widen(item.time_us);
    for (const AnnotationSpan& span : spans_) {
      if (span.begin_us) widen(*span.begin_us);
      if (span.end_us) widen(*span.end_us);
    }
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const std::uint64_t begin = spans_[i].begin_us.value_or(first);
      const std::uint64_t end = std::max(begin, spans_[i].end_us.value_or(last));
      items_.push_back({begin, Item::Kind::slice_begin, 0, i});
      items_.push_back({end, Item::Kind::slice_end, 0, i});
    }
  }

  void write_item(const Item& item) {
    switch (item.kind) {
      case Item::Kind::figures:
        return write_figures(timelines_[item.list], timelines_[item.list].points[item.index]);
      case Item::Kind::failure: {
        const MemoryTimeline& timeline = timelines_[item.list];
        return writer_.moment({timeline.device, item.time_us}, "out of memory",
                              timeline.failures[item.index].wanted);
      }
      case Item::Kind::slice_begin:
      case Item::Kind::slice_end: {
        const AnnotationSpan& span = spans_[item.index];
        const PerfettoPlace place{span.device, item.time_us};
        const traces::PerfettoSlice slice{texts_.text(span.name), item.index};
        if (item.kind == Item::Kind::slice_begin)
          writer_.slice_begin(place, slice);
        else
          writer_.slice_end(place, slice);
        return;
      }
    }
  }

  void write_figures(const MemoryTimeline& timeline, const MemoryPoint& point) {
    writer_.figures({timeline.device, point.time_us}, track_name(timeline.tracks[point.track]),
                    point.figures);
  }

  const std::vector<MemoryTimeline>& timelines_;
  const std::vector<AnnotationSpan>& spans_;
  const traces::TextTable& texts_;
  traces::PerfettoWriter& writer_;
  std::vector<Item> items_;
};

}  // namespace

void write_perfetto(const std::vector<MemoryTimeline>& timelines,
                    const std::vector<AnnotationSpan>& spans, const traces::TextTable& texts,
                    traces::PerfettoWriter& writer) {
  PerfettoTrace(timelines, spans, texts, writer).write();
}

}  // namespace vramlab::replay
