#include "allocator/pinned/host_memory.h"

#include <algorithm>

namespace vramlab::allocator {
namespace {

/// Pieces of the reserve segment are whole pages.
constexpr Bytes page{4096};

PinnedBy way_of(const Settings& settings) {
  return settings.pinned_use_cuda_host_register ? PinnedBy::registration : PinnedBy::allocation;
}

/// The size that the option says, or more than any system has if its bytes would not fit a number.
Bytes reserve_size(const Settings& settings) {
  constexpr std::uint64_t most_mib = unlimited.count >> 20;
  return mebibytes(std::min(settings.pinned_reserve_segment_size_mb, most_mib));
}

}  // namespace

std::optional<ObtainedHostMemory> HostMemory::obtain(Bytes size, const Settings& settings) {
  if (!settle_reserve(settings)) return std::nullopt;
  if (auto piece = carve(size)) return piece;
  return obtain_from_system(size, settings);
}

bool HostMemory::settle_reserve(const Settings& settings) {
  if (is_settled_) return true;
  if (const Bytes size = reserve_size(settings); size > Bytes{}) {
    const auto segment = obtain_from_system(size, settings);
    if (!segment) return false;
    reserve_ = {segment->address, segment->address + size, segment->address};
  }
  is_settled_ = true;
  return true;
}

std::optional<ObtainedHostMemory> HostMemory::carve(Bytes size) {
  if (!reserve_ || size > reserve_->end - reserve_->mark) return std::nullopt;
  const Bytes whole_pages = round_up(size, page);
  if (whole_pages > reserve_->end - reserve_->mark) return std::nullopt;
  const Address at = reserve_->mark;
  reserve_->mark = at + whole_pages;
  return ObtainedHostMemory{at, PinnedBy::allocation};
}

std::optional<ObtainedHostMemory> HostMemory::obtain_from_system(Bytes size,
                                                                 const Settings& settings) {
  const PinnedBy way = way_of(settings);
  const std::uint64_t start = system_.time_us();
  const std::optional<Address> at = system_.obtain(size, way);
  if (!at) return std::nullopt;
  statistics_.obtaining_took(system_.time_us() - start);
  return ObtainedHostMemory{*at, way};
}

void HostMemory::release(const ObtainedHostMemory& memory, const Settings& settings) {
  if (reserve_ && memory.address >= reserve_->begin && memory.address < reserve_->end) return;
  const PinnedBy way = rule_ == HostRelease::by_option ? way_of(settings) : memory.way;
  const std::uint64_t start = system_.time_us();
  system_.release(memory.address, way);
  statistics_.releasing_took(system_.time_us() - start);
}

}  // namespace vramlab::allocator
