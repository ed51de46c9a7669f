// A device that adds the least to ClassicDevice: rows of addresses, one behind another.
#include <map>

#include "allocator/types/classic_device.h"
#include "tests/contract/device_contract.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;

class RowOfAddresses final : public ClassicDevice {
 public:
  allocator::MemoryInfo memory_info() override { return {free_, 1_GiB}; }
  std::optional<Address> allocate(Bytes size, StreamId /*stream*/) override {
    if (size > free_) return std::nullopt;
    free_ -= size;
    const Address at = end_;
    end_ = end_ + size;
    sizes_.emplace(at, size);
    return at;
  }
  void release(Address at) override {
    free_ += sizes_.at(at);
    sizes_.erase(at);
  }

 private:
  Bytes free_ = 1_GiB;
  Address end_{0x1000};
  std::map<Address, Bytes> sizes_;
};

struct ClassicTraits {
  static constexpr Bytes unit = 2_MiB;
  static constexpr bool memory_is_exact = true;
  static std::unique_ptr<RowOfAddresses> make() { return std::make_unique<RowOfAddresses>(); }
};

}  // namespace

INSTANTIATE_TYPED_TEST_SUITE_P(Classic, DeviceContract, ClassicTraits);

}  // namespace vramlab::tests
