#include "replay/packing/buffer.h"

#include <algorithm>
#include <limits>

#include "allocator/types/check.h"

namespace vramlab::replay {
namespace {

struct Change {
  std::uint64_t at = 0;
  bool begins = false;
  std::uint32_t buffer = 0;
};

/// In order of time; ends before beginnings.
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

}  // namespace vramlab::replay
