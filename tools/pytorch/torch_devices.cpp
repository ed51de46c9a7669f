#include "tools/pytorch/torch_devices.h"

#include <stdexcept>

#include "allocator/options/settings.h"
#include "tools/pytorch/loaded_pytorch.h"

namespace vramlab::pytorch {
namespace {

Settings settings_from(const std::string& options, const ReferenceVersion& reference) {
  if (options.empty()) return {};
  auto parsed = allocator::parse_settings({}, options, reference);
  if (parsed.error)
    throw std::runtime_error("vramlab_torch: the options '" + options +
                             "' are refused: " + parsed.error->message);
  return std::move(parsed.settings);
}

}  // namespace

TorchDevice& TorchDevices::at(int index) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<TorchDevice>& device = devices_[index];
  if (device) return *device;
  const auto found = streams::find_gpu(driver_, index);
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&found))
    throw DeviceError(missing->reason);
  device = std::make_unique<TorchDevice>(driver_, index, rules_);
  return *device;
}

std::map<int, TorchDevice*> TorchDevices::by_index() {
  const std::lock_guard lock(mutex_);
  std::map<int, TorchDevice*> made;
  for (const auto& [index, device] : devices_)
    if (device) made[index] = device.get();
  return made;
}

TorchDevice* TorchDevices::known(int index) {
  const std::lock_guard lock(mutex_);
  const auto found = devices_.find(index);
  return found == devices_.end() ? nullptr : found->second.get();
}

std::unique_ptr<TorchDevices> open_torch_devices(
    const std::function<const char*(const char*)>& environment) {
  auto driver = streams::open_cuda_driver();
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&driver))
    throw std::runtime_error("vramlab_torch: " + missing->reason);
  const ReferenceVersion& reference = reference_of_loaded_pytorch();
  std::string options;
  for (const char* const name :
       {"VRAMLAB_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}) {
    const char* const text = environment(name);
    if (text != nullptr && options.empty()) options = text;
  }
  return std::make_unique<TorchDevices>(std::get<streams::CudaDriver>(driver),
                                        TorchRules{reference, settings_from(options, reference)});
}

}  // namespace vramlab::pytorch
