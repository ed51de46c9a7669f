// The lifetimes of a recording's blocks: of a history as its entries tell, of a program as a
// replay of it under its own options on a device without limits shows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replay/packing/lifetimes.h"
#include "replay/replayer/replayer.h"

namespace vramlab::replay {

struct FoundLifetimes {
  const ReferenceVersion* version = nullptr;
  /// In force when it begins.
  allocator::Settings settings;
  /// By number.
  std::vector<DeviceLifetimes> devices;
  /// Sentences: what is not sure.
  std::vector<std::string> notes;
};

/// Throws InputError.
FoundLifetimes find_lifetimes(Recording& recording);

/// Each device's, as a replay under the options in the file shows them where nothing limits memory.
/// The conditions' `timing` and `scratch` count. Throws InputError.
std::vector<DeviceLifetimes> lifetimes_of(const Replayer& replayer,
                                          const ReplayConditions& conditions);

/// By device, how many requests were made before each end of an iteration; empty where no
/// iterations are found. Throws InputError.
std::map<std::int64_t, std::vector<std::uint64_t>> find_iteration_ends(Recording& recording);

}  // namespace vramlab::replay
