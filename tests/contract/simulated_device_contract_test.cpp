#include "streams/device/simulated_device.h"
#include "tests/contract/device_contract.h"
#include "tests/support/devices/fault_injecting_device.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;

struct SimulatedTraits {
  static constexpr allocator::Bytes unit = 2_MiB;
  static constexpr bool memory_is_exact = true;
  static std::unique_ptr<allocator::Device> make() {
    return std::make_unique<streams::SimulatedDevice>(1_GiB);
  }
};

struct FineGrainedTraits {
  static constexpr allocator::Bytes unit = 4_KiB;
  static constexpr bool memory_is_exact = true;
  static std::unique_ptr<allocator::Device> make() {
    return std::make_unique<streams::SimulatedDevice>(
        streams::MemoryOptions{.total = 1_MiB, .granularity = 4_KiB});
  }
};

struct DeviceWithoutFaults {
  streams::SimulatedDevice simulated{1_GiB};
  FaultInjectingDevice device{simulated};
  allocator::Device* get() { return &device; }
};

struct NoFaultsTraits {
  static constexpr allocator::Bytes unit = 20_MiB;
  static constexpr bool memory_is_exact = true;
  static DeviceWithoutFaults make() { return {}; }
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, DeviceContract, SimulatedTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, RangeContract, SimulatedTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(FineGrained, DeviceContract, FineGrainedTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(FineGrained, RangeContract, FineGrainedTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(FaultInjectingWithoutFaults, DeviceContract, NoFaultsTraits);
INSTANTIATE_TYPED_TEST_SUITE_P(FaultInjectingWithoutFaults, RangeContract, NoFaultsTraits);

}  // namespace vramlab::tests
