#include "tools/preload/segments/expandable_memory.h"

#include "allocator/options/size_rules.h"

namespace vramlab::shim {

namespace {

bool has_attribute(const streams::CudaDriver& driver, CUdevice_attribute attribute,
                   CUdevice device) {
  int value = 0;
  return driver.device_attribute(&value, attribute, device) == CUDA_SUCCESS && value != 0;
}

}  // namespace

std::optional<std::string> why_not_expandable(const streams::CudaDriver& driver, CUdevice device,
                                              const Settings& settings) {
  if (!streams::has_mapping(driver)) return "the driver has no cuMemMap";
  if (!has_attribute(driver, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device))
    return "the driver cannot map memory on device " + std::to_string(device);
  const CUmemAllocationProp properties = streams::memory_on(device);
  std::size_t granularity = 0;
  const CUresult result =
      driver.mem_granularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  if (result != CUDA_SUCCESS || granularity == 0)
    return "cuMemGetAllocationGranularity says " + streams::driver_error_name(driver, result);
  for (const PoolKind kind : {PoolKind::small, PoolKind::large}) {
    const Bytes unit = expandable_unit(kind, settings);
    if (unit.count % granularity != 0)
      return "units of " + std::to_string(unit.count) + " bytes are no multiple of the " +
             std::to_string(granularity) + " that the driver maps";
  }
  return std::nullopt;
}

void ExpandableMemory::set_device(CUdevice device) {
  const std::lock_guard lock(mutex_);
  device_ = device;
  is_for_network_cards_ = has_attribute(
      context_.driver(), CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, device);
}

CUresult ExpandableMemory::reserve(Address* at, Bytes size) {
  const std::lock_guard lock(mutex_);
  if (is_given_back_) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  CUdeviceptr got = 0;
  const CUresult result = context_.driver().address_reserve(&got, size.count, 0, 0, 0);
  if (result != CUDA_SUCCESS) return result;
  *at = {got};
  reservations_[*at] = size;
  return CUDA_SUCCESS;
}

CUresult ExpandableMemory::release_reservation(Address at) {
  const std::lock_guard lock(mutex_);
  const auto found = reservations_.find(at);
  if (found == reservations_.end()) return CUDA_SUCCESS;
  const auto unit = units_.lower_bound(at);
  // A unit that the driver could not unmap goes first.
  if (unit != units_.end() && unit->first < at + found->second) return CUDA_ERROR_NOT_PERMITTED;
  const CUresult result = context_.driver().address_free(at.value, found->second.count);
  if (!is_passing_error(result)) reservations_.erase(found);
  return result;
}

CUresult ExpandableMemory::create_and_map(Address at, Bytes size) {
  // The unit is still here if the driver did not let it go.
  if (units_.contains(at)) {
    left_over_.erase(at);
    return CUDA_SUCCESS;
  }
  const streams::CudaDriver& driver = context_.driver();
  CUmemAllocationProp properties = streams::memory_on(device_);
  properties.allocFlags.gpuDirectRDMACapable = is_for_network_cards_ ? 1 : 0;
  Unit unit{0, size};
  CUresult result = driver.mem_create(&unit.handle, size.count, &properties, 0);
  if (result != CUDA_SUCCESS) return result;
  result = driver.mem_map(at.value, size.count, 0, unit.handle, 0);
  if (result == CUDA_SUCCESS) {
    units_[at] = unit;
    return result;
  }
  if (const CUresult undoing = driver.mem_release(unit.handle); undoing != CUDA_SUCCESS)
    context_.keep_error(undoing);
  return result;
}

CUresult ExpandableMemory::create_and_map_all(const UnitRange& range) {
  for (std::uint64_t i = 0; i < range.count; ++i) {
    const CUresult result = create_and_map(range.at + range.unit * i, range.unit);
    if (result != CUDA_SUCCESS) return result;
  }
  return set_access({range.at, range.size()});
}

CUresult ExpandableMemory::map(const UnitRange& range) {
  CUresult result = CUDA_SUCCESS;
  TakenUnits undone;
  {
    const std::lock_guard lock(mutex_);
    if (is_given_back_) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    result = create_and_map_all(range);
    if (result != CUDA_SUCCESS) undone = take_out({range.at, range.size()});
  }
  if (const CUresult undoing = unmap_all(undone); undoing != CUDA_SUCCESS) {
    context_.keep_error(undoing);
    leave_over(undone);
  }
  return result;
}

void ExpandableMemory::leave_over(const TakenUnits& units) {
  const std::lock_guard lock(mutex_);
  for (const auto& [at, unit] : units)
    if (units_.contains(at)) left_over_.insert(at);
  has_left_over_.store(!left_over_.empty(), std::memory_order_release);
}

CUresult ExpandableMemory::unmap_left_over() {
  TakenUnits going;
  {
    const std::lock_guard lock(mutex_);
    for (const Address at : left_over_)
      if (const auto found = units_.find(at); found != units_.end()) {
        going.emplace_back(*found);
        units_.erase(found);
      }
    left_over_.clear();
    has_left_over_.store(false, std::memory_order_release);
  }
  const CUresult result = unmap_all(going);
  if (result != CUDA_SUCCESS) leave_over(going);
  return result;
}

CUresult ExpandableMemory::set_access(const Range& range) const {
  std::vector<CUmemAccessDesc> access = {streams::access_for(device_)};
  for (const CUdevice device : peer_devices()) access.push_back(streams::access_for(device));
  return context_.driver().mem_set_access(range.at.value, range.size.count, access.data(),
                                          access.size());
}

CUresult ExpandableMemory::unmap_unit(Address at, const Unit& unit) const {
  const streams::CudaDriver& driver = context_.driver();
  const CUresult result = driver.mem_unmap(at.value, unit.size.count);
  if (is_passing_error(result)) return result;
  const CUresult released = driver.mem_release(unit.handle);
  return result == CUDA_SUCCESS ? released : result;
}

auto ExpandableMemory::take_out(const Range& range) -> TakenUnits {
  const auto begin = units_.lower_bound(range.at);
  const auto end = units_.lower_bound(range.at + range.size);
  TakenUnits taken(begin, end);
  units_.erase(begin, end);
  return taken;
}

CUresult ExpandableMemory::unmap_all(const TakenUnits& units) {
  CUresult first = CUDA_SUCCESS;
  for (const auto& [at, unit] : units) {
    const CUresult result = unmap_unit(at, unit);
    if (first == CUDA_SUCCESS) first = result;
    if (!is_passing_error(result)) continue;
    const std::lock_guard lock(mutex_);
    units_[at] = unit;
  }
  return first;
}

CUresult ExpandableMemory::unmap(Address from, Bytes bytes) {
  TakenUnits going;
  {
    const std::lock_guard lock(mutex_);
    going = take_out({from, bytes});
  }
  return unmap_all(going);
}

/// Joins units that lie side by side in one reservation.
std::vector<ExpandableMemory::Range> ExpandableMemory::mapped_ranges() const {
  std::vector<Range> ranges;
  for (const auto& [at, unit] : units_) {
    const bool goes_on = !ranges.empty() && ranges.back().at + ranges.back().size == at;
    if (goes_on && !reservations_.contains(at))
      ranges.back().size += unit.size;
    else
      ranges.push_back({at, unit.size});
  }
  return ranges;
}

CUresult ExpandableMemory::change_access(CUdevice device, CUmemAccess_flags flags) const {
  const CUmemAccessDesc access = streams::access_for(device, flags);
  for (const Range& range : mapped_ranges()) {
    const CUresult result =
        context_.driver().mem_set_access(range.at.value, range.size.count, &access, 1);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

std::set<CUdevice> ExpandableMemory::peer_devices() const {
  std::set<CUdevice> devices;
  for (const Peer& peer : peers_)
    if (!peer.context->is_gone() && peer.device != device_) devices.insert(peer.device);
  return devices;
}

CUresult ExpandableMemory::set_peer(const ContextRecord& from, bool may_use) {
  CUdevice device = 0;
  {
    const CurrentContext current(from);
    CUresult result = current.result();
    if (result == CUDA_SUCCESS) result = context_.driver().context_device(&device);
    if (result != CUDA_SUCCESS) return result;
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(peers_, [&](const Peer& peer) { return peer.context == &from; });
  // Access is a device's: the arena's own has it, and another context of this one may have.
  const bool has_access = device == device_ || peer_devices().contains(device);
  if (may_use) peers_.push_back({&from, device});
  if (has_access || is_given_back_) return CUDA_SUCCESS;
  return change_access(
      device, may_use ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE);
}

bool ExpandableMemory::give_everything_back() {
  const std::lock_guard lock(mutex_);
  is_given_back_ = true;
  // The driver may be ending; no caller is left that could be told of another error.
  const std::size_t went = std::erase_if(units_, [this](const auto& mapped) {
    return !is_passing_error(unmap_unit(mapped.first, mapped.second));
  });
  if (units_.empty())
    std::erase_if(reservations_, [this](const auto& reserved) {
      return !is_passing_error(
          context_.driver().address_free(reserved.first.value, reserved.second.count));
    });
  return went > 0;
}

}  // namespace vramlab::shim
