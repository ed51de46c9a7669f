// DeviceMemory: the memory of all devices, and what is known of every allocation in it: the
// stand-in driver's side of cuMemAlloc, pinned and managed memory, reservations and physical
// memory.
//
// Addresses and limits are the simulator's. With host memory as backing, device addresses are
// addresses of this process, and what lies there stays there when it is given back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "streams/memory/simulated_memory.h"
#include "tools/cuda_standins/model/driver_options.h"
#include "tools/cuda_standins/model/shared_devices.h"
#include "tools/cuda_standins/model/shared_units.h"

namespace vramlab::dry_run {

/// Registered memory stays its owner's.
enum class MemoryKind : std::uint8_t {
  device,
  managed,
  pinned_host,
  registered_host,
  pool,
  array,
  /// Memory of another process, which has addresses here.
  imported,
  /// As imported, and freed as memory of the process: of external objects and others' pools.
  external,
  /// Memory of a graph: it has addresses, and bytes while the graph can be launched.
  graph,
};

struct Allocation {
  std::uint64_t at = 0;
  /// The bytes that were asked for.
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  std::uint32_t device = 0;
  /// The number of the context that made it.
  std::uint32_t context = 0;
  unsigned flags = 0;
  std::uint64_t buffer_id = 0;
  bool sync_memops = false;
  bool is_exported = false;
};

/// Physical memory of cuMemCreate. It goes when its handle is released and nothing maps it.
struct PhysicalMemory {
  std::uint32_t device = 0;
  /// 0 where another process has it.
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
  std::uint32_t handles = 1;
  std::uint32_t mappings = 0;
};

struct Mapping {
  std::uint64_t bytes = 0;
  std::uint64_t physical = 0;
  /// One bit for each device that may use it.
  std::uint64_t access = 0;
};

/// Managed memory of a device (cuMemAllocManaged), which lies on the host here. On a GPU it moves
/// to the device where that has room, and pages to the host otherwise.
struct ManagedMemory {
  std::uint64_t bytes = 0;
  std::uint64_t peak = 0;
  /// As much as there was at the peak of the device's own memory.
  std::uint64_t at_peak_used = 0;
  /// The peak of both together.
  std::uint64_t peak_with_used = 0;
};

class DeviceMemory {
 public:
  /// Larger requests are refused before anything is rounded or added.
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

  explicit DeviceMemory(const DriverOptions& options);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  /// Empty if there is no room. The address and the id are chosen here, except for addresses of
  /// registered memory and of pools.
  std::optional<std::uint64_t> allocate(Allocation wish);
  /// Requires: there is an allocation at this address.
  void release(std::uint64_t at);
  /// The allocation that the address lies in.
  Allocation* find(std::uint64_t address);
  const std::map<std::uint64_t, Allocation>& allocations() const { return allocations_; }

  /// Memory of a device that is no allocation by itself; pools are made of it.
  std::optional<std::uint64_t> take(std::uint32_t device, std::uint64_t bytes);
  void give_back(std::uint32_t device, std::uint64_t at);

  std::optional<std::uint64_t> reserve(std::uint64_t bytes);
  /// False where this is no reservation, or something is still mapped in it.
  bool release_reservation(std::uint64_t at, std::uint64_t bytes);
  /// A handle of memory that another process has: it does not count here.
  std::uint64_t import_physical(std::uint32_t device, std::uint64_t bytes);
  /// A handle.
  std::optional<std::uint64_t> create_physical(std::uint32_t device, std::uint64_t bytes);
  PhysicalMemory* find_physical(std::uint64_t handle);
  bool release_physical(std::uint64_t handle);
  /// False where it lies in no reservation, or something is mapped there.
  bool map(std::uint64_t at, std::uint64_t bytes, std::uint64_t handle);
  /// False where the range does not consist of whole mappings.
  bool unmap(std::uint64_t at, std::uint64_t bytes);
  /// Changes the access of one device from now on.
  enum class Access : bool { none, all };
  bool set_access(streams::AddressRange range, std::uint32_t device, Access access);
  const std::pair<const std::uint64_t, Mapping>* find_mapping(std::uint64_t address) const;

