#include "replay/packing/packing_check.h"

#include <algorithm>

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

bool share_bytes(const std::vector<Buffer>& buffers, const Packing& packing, std::size_t a,
                 std::size_t b) {
  return packing.offsets[a] < packing.offsets[b] + buffers[b].size &&
         packing.offsets[b] < packing.offsets[a] + buffers[a].size;
}

}  // namespace

std::optional<std::string> packing_fault(const std::vector<Buffer>& buffers,
                                         const Packing& packing) {
  if (packing.offsets.size() != buffers.size()) return "there is not one offset for each buffer";
  std::vector<std::size_t> order(buffers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return buffers[i].begin; });
  std::vector<std::size_t> there;
  std::uint64_t highest = 0;
  for (const std::size_t i : order) {
    if (auto fault = fault_of_one(buffers, packing, i)) return fault;
    std::erase_if(there, [&](std::size_t j) { return buffers[j].end <= buffers[i].begin; });
    if (buffers[i].size.count == 0) continue;
    highest = std::max(highest, (packing.offsets[i] + buffers[i].size).count);
    for (const std::size_t j : there)
      if (share_bytes(buffers, packing, i, j))
        return text_of(buffers, packing, i) + " overlaps " + text_of(buffers, packing, j);
    there.push_back(i);
  }
  if (highest != packing.height.count)
    return "the height is " + std::to_string(packing.height.count) + ", the highest end " +
           std::to_string(highest);
  return std::nullopt;
}

}  // namespace vramlab::replay
