// HazardChecker: finds the hazards of a program by what comes before what in its words, never by
// when things happened in this run. It watches TimedStreams, and its user tells it about memory.
// Vector clocks over streams, branches of graphs and host threads; docs/guide/streams.md says what
// is found, how, and what can't be.
//
// What it keeps grows with the streams, events, graphs, blocks and sites there are, and not with
// how long the program runs.
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
#include "streams/memory/address_range.h"
#include "streams/stream_model/timed_streams.h"

namespace vramlab::streams {

/// What a piece of work touches. A block may stand in both, and more than once.
struct WorkAccesses {
  std::span<const BlockNumber> read{};
  std::span<const BlockNumber> written{};
  /// What hazards are counted by: the line of the program.
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
  /// What hazards are counted by; the tag where it is not known.
  std::optional<std::uint64_t> site{};
  /// From a captured graph's pool. Launches go on using such memory after it was freed, until it is
  /// released; it is handed out in the order of the capture, which is not when anything runs.
  bool is_of_graph = false;
};

struct HandleUse {
  StreamAt stream{};
  /// The event, else the stream is meant.
  std::optional<EventId> event{};
  ThreadId thread{};
  std::uint64_t tag = 0;
};

/// Each pair of sites once, with how often they met.
class HazardList {
 public:
  void add(const Hazard& hazard);
  /// By when they were first added.
  const std::vector<Hazard>& hazards() const { return hazards_; }
  /// How many were found beyond those that are listed.
  std::uint64_t unlisted_count() const { return unlisted_count_; }

 private:
  /// A program whose every work is a site of its own must not fill the memory.
  static constexpr std::size_t most_listed = 100'000;

  using Sites = std::tuple<HazardKind, HazardAct, std::uint64_t, HazardAct, std::uint64_t>;

  std::vector<Hazard> hazards_;
  std::map<Sites, std::size_t> places_;
  std::uint64_t unlisted_count_ = 0;
};

/// Which streams and events were destroyed last, and by whom.
class DestroyedHandles {
 public:
  /// The event, or else the stream of the side.
  void add(std::optional<EventId> event, const HazardSide& side) {
    const Key key{event, event ? StreamAt{} : side.stream};
    last_[key] = {++count_, side};
    order_.emplace_back(count_, key);
    if (order_.size() <= most_remembered) return;
    const auto oldest = last_.find(order_.front().second);
    // Else its name was given, and destroyed, again.
    if (oldest->second.first == order_.front().first) last_.erase(oldest);
    order_.pop_front();
  }
  /// Null where it is not known.
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

  // What TimedStreams answered.
  /// So that a later use can name it.
  void destroyed(const HandleUse& destroyed);
  /// invalid_resource_handle, and the stream or event is not there (any more).
  void used_after_destroy(const HandleUse& use);
  /// Work that is stuck because of other work is no hazard of its own: nothing where no flag is
  /// awaited.
  void waits_for_ever(const StuckWork& stuck);
  /// `tag` is of the call that waits, `work` all that is stuck.
  void waits_for_ever(const StuckThread& stuck, std::uint64_t tag, std::span<const StuckWork> work);

  /// By when they were first found.
  const std::vector<Hazard>& hazards() const { return list_.hazards(); }
  /// How many pairs of sites there are beyond the hundred thousand that are listed.
  std::uint64_t unlisted_count() const { return list_.unlisted_count(); }

  void issued(const IssuedItem& item) override;
  void stream_destroyed(StreamAt stream) override;

 private:
  /// Two sides that met. It is not known yet whether they are in order where one is behind a wait
  /// for a flag that nobody wrote so far.
  struct Doubt {
    Hazard hazard;
    Epoch first;
    /// A hand-out has none.
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
  /// By the work that is being told.
  std::vector<ShadowBlock*> touched_;
  /// Open waits that it is behind.
  std::vector<Epoch> open_;
  /// The clocks of what is before the hand-out or the free that is being told.
  std::vector<const VectorClock*> clocks_;
};

}  // namespace vramlab::streams
