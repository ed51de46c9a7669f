#include "replay/recording/settings_by_sizes.h"

#include <array>
#include <iterator>
#include <set>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {

using allocator::Settings;

namespace {

/// A history with more sizes than this has too many split limits between them to try.
constexpr std::size_t most_split_limits = 24;
constexpr std::array<std::uint32_t, 2> finer_divisions = {32, 64};

/// The sizes of segments that requests below the limit of large segments got alone.
std::set<Bytes> large_segments_of(const DeviceHistory& history) {
  std::set<Bytes> sizes;
  Bytes got;
  for (const AllocatorEvent& event : history.events) {
    const bool takes_it = event.action == Action::alloc && event.size > allocator::small_limit &&
                          event.size < allocator::medium_limit;
    // A size that an option names is one of whole MiB.
    if (takes_it && got > allocator::medium_limit && got.count % allocator::mebibytes(1).count == 0)
      sizes.insert(got);
    got = event.action == Action::segment_alloc ? event.size : Bytes{};
  }
  return sizes;
}

/// Limits that an option can name: each has other sizes below it.
std::set<Bytes> split_limits_of(const DeviceHistory& history) {
  const Bytes mebibyte = allocator::mebibytes(1);
  std::set<Bytes> limits = {allocator::usual_large_segment + mebibyte};
  for (const AllocatorEvent& event : history.events) {
    const bool has_size = event.action == Action::alloc || event.action == Action::segment_alloc ||
                          event.action == Action::segment_map;
    if (!has_size || event.size < allocator::usual_large_segment) continue;
    limits.insert(round_up(event.size + Bytes{1}, mebibyte));
    if (limits.size() > most_split_limits) return {};
  }
  return limits;
}

}  // namespace

std::vector<Settings> settings_by_sizes(const Settings& recorded, const DeviceHistory& history,
                                        const ReferenceVersion& version) {
  std::vector<Settings> found;
  if (version.grammar != allocator::OptionGrammar::single_pass) {
    std::set<Bytes> sizes = large_segments_of(history);
    sizes.erase(recorded.large_segment_size);
    for (const Bytes size : sizes) found.emplace_back(recorded).large_segment_size = size;
  }
  for (const std::uint32_t divisions : finer_divisions)
    found.emplace_back(recorded).roundup_divisions.fill(divisions);
  for (const Bytes limit : split_limits_of(history))
    if (limit >= recorded.large_segment_size) found.emplace_back(recorded).max_split_size = limit;
  return found;
}

}  // namespace vramlab::replay
