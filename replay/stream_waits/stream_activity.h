// StreamActivity: how long the streams, devices and host threads of a program were busy, waited or
// were held up. Figures are added up as items end; a listener can look at each finished item.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "streams/stream_model/stream_watcher.h"
#include "streams/stream_model/work.h"

namespace vramlab::replay {

/// The place where an event is recorded; its time is known once the record ended.
struct RecordPoint {
  streams::StreamAt stream;
  std::optional<streams::Time> at;
};

struct FinishedItem {
  streams::EndedItem item;
  /// For work and graph nodes.
  streams::WorkKind work = streams::WorkKind::kernel;
  /// The time when the item was issued and its stream had done all items before it.
  streams::Time could_begin;
  /// For an event_wait: the record that it waited for; null where the event had none.
  std::shared_ptr<const RecordPoint> awaited;
};

struct StreamFigures {
  std::uint64_t work_count = 0;
  std::uint64_t launches = 0;
  /// The sum over all work. Work that runs side by side inside a graph counts once for each.
  streams::Duration busy;
  /// The time that work waited for events of other streams, or for a place to run.
  streams::Duration held_up;
  streams::Time first_begin;
  streams::Time last_end;
};

struct ThreadFigures {
  std::uint64_t waits = 0;
  streams::Duration waited;
};

struct DeviceActivity {
  /// The time with any work running, and with work of two streams or more.
  streams::Duration busy;
  streams::Duration overlapped;
};

struct ActivityReport {
  std::map<streams::StreamAt, StreamFigures> streams;
  std::map<std::uint32_t, DeviceActivity> devices;
  std::map<streams::ThreadId, ThreadFigures> threads;
  /// The time when the last item ended.
  streams::Time end;
};

struct BusySpan {
  streams::Time begin;
  streams::Time end;
};

/// For how long at least one of many spans lasted, and at least two. Spans come in the order of
/// their ends.
class BusyTime {
 public:
  /// Requires: ends do not go back.
  void add(BusySpan span);

  streams::Duration at_least_one() const { return total(once_); }
  streams::Duration at_least_two() const { return total(twice_); }

 private:
  static streams::Duration total(const std::vector<BusySpan>& spans);
  /// Adds a span to separate spans in order, and joins it with the last ones where they touch. The
  /// overlaps go to `twice`, unless that is null.
  static void merge(std::vector<BusySpan>& spans, BusySpan span, std::vector<BusySpan>* twice);

  std::vector<BusySpan> once_;
  std::vector<BusySpan> twice_;
};

class StreamActivity final : public streams::StreamWatcher {
 public:
  using Listener = std::function<void(const FinishedItem& finished)>;
  explicit StreamActivity(Listener listener = {}) : listener_(std::move(listener)) {}

  void issued(const streams::IssuedItem& item) override;
  void ended(const streams::EndedItem& item) override;
  void event_recorded(EventId event, streams::StreamAt stream) override;
  void stream_follows_event(streams::StreamAt stream, EventId event) override;
  void thread_waits(const streams::ThreadWait& wait) override;

  ActivityReport report() const;

 private:
  struct Pending {
    streams::Time issued;
    streams::WorkKind work = streams::WorkKind::kernel;
    std::shared_ptr<RecordPoint> record;
    std::shared_ptr<const RecordPoint> awaited;
  };
  struct WaitingThread {
    streams::ThreadId thread;
    streams::Time since;
    std::uint64_t left = 0;
  };

  void add_figures(const FinishedItem& finished);
  void end_waits(const streams::EndedItem& item);

  Listener listener_;
  ActivityReport report_;
  std::map<std::uint32_t, BusyTime> busy_;
  std::unordered_map<std::uint64_t, Pending> pending_;
  // By stream: when its last item ended, and the number of the last one issued.
  std::map<streams::StreamAt, streams::Time> last_end_;
  std::map<streams::StreamAt, std::uint64_t> last_issued_;
  std::unordered_map<std::uint64_t, std::shared_ptr<RecordPoint>> records_;
  std::vector<WaitingThread> waiting_;
  std::unordered_multimap<std::uint64_t, std::size_t> awaited_items_;
};

}  // namespace vramlab::replay
