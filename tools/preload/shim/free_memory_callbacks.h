// FreeMemoryCallbacks: what the program registered to be asked for memory when no cached block
// fits, before the driver is asked.
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "streams/cuda_interface/types.h"

namespace vramlab::shim {

/// From any thread.
class FreeMemoryCallbacks {
 public:
  void add(CUdevice device, std::function<bool()> callback);
  /// Asks all that are of the device, in their order. Whether one freed something; no for requests
  /// that a callback makes itself. Requires: no lock is held, as a callback may free.
  bool ask(CUdevice device) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<CUdevice, std::function<bool()>>> callbacks_;
};

}  // namespace vramlab::shim
