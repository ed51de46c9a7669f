#include "streams/device/simulated_host.h"

#include "allocator/types/check.h"

namespace vramlab::streams {
namespace {

using allocator::PinnedBy;

constexpr Bytes page{4096};
constexpr AddressRange pinned_addresses{{0x200000000000}, {0x500000000000}};
constexpr AddressRange ordinary_addresses{{0x500000000000}, {0x7f0000000000}};

void change(std::set<StreamId>& streams, StreamId stream, bool joins) {
  if (joins)
    streams.insert(stream);
  else
    streams.erase(stream);
}

AddressRange pages_at(Address at, Bytes size) { return {at, at + round_up(size, page)}; }

}  // namespace

SimulatedHost::SimulatedHost()
    : pinned_range_(pinned_addresses), ordinary_range_(ordinary_addresses) {}

std::optional<Address> SimulatedHost::place(FreeGaps& gaps, Bytes size) {
  // Such a size is larger than any gap, and its whole pages might not fit a number.
  if (size > pinned_addresses.size()) return std::nullopt;
  const AddressRange everywhere{pinned_addresses.begin, ordinary_addresses.end};
  const auto at = gaps.lowest_fit({round_up(size, page), page, everywhere});
  if (at) gaps.take(pages_at(*at, size));
  return at;
}

bool SimulatedHost::has_room(Bytes size) const {
  return pinned_ <= limit_ && size <= limit_ - pinned_;
}

std::optional<Address> SimulatedHost::obtain(Bytes size, PinnedBy way) {
  const bool is_registered = way == PinnedBy::registration;
  std::optional<Address> at;
  if (is_registered) {
    at = place(ordinary_range_, size);
    if (!at) return std::nullopt;
    note(HostSystemAction::malloc, *at, size);
  } else if (has_room(size)) {
    at = place(pinned_range_, size);
  }
  if (!at || !has_room(size)) {
    note(is_registered ? HostSystemAction::host_register_failed
                       : HostSystemAction::host_alloc_failed,
         at.value_or(Address{}), size);
    return std::nullopt;
  }
  note(is_registered ? HostSystemAction::host_register : HostSystemAction::host_alloc, *at, size);
  memory_[at->value] = {size, way};
  pinned_ += size;
  book(size);
  return at;
}

void SimulatedHost::release(Address at, PinnedBy way) {
  const auto found = memory_.find(at.value);
  check(found != memory_.end(), "only memory that was obtained is released");
  const Memory memory = found->second;
  const bool is_registered = way == PinnedBy::registration;
  if (memory.way != way)
    throw DeviceError(is_registered
                          ? "CUDA error: host_unregister of memory that was not registered"
                          : "CUDA error: free_host of memory that was not host_alloc'ed");
  if (is_registered) note(HostSystemAction::host_unregister, at, memory.size);
  note(is_registered ? HostSystemAction::free : HostSystemAction::host_free, at, memory.size);
  (is_registered ? ordinary_range_ : pinned_range_).give_back(pages_at(at, memory.size));
  memory_.erase(found);
  pinned_ -= memory.size;
  book(memory.size);
}

EventId SimulatedHost::record_event(StreamId stream) {
  if (failing_.contains(stream)) throw DeviceError("CUDA error: event record failed");
  return streams_.record_event(stream);
}

void SimulatedHost::set_capturing(StreamId stream, bool captures) {
  change(capturing_, stream, captures);
}

void SimulatedHost::set_failing(StreamId stream, bool fails) { change(failing_, stream, fails); }

}  // namespace vramlab::streams
