// ExpandableMemory: the driver's side of expandable segments: reserved addresses, the physical
// units that are mapped there, and the devices that may use them: the arena's own, and those of
// contexts that have peer access. All of a call happens or nothing of it.
//
// It is called without the arena's lock, from any thread. Its own lock is held while the driver
// creates, maps and sets access, which waits for no work; not while it unmaps, which may.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/device.h"
#include "tools/preload/segments/context_record.h"

namespace vramlab::shim {

/// The reason why segments cannot expand on this device with these settings, if they cannot.
std::optional<std::string> why_not_expandable(const streams::CudaDriver& driver, CUdevice device,
                                              const Settings& settings);

class ExpandableMemory {
 public:
  explicit ExpandableMemory(ContextRecord& context) : context_(context) {}

  /// The device of the units. Must be the first call.
  void set_device(CUdevice device);

  CUresult reserve(Address* at, Bytes size);
  CUresult map(const UnitRange& range);
  CUresult unmap(Address from, Bytes bytes);
  CUresult release_reservation(Address at);
  /// Units that a refused map() left behind, as the driver could not unmap them at the moment: they
  /// are used by the next map() there, or go with unmap_left_over().
  bool has_left_over() const { return has_left_over_.load(std::memory_order_acquire); }
  CUresult unmap_left_over();

  /// Gives `from` the use of all memory mapped now and later, or takes it.
  CUresult set_peer(const ContextRecord& from, bool may_use);

  /// Memory that is mapped does not go with its context. From now on no more is mapped. Units that
  /// the driver cannot take at the moment stay for the next call. Returns whether any unit went.
  bool give_everything_back();

 private:
  struct Unit {
    CUmemGenericAllocationHandle handle = 0;
    Bytes size;
  };
  struct Range {
    Address at;
    Bytes size;
  };
  using TakenUnits = std::vector<std::pair<Address, Unit>>;
  struct Peer {
    const ContextRecord* context = nullptr;
    CUdevice device = 0;
  };

  CUresult create_and_map(Address at, Bytes size);
  CUresult create_and_map_all(const UnitRange& range);
  CUresult set_access(const Range& range) const;
  /// Changes the access of one peer's device to all units.
  CUresult change_access(CUdevice device, CUmemAccess_flags flags) const;
  CUresult unmap_unit(Address at, const Unit& unit) const;
  /// Goes on after a failure; the first error counts. A passing error leaves the unit here.
  CUresult unmap_all(const TakenUnits& units);
  /// Takes the units out, so that no other call knows of them.
  TakenUnits take_out(const Range& range);
  /// Leaves the units that are still here without an owner. Requires: the lock is not held.
  void leave_over(const TakenUnits& units);
  std::vector<Range> mapped_ranges() const;
  /// The devices without the arena's own, which needs no peer.
  std::set<CUdevice> peer_devices() const;

  ContextRecord& context_;
  std::mutex mutex_;
  /// Below 0 before it is set.
  CUdevice device_ = -1;
  /// Network cards may reach the memory, as they may reach that of cuMemAlloc.
  bool is_for_network_cards_ = false;
  bool is_given_back_ = false;
  std::map<Address, Bytes> reservations_;
  std::map<Address, Unit> units_;
  std::set<Address> left_over_;
  std::atomic<bool> has_left_over_ = false;
  std::vector<Peer> peers_;
};

}  // namespace vramlab::shim
