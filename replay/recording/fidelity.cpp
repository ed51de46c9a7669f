#include "replay/recording/fidelity.h"

#include <algorithm>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {
namespace {

using allocator::share_of;

/// The least memory whose share is at least `share`. Requires: 0 < threshold < 1.
Bytes least_with_share(double threshold, Bytes share) {
  Bytes whole{static_cast<std::uint64_t>(static_cast<double>(share.count) / threshold)};
  while (whole > Bytes{} && share_of(threshold, whole - Bytes{1}) >= share)
    whole = whole - Bytes{1};
  while (share_of(threshold, whole) < share) whole += Bytes{1};
  return whole;
}

}  // namespace

std::string placed_requests_text(const DeviceFidelity& fidelity) {
  const auto counted = [](std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " request" : " requests");
  };
  std::string text;
  if (fidelity.requests_at_addresses > 0)
    text = counted(fidelity.requests_at_addresses) + " named an address (mallocWithAddress)";
  if (fidelity.restored_requests > 0)
    text += (text.empty() ? "" : ", ") + counted(fidelity.restored_requests) +
            " restored a checkpoint of a pool";
  if (text.empty()) return text;
  return text + ": where no free block begins at such a place, a replay takes another one";
}

std::string_view fidelity_label_name(FidelityLabel label) {
  switch (label) {
    case FidelityLabel::exact:
      return "exact";
    case FidelityLabel::approximate:
      return "approximate";
    case FidelityLabel::not_replayed:
      return "not replayed";
    case FidelityLabel::final_state_only:
      return "final state only";
    case FidelityLabel::different:
      return "different";
  }
  return "unknown";
}

FidelityLabel Fidelity::label() const {
  FidelityLabel weakest = FidelityLabel::final_state_only;
  for (const DeviceFidelity& device : devices) weakest = std::max(weakest, device.label);
  return weakest;
}

double AllowedMemory::fraction_of(Bytes device_memory) const {
  const Bytes allowed = at_least + Bytes{(at_most - at_least).count / 2};
  return std::min(1.0,
                  static_cast<double>(allowed.count) / static_cast<double>(device_memory.count));
}

void GarbageLimits::was_enough(Bytes reserved) { at_least_ = std::max(at_least_, reserved); }

void GarbageLimits::was_too_much(Bytes reserved) { below_ = std::min(below_, reserved); }

std::optional<AllowedMemory> GarbageLimits::allowed(double threshold, Bytes peak_reserved) const {
  if (below_ == allocator::unlimited || at_least_ >= below_) return std::nullopt;
  const AllowedMemory range{std::max(peak_reserved, least_with_share(threshold, at_least_)),
                            least_with_share(threshold, below_) - Bytes{1}};
  if (range.at_least > range.at_most) return std::nullopt;
  return range;
}

}  // namespace vramlab::replay
