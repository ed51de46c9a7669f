// TorchDevices: the GPUs that PyTorch has asked for, each made when it is needed, and found again
// by an address, since what PyTorch says of a pointer may be about an older one of the same value.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tools/pytorch/torch_device.h"

namespace vramlab::pytorch {

class TorchDevices {
 public:
  TorchDevices(streams::CudaDriver driver, allocator::Settings settings)
      : driver_(driver), settings_(std::move(settings)) {}

  /// Throws DeviceError where there is no such GPU.
  TorchDevice& at(int index);
  /// Of those that were asked for.
  std::vector<TorchDevice*> all();
  std::map<int, TorchDevice*> by_index();
  /// Asks the one with this index first, then the others, until one says true; whether one did.
  bool find(int hint, const std::function<bool(TorchDevice&)>& is_it);

 private:
  streams::CudaDriver driver_;
  allocator::Settings settings_;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<TorchDevice>> devices_;
};

/// With the options that `environment` names, and the driver of this machine. Throws
/// std::runtime_error without a driver, or where the options are refused.
std::unique_ptr<TorchDevices> open_torch_devices(
    const std::function<const char*(const char*)>& environment);

}  // namespace vramlab::pytorch
