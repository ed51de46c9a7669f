#include "replay/packing/packing_check.h"

#include <algorithm>
#include <functional>

namespace vramlab::replay {
namespace {

std::string text_of(const std::vector<Buffer>& buffers, const Packing& packing, std::size_t i) {
  return "buffer " + std::to_string(i) + ", from " + std::to_string(buffers[i].begin) + " to " +
         std::to_string(buffers[i].end) + " at offset " + std::to_string(packing.offsets[i].count) +
         " with " + std::to_string(buffers[i].size.count) + " bytes";
}

std::optional<std::string> fault_of_one(const std::vector<Buffer>& buffers, const Packing& packing,
                                        std::size_t i) {
  const std::uint64_t offset = packing.offsets[i].count;
  if (offset % buffers[i].alignment.count != 0)
    return text_of(buffers, packing, i) + " is not aligned";
  if (buffers[i].size.count > 0 &&
      (offset > packing.height.count || buffers[i].size.count > packing.height.count - offset))
    return text_of(buffers, packing, i) + " ends above the height of " +
           std::to_string(packing.height.count);
  return std::nullopt;
}

/// A copy of what is compared, as everything is compared with everything.
struct Placed {
  std::uint64_t until = 0;
  std::uint64_t bottom = 0;
  std::uint64_t top = 0;
  std::size_t index = 0;
};

/// What is over by then is taken out; the first that shares bytes with `added`, if any.
const Placed* compare_with_all(std::vector<Placed>& there, std::uint64_t now, const Placed& added) {
  std::size_t kept = 0;
  const Placed* overlapped = nullptr;
  for (const Placed& other : there) {
    if (other.until <= now) continue;
    there[kept] = other;
    if (overlapped == nullptr && added.bottom < other.top && other.bottom < added.top)
      overlapped = &there[kept];
    ++kept;
  }
  if (overlapped == nullptr) there.resize(kept);
  return overlapped;
}

}  // namespace

std::optional<std::string> packing_fault(const std::vector<Buffer>& buffers,
                                         const Packing& packing) {
  if (packing.offsets.size() != buffers.size()) return "there is not one offset for each buffer";

  std::vector<Placed> there;
  std::uint64_t highest = 0;
  for (const std::size_t i : indices_by(buffers, std::mem_fn(&Buffer::begin))) {
    if (auto fault = fault_of_one(buffers, packing, i)) return fault;
    if (buffers[i].size.count == 0) continue;
    const std::uint64_t bottom = packing.offsets[i].count;
    const Placed added{buffers[i].end, bottom, bottom + buffers[i].size.count, i};
    if (const Placed* other = compare_with_all(there, buffers[i].begin, added))
      return text_of(buffers, packing, i) + " overlaps " + text_of(buffers, packing, other->index);
    there.push_back(added);
    highest = std::max(highest, added.top);
  }
  if (highest != packing.height.count)
    return "the height is " + std::to_string(packing.height.count) + ", the highest end " +
           std::to_string(highest);
  return std::nullopt;
}

}  // namespace vramlab::replay
