// AllocatorSetup: an allocator with statistics and history on a simulated device of its own, and
// short words for the questions of tests. At the end of every test the consistency checker finds no
// broken rule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/caching_allocator.h"
#include "streams/device/simulated_device.h"

namespace vramlab::tests {

struct SetupOptions {
  allocator::Bytes device_total{1ULL << 30};
  std::string_view version = "2.6";
  std::string_view options = {};
};

/// A simulated device places its first classic segment and its first reservation here.
inline constexpr allocator::Address first_segment{0x7f0000000000};
inline constexpr allocator::Address first_reservation{0x300000000000};

class AllocatorSetup {
 public:
  explicit AllocatorSetup(const SetupOptions& setup = {});
  AllocatorSetup(const AllocatorSetup&) = delete;
  AllocatorSetup& operator=(const AllocatorSetup&) = delete;
  ~AllocatorSetup();

  /// A request that must succeed.
  allocator::Address get(allocator::Bytes request, std::uint64_t stream = 0);
  allocator::MallocOutcome outcome_of(allocator::Bytes request, std::uint64_t stream = 0);
  void free(allocator::Address address) { engine.free(address); }
  /// The block is used on that stream, by work that is not done yet.
  void use_on(std::uint64_t stream, allocator::Address address);
  void complete(std::uint64_t stream) { device.complete_work({stream}); }
  /// An option string that must be accepted.
  void set_options(std::string_view text);
  /// A scope for every stream, or for one.
  void begin_scope(std::uint64_t pool);
  void begin_scope(std::uint64_t pool, std::uint64_t only_stream);
  void end_scope(std::uint64_t pool) { engine.end_scope({0, pool}); }
  /// Leaves this much memory free on the device; other users hold the rest.
  void leave_free(allocator::Bytes size);

  /// Each segment in one line, such as "5MiB live, 15MiB free".
  std::vector<std::string> segments();
  /// The history since the last call, without entries for snapshots.
  std::vector<allocator::AllocatorEvent> new_entries();
  std::vector<std::string> new_actions();
  /// The rules that acted since the last call, such as "5.2 6.2 6.3".
  std::string new_rules();
  allocator::StatisticValues statistics() const;
  allocator::History& history() { return engine.listeners(); }

  streams::SimulatedDevice device;
  allocator::ExplainingAllocator engine;

 private:
  std::uint64_t seen_entries_ = 0;
};

/// A size, exactly, in the largest unit that divides it: "512B", "3KiB", "20MiB".
std::string short_size(allocator::Bytes size);
std::vector<std::string> segment_lines(const allocator::Snapshot& snapshot);

}  // namespace vramlab::tests
