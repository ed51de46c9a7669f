#include "streams/device/timed_device.h"
#include "tests/contract/device_contract.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;

struct TimedDeviceWithStreams {
  struct Parts {
    Parts() { static_cast<void>(streams.begin_call({0}, std::nullopt)); }
    streams::StreamWatcher nobody;
    streams::TimedStreams streams{{}, nobody};
    streams::TimedDevice device{streams::MemoryOptions{.total = 1_GiB}, streams, 0};
  };
  std::unique_ptr<Parts> parts = std::make_unique<Parts>();
  allocator::Device* get() const { return &parts->device; }
};

struct TimedTraits {
  static constexpr allocator::Bytes unit = 2_MiB;
  static constexpr bool memory_is_exact = true;
  static TimedDeviceWithStreams make() { return {}; }
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Timed, DeviceContract, TimedTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(Timed, RangeContract, TimedTraits);

}  // namespace vramlab::tests
