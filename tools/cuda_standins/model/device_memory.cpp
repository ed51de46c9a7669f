#include "tools/cuda_standins/model/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "allocator/types/check.h"

namespace vramlab::dry_run {
namespace {

using allocator::Address;
using allocator::Bytes;
using streams::AddressRange;

/// There is a bit for each in a mapping's access.
constexpr std::uint32_t most_devices = 64;

AddressRange part_of(const AddressRange& whole, std::uint64_t place, std::uint64_t count) {
  const std::uint64_t bytes = (whole.end - whole.begin).count / count >> 21 << 21;
  const std::uint64_t at = whole.begin.value + place * bytes;
  return {{at}, {at + bytes}};
}

bool contains(const AddressRange& range, std::uint64_t at) {
  return at >= range.begin.value && at < range.end.value;
}

bool is_on_host(MemoryKind kind) {
  return kind == MemoryKind::pinned_host || kind == MemoryKind::managed;
}

bool is_placed_by_others(MemoryKind kind) {
  return kind == MemoryKind::registered_host || kind == MemoryKind::pool;
}

bool has_addresses_only(MemoryKind kind) {
  return kind == MemoryKind::imported || kind == MemoryKind::external || kind == MemoryKind::graph;
}

std::uint64_t whole_pages(const Allocation& allocation) {
  constexpr std::uint64_t page = 2ULL << 20;
  return rounded_up(allocation.bytes, page);
}

void give_up(AddressRange range) {
  munmap(reinterpret_cast<void*>(range.begin.value), (range.end - range.begin).count);
}

/// Pages of the system begin with zeros: what lay in them before would differ between runs.
constexpr std::uint64_t host_page = 4096;

std::optional<std::uint64_t> host_pages(std::uint64_t bytes) {
  void* const pages = mmap(nullptr, rounded_up(bytes, host_page), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return std::nullopt;
  return reinterpret_cast<std::uintptr_t>(pages);
}

void release_host_pages(std::uint64_t at, std::uint64_t bytes) {
  munmap(reinterpret_cast<void*>(at), rounded_up(bytes, host_page));
}

}  // namespace

DeviceMemory::DeviceMemory(const DriverOptions& options)
    : granularity_(options.granularity),
      told_bytes_(options.told_bytes == 0 ? options.memory_bytes : options.told_bytes),
      context_bytes_(options.context_bytes),
      addresses_(options.addresses),
      backing_(options.backing) {
  if (!options.shared_folder.empty())
    shared_ = std::make_unique<SharedDevices>(options.shared_folder);
  check(options.device_count <= most_devices, "there are addresses for 64 devices");
  if (backing_ != Backing::none) take_addresses(options.other_addresses);
  for (std::uint32_t device = 0; device < options.device_count; ++device)
    devices_.push_back(
        {.memory = streams::SimulatedMemory(
             {.total = {options.memory_bytes},
              .granularity = {options.granularity},
              .allocations = part_of(addresses_.allocations, device, options.device_count),
              .reservations = addresses_.reservations,
              .usual_places = options.places,
              .work_so_far = [this, device] { return devices_[device].work; }}),
         .number = options.machine_number(device)});
}

DeviceMemory::~DeviceMemory() {
  for (const AddressRange& range : taken_) give_up(range);
  for (const auto& [at, allocation] : allocations_)
    if (is_on_host(allocation.kind)) release_host_pages(at, allocation.bytes);
}

void DeviceMemory::take_addresses(const std::vector<AddressPlan>& others) {
  auto other = others.begin();
  while (!take_if_free(addresses_)) {
    if (other == others.end())
      throw std::runtime_error("no addresses for the memory of the devices");
    addresses_ = *other++;
  }
}

bool DeviceMemory::take_if_free(const AddressPlan& plan) {
  if (!take_if_free(plan.allocations)) return false;
  if (take_if_free(plan.reservations)) return true;
  give_up(taken_.back());
  taken_.pop_back();
  return false;
}

/// Addresses only: the system gives memory where something is written, where that is allowed.
bool DeviceMemory::take_if_free(AddressRange range) {
  const int access = backing_ == Backing::host_memory ? PROT_READ | PROT_WRITE : PROT_NONE;
  void* const wanted = reinterpret_cast<void*>(range.begin.value);
  void* const got = mmap(wanted, (range.end - range.begin).count, access,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return false;
  // Old systems take the place for a wish.
  if (got != wanted) {
    munmap(got, (range.end - range.begin).count);
    return false;
  }
  madvise(got, (range.end - range.begin).count, MADV_DONTDUMP);
  taken_.push_back(range);
  return true;
}

std::optional<std::uint64_t> DeviceMemory::take(std::uint32_t device, std::uint64_t bytes) {
  Device& on = devices_.at(device);
  if (!shared_) return take_alone(on, bytes);
  std::optional<std::uint64_t> at;
  shared_->in_turn(on.number, [&](std::uint64_t others) -> SharedDevices::Change {
    on.memory.set_external({on.external + others});
    at = take_alone(on, bytes);
    return {at ? SharedUse::took : SharedUse::refused, bytes,
            context_bytes_ + on.memory.used().count};
  });
  return at;
}

void DeviceMemory::give_back(std::uint32_t device, std::uint64_t at) {
  Device& on = devices_.at(device);
  const std::uint64_t bytes = on.memory.release({at}).count;
  if (!shared_) return;
  shared_->in_turn(on.number, [&](std::uint64_t) -> SharedDevices::Change {
    return {SharedUse::gave, bytes, context_bytes_ + on.memory.used().count};
  });
}

std::optional<std::uint64_t> DeviceMemory::take_alone(Device& on, std::uint64_t bytes) {
  const auto at = on.memory.allocate({bytes}, {0});
  if (!at) return std::nullopt;
  on.note_peaks();
  return at->value;
}

void DeviceMemory::note_work(std::uint32_t device, streams::WorkSoFar work) {
  devices_.at(device).work = std::max(devices_.at(device).work, work);
}

void DeviceMemory::Device::note_peaks() {
  const std::uint64_t used = memory.used().count;
  if (used > peak_used) {
    peak_used = used;
    managed.at_peak_used = managed.bytes;
  } else if (used == peak_used) {
    managed.at_peak_used = std::max(managed.at_peak_used, managed.bytes);
  }
  managed.peak = std::max(managed.peak, managed.bytes);
  managed.peak_with_used = std::max(managed.peak_with_used, managed.bytes + used);
}

allocator::MemoryInfo DeviceMemory::info(std::uint32_t device) const {
  const Device& on = devices_.at(device);
  const std::uint64_t others = shared_ ? shared_->held_by_others(on.number) : 0;
  const std::uint64_t taken = context_bytes_ + on.memory.used().count + on.external + others;
  return {.free = {told_bytes_ - std::min(told_bytes_, taken)}, .total = {told_bytes_}};
}

void DeviceMemory::set_external(std::uint32_t device, std::uint64_t bytes) {
  devices_.at(device).external = bytes;
  devices_.at(device).memory.set_external({bytes});
}

/// Up to half of a unit shares one.
std::optional<std::uint64_t> DeviceMemory::allocate_small(std::uint32_t device,
                                                          std::uint64_t bytes) {
  SharedUnits& small = devices_.at(device).small;
  const std::uint64_t size = rounded_up(bytes, SharedUnits::alignment);
  if (const auto at = small.take(size)) return at;
  const auto unit = take(device, granularity_);
  if (!unit) return std::nullopt;
  small.add(*unit, granularity_);
  return small.take(size);
}

void DeviceMemory::release_device_memory(std::uint32_t device, std::uint64_t at) {
  SharedUnits& small = devices_.at(device).small;
  if (!small.has(at)) return give_back(device, at);
  small.give_back(at);
  if (const auto unit = small.remove_empty()) give_back(device, unit->at);
}

std::optional<std::uint64_t> DeviceMemory::allocate(Allocation wish) {
  if (wish.bytes > most_bytes) return std::nullopt;
  if (is_on_host(wish.kind)) {
    const auto at = host_pages(wish.bytes);
    if (!at) return std::nullopt;
    wish.at = *at;
  } else if (!is_placed_by_others(wish.kind)) {
    const bool is_small = wish.kind == MemoryKind::device && wish.bytes <= granularity_ / 2;
    const auto at = has_addresses_only(wish.kind) ? reserve(whole_pages(wish))
                    : is_small                    ? allocate_small(wish.device, wish.bytes)
                                                  : take(wish.device, wish.bytes);
    if (!at) return std::nullopt;
    wish.at = *at;
  }
  if (wish.kind == MemoryKind::managed) {
    Device& on = devices_.at(wish.device);
    on.managed.bytes += wish.bytes;
    on.note_peaks();
  }
  wish.buffer_id = next_buffer_id_++;
  allocations_[wish.at] = wish;
  return wish.at;
}

void DeviceMemory::release(std::uint64_t at) {
  const auto found = allocations_.find(at);
  check(found != allocations_.end(), "only what was allocated is released");
  if (found->second.kind == MemoryKind::managed)
    devices_.at(found->second.device).managed.bytes -= found->second.bytes;
  if (is_on_host(found->second.kind))
    release_host_pages(at, found->second.bytes);
  else if (has_addresses_only(found->second.kind))
    release_reservation(at, whole_pages(found->second));
  else if (!is_placed_by_others(found->second.kind))
    release_device_memory(found->second.device, at);
  allocations_.erase(found);
}

Allocation* DeviceMemory::find(std::uint64_t address) {
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  Allocation& found = std::prev(after)->second;
  return address < found.at + found.bytes ? &found : nullptr;
}

std::optional<std::uint64_t> DeviceMemory::reserve(std::uint64_t bytes) {
  // Addresses belong to the process, not to a device.
  const auto at = devices_.at(0).memory.reserve({bytes}, {0});
  if (!at) return std::nullopt;
  reservations_[at->value] = bytes;
  return at->value;
}

bool DeviceMemory::release_reservation(std::uint64_t at, std::uint64_t bytes) {
  const auto found = reservations_.find(at);
  if (found == reservations_.end() || found->second != bytes) return false;
  if (has_mapping_in(at, bytes)) return false;
  devices_.at(0).memory.release_reservation({at}, {bytes});
  reservations_.erase(found);
  return true;
}

std::optional<std::uint64_t> DeviceMemory::create_physical(std::uint32_t device,
                                                           std::uint64_t bytes) {
  const auto at = take(device, bytes);
  if (!at) return std::nullopt;
  physical_[next_physical_] = {.device = device, .at = *at, .bytes = bytes};
  return next_physical_++;
}

std::uint64_t DeviceMemory::import_physical(std::uint32_t device, std::uint64_t bytes) {
  physical_[next_physical_] = {.device = device, .bytes = bytes};
  return next_physical_++;
}

PhysicalMemory* DeviceMemory::find_physical(std::uint64_t handle) {
  const auto found = physical_.find(handle);
  return found == physical_.end() ? nullptr : &found->second;
}

bool DeviceMemory::release_physical(std::uint64_t handle) {
  PhysicalMemory* const memory = find_physical(handle);
  if (memory == nullptr || memory->handles == 0) return false;
  --memory->handles;
  drop_if_unused(handle);
  return true;
}

void DeviceMemory::drop_if_unused(std::uint64_t handle) {
  const PhysicalMemory& memory = physical_.at(handle);
  if (memory.handles > 0 || memory.mappings > 0) return;
  if (memory.at != 0) give_back(memory.device, memory.at);
  physical_.erase(handle);
}

bool DeviceMemory::map(std::uint64_t at, std::uint64_t bytes, std::uint64_t handle) {
  const auto after = reservations_.upper_bound(at);
  if (after == reservations_.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  if (at + bytes > begin + size || has_mapping_in(at, bytes)) return false;
  mappings_[at] = {.bytes = bytes, .physical = handle};
  ++physical_.at(handle).mappings;
  return true;
}

bool DeviceMemory::unmap(std::uint64_t at, std::uint64_t bytes) {
  const auto whole = whole_mappings(at, bytes);
  if (!whole) return false;
  for (const Mappings::iterator mapping : *whole) {
    const std::uint64_t handle = mapping->second.physical;
    mappings_.erase(mapping);
    --physical_.at(handle).mappings;
    drop_if_unused(handle);
  }
  return true;
}

bool DeviceMemory::set_access(AddressRange range, std::uint32_t device, Access access) {
  const auto whole = whole_mappings(range.begin.value, (range.end - range.begin).count);
  if (!whole) return false;
  const std::uint64_t bit = 1ULL << device;
  for (const Mappings::iterator mapping : *whole)
    if (access == Access::all)
      mapping->second.access |= bit;
    else
      mapping->second.access &= ~bit;
  return true;
}

std::optional<std::vector<DeviceMemory::Mappings::iterator>> DeviceMemory::whole_mappings(
    std::uint64_t at, std::uint64_t bytes) {
  std::vector<Mappings::iterator> whole;
  const std::uint64_t end = at + bytes;
  for (auto mapping = mappings_.find(at); at < end; ++mapping) {
    if (mapping == mappings_.end() || mapping->first != at) return std::nullopt;
    at += mapping->second.bytes;
    whole.push_back(mapping);
  }
  if (at != end) return std::nullopt;
  return whole;
}

const std::pair<const std::uint64_t, Mapping>* DeviceMemory::find_mapping(
    std::uint64_t address) const {
  const auto after = mappings_.upper_bound(address);
  if (after == mappings_.begin()) return nullptr;
  const auto& found = *std::prev(after);
  return address < found.first + found.second.bytes ? &found : nullptr;
}

bool DeviceMemory::has_mapping_in(std::uint64_t at, std::uint64_t bytes) const {
  const auto next = mappings_.lower_bound(at);
  return find_mapping(at) != nullptr || (next != mappings_.end() && next->first < at + bytes);
}

/// From the end of all addresses, where nothing else gets to.
std::uint64_t DeviceMemory::global_variable(const std::string& name) {
  const std::uint64_t next =
      addresses_.allocations.end.value - (globals_.size() + 1) * global_bytes;
  return globals_.try_emplace(name, next).first->second;
}

bool DeviceMemory::is_reserved(std::uint64_t at) const {
  const auto after = reservations_.upper_bound(at);
  if (after == reservations_.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  return at < begin + size;
}

std::uint64_t DeviceMemory::bytes_there(std::uint64_t at, std::uint64_t bytes) {
  if (const Allocation* const found = find(at))
    return std::min(bytes, found->at + found->bytes - at);
  const std::uint64_t end_of_globals = addresses_.allocations.end.value;
  const std::uint64_t globals = end_of_globals - globals_.size() * global_bytes;
  if (at >= globals && at < end_of_globals) return std::min(bytes, end_of_globals - at);
  std::uint64_t known = 0;
  while (known < bytes) {
    const auto* const mapping = find_mapping(at + known);
    if (mapping == nullptr) break;
    known = mapping->first + mapping->second.bytes - at;
  }
  return std::min(known, bytes);
}

bool DeviceMemory::is_usable(std::uint64_t at, std::uint64_t bytes, std::uint32_t device) {
  const std::uint64_t end = at + bytes;
  if (const Allocation* allocation = find(at)) return end <= allocation->at + allocation->bytes;
  while (at < end) {
    const auto* mapping = find_mapping(at);
    if (mapping == nullptr || (mapping->second.access >> device & 1U) == 0) return false;
    at = mapping->first + mapping->second.bytes;
  }
  return true;
}

bool DeviceMemory::is_device_address(std::uint64_t at) const {
  return contains(addresses_.allocations, at) || contains(addresses_.reservations, at);
}

}  // namespace vramlab::dry_run
