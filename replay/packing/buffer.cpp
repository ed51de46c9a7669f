#include "replay/packing/buffer.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "allocator/types/check.h"

namespace vramlab::replay {
namespace {

struct Change {
  std::uint64_t at = 0;
  bool begins = false;
  std::uint32_t buffer = 0;
};

/// Begins and ends in order of time; ends before begins.
std::vector<Change> changes_of(const std::vector<Buffer>& buffers) {
  std::vector<Change> changes;
  changes.reserve(buffers.size() * 2);
  for (std::uint32_t i = 0; i < buffers.size(); ++i) {
    check(buffers[i].begin < buffers[i].end, "a buffer begins before it ends");
    changes.push_back({buffers[i].begin, true, i});
    changes.push_back({buffers[i].end, false, i});
  }
  std::ranges::sort(changes, [](const Change& a, const Change& b) {
    if (a.at != b.at) return a.at < b.at;
    if (a.begins != b.begins) return b.begins;
    return a.buffer < b.buffer;
  });
  return changes;
}

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

/// A copy of the compared values, as every buffer is compared with every other.
struct Placed {
  std::uint64_t until = 0;
  std::uint64_t bottom = 0;
  std::uint64_t top = 0;
  std::size_t index = 0;
};

/// The first buffer that shares bytes with `added`, if any. Takes out buffers that have ended.
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

Sections sections_of(const std::vector<Buffer>& buffers) {
  check(buffers.size() < std::numeric_limits<std::uint32_t>::max(), "buffers can be counted");
  Sections sections;
  sections.spans.resize(buffers.size());
  std::uint64_t load = 0;
  bool begins_before = false;
  for (const Change& change : changes_of(buffers)) {
    const std::uint64_t size = buffers[change.buffer].size.count;
    if (change.begins && !begins_before) sections.loads.push_back(0);
    begins_before = change.begins;
    const auto count = static_cast<std::uint32_t>(sections.loads.size());
    if (change.begins) {
      load += size;
      sections.loads.back() = load;
      sections.spans[change.buffer].first = count - 1;
    } else {
      load -= size;
      sections.spans[change.buffer].last = count;
    }
  }
  return sections;
}

Bytes load_bound(const Sections& sections) {
  return {sections.loads.empty() ? 0 : std::ranges::max(sections.loads)};
}

Bytes height_of(const std::vector<Buffer>& buffers, const std::vector<Bytes>& offsets) {
  Bytes height;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].size.count > 0) height = std::max(height, offsets[i] + buffers[i].size);
  return height;
}

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
