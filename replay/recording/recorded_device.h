// RecordedDevice: a device that does what a recording says it did. Memory is granted when the
// recording shows that it was, at the recorded place; the allocator's calls are compared with the
// recorded segment calls, in order. RecordedPlaces, for replays under other conditions,
// takes only the places of a recording.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allocator/types/device.h"
#include "replay/recording/explained_history.h"
#include "replay/recording/recorded_calls.h"
#include "streams/memory/simulated_memory.h"

namespace vramlab::replay {

class RecordedDevice : public allocator::Device {
 public:
  /// `total` makes an allocator reserve as many addresses as the recording shows.
  RecordedDevice(const DeviceHistory& history, Bytes total) : history_(history), total_(total) {}

  /// From now on the segment calls of these events are expected.
  void expect(std::size_t first, std::size_t end);
  /// The next expected segment call; empty when all were made.
  std::optional<std::size_t> next() const;
  /// The calls of the expected run that were not made yet, up to the first that gets memory.
  std::vector<std::size_t> expected_releases() const;
  void skip() { ++at_; }
  /// How much was asked for last and refused because releases come next; forgets it.
  std::optional<Bytes> take_refused() { return std::exchange(refused_, std::nullopt); }
  /// The allocator starts with this segment, or with this mapped part of a reservation.
  void adopt(Address base, Bytes size) { held_[base] = size; }
  void set_free(Bytes free) { free_ = free; }

  /// How often the allocator asked for anything that was recorded differently, and the first time
  /// since the last take_difference().
  std::uint64_t wrong_count() const { return wrong_count_; }
  std::string take_difference() { return std::exchange(difference_, {}); }

  allocator::MemoryInfo memory_info() override { return {free_, total_}; }
  std::optional<Address> allocate(Bytes size, StreamId stream) override;
  void release(Address at) override;
  std::optional<Address> reserve(Bytes size, StreamId stream) override;
  void release_reservation(Address at, Bytes) override { held_.erase(at); }
  bool map(const UnitRange& range) override;
  void unmap(const UnitRange& range) override;

  // Frees that wait are completed by the replay, when the recording says so.
  void wait_for_stream(StreamId) override {}
  EventId record_event(StreamId) override;
  bool is_complete(EventId) override;
  void wait_for_event(EventId) override {}
  void forget_event(EventId) override {}
  std::optional<StreamCapture> capture_of(StreamId) override { return {}; }
  std::vector<GraphNode> dependencies_of(GraphNode) override { return {}; }

 private:
  std::optional<AllocatorEvent> expected() const;
  void differ(const std::string& asked);
  bool is_held(Address at) const;
  bool is_any_held(Address at, Bytes size) const;

  const DeviceHistory& history_;
  Bytes total_;
  Bytes free_;
  std::vector<std::size_t> calls_;
  std::size_t at_ = 0;
  std::optional<Bytes> refused_;
  /// Segments, and how far reservations were mapped. After a difference the replay may hold what
  /// was released.
  std::map<Address, Bytes> held_;
  std::uint64_t wrong_count_ = 0;
  std::string difference_;
};

/// Puts new segments and reservations where a recording had them, as long as a replay asks for the
/// same ones in the same order. From the first other request on it leaves the places to the device.
/// Requests that failed in the recording show no places of what they reserved, and count as none.
class RecordedPlaces {
 public:
  RecordedPlaces(const DeviceHistory& history, const ExplainedHistory& explained);

  /// `event`: the entry of the allocator's request that this is for.
  std::optional<Address> place(const streams::PlaceRequest& request, std::uint64_t event);
  /// The lowest place of this kind, or else of any; empty if nothing was placed.
  std::optional<Address> lowest(streams::PlaceKind kind) const;
  /// Reservations of this size and above are not those that were recorded, which show it where
  /// something lies behind them.
  Bytes reservations_below() const { return reservations_below_; }

 private:
  struct Place {
    streams::PlaceKind kind;
    Address address;
    Bytes size;
  };

  void add(const Place& place);
  void note_lowest(streams::PlaceKind kind, Address at);

  std::vector<Place> places_;
  /// Entries of requests that failed.
  std::vector<std::uint64_t> failed_;
  /// Segments of the start count too.
  std::optional<Address> lowest_allocation_;
  std::optional<Address> lowest_reservation_;
  Bytes reservations_below_;
  std::size_t next_ = 0;
  bool has_left_ = false;
};

}  // namespace vramlab::replay
