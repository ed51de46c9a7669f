#include "replay/metrics/holes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <vector>

namespace vramlab::replay {

std::vector<HoleClass> holes_by_size(const Snapshot& snapshot) {
  std::map<std::pair<PoolKind, Bytes>, HoleClass> classes;
  for (const SnapshotSegment& segment : snapshot.segments)
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state != BlockState::inactive) continue;
      const Bytes from{std::bit_floor(block.size.count)};
      HoleClass& hole_class = classes[{segment.kind, from}];
      hole_class.kind = segment.kind;
      hole_class.from = from;
      ++hole_class.count;
      hole_class.bytes += block.size;
    }
  std::vector<HoleClass> found;
  for (const auto& [key, hole_class] : classes) found.push_back(hole_class);
  return found;
}

namespace {

/// If many things are as large, the one that keeps memory counts.
char letter_of(const std::array<double, 3>& shares) {
  constexpr std::array<char, 3> letters = {'#', '~', '.'};
  const auto most = std::ranges::max_element(shares);
  return letters[static_cast<std::size_t>(most - shares.begin())];
}

}  // namespace

std::string occupancy_map(const SnapshotSegment& segment, std::size_t letters) {
  std::vector<std::array<double, 3>> shares(letters);
  const double width = static_cast<double>(segment.total_size.count) / static_cast<double>(letters);
  for (const SnapshotBlock& block : segment.blocks) {
    const auto begin = static_cast<double>((block.address - segment.address).count);
    const double end = begin + static_cast<double>(block.size.count);
    for (auto i = static_cast<std::size_t>(begin / width); i < letters; ++i) {
      const double left = std::max(begin, static_cast<double>(i) * width);
      const double right = std::min(end, static_cast<double>(i + 1) * width);
      if (right <= left) break;
      shares[i][static_cast<std::size_t>(block.state)] += right - left;
    }
  }
  std::string map;
  for (const auto& share : shares) map += letter_of(share);
  return map;
}

}  // namespace vramlab::replay
