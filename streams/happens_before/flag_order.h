// FlagOrder: what waits for flags follow. A wait comes after whatever all the writes that could end
// it have in common. Where none is issued yet the wait is open: a line of its own stands for what
// it will follow, in the clocks of all that is behind it, until the first such write is issued.
//
// The last few dozen writes of a flag are remembered; a wait for less than those follows the
// oldest of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "streams/happens_before/vector_clock.h"
#include "streams/stream_model/work.h"

namespace vramlab::streams {

/// A wait whose write is issued, at last.
struct ClosedWait {
  Epoch token;
  VectorClock writer;
  /// Open waits that the writer is behind.
  std::vector<Epoch> open;
};

class FlagOrder {
 public:
  bool has_open() const { return !open_.empty(); }
  /// Empty if no such write is issued yet.
  std::optional<VectorClock> writes_before(FlagId flag, std::uint64_t value) const;
  void open(FlagId flag, std::uint64_t value, Epoch token) {
    open_.push_back({flag, value, token});
  }
  /// The waits that it closes. Those that the writer itself is behind stay: they wait for ever.
  std::vector<ClosedWait> written(FlagId flag, std::uint64_t value, const VectorClock& writer);

  /// The strand came to be behind open waits, as its clock says.
  void note(const Strand& strand);
  void line_ended(Epoch last);
  /// Open waits that come before the epoch.
  std::vector<Epoch> open_before(Epoch epoch) const;
  std::vector<Epoch> open_in(const VectorClock& clock) const;
  /// Clocks that must learn what closed waits follow.
  template <typename Visit>
  void visit_clocks(const Visit& visit) {
    for (auto& [flag, writes] : writes_)
      for (Write& write : writes) visit(write.clock);
  }

 private:
  struct Write {
    std::uint64_t value = 0;
    VectorClock clock;
  };
  struct Span {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };
  struct OpenWait {
    FlagId flag;
    std::uint64_t value = 0;
    Epoch token;
    /// By line: the ticks that are behind the wait.
    std::map<std::uint32_t, Span> behind{};
  };

  static constexpr std::size_t most_writes = 64;

  std::vector<OpenWait> open_;
  std::map<FlagId, std::deque<Write>> writes_;
};

}  // namespace vramlab::streams
