// WorkEngine: when work begins and ends. It knows only work that follows other work and takes one
// of a number of places while it runs; streams, events and the rest of CUDA are unknown to it.
//
// Time goes from instant to instant. At each one, first all work that ends or arrives at it is seen
// to, with everything that follows from it at once; work that was issued first ends first. Then
// free places are given to the work that waits for them: the highest priority first, then the work
// that was ready first, then the work that was issued first. Both are repeated until nothing is
// left to be done at this instant.
#pragma once

#include <cstdint>
#include <vector>

#include "allocator/types/check.h"
#include "streams/stream_model/work.h"

namespace vramlab::streams {

/// Names a piece of work also after it ended and its slot was taken again. Number 0 is no work.
struct WorkRef {
  std::uint64_t number = 0;
  std::uint32_t slot = 0;
};

/// A kind of place that work takes while it runs.
struct PlaceIndex {
  std::uint32_t value = 0;
};
/// Places of this kind are never short.
inline constexpr PlaceIndex any_place{0};

struct NewWork {
  /// The work begins no earlier. Requires: not in the past.
  Time arrival{};
  Duration duration{};
  PlaceIndex place = any_place;
  /// Lower numbers come sooner, as in CUDA.
  std::int32_t priority = 0;
  std::uint64_t tag = 0;
};

struct EndedWork {
  WorkRef work;
  std::uint64_t tag;
  Time begin;
  Time end;
};

class WorkListener : public Interface {
 public:
  /// The listener may let other work go, and stop the engine.
  virtual void work_ended(const EndedWork& work) = 0;
};

class WorkEngine {
 public:
  /// Whether work can follow the begin of other work; the engine is quicker without.
  enum class Begins : std::uint8_t { not_followed, followed };

  WorkEngine(WorkListener& listener, Begins begins);

  /// Requires: more than 0 places.
  PlaceIndex add_places(std::uint32_t count);

  /// Adds work, in the order of issue. It can't begin before submit().
  WorkRef add(const NewWork& work);
  /// `work` begins after `before` ended. Requires: `work` is not submitted yet.
  void follow(WorkRef work, WorkRef before);
  /// `work` begins after `before` began.
  void follow_begin(WorkRef work, WorkRef before);
  /// The work can't begin before it is let go, once for each time it was held.
  void hold(WorkRef work) { ++slots_[work.slot].awaited; }
  void let_go(WorkRef work);
  void submit(WorkRef work) { let_go(work); }

  /// Lets everything happen up to and including this instant.
  void advance(Time to);
  /// False where the work can't end as things are, or the engine was stopped. Time stands then at
  /// the end of all that can happen.
  bool run_until_ended(WorkRef work);
  /// Goes on until nothing more can happen.
  void run();
  /// Work neither begins nor ends any more.
  void stop();

  /// Requires: the work is pending.
  std::uint64_t tag_of(WorkRef work) const { return slots_[work.slot].tag; }
  bool has_ended(WorkRef work) const { return !is_pending(work); }
  Time now() const { return now_; }
  /// Added and not ended.
  std::size_t pending_count() const { return slots_.size() - free_slots_.size(); }

 private:
  static constexpr std::uint32_t no_link = 0xffffffff;

  enum class Stage : std::uint8_t { awaiting, arriving, ready, running };

  struct Slot {
    /// 0 in a free slot.
    std::uint64_t number = 0;
    std::uint64_t tag = 0;
    /// The time of its arrival; once it runs, that of its begin.
    Time at;
    Duration duration;
    std::uint32_t awaited = 0;
    std::uint32_t followers = no_link;
    std::uint32_t begin_followers = no_link;
    PlaceIndex place;
    std::int32_t priority = 0;
    Stage stage = Stage::awaiting;
  };
  struct Link {
    WorkRef work;
    std::uint32_t next = no_link;
  };
  struct Moment {
    Time at;
    std::uint32_t slot;
    /// The order within an instant has no consequence: work that ends waits for others to arrive.
    friend bool operator>(const Moment& a, const Moment& b) { return a.at > b.at; }
  };
  struct Waiting {
    std::int32_t priority;
    std::uint32_t slot;
    Time ready;
    std::uint64_t number;
    friend bool operator>(const Waiting& a, const Waiting& b) {
      if (a.priority != b.priority) return a.priority > b.priority;
      return a.ready != b.ready ? a.ready > b.ready : a.number > b.number;
    }
  };
  struct Places {
    std::uint32_t free = 0;
    std::vector<Waiting> waiting;
  };

  bool is_pending(WorkRef work) const {
    return work.number != 0 && slots_[work.slot].number == work.number;
  }
  void link(std::uint32_t& first, WorkRef work);
  void push(Moment moment);
  void pass_instant();
  void become_ready(WorkRef work);
  void begin(WorkRef work);
  void end(WorkRef work);
  void end_now(WorkRef work);
  void release_followers(std::uint32_t first);
  void settle();
  bool grant_places();

  WorkListener& listener_;
  Begins begins_;
  Time now_;
  bool is_stopped_ = false;
  bool is_settling_ = false;
  std::uint64_t last_number_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<Link> links_;
  std::uint32_t free_link_ = no_link;
  /// A heap: the next ends and arrivals.
  std::vector<Moment> moments_;
  /// A heap: work that ends at this instant and is still to be seen to.
  std::vector<WorkRef> ended_now_;
  /// Work that has a place and is about to begin.
  std::vector<WorkRef> granted_;
  std::vector<Places> places_{1};
  std::uint32_t waiting_count_ = 0;
};

}  // namespace vramlab::streams
