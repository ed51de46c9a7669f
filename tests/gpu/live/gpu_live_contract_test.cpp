// The device contract on a real GPU. Others may use its memory meanwhile, so free bytes are not
// compared, but for a device with a limit, which counts by itself.
#include "streams/live/driven_live_device.h"
#include "tests/contract/device_contract.h"
#include "tests/gpu/live/real_gpu.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;

struct RealGpuTraits {
  static constexpr allocator::Bytes unit = 2_MiB;
  static constexpr bool memory_is_exact = false;
  static std::unique_ptr<allocator::Device> make() {
    return std::make_unique<streams::LiveDevice>(real_driver(), streams::LiveOptions{});
  }
};

struct RealGpuLargeUnitTraits {
  static constexpr allocator::Bytes unit = 20_MiB;
  static constexpr bool memory_is_exact = false;
  static std::unique_ptr<allocator::Device> make() { return RealGpuTraits::make(); }
};

struct LimitedRealGpuTraits {
  static constexpr allocator::Bytes unit = 2_MiB;
  static constexpr bool memory_is_exact = true;
  static std::unique_ptr<allocator::Device> make() {
    return std::make_unique<streams::DrivenLiveDevice>(
        real_driver(), streams::LiveOptions{.memory_limit = 512_MiB});
  }
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(RealGpu, DeviceContract, RealGpuTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(RealGpu, RangeContract, RealGpuTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(RealGpuLargeUnits, DeviceContract, RealGpuLargeUnitTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(RealGpuLargeUnits, RangeContract, RealGpuLargeUnitTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(LimitedRealGpu, DeviceContract, LimitedRealGpuTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(LimitedRealGpu, RangeContract, LimitedRealGpuTraits);

}  // namespace vramlab::tests
