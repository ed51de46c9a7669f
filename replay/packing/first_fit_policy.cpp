// First fit: a request gets the lowest free range that it fits into, so that what is live gathers
// at low addresses. Not in PyTorch.

#include "replay/packing/policies.h"
#include "replay/packing/segment_policy.h"

namespace vramlab::replay {
namespace {

class FirstFitPolicy final : public SegmentPolicy {
 public:
  explicit FirstFitPolicy(streams::MemoryDevice& device) : SegmentPolicy(device, size_itself) {}

 private:
  std::optional<FreeRange> find(const FreeRanges& free, std::uint64_t size) const override {
    return free.first_fit(size);
  }
};

}  // namespace

std::unique_ptr<SegmentPolicy> make_first_fit(streams::MemoryDevice& device) {
  return std::make_unique<FirstFitPolicy>(device);
}

std::unique_ptr<Policy> make_first_fit_policy(streams::MemoryDevice& device,
                                              const PolicyConditions&) {
  return make_first_fit(device);
}

}  // namespace vramlab::replay
