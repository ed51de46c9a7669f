// HazardChecker: finds the hazards of a program by the order that its words guarantee, never by the
// times of this run. It watches TimedStreams, and its user tells it about memory. It works with
// vector clocks over streams, branches of graphs and host threads; docs/guide/streams.md says which
// hazards are found, how, and which cannot be.
//
// Its memory grows with the streams, events, graphs, blocks and sites of a program, not with the
// time that the program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/check.h"
#include "streams/happens_before/program_order.h"
#include "streams/hazards/hazard.h"
#include "streams/hazards/shadow_memory.h"
#include "streams/memory/free_gaps.h"
#include "streams/stream_model/timed_streams.h"

namespace vramlab::streams {

/// The blocks that a piece of work touches. A block may stand in both, and more than once.
struct WorkAccesses {
  std::span<const BlockNumber> read{};
  std::span<const BlockNumber> written{};
  /// The line of the program, by which hazards are counted.
  std::uint64_t site = 0;
};

class AccessSource : public Interface {
 public:
  /// Asked when work with this tag is issued, and for each node when a graph is launched. The spans
  /// must last until the next question.
  virtual WorkAccesses accesses_of(std::uint64_t tag) = 0;
};

struct HandedOut {
  BlockNumber block{};
  AddressRange range{};
  /// The stream it was requested on, and the device.
  StreamAt stream{};
  ThreadId thread{};
  std::uint64_t tag = 0;
  /// The line of the program, by which hazards are counted; the tag where it is not known.
  std::optional<std::uint64_t> site{};
  /// From a captured graph's pool. Launches go on using such memory after it was freed, until it is
  /// released; it is handed out in the order of the capture, not in that of any run.
  bool is_of_graph = false;
};

struct HandleUse {
  StreamAt stream{};
  /// The event; if empty, the stream is meant.
  std::optional<EventId> event{};
  ThreadId thread{};
  std::uint64_t tag = 0;
};

/// All hazards: each pair of sites once, with the number of times that they met.
class HazardList {
 public:
  void add(const Hazard& hazard);
  /// In the order in which they were first added.
  const std::vector<Hazard>& hazards() const { return hazards_; }
  /// The number of hazards that were found and are not listed.
  std::uint64_t unlisted_count() const { return unlisted_count_; }

 private:
  /// A program whose every work is a site of its own must not fill the memory.
  static constexpr std::size_t most_listed = 100'000;

  using Sites = std::tuple<HazardKind, HazardAct, std::uint64_t, HazardAct, std::uint64_t>;

  std::vector<Hazard> hazards_;
  std::map<Sites, std::size_t> places_;
  std::uint64_t unlisted_count_ = 0;
};

/// The streams and events that were destroyed last, with the side that did it.
class DestroyedHandles {
 public:
  /// Adds the event, or the stream of the side if it is empty.
  void add(std::optional<EventId> event, const HazardSide& side) {
    const Key key{event, event ? StreamAt{} : side.stream};
    last_[key] = {++count_, side};
    order_.emplace_back(count_, key);
    if (order_.size() <= most_remembered) return;
    const auto oldest = last_.find(order_.front().second);
    // Otherwise its name was given, and destroyed, again.
    if (oldest->second.first == order_.front().first) last_.erase(oldest);
    order_.pop_front();
  }
  /// The side that destroyed it; null where it is not known.
  const HazardSide* find(std::optional<EventId> event, StreamAt stream) const {
    const auto found = last_.find({event, event ? StreamAt{} : stream});
    return found == last_.end() ? nullptr : &found->second.second;
  }

 private:
  using Key = std::pair<std::optional<EventId>, StreamAt>;

  static constexpr std::size_t most_remembered = 4096;

  std::uint64_t count_ = 0;
  std::map<Key, std::pair<std::uint64_t, HazardSide>> last_;
  std::deque<std::pair<std::uint64_t, Key>> order_;
};

class HazardChecker final : public ProgramOrder {
 public:
  /// The source must outlive this.
  explicit HazardChecker(AccessSource& source) : source_(source) {}

  // Memory. Blocks that are live at the same time do not overlap.
  void handed_out(const HandedOut& block);
  /// record_stream: the free is complete once the stream has done what it was given until then.
  /// Requires: the block is live.
  void stream_uses(BlockNumber block, StreamAt stream);
  /// Requires: the block is live.
  void freed(BlockNumber block, ThreadId thread, std::uint64_t tag);
  /// The memory went back to the driver, which waits for the device. Requires: no live block there.
  void released(std::uint32_t device, AddressRange range);

  // Answers of TimedStreams.
  /// Remembered so that a later use can name it.
  void destroyed(const HandleUse& destroyed);
  /// The answer was invalid_resource_handle: the stream or event is not there any more.
  void used_after_destroy(const HandleUse& use);
  /// Work that is stuck because of other work is no hazard of its own: without an awaited flag
  /// nothing is added.
  void waits_for_ever(const StuckWork& stuck);
  /// `tag` is that of the call that waits, `work` is all stuck work.
  void waits_for_ever(const StuckThread& stuck, std::uint64_t tag, std::span<const StuckWork> work);

  /// In the order in which they were first found.
  const std::vector<Hazard>& hazards() const { return list_.hazards(); }
  /// The number of hazards beyond the hundred thousand pairs of sites that are listed.
  std::uint64_t unlisted_count() const { return list_.unlisted_count(); }

  void issued(const IssuedItem& item) override;
  void stream_destroyed(StreamAt stream) override;

 private:
  /// Two sides that met, one of them behind a wait for a flag that was not written so far: it is
  /// not known yet whether they are in order.
  struct Doubt {
    Hazard hazard;
    Epoch first;
    /// Empty for a hand-out.
    std::optional<Epoch> second;
    std::vector<Epoch> open_before_first;
    std::vector<Epoch> open_before_second;
  };

  MemoryAccess access_by(const IssuedItem& item, Epoch epoch, std::uint64_t site) const;
  void collect_touched(const WorkAccesses& accesses, const MemoryAccess& access);
  ShadowBlock* find_usable(BlockNumber number, const MemoryAccess& access);
  void touch(ShadowBlock& block, MemoryAccess& access, const VectorClock& clock);
  void meet(std::vector<MemoryAccess>& earlier, const MemoryAccess& now, const VectorClock& clock);
  bool is_sure_to_run_after(const MemoryAccess& earlier) const;
  void add_or_doubt(Doubt doubt);
  static bool is_put_in_order(Doubt& doubt, const ClosedWait& wait);
  void settle(const ClosedWait& wait);
  HazardSide side_of(const MemoryAccess& access) const;
  Fix put_in_order(const MemoryAccess& first, const MemoryAccess& second) const;
  void report_race(const MemoryAccess& first, const MemoryAccess& second);
  void report_reuse(const MemoryAccess& first, const ShadowBlock& block, const HazardSide& side);
  void report_use_after_free(BlockNumber block, const WorkAccesses& accesses, MemoryAccess access);

  AccessSource& source_;
  ShadowMemory memory_;
  /// Other streams that the free of a live block waits for.
  std::map<BlockNumber, std::vector<StreamAt>> uses_;
  HazardList list_;
  std::vector<Doubt> doubts_;
  DestroyedHandles destroyed_;
  /// Blocks that the work which is being told touches.
  std::vector<ShadowBlock*> touched_;
  /// Open waits that this work is behind.
  std::vector<Epoch> open_;
  /// The clocks of everything before the hand-out or the free that is being told.
  std::vector<const VectorClock*> clocks_;
};

}  // namespace vramlab::streams
