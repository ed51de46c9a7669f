#include "streams/device/timed_device.h"
#include "tests/contract/device_contract.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;

struct CountedTimedTraits {
  static constexpr allocator::Bytes unit = 2_MiB;
  static constexpr bool memory_is_exact = true;
  static std::unique_ptr<allocator::Device> make() {
    return std::make_unique<streams::CountedTimedDevice>(streams::MemoryOptions{.total = 1_GiB});
  }
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(CountedTimed, DeviceContract, CountedTimedTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(CountedTimed, RangeContract, CountedTimedTraits);

}  // namespace vramlab::tests
