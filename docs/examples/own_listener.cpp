// A listener of one's own: it hears the facts that the allocator announces, at compile time, and
// counts what rounding and cutting give away beyond what was asked for. The device is a simulated
// GPU.
#include <cstdio>

// The bodies too, as this set of listeners is instantiated here.
#include "allocator/caching_allocator_steps.h"
#include "streams/device/simulated_device.h"

using namespace vramlab;
using namespace vramlab::allocator::literals;

/// It hides the functions of those facts that it wants to hear.
class GivenAway : public allocator::Listener {
 public:
  void handed_out(const allocator::BlockFact& block, allocator::Oversize) {
    asked_ += block.requested;
    given_ += block.size;
  }
  void segment_got(const allocator::RangeFact& range, allocator::Oversize) {
    std::printf("a segment of %s\n", format_bytes(range.size).c_str());
  }
  Bytes asked() const { return asked_; }
  Bytes given() const { return given_; }

 private:
  Bytes asked_;
  Bytes given_;
};

int main() {
  streams::SimulatedDevice device(1_GiB);
  allocator::CachingAllocator<allocator::Listeners<allocator::Statistics, GivenAway>> allocator(
      device, *allocator::find_reference_version("2.15"));
  if (const auto error = allocator.set_options("roundup_power2_divisions:4")) {
    std::printf("%s\n", error->message.c_str());
    return 1;
  }
  for (const Bytes size : {100_KiB, 700_KiB, 9_MiB, 33_MiB})
    allocator.free(allocator.malloc(size, StreamId{0}).address);

  const GivenAway& given_away = allocator.listeners();
  std::printf("asked for %s, given %s\n", format_bytes(given_away.asked()).c_str(),
              format_bytes(given_away.given()).c_str());
}
