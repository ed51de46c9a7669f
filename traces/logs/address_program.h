// AddressProgram: a program's events out of a log that names memory by its address. Events that a
// log lacks are assumed and counted:
// * memory whose first event is a free was allocated before the log began: the malloc comes first,
//   at the time of the first event. A reader looks for such memory beforehand (FirstFrees);
// * an address that is allocated again without a free in between was freed right before;
// * memory that is freed again without a malloc in between is not freed again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

enum class AddressEventKind : std::uint8_t {
  allocate,
  free,
  /// A request that failed; it has no address.
  failure,
};

/// A line of a log that names memory by its address, as profilers and other allocators write it.
struct AddressEvent {
  AddressEventKind kind = AddressEventKind::allocate;
  DeviceIndex device;
  Address address;
  Bytes bytes;
  StreamId stream;
  /// Null if the log says no time.
  std::optional<std::uint64_t> time_ns;
};

/// The place of memory: addresses of two devices may be equal.
struct MemoryPlace {
  DeviceIndex device;
  Address address;

  explicit MemoryPlace(const AddressEvent& event) : device(event.device), address(event.address) {}
  friend bool operator==(const MemoryPlace&, const MemoryPlace&) = default;
};

struct MemoryPlaceHash {
  std::size_t operator()(const MemoryPlace& place) const {
    constexpr std::uint64_t odd_factor = 0x9E3779B97F4A7C15U;
    const std::uint64_t device = place.device.value * odd_factor;
    const std::uint64_t mixed = (place.address.value ^ device) * odd_factor;
    return std::hash<std::uint64_t>{}(mixed ^ (mixed >> 32U));
  }
};

/// The differences between a log and the events of the program.
struct LogFacts {
  /// Events of the CPU and of devices that are no GPU: left out.
  std::uint64_t of_other_devices = 0;
  /// Requests of no bytes, and their frees: left out.
  std::uint64_t empty_requests = 0;
  std::uint64_t failures = 0;
  std::uint64_t mallocs_before_begin = 0;
  std::uint64_t assumed_frees = 0;
  std::uint64_t lone_frees = 0;
  /// Events stood out of order and were sorted by time.
  bool was_sorted = false;

  friend bool operator==(const LogFacts&, const LogFacts&) = default;
};

/// The facts that the reader of a log returns besides the program.
struct LogReading {
  /// Unpacked.
  std::uint64_t bytes = 0;
  LogFacts facts;
};

/// Finds the memory that was there before a log began; looks at its events in order.
class FirstFrees {
 public:
  void look_at(const AddressEvent& event);

  /// The first event of each such memory, but at the time of the log's first event.
  const std::vector<AddressEvent>& frees() const { return frees_; }

 private:
  std::optional<std::uint64_t> begin_ns_;
  std::vector<AddressEvent> frees_;
  /// Looked up only.
  std::unordered_set<MemoryPlace, MemoryPlaceHash> seen_;
};

class AddressProgram {
 public:
  /// Hands on the mallocs of memory that was there before. Ids count from 1 on, in the order of the
  /// mallocs. The sink must outlive it.
  AddressProgram(const FirstFrees& first_frees, ProgramSink& sink, SnapshotTables& tables);

  /// Requires: events come in the order of time.
  void add(const AddressEvent& event);
  const LogFacts& facts() const { return facts_; }

 private:
  struct Memory {
    bool is_live = false;
    std::uint64_t id = 0;
    StreamId stream;
  };

  void give_malloc(const AddressEvent& event);
  void give_free(const AddressEvent& event);
  void give_failure(const AddressEvent& event);
  void end(Memory& memory, const AddressEvent& event);

  ProgramSink& sink_;
  TextId failure_text_;
  /// Looked up only.
  std::unordered_map<MemoryPlace, Memory, MemoryPlaceHash> memory_;
  std::uint64_t last_id_ = 0;
  LogFacts facts_;
};

/// A log that is held as a whole, 48 bytes an event, because it must be sorted by time or can be
/// read only once.
class AddressLog {
 public:
  void add(const AddressEvent& event) { events_.push_back(event); }

  /// Hands the program on. Events of the same time stay in the order of the log; all do if any
  /// event has no time.
  LogFacts give_to(ProgramSink& sink, SnapshotTables& tables);

 private:
  std::vector<AddressEvent> events_;
};

}  // namespace vramlab::traces
