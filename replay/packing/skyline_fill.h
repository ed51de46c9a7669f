// SkylineFill: one way up from the ground. The lowest stretch of the skyline takes the longest
// lifetime that lies within it; if there is none, it is raised to its lower neighbour, and what
// lies between is lost. Best fit for strips by Burke, Kendall and Whitwell (2004), but that
// rectangles stay where they are in time.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "replay/packing/buffer.h"
#include "replay/packing/skyline.h"
#include "replay/packing/waiting_spans.h"

namespace vramlab::replay {

/// What all ways up have in common.
struct SkylineProblem {
  /// Keeps references to both.
  SkylineProblem(const std::vector<Buffer>& some_buffers, const Sections& some_sections)
      : buffers(some_buffers), sections(some_sections), index(some_buffers, some_sections) {}

  const std::vector<Buffer>& buffers;
  const Sections& sections;
  SpanIndex index;
};

struct SkylineRules {
  /// A way that must get higher ends.
  Bytes most_height{std::numeric_limits<std::uint64_t>::max()};
  /// The second longest is taken once in so many times; 0: never.
  std::uint64_t detour_once_in = 0;
  std::uint64_t seed = 0;
};

/// Can be copied on its way, and both go on.
class SkylineFill {
 public:
  /// Requires: the problem lives longer and has sections.
  explicit SkylineFill(const SkylineProblem& problem);

  std::size_t waiting() const { return waiting_.count(); }
  /// Goes on until no more than so many wait; false where it would get too high.
  bool go_on_until(std::size_t waiting, const SkylineRules& rules);
  Packing packing() const { return {offsets_, height_}; }
  Bytes height() const { return height_; }
  /// Sections looked at, and some for each change.
  std::uint64_t work() const { return work_; }

 private:
  bool raise(const Skyline::Stretch& floor, Bytes most_height);
  bool put(std::uint32_t item, const Skyline::Stretch& floor, Bytes most_height);

  const SkylineProblem* problem_;
  Skyline skyline_;
  WaitingSpans waiting_;
  /// By section: the bytes that wait.
  std::vector<std::uint64_t> to_come_;
  std::vector<Bytes> offsets_;
  Bytes height_;
  std::uint64_t work_ = 0;
};

}  // namespace vramlab::replay
