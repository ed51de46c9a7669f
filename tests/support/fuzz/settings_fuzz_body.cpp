#include "tests/support/fuzz/settings_fuzz_body.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/options/size_rules.h"
#include "allocator/types/reference_version.h"

namespace vramlab::support {
namespace {

using namespace allocator::literals;
using allocator::Bytes;
using allocator::ParsedSettings;
using allocator::PoolKind;
using allocator::ReferenceVersion;
using allocator::Settings;

bool is_zero_or_power_of_two(std::uint64_t number) { return (number & (number - 1)) == 0; }

/// The documented bounds, over all versions.
std::optional<std::string> broken_bound(const Settings& now) {
  const Bytes smallest = 11_MiB;
  if (now.max_split_size < smallest) return "max split size is too small";
  if (now.max_non_split_rounding < smallest) return "non-split rounding is too small";
  if (now.large_segment_size < smallest) return "large segment size is too small";
  if (allocator::device_size_for_miss(2_MiB, now) > allocator::request_limit ||
      allocator::expandable_unit(PoolKind::large, now) > allocator::request_limit)
    return "segments are larger than any request";
  if (!(now.garbage_collection_threshold >= 0 && now.garbage_collection_threshold < 1))
    return "garbage collection threshold is out of bounds";
  if (!(now.per_process_memory_fraction >= 0 && now.per_process_memory_fraction <= 1))
    return "memory fraction is out of bounds";
  if (!std::all_of(now.roundup_divisions.begin(), now.roundup_divisions.end(),
                   is_zero_or_power_of_two))
    return "a slot's divisions are no power of two";
  if (!std::has_single_bit(now.pinned_num_register_threads) ||
      now.pinned_num_register_threads > 128)
    return "register threads are out of bounds";
  if (now.backend != allocator::Backend::native) return "the backend changed";
  return std::nullopt;
}

std::optional<std::string> broken_rule(std::string_view text, const Settings& in_force,
                                       const ReferenceVersion& version) {
  const ParsedSettings once = allocator::parse_settings(in_force, text, version);
  if (once.settings.text != text) return "the string was not kept";
  if (once.error && (once.error->option.empty() || once.error->message.empty()))
    return "an error has no option or no message";
  if (once.error && once.error->message.size() > 1000 + once.error->option.size())
    return "a message is overlong";
  const ParsedSettings again = allocator::parse_settings(once.settings, text, version);
  if (again.settings != once.settings) return "setting the same string again changed something";
  if (again.error.has_value() != once.error.has_value())
    return "setting the same string again was answered differently";
  return broken_bound(once.settings);
}

std::vector<const ReferenceVersion*> one_of_each_grammar() {
  std::vector<const ReferenceVersion*> versions;
  for (const ReferenceVersion& row : allocator::reference_versions())
    if (std::ranges::none_of(versions, [&row](const ReferenceVersion* known) {
          return known->grammar == row.grammar && known->rest_of_list == row.rest_of_list;
        }))
      versions.push_back(&row);
  return versions;
}

/// From default settings, every string that the oldest version accepts has the same meaning in
/// every version, but for the slots that the rest of a rounding list fills.
std::optional<std::string> broken_agreement(std::string_view text) {
  const auto oldest = allocator::parse_settings({}, text, allocator::default_reference_version());
  if (oldest.error) return std::nullopt;
  for (const ReferenceVersion& version : allocator::reference_versions()) {
    ParsedSettings parsed = allocator::parse_settings({}, text, version);
    if (parsed.error) return "a newer version refuses what an older one accepts";
    parsed.settings.roundup_divisions = oldest.settings.roundup_divisions;
    if (parsed.settings != oldest.settings) return "two versions understand a string differently";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> broken_rule_of_settings(std::string_view text) {
  const std::vector<const ReferenceVersion*> versions = one_of_each_grammar();
  for (const ReferenceVersion* first : versions) {
    if (auto broken = broken_rule(text, {}, *first)) return broken;
    const Settings left = allocator::parse_settings({}, text, *first).settings;
    for (const ReferenceVersion* second : versions)
      if (auto broken = broken_rule(text, left, *second)) return broken;
  }
  return broken_agreement(text);
}

}  // namespace vramlab::support
