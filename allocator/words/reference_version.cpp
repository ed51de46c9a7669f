#include "allocator/words/reference_version.h"

#include <array>

namespace vramlab::allocator {
namespace {

constexpr std::array<ReferenceVersion, 4> rows = {{
    {"2.6", "PyTorch 2.6.0", OptionGrammar::single_pass, RestOfListStart::last_given_slot,
     WholeFraction::limits_to_total, ScopeOrder::oldest_first, EmptyCacheInScope::refused,
     GrownCheckpoint::refused, AmongSameSize::lowest_address},
    {"2.12", "PyTorch 2.12 (main, April 2026)", OptionGrammar::three_passes,
     RestOfListStart::after_last_given_slot, WholeFraction::removes_limit, ScopeOrder::newest_first,
     EmptyCacheInScope::skips_default_pools, GrownCheckpoint::tolerated,
     AmongSameSize::lowest_address},
    {"2.12.1", "PyTorch 2.12.0 and 2.12.1", OptionGrammar::three_passes,
     RestOfListStart::after_last_given_slot, WholeFraction::removes_limit, ScopeOrder::newest_first,
     EmptyCacheInScope::skips_default_pools, GrownCheckpoint::tolerated,
     AmongSameSize::oldest_block},
    {"2.15", "PyTorch 2.13 to 2.15, as far as 2.12.1 is known", OptionGrammar::three_passes,
     RestOfListStart::after_last_given_slot, WholeFraction::removes_limit, ScopeOrder::newest_first,
     EmptyCacheInScope::skips_default_pools, GrownCheckpoint::tolerated,
     AmongSameSize::oldest_segment},
}};

}  // namespace

std::span<const ReferenceVersion> reference_versions() { return rows; }

const ReferenceVersion& default_reference_version() { return rows.front(); }

const ReferenceVersion* find_reference_version(std::string_view name) {
  for (const ReferenceVersion& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace vramlab::allocator
