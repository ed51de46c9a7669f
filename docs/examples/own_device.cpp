// A device of one's own: memory of the host, in whole segments, behind PyTorch's rules of caching.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "allocator/caching_allocator.h"
#include "allocator/types/classic_device.h"

using namespace vramlab;
using namespace vramlab::allocator::literals;

class HostDevice final : public ClassicDevice {
 public:
  allocator::MemoryInfo memory_info() override { return {total - used_, total}; }

  std::optional<Address> allocate(Bytes size, StreamId) override {
    if (size > total - used_) return std::nullopt;
    void* const place = std::aligned_alloc(512, size.count);
    if (place == nullptr) return std::nullopt;
    const Address at{reinterpret_cast<std::uintptr_t>(place)};
    sizes_.emplace(at, size);
    used_ += size;
    return at;
  }

  void release(Address at) override {
    used_ -= sizes_.at(at);
    sizes_.erase(at);
    std::free(reinterpret_cast<void*>(at.value));
  }

 private:
  static constexpr Bytes total = 64_MiB;
  Bytes used_;
  std::map<Address, Bytes> sizes_;
};

int main() {
  HostDevice device;
  allocator::CountingAllocator allocator(device, allocator::default_reference_version());
  const StreamId stream{0};

  const MallocResult first = allocator.malloc(5_MiB, stream);
  std::memset(reinterpret_cast<void*>(first.address.value), 1, (5_MiB).count);
  allocator.free(first.address);
  const MallocResult second = allocator.malloc(3_MiB, stream);
  std::printf("the same memory again: %s\n", second.address == first.address ? "yes" : "no");

  const MallocResult large = allocator.malloc(60_MiB, stream);
  if (!large) {
    const OutOfMemory& failure = allocator.last_failure();
    std::printf("out of memory: %s asked for, %s of %s left\n",
                format_bytes(failure.request).c_str(), format_bytes(failure.device_free).c_str(),
                format_bytes(failure.device_total).c_str());
  }
  allocator.free(second.address);
  allocator.empty_cache();
  std::printf("left at the end: %s\n", format_bytes(device.memory_info().free).c_str());
}
