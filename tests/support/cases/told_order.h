// ToldOrder: the order that must hold in a stream program, by its words alone. It hears the words
// of the simulator to its watcher and keeps the place of every run of work and every record of an
// event, and the places before it (streams/happens_before/program_order.h).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "streams/happens_before/program_order.h"
#include "tests/support/cases/device_answers.h"

namespace vramlab::tests {

/// A place in the order, and the places before it, itself included.
struct OrderedPlace {
  streams::Epoch at;
  streams::VectorClock after;
};

struct OrderedRun {
  WorkRun run;
  std::uint64_t item = 0;
  OrderedPlace place;
};

class ToldOrder : public streams::ProgramOrder {
 public:
  /// Until the end, the knowledge of threads is left out: it depends on the time when they asked.
  void begin_asking() { is_asking_ = true; }
  void end_asking() { is_asking_ = false; }

  const std::vector<OrderedRun>& runs() const { return runs_; }
  /// Its latest record that was not captured.
  std::optional<OrderedPlace> record_of(allocator::EventId event) const;
  /// Some thread was told that all of it has ended. The legacy stream counts as the whole device.
  bool is_known_to_be_done(streams::StreamAt stream);
  bool is_known_to_be_done(const OrderedPlace& place) { return is_known_to_threads(place.at); }
  /// The work that the thread knows to have ended.
  WorkRuns known_to(streams::ThreadId thread);

  void issued(const streams::IssuedItem& item) override;
  void event_recorded(allocator::EventId event, streams::StreamAt stream) override;
  void thread_follows_stream(streams::ThreadId thread, streams::StreamAt stream) override;
  void thread_follows_event(streams::ThreadId thread, allocator::EventId event) override;
  void stream_destroyed(streams::StreamAt stream) override;
  void event_destroyed(allocator::EventId event) override;

 private:
  struct Given {
    streams::StreamAt stream;
    streams::Epoch at;
    bool is_of_destroyed = false;
  };

  bool is_asking_ = false;
  std::vector<OrderedRun> runs_;
  std::map<std::uint64_t, std::uint32_t> run_counts_;
  std::vector<Given> given_;
  std::map<allocator::EventId, OrderedPlace> records_;
  OrderedPlace latest_record_;
};

}  // namespace vramlab::tests
