// After TLSF (two-level segregated fit): free ranges are sorted into classes, sixteen for each
// power of two, and a request takes from the first class in which everything is large enough, so
// that finding one takes the same time always. Only before the device is asked for more, its own
// class is looked through as well. TLSF takes the range of a class that was freed last; here it is
// the lowest one. Not in PyTorch.
#include <bit>

#include "replay/packing/policies.h"
#include "replay/packing/segment_policy.h"

namespace vramlab::replay {
namespace {

constexpr unsigned class_bits = 4;

/// Requires: at least 16.
std::uint64_t class_of(std::uint64_t size) {
  const auto exponent = static_cast<unsigned>(std::bit_width(size)) - 1;
  const std::uint64_t part = (size >> (exponent - class_bits)) & ((1U << class_bits) - 1);
  return (std::uint64_t{exponent} << class_bits) + part;
}

/// The first class with nothing smaller than this in it.
std::uint64_t class_from(std::uint64_t size) {
  const auto exponent = static_cast<unsigned>(std::bit_width(size)) - 1;
  return class_of(size + (std::uint64_t{1} << (exponent - class_bits)) - 1);
}

class TlsfPolicy final : public SegmentPolicy {
 public:
  explicit TlsfPolicy(streams::MemoryDevice& device) : SegmentPolicy(device, class_of) {}

 private:
  std::optional<FreeRange> find(const FreeRanges& free, std::uint64_t size) const override {
    const auto found = free.first_of_key(class_from(size));
    return found ? found : free.best_fit(size, 1);
  }
};

}  // namespace

std::unique_ptr<Policy> make_tlsf_policy(streams::MemoryDevice& device, const PolicyConditions&) {
  return std::make_unique<TlsfPolicy>(device);
}

}  // namespace vramlab::replay
