#include "tests/support/twin/answers_text.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <tuple>

namespace vramlab::allocator {

bool operator==(const MallocResult& left, const MallocResult& right) {
  return left.outcome == right.outcome && left.address == right.address;
}

bool operator==(const OutOfMemory& left, const OutOfMemory& right) {
  const auto figures = [](const OutOfMemory& failure) {
    return std::tuple(failure.outcome, failure.request, failure.device_size, failure.device,
                      failure.device_total, failure.device_free, failure.allowed, failure.allocated,
                      failure.free_in_private_pools, failure.reserved);
  };
  return figures(left) == figures(right);
}

bool operator==(const RestoreResult& left, const RestoreResult& right) {
  return left.freed == right.freed &&
         std::ranges::equal(left.created, right.created,
                            [](const RestoredBlock& a, const RestoredBlock& b) {
                              return a.address == b.address && a.size == b.size;
                            });
}

}  // namespace vramlab::allocator

namespace vramlab::tests {
namespace {

using allocator::PooledStatistic;
using allocator::StatisticValue;

std::string_view outcome_name(allocator::MallocOutcome outcome) {
  static constexpr std::array<std::string_view, 5> names = {"allocated", "nothing", "out of memory",
                                                            "rejected", "scope already open"};
  return names.at(static_cast<std::size_t>(outcome));
}

std::ostream& operator<<(std::ostream& out, allocator::Bytes size) { return out << size.count; }
std::ostream& operator<<(std::ostream& out, allocator::Address address) {
  return out << "0x" << std::hex << address.value << std::dec;
}
std::ostream& operator<<(std::ostream& out, const StatisticValue& value) {
  return out << '[' << value.current << ' ' << value.peak << ' ' << value.allocated << ' '
             << value.freed << ']';
}
std::ostream& operator<<(std::ostream& out, const PooledStatistic& value) {
  return out << value.all << value.small_pool << value.large_pool;
}

}  // namespace

std::string text_of(bool holds) { return holds ? "yes" : "no"; }
std::string text_of(std::size_t count) { return std::to_string(count); }
std::string text_of(allocator::Bytes size) { return std::to_string(size.count); }

std::string text_of(const allocator::MallocResult& result) {
  std::ostringstream out;
  out << outcome_name(result.outcome) << ' ' << result.address;
  return out.str();
}

std::string text_of(const allocator::OutOfMemory& failure) {
  std::ostringstream out;
  out << outcome_name(failure.outcome) << ", request " << failure.request << ", device size "
      << failure.device_size << ", device " << failure.device << ", total " << failure.device_total
      << ", free " << failure.device_free << ", allowed ";
  if (failure.allowed)
    out << *failure.allowed;
  else
    out << "all";
  out << ", allocated " << failure.allocated << ", free in private pools "
      << failure.free_in_private_pools << ", reserved " << failure.reserved;
  return out.str();
}

std::string text_of(const allocator::RestoreResult& result) {
  std::ostringstream out;
  out << "freed";
  for (const allocator::Address address : result.freed) out << ' ' << address;
  out << ", created";
  for (const allocator::RestoredBlock& block : result.created)
    out << ' ' << block.address << '+' << block.size;
  return out.str();
}

std::string text_of(const allocator::AllocatorEvent& event) {
  std::ostringstream out;
  out << action_name(event.action) << ' ' << event.address << ", " << event.size
      << " bytes, stream " << event.stream.value << ", pool (" << event.pool.graph << ", "
      << event.pool.user << ')';
  return out.str();
}

std::string text_of(const allocator::Snapshot& snapshot) {
  std::ostringstream out;
  for (const allocator::SnapshotSegment& segment : snapshot.segments) {
    out << "\n    " << segment.address << " total " << segment.total_size << " allocated "
        << segment.allocated_size << " active " << segment.active_size << " requested "
        << segment.requested_size << " stream " << segment.stream.value << ' '
        << pool_kind_name(segment.kind) << " pool (" << segment.pool.graph << ", "
        << segment.pool.user << ')' << (segment.is_expandable ? " expandable:" : ":");
    for (const allocator::SnapshotBlock& block : segment.blocks)
      out << ' ' << block.address << '+' << block.size << '/' << block.requested << ' '
          << block_state_name(block.state);
  }
  return out.str();
}

std::string text_of(const allocator::StatisticValues& values) {
  std::ostringstream out;
  out << "allocation " << values.allocation << " segment " << values.segment << " active "
      << values.active << " inactive_split " << values.inactive_split << "\n    allocated_bytes "
      << values.allocated_bytes << " reserved_bytes " << values.reserved_bytes
      << "\n    active_bytes " << values.active_bytes << " inactive_split_bytes "
      << values.inactive_split_bytes << "\n    requested_bytes " << values.requested_bytes
      << " oversize_allocations " << values.oversize_allocations << " oversize_segments "
      << values.oversize_segments << "\n    retries " << values.num_alloc_retries << " ooms "
      << values.num_ooms << " syncs " << values.num_sync_all_streams << " device allocs "
      << values.num_device_alloc << " device frees " << values.num_device_free << " rejections "
      << values.num_oom_rejections;
  return out.str();
}

std::string text_of(const streams::DeviceCallCounts& counts) {
  std::ostringstream out;
  out << counts.allocations << " allocations, " << counts.releases << " releases, "
      << counts.units_created << " units created, " << counts.event_waits << " event waits";
  return out.str();
}

}  // namespace vramlab::tests
