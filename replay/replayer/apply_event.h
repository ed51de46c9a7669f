// Applies a program's event to an allocator's pools, and to a device that the program drives; knows
// which id of the program names which address.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "allocator/types/bytes_and_ids.h"
#include "allocator/types/snapshot.h"
#include "streams/device/memory_device.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

/// The streams that the scope of a `pool_begin` accepts.
StreamFilter scope_filter(const traces::ProgramEvent& event, StreamFilter is_capturing);

/// Such an event makes its stream the current one.
constexpr bool begins_or_ends_capture(traces::ProgramEventKind kind) {
  return kind == traces::ProgramEventKind::capture_begin ||
         kind == traces::ProgramEventKind::capture_end;
}

/// False where the event is not about pools or their caches.
template <class Allocator, class IsCapturing>
bool apply_to_pools(Allocator& allocator, const traces::ProgramEvent& event,
                    const IsCapturing& is_capturing) {
  using Kind = traces::ProgramEventKind;
  switch (event.kind) {
    case Kind::pool_create:
      allocator.create_pool(event.pool, {event.use_on_oom, event.no_split});
      return true;
    case Kind::pool_begin:
      allocator.begin_scope(event.pool, scope_filter(event, is_capturing));
      return true;
    case Kind::pool_end:
      allocator.end_scope(event.pool);
      return true;
    case Kind::pool_release:
      allocator.release_pool(event.pool);
      return true;
    case Kind::pool_destroy:
      allocator.destroy_pool(event.pool);
      return true;
    case Kind::empty_cache:
      allocator.empty_cache(event.pool);
      return true;
    default:
      return false;
  }
}

/// Work, streams and captures of the event; other kinds change nothing, and neither do events that
/// need time or events of CUDA. Throws AllocatorError where a capture cannot begin or end.
void drive(streams::DrivenDevice& device, const traces::ProgramEvent& event);

// LiveAddresses: which id of a program names which address now.

class LiveAddresses {
 public:
  /// The id names this address from now on.
  void note(std::uint64_t id, Address address) { addresses_[id] = address; }
  void forget(std::uint64_t id) { addresses_.erase(id); }
  std::optional<Address> find(std::uint64_t id) const;
  /// Found and forgotten.
  std::optional<Address> take(std::uint64_t id);
  /// Blocks that a restored checkpoint freed lose their ids; those that it created are named from
  /// `first_id` on, by ascending address.
  void restore(const allocator::RestoreResult& result, std::uint64_t first_id);
  std::size_t size() const { return addresses_.size(); }

 private:
  std::unordered_map<std::uint64_t, Address> addresses_;
};

}  // namespace vramlab::replay
