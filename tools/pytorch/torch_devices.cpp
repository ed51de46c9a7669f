#include "tools/pytorch/torch_devices.h"

#include <stdexcept>

#include "allocator/options/settings.h"
#include "allocator/words/reference_version.h"

namespace vramlab::pytorch {
namespace {

Settings settings_from(const std::string& options) {
  if (options.empty()) return {};
  auto parsed = allocator::parse_settings({}, options, allocator::default_reference_version());
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
  device = std::make_unique<TorchDevice>(driver_, index, settings_);
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
  const char* options = environment("VRAMLAB_ALLOC_CONF");
  if (options == nullptr) options = environment("PYTORCH_CUDA_ALLOC_CONF");
  return std::make_unique<TorchDevices>(std::get<streams::CudaDriver>(driver),
                                        settings_from(options == nullptr ? "" : options));
}

}  // namespace vramlab::pytorch
