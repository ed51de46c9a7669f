// AddressProgram: a program's events out of a log that names memory by its address, as profilers
// and other allocators write them. It holds the whole log, 40 bytes an event, because two things
// are only known at the end: the order, where a log is not sorted by time, and what was allocated
// before the log began.
//
// What a log lacks is assumed and counted:
// * memory whose first event is a free was allocated before the log began: the malloc comes first,
//   at the time of the first event;
// * an address that is allocated again without a free in between was freed right before;
// * memory that is freed again without a malloc in between is not freed again.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/program_sink.h"
#include "traces/snapshot_tables.h"

namespace vramlab::traces {

enum class AddressEventKind : std::uint8_t {
  allocate,
  free,
  /// A request that failed; it has no address.
  failure,
};

struct AddressEvent {
  AddressEventKind kind = AddressEventKind::allocate;
  DeviceIndex device;
  allocator::Address address;
  allocator::Bytes bytes;
  allocator::StreamId stream;
  std::uint64_t time_ns = 0;
};

/// How a log differs from what a program did.
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

/// What a failed request becomes: a marker with this text.
inline constexpr std::string_view failure_marker = "out of memory";

class AddressProgram {
 public:
  void add(const AddressEvent& event) { events_.push_back(event); }
  /// Hands the program on, sorted by time, ids from 1 on in the order of the mallocs.
  LogFacts give_to(ProgramSink& sink, SnapshotTables& tables);

 private:
  struct Place {
    DeviceIndex device;
    allocator::Address address;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const;
  };
  struct Memory {
    bool is_live = false;
    std::uint64_t id = 0;
    allocator::StreamId stream;
  };

  void sort();
  /// Indices of frees.
  std::vector<std::size_t> find_first_frees() const;
  void give_malloc(const AddressEvent& event);
  void give_free(const AddressEvent& event);
  void give_failure(const AddressEvent& event, TextId text);
  void end(Memory& memory, const AddressEvent& event);

  std::vector<AddressEvent> events_;
  /// Looked up only.
  std::unordered_map<Place, Memory, PlaceHash> memory_;
  std::uint64_t last_id_ = 0;
  LogFacts facts_;
  ProgramSink* sink_ = nullptr;
};

}  // namespace vramlab::traces
