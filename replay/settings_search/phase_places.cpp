#include "replay/settings_search/phase_places.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "allocator/types/check.h"
#include "replay/kinds/block_kinds.h"
#include "traces/model/user_frame.h"

namespace vramlab::replay {
namespace {

using traces::FrameId;
using traces::ProgramEventKind;

/// The lines of the program that stand behind a request, outermost first.
using Lines = std::vector<FrameId>;

class PlaceFinder {
 public:
  PlaceFinder(const Recording& recording, const ProgramPart& part)
      : recording_(recording), tables_(recording.tables()), part_(part), reader_(part.program) {
    const auto device = part.program.devices().front();
    const auto kinds = find_kinds(recording, KindsFrom::stacks);
    const BlockKinds* const of_device = kinds ? kinds->of_device(device.value) : nullptr;
    if (of_device != nullptr && !of_device->step_ends.empty())
      first_step_end_ = of_device->step_ends.front();
    for (const AnnotationSpan& span : annotation_spans(recording.history()))
      if (span.begin_us && span.device == device.value)
        spans_.emplace_back(*span.begin_us, span.name);
    std::ranges::stable_sort(spans_, {}, [](const auto& span) { return span.first; });
  }

  std::vector<PhasePlace> find() {
    for (std::size_t i = 0; i < part_.program.event_count(); ++i) {
      const CompactKind kind = reader_[i].kind();
      const bool is_call = kind == CompactKind::malloc || kind == CompactKind::free;
      if (kind == CompactKind::other_of_streams || (is_call && next_span_ < spans_.size()))
        take_marks(i);
      if (kind == CompactKind::malloc) take_request(i);
      if (is_call) last_call_ = reader_.number(i);
    }
    for (PhasePlace& place : places_)
      place.last_begin =
          place.frame ? last_begins_of_lines_[*place.frame] : last_begins_of_marks_[place.mark];
    return std::move(places_);
  }

 private:
  /// The first event that can be of another call than the last one.
  std::uint64_t here() const { return last_call_ ? *last_call_ + 1 : 0; }

  void take_marks(std::size_t index) {
    const traces::ProgramEvent event = reader_.event_at(index);
    if (event.kind == ProgramEventKind::marker || event.kind == ProgramEventKind::range_begin)
      begin_mark(tables_.texts.text(event.text));
    for (; event.time_ns && next_span_ < spans_.size() &&
           spans_[next_span_].first * 1000 <= *event.time_ns;
         ++next_span_)
      begin_mark(tables_.texts.text(spans_[next_span_].second));
  }

  void begin_mark(std::string_view name) {
    const std::string mark(name);
    // Logs have such a marker where a request failed.
    if (mark == traces::failure_marker) return;
    const bool is_new = !last_begins_of_marks_.contains(mark);
    last_begins_of_marks_[mark] = here();
    if (is_new && requests_ > 0) add({.kind = PlaceKind::at_mark, .event = here(), .mark = mark});
  }

  void take_request(std::size_t index) {
    const traces::ProgramEvent event = reader_.event_at(index);
    const Lines& lines = lines_of(event.stack);
    if (!lines.empty()) {
      if (first_step_end_ && !previous_.empty() && reader_.number(index) >= *first_step_end_)
        end_first_step(lines);
      follow(lines);
    }
    ++requests_;
    if (!places_.empty()) places_.back().requested += event.bytes;
  }

  /// The step's own line has ended if the next request comes from elsewhere.
  void end_first_step(const Lines& next) {
    first_step_end_.reset();
    const std::size_t depth = previous_.size() - 1;
    const bool has_ended =
        next.size() <= depth || !std::equal(previous_.begin(), previous_.end(), next.begin());
    if (has_ended)
      add({.kind = PlaceKind::behind_step,
           .event = here(),
           .frame = previous_.back(),
           .depth = depth});
  }

  void follow(const Lines& lines) {
    bool is_same = true;
    bool is_placed = false;
    for (std::size_t depth = 0; depth < lines.size(); ++depth) {
      const FrameId line = lines[depth];
      is_same = is_same && depth < previous_.size() && previous_[depth] == line;
      if (is_same) continue;
      const bool is_new = !last_begins_of_lines_.contains(line);
      last_begins_of_lines_[line] = here();
      if (is_new && !is_placed && requests_ > 0 && can_be_named(line))
        add({.event = here(), .frame = line, .depth = depth});
      is_placed = is_placed || is_new;
    }
    previous_ = lines;
  }

  /// Comprehensions are parts of other lines.
  bool can_be_named(FrameId line) const {
    const std::string_view function = tables_.texts.text(tables_.frames.frame(line).name);
    return !function.starts_with('<') || function == "<module>";
  }

  /// A mark, or else an outer line, stands for all that begins at its event.
  void add(PhasePlace place) {
    if (!places_.empty() && places_.back().event == place.event) {
      if (places_.back().kind == PlaceKind::before_line && place.kind != PlaceKind::before_line)
        places_.back() = std::move(place);
      return;
    }
    places_.push_back(std::move(place));
  }

  const Lines& lines_of(traces::StackId stack) {
    const auto known = lines_.find(stack);
    if (known != lines_.end()) return known->second;
    Lines lines = traces::user_frames(stack, tables_);
    std::ranges::reverse(lines);
    return lines_[stack] = std::move(lines);
  }

  const Recording& recording_;
  const traces::SnapshotTables& tables_;
  const ProgramPart& part_;
  CompactReader reader_;
  std::optional<std::uint64_t> first_step_end_;
  /// The beginnings of annotations, in order.
  std::vector<std::pair<std::uint64_t, traces::TextId>> spans_;
  std::size_t next_span_ = 0;
  std::map<traces::StackId, Lines> lines_;
  Lines previous_;
  std::uint64_t requests_ = 0;
  std::optional<std::uint64_t> last_call_;
  std::map<FrameId, std::uint64_t> last_begins_of_lines_;
  std::map<std::string, std::uint64_t> last_begins_of_marks_;
  std::vector<PhasePlace> places_;
};

}  // namespace

std::vector<PhasePlace> phase_places(const Recording& recording, const Replayer& replayer) {
  const std::vector<const ProgramPart*> parts = replayer.parts();
  check(parts.size() == 1 && parts.front()->program.devices().size() == 1,
        "phases are looked for in a history of one device");
  return PlaceFinder(recording, *parts.front()).find();
}

std::vector<PhasePlace> main_places(const std::vector<PhasePlace>& places, std::size_t most) {
  std::vector<PhasePlace> chosen = places;
  std::ranges::stable_sort(chosen, [](const PhasePlace& a, const PhasePlace& b) {
    return std::tuple(a.kind == PlaceKind::before_line, a.depth, b.requested) <
           std::tuple(b.kind == PlaceKind::before_line, b.depth, a.requested);
  });
  if (chosen.size() > most) chosen.resize(most);
  std::ranges::sort(chosen, {}, &PhasePlace::event);
  return chosen;
}

}  // namespace vramlab::replay
