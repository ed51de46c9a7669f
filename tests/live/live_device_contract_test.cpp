// LiveDevice and what stands on it keep the device contract, on the fake driver. On a GPU:
// tests/gpu/live.
#include "streams/live/driven_live_device.h"
#include "tests/contract/device_contract.h"
#include "tests/live/fake_gpu.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;

template <class LiveKind>
struct OnFakeGpu {
  struct Parts {
    explicit Parts(streams::LiveOptions options) : device(gpu.driver(), std::move(options)) {}
    FakeGpu gpu{1ULL << 30, fake::FreeRule::returns_at_once};
    LiveKind device;
  };
  explicit OnFakeGpu(streams::LiveOptions options)
      : parts(std::make_unique<Parts>(std::move(options))) {}
  allocator::Device* get() const { return &parts->device; }
  std::unique_ptr<Parts> parts;
};

struct LiveTraits {
  static constexpr allocator::Bytes unit = 2_MiB;
  static constexpr bool memory_is_exact = true;
  static OnFakeGpu<streams::LiveDevice> make() { return OnFakeGpu<streams::LiveDevice>({}); }
};

struct LiveLargeUnitTraits {
  static constexpr allocator::Bytes unit = 20_MiB;
  static constexpr bool memory_is_exact = true;
  static OnFakeGpu<streams::LiveDevice> make() { return OnFakeGpu<streams::LiveDevice>({}); }
};

struct LimitedLiveTraits {
  static constexpr allocator::Bytes unit = 2_MiB;
  static constexpr bool memory_is_exact = true;
  static OnFakeGpu<streams::LiveDevice> make() {
    return OnFakeGpu<streams::LiveDevice>({.memory_limit = 64_MiB});
  }
};

struct SteeredLiveTraits {
  static constexpr allocator::Bytes unit = 2_MiB;
  static constexpr bool memory_is_exact = true;
  static OnFakeGpu<streams::DrivenLiveDevice> make() {
    return OnFakeGpu<streams::DrivenLiveDevice>({.memory_limit = 64_MiB});
  }
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Live, DeviceContract, LiveTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(Live, RangeContract, LiveTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(LiveLargeUnits, DeviceContract, LiveLargeUnitTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(LiveLargeUnits, RangeContract, LiveLargeUnitTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(LimitedLive, DeviceContract, LimitedLiveTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(LimitedLive, RangeContract, LimitedLiveTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(SteeredLive, DeviceContract, SteeredLiveTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(SteeredLive, RangeContract, SteeredLiveTraits);

}  // namespace vramlab::tests
