#include "streams/live/live_memory.h"

#include <algorithm>

#include "allocator/types/check.h"

namespace vramlab::streams {

using allocator::MemoryInfo;

MemoryInfo LiveMemory::driver_info() const {
  std::size_t free = 0;
  std::size_t total = 0;
  session_.require(DriverCallKind::mem_get_info, {},
                   [&] { return session_.driver().mem_get_info(&free, &total); });
  return {Bytes{free}, Bytes{total}};
}

MemoryInfo LiveMemory::info() const {
  if (!limit_) return driver_info();
  const Bytes room = *limit_ - std::min(*limit_, used_);
  return {room - std::min(room, external_), *limit_};
}

bool LiveMemory::is_within_limit(Bytes more) const { return !limit_ || more <= info().free; }

std::optional<Address> LiveMemory::allocate(Bytes size) {
  check(size.count > 0, "an allocation is not empty");
  const Bytes counted = round_up(size, granularity);
  // Rounding a size near the end of all numbers wraps around.
  if (counted < size || !is_within_limit(counted)) return std::nullopt;
  CUdeviceptr at = 0;
  const CUresult result = session_.run(DriverCallKind::mem_alloc, size, [&] {
    return session_.driver().mem_alloc(&at, size.count);
  });
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return std::nullopt;
  if (result != CUDA_SUCCESS) session_.fail("cuMemAlloc", result);
  allocations_[at] = {size, counted};
  used_ += counted;
  return Address{at};
}

void LiveMemory::release(Address at) {
  const auto found = allocations_.find(at.value);
  check(found != allocations_.end(), "only what was allocated is released");
  session_.require(DriverCallKind::mem_free, found->second.requested,
                   [&] { return session_.driver().mem_free(at.value); });
  used_ -= found->second.counted;
  allocations_.erase(found);
}

std::optional<Address> LiveMemory::reserve(Bytes size) {
  check(size.count > 0, "a reservation is not empty");
  const Bytes rounded = round_up(size, granularity);
  if (rounded < size) return std::nullopt;
  CUdeviceptr at = 0;
  const CUresult result = session_.run(DriverCallKind::address_reserve, rounded, [&] {
    return session_.driver().address_reserve(&at, rounded.count, 0, 0, 0);
  });
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return std::nullopt;
  if (result != CUDA_SUCCESS) session_.fail("cuMemAddressReserve", result);
  reservations_[at] = rounded;
  return Address{at};
}

void LiveMemory::release_reservation(Address at, Bytes size) {
  const auto found = reservations_.find(at.value);
  check(found != reservations_.end() && found->second == round_up(size, granularity),
        "only what was reserved is released, as a whole");
  session_.require(DriverCallKind::address_free, found->second,
                   [&] { return session_.driver().address_free(at.value, found->second.count); });
  reservations_.erase(found);
}

bool LiveMemory::create_and_map(Address at, Bytes size) {
  const CUmemAllocationProp properties = memory_on(session_.device());
  Unit unit{0, size};
  CUresult result = session_.run(DriverCallKind::mem_create, size, [&] {
    return session_.driver().mem_create(&unit.handle, size.count, &properties, 0);
  });
  if (result == CUDA_ERROR_OUT_OF_MEMORY) return false;
  if (result != CUDA_SUCCESS) session_.fail("cuMemCreate", result);
  result = session_.run(DriverCallKind::mem_map, size, [&] {
    return session_.driver().mem_map(at.value, size.count, 0, unit.handle, 0);
  });
  if (result != CUDA_SUCCESS) {
    static_cast<void>(session_.driver().mem_release(unit.handle));
    session_.fail("cuMemMap", result);
  }
  units_[at.value] = unit;
  used_ += size;
  return true;
}

void LiveMemory::make_accessible(const UnitRange& range) {
  const CUmemAccessDesc access = access_for(session_.device());
  session_.require(DriverCallKind::mem_set_access, range.size(), [&] {
    return session_.driver().mem_set_access(range.at.value, range.size().count, &access, 1);
  });
}

/// A limited memory creates the units that fit and gives them back, as the simulated one does, and
/// as a GPU does that has no more.
bool LiveMemory::map(const UnitRange& range) {
  std::uint64_t mapped = 0;
  try {
    while (mapped < range.count) {
      const Address at = range.at + range.unit * mapped;
      if (!is_within_limit(range.unit) || !create_and_map(at, range.unit)) break;
      ++mapped;
    }
    if (mapped == range.count && mapped > 0) make_accessible(range);
  } catch (const DeviceError&) {
    take_back(range, mapped);
    throw;
  }
  if (mapped == range.count) return true;
  take_back(range, mapped);
  return false;
}

void LiveMemory::unmap_unit(Address at) {
  const auto found = units_.find(at.value);
  check(found != units_.end(), "only whole units that are mapped are unmapped");
  const Unit unit = found->second;
  session_.require(DriverCallKind::mem_unmap, unit.size,
                   [&] { return session_.driver().mem_unmap(at.value, unit.size.count); });
  units_.erase(found);
  used_ -= unit.size;
  session_.require(DriverCallKind::mem_release, unit.size,
                   [&] { return session_.driver().mem_release(unit.handle); });
}

void LiveMemory::unmap(const UnitRange& range) {
  for (std::uint64_t i = 0; i < range.count; ++i) unmap_unit(range.at + range.unit * i);
}

void LiveMemory::take_back(const UnitRange& range, std::uint64_t count) {
  try {
    for (std::uint64_t i = 0; i < count; ++i) unmap_unit(range.at + range.unit * i);
  } catch (const DeviceError&) {
    // The failure that is being undone is told; this one has the same reason.
  }
}

void LiveMemory::give_everything_back() {
  const CudaDriver& driver = session_.driver();
  for (const auto& [at, unit] : units_) {
    static_cast<void>(driver.mem_unmap(at, unit.size.count));
    static_cast<void>(driver.mem_release(unit.handle));
  }
  for (const auto& [at, size] : reservations_)
    static_cast<void>(driver.address_free(at, size.count));
  for (const auto& [at, allocation] : allocations_) static_cast<void>(driver.mem_free(at));
  units_.clear();
  reservations_.clear();
  allocations_.clear();
  used_ = {};
}

}  // namespace vramlab::streams
