#include "allocator/words/reference_version.h"

#include <array>
#include <charconv>
#include <system_error>

namespace vramlab::allocator {
namespace {

constexpr HostRules host_in_2_6{HostFreeBlock::youngest, HostMiss::handles_events_of_its_size,
                                HostRelease::by_option, HostFailedEvent::keeps_streams};
constexpr HostRules host_in_2_12{HostFreeBlock::youngest, HostMiss::gets_memory,
                                 HostRelease::as_obtained, HostFailedEvent::keeps_waiting};
constexpr HostRules host_in_2_14{HostFreeBlock::youngest_large_enough, HostMiss::gets_memory,
                                 HostRelease::as_obtained, HostFailedEvent::keeps_waiting};

constexpr std::array<ReferenceVersion, 5> rows = {{
    {"2.6",
     "PyTorch 2.6.0",
     {1, 0},
     OptionGrammar::single_pass,
     RestOfListStart::last_given_slot,
     WholeFraction::limits_to_total,
     ScopeOrder::oldest_first,
     EmptyCacheInScope::refused,
     GrownCheckpoint::refused,
     AmongSameSize::lowest_address,
     host_in_2_6},
    {"2.12",
     "PyTorch 2.12 (main, April 2026)",
     {},
     OptionGrammar::three_passes,
     RestOfListStart::after_last_given_slot,
     WholeFraction::removes_limit,
     ScopeOrder::newest_first,
     EmptyCacheInScope::skips_default_pools,
     GrownCheckpoint::tolerated,
     AmongSameSize::lowest_address,
     host_in_2_12},
    {"2.12.1",
     "PyTorch 2.12.0 and 2.12.1",
     {2, 12},
     OptionGrammar::three_passes,
     RestOfListStart::after_last_given_slot,
     WholeFraction::removes_limit,
     ScopeOrder::newest_first,
     EmptyCacheInScope::skips_default_pools,
     GrownCheckpoint::tolerated,
     AmongSameSize::oldest_block,
     host_in_2_12},
    {"2.14",
     "PyTorch 2.14.1",
     {},
     OptionGrammar::three_passes_with_limits,
     RestOfListStart::after_last_given_slot,
     WholeFraction::removes_limit,
     ScopeOrder::newest_first,
     EmptyCacheInScope::skips_default_pools,
     GrownCheckpoint::tolerated,
     AmongSameSize::oldest_segment,
     host_in_2_14},
    {"2.15",
     "PyTorch 2.13 to 2.15, as far as 2.12.1 is known",
     {2, 13},
     OptionGrammar::three_passes_with_limits,
     RestOfListStart::after_last_given_slot,
     WholeFraction::removes_limit,
     ScopeOrder::newest_first,
     EmptyCacheInScope::skips_default_pools,
     GrownCheckpoint::tolerated,
     AmongSameSize::oldest_segment,
     host_in_2_14},
}};

}  // namespace

std::span<const ReferenceVersion> reference_versions() { return rows; }

const ReferenceVersion& default_reference_version() { return rows.front(); }

const ReferenceVersion* find_reference_version(std::string_view name) {
  for (const ReferenceVersion& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

const ReferenceVersion* reference_version_of_release(std::string_view release) {
  Release asked;
  const char* const end = release.data() + release.size();
  const auto major = std::from_chars(release.data(), end, asked.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return nullptr;
  if (std::from_chars(major.ptr + 1, end, asked.minor).ec != std::errc()) return nullptr;
  const ReferenceVersion* found = nullptr;
  for (const ReferenceVersion& row : rows)
    if (row.first != Release{} && row.first <= asked) found = &row;
  return found;
}

}  // namespace vramlab::allocator
