// StreamActivity: what the streams of a program did, by stream, device and host thread. It adds up
// as it is told; each finished item can be looked at on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "replay/metrics/busy_time.h"
#include "streams/stream_model/stream_watcher.h"

namespace vramlab::replay {

/// The place of a record of an event; its time is known once it ended.
struct RecordPoint {
  streams::StreamAt stream;
  std::optional<streams::Time> at;
};

struct FinishedItem {
  streams::EndedItem item;
  /// For work and graph nodes.
  streams::WorkKind work = streams::WorkKind::kernel;
  /// When it was issued and what its stream had before was done.
  streams::Time could_begin;
  /// For an event_wait: what it waited for; null where there was nothing.
  std::shared_ptr<const RecordPoint> awaited;
};

struct StreamFigures {
  std::uint64_t work_count = 0;
  std::uint64_t launches = 0;
  /// Work added up. What runs side by side inside a graph counts once for each.
  streams::Duration busy;
  /// Work could have gone on, but for events of others, or for a place to run.
  streams::Duration held_up;
  streams::Time first_begin;
  streams::Time last_end;
};

struct ThreadFigures {
  std::uint64_t waits = 0;
  streams::Duration waited;
};

struct DeviceActivity {
  /// Something ran; two streams or more ran at once.
  streams::Duration busy;
  streams::Duration overlapped;
};

struct ActivityReport {
  std::map<streams::StreamAt, StreamFigures> streams;
  std::map<std::uint32_t, DeviceActivity> devices;
  std::map<streams::ThreadId, ThreadFigures> threads;
  /// When the last thing ended.
  streams::Time end;
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
  /// By stream: when the last of its items ended, and the number of the last one issued.
  std::map<streams::StreamAt, streams::Time> last_end_;
  std::map<streams::StreamAt, std::uint64_t> last_issued_;
  std::unordered_map<std::uint64_t, std::shared_ptr<RecordPoint>> records_;
  std::vector<WaitingThread> waiting_;
  std::unordered_multimap<std::uint64_t, std::size_t> awaited_items_;
};

}  // namespace vramlab::replay