  /// Whether all of the range is memory that work on this device may use.
  bool is_usable(std::uint64_t at, std::uint64_t bytes, std::uint32_t device);
  /// How many bytes of one allocation, of mappings beside each other or of a module's variable
  /// begin there, whoever may use them; at most as many as asked for.
  std::uint64_t bytes_there(std::uint64_t at, std::uint64_t bytes);
  bool is_reserved(std::uint64_t at) const;
  /// Whether the address belongs to a device and not to the host.
  bool is_device_address(std::uint64_t at) const;
  /// Whether device memory has bytes behind it.
  bool is_backed() const { return backing_ == Backing::host_memory; }
  /// A kernel of the program, or work of one of CUDA's libraries, was put on a stream of the
  /// device: the first of each changes where a driver puts memory.
  void note_work(std::uint32_t device, streams::WorkSoFar work);
  /// The figures that programs are told.
  allocator::MemoryInfo info(std::uint32_t device) const;
  /// Null unless processes share the devices.
  SharedDevices* shared() const { return shared_.get(); }
  std::uint64_t peak_used(std::uint32_t device) const { return devices_.at(device).peak_used; }
  const ManagedMemory& managed(std::uint32_t device) const { return devices_.at(device).managed; }
  /// Bytes that other users of the device hold.
  void set_external(std::uint32_t device, std::uint64_t bytes);
  /// The address of a variable of a module. The code that it belongs to has its memory, so it does
  /// not count.
  std::uint64_t global_variable(const std::string& name);
  static constexpr std::uint64_t global_bytes = 4096;
  std::uint64_t granularity() const { return granularity_; }

 private:
  using Mappings = std::map<std::uint64_t, Mapping>;

  struct Device {
    streams::SimulatedMemory memory;
    /// The device's number in the machine.
    std::uint32_t number = 0;
    streams::WorkSoFar work = streams::WorkSoFar::none;
    std::uint64_t external = 0;
    std::uint64_t peak_used = 0;
    ManagedMemory managed = {};
    /// Units of the granularity that small allocations share. How a GPU's driver shares them is
    /// not documented.
    SharedUnits small = {};

    void note_peaks();
  };

  void take_addresses(const std::vector<AddressPlan>& others);
  bool take_if_free(const AddressPlan& plan);
  bool take_if_free(streams::AddressRange range);
  std::optional<std::uint64_t> take_alone(Device& on, std::uint64_t bytes);
  std::optional<std::uint64_t> allocate_small(std::uint32_t device, std::uint64_t bytes);
  void release_device_memory(std::uint32_t device, std::uint64_t at);
  bool has_mapping_in(std::uint64_t at, std::uint64_t bytes) const;
  /// The mappings that the range consists of; nothing where it has gaps or cuts one.
  std::optional<std::vector<Mappings::iterator>> whole_mappings(std::uint64_t at,
                                                                std::uint64_t bytes);
  void drop_if_unused(std::uint64_t handle);

  std::uint64_t granularity_;
  std::uint64_t told_bytes_;
  std::uint64_t context_bytes_;
  AddressPlan addresses_;
  Backing backing_;
  std::unique_ptr<SharedDevices> shared_;
  std::vector<Device> devices_;
  /// Addresses of this process that were taken for devices.
  std::vector<streams::AddressRange> taken_;
  std::map<std::uint64_t, Allocation> allocations_;
  std::map<std::uint64_t, std::uint64_t> reservations_;
  Mappings mappings_;
  std::map<std::uint64_t, PhysicalMemory> physical_;
  std::unordered_map<std::string, std::uint64_t> globals_;
  std::uint64_t next_buffer_id_ = 1;
  std::uint64_t next_physical_ = 1;
};

// PinnedCalls: which pinned host memory a process obtained and gave back, in order, for the report
// of a dry run. The memory itself is real and lies elsewhere.

enum class PinnedCallKind : std::uint8_t { host_alloc, host_free, host_register, host_unregister };

struct PinnedCall {
  PinnedCallKind kind;
  std::uint64_t bytes;
};

class PinnedCalls {
 public:
  /// Later calls are counted only.
  static constexpr std::size_t most_calls = 100'000;

  void add(PinnedCall call) {
    const bool obtains =
        call.kind == PinnedCallKind::host_alloc || call.kind == PinnedCallKind::host_register;
    pinned_bytes_ = obtains ? pinned_bytes_ + call.bytes : pinned_bytes_ - call.bytes;
    peak_bytes_ = std::max(peak_bytes_, pinned_bytes_);
    ++count_;
    if (calls_.size() < most_calls) calls_.push_back(call);
  }

  std::uint64_t peak_bytes() const { return peak_bytes_; }
  std::uint64_t count() const { return count_; }
  const std::vector<PinnedCall>& first_calls() const { return calls_; }

 private:
  std::uint64_t pinned_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
  std::uint64_t count_ = 0;
  std::vector<PinnedCall> calls_;
};

}  // namespace vramlab::dry_run
