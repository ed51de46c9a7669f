// TorchDevices: the GPUs that PyTorch has asked for, each made when it is needed, and found again
// by an address, since what PyTorch says of a pointer may be about an older one of the same value.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tools/pytorch/torch_device.h"

namespace vramlab::pytorch {

class TorchDevices {
 public:
  TorchDevices(streams::CudaDriver driver, TorchRules rules)
      : driver_(driver), rules_(std::move(rules)) {}

  const ReferenceVersion& reference() const { return rules_.reference; }

  /// Throws DeviceError where there is no such GPU.
  TorchDevice& at(int index);
  /// Those that were asked for. They stay where they are as long as this lives.
  std::map<int, TorchDevice*> by_index();
  /// Asks the one with this index first, then the others, until one says true; whether one did.
  template <class Question>
  bool find(int hint, const Question& is_it);

 private:
  /// Null where nobody asked for it yet.
  TorchDevice* known(int index);

  streams::CudaDriver driver_;
  TorchRules rules_;
  std::mutex mutex_;
  std::map<int, std::unique_ptr<TorchDevice>> devices_;
};

template <class Question>
bool TorchDevices::find(int hint, const Question& is_it) {
  TorchDevice* const first = known(hint);
  if (first != nullptr && is_it(*first)) return true;
  for (const auto& [index, device] : by_index())
    if (device != first && is_it(*device)) return true;
  return false;
}

/// With the options that `environment` names, the rules of the PyTorch around this library, and the
/// driver of this machine. Throws
/// std::runtime_error without a driver, or where the options are refused.
std::unique_ptr<TorchDevices> open_torch_devices(
    const std::function<const char*(const char*)>& environment);

}  // namespace vramlab::pytorch
