// DeviceConditions: under what one device of a program is replayed. ReplaySetup makes them.
#pragma once

#include "allocator/options/settings.h"
#include "replay/devices/device_sides.h"
#include "replay/run/replay_conditions.h"
#include "streams/device/device_costs.h"
#include "streams/memory/simulated_memory.h"

namespace vramlab::replay {

class StreamProgram;

/// Where the segments are laid out that were there at the start.
enum class StartPlaces : bool { as_recorded, where_the_device_puts_them };

struct DeviceConditions {
  const allocator::ReferenceVersion& version;
  allocator::Settings settings;
  allocator::Bytes memory;
  std::optional<double> memory_fraction;
  /// In place of what the program says of others.
  std::optional<allocator::Bytes> held_by_others = {};
  FreeTiming timing = FreeTiming::recorded;
  /// Of modelled timing: what all devices of the program share, and what must outlive this.
  StreamProgram* streams = nullptr;
  /// The program's own changes of options are left out.
  bool keeps_settings = false;
  /// Entries of history to keep.
  std::size_t history_capacity = 0;
  /// For a history that is kept as a whole.
  traces::ScratchPlace scratch = {};
  /// What states tell beside the snapshot is noted.
  NotesOrigins notes_origins = NotesOrigins::no;
  streams::PlacementRule placement = {};
  /// Larger reservations are left to the device.
  allocator::Bytes dictated_below{UINT64_MAX};
  streams::KeepsPlaceBook keeps_place_book = streams::KeepsPlaceBook::no;
  /// What device calls cost; estimates where there are none.
  std::shared_ptr<const streams::DeviceCosts> costs = {};
  /// Hears of device memory that was given back.
  std::function<void(streams::AddressRange)> released = {};
  /// Where something else than a simulated device is to be replayed on. Not with modelled timing.
  MakeDevice make_device = {};
  StartPlaces start_places = StartPlaces::as_recorded;

  const streams::DeviceCosts& device_costs() const {
    return costs ? *costs : streams::estimated_costs();
  }
};

}  // namespace vramlab::replay
