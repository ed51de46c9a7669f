#include "allocator/options/option_table.h"

#include <algorithm>
#include <array>
#include <limits>

#include "allocator/types/check.h"

namespace vramlab::allocator {
namespace {

using Shape = CountValue::Shape;
using Ends = ShareValue::Ends;
using enum OptionPass;

// Keeps every size that is computed from the segment size far below 2^64.
constexpr std::uint64_t largest_segment_mib = 1ULL << 40;

// Rows that no version has changed.
constexpr OptionRow garbage_collection_threshold{
    "garbage_collection_threshold", shared,
    ShareValue{&Settings::garbage_collection_threshold, Ends::refused}};
constexpr OptionRow roundup_power2_divisions{"roundup_power2_divisions", shared, DivisionsValue{}};
constexpr OptionRow expandable_segments{"expandable_segments", shared,
                                        FlagValue{&Settings::expandable_segments}};
constexpr OptionRow pinned_use_background_threads{
    "pinned_use_background_threads", shared, FlagValue{&Settings::pinned_use_background_threads}};
constexpr OptionRow backend{"backend", own, BackendValue{}};
constexpr OptionRow release_lock_on_cudamalloc{"release_lock_on_cudamalloc", own,
                                               FlagValue{&Settings::release_lock_on_cudamalloc},
                                               "release_lock_on_hipmalloc"};
constexpr OptionRow pinned_use_cuda_host_register{
    "pinned_use_cuda_host_register", own, FlagValue{&Settings::pinned_use_cuda_host_register},
    "pinned_use_hip_host_register"};
constexpr OptionRow pinned_num_register_threads{
    "pinned_num_register_threads", own,
    CountValue{.field = &Settings::pinned_num_register_threads,
               .least = 1,
               .most = 128,
               .shape = Shape::power_of_two}};

constexpr std::array single_pass_options = {
    backend,
    OptionRow{"max_split_size_mb", shared,
              MebibytesValue{.field = &Settings::max_split_size, .least_mib = 21}},
    OptionRow{"max_non_split_rounding_mb", shared,
              MebibytesValue{.field = &Settings::max_non_split_rounding, .least_mib = 21}},
    garbage_collection_threshold,
    roundup_power2_divisions,
    expandable_segments,
    release_lock_on_cudamalloc,
    pinned_use_cuda_host_register,
    pinned_num_register_threads,
    pinned_use_background_threads,
};

// Rows that all grammars of three passes share.
constexpr OptionRow large_segment_size_mb{
    "large_segment_size_mb", segment_size,
    MebibytesValue{
        .field = &Settings::large_segment_size, .least_mib = 11, .most_mib = largest_segment_mib}};
constexpr OptionRow max_split_size_mb{"max_split_size_mb", shared,
                                      MebibytesValue{.field = &Settings::max_split_size,
                                                     .least_like = &Settings::large_segment_size}};
constexpr OptionRow max_non_split_rounding_mb{
    "max_non_split_rounding_mb", shared,
    MebibytesValue{.field = &Settings::max_non_split_rounding,
                   .least_like = &Settings::large_segment_size}};
constexpr OptionRow pinned_reserve_segment_size_mb{
    "pinned_reserve_segment_size_mb", own,
    CountValue{.field = &Settings::pinned_reserve_segment_size_mb, .least = 1}};
constexpr OptionRow pinned_free_catch_all{"pinned_free_catch_all", own,
                                          FlagValue{&Settings::pinned_free_catch_all}};
constexpr OptionRow graph_capture_record_stream_reuse{
    "graph_capture_record_stream_reuse", own,
    FlagValue{&Settings::graph_capture_record_stream_reuse}};
constexpr OptionRow per_process_memory_fraction{
    "per_process_memory_fraction", own,
    ShareValue{&Settings::per_process_memory_fraction, Ends::included}};
constexpr OptionRow throw_on_cudamalloc_oom{"throw_on_cudamalloc_oom", own,
                                            FlagValue{&Settings::throw_on_cudamalloc_oom}};

constexpr std::array three_passes_options = {
    large_segment_size_mb,         max_split_size_mb,
    max_non_split_rounding_mb,     garbage_collection_threshold,
    roundup_power2_divisions,      expandable_segments,
    pinned_use_background_threads, backend,
    release_lock_on_cudamalloc,    pinned_use_cuda_host_register,
    pinned_num_register_threads,   pinned_reserve_segment_size_mb,
    pinned_free_catch_all,         graph_capture_record_stream_reuse,
    per_process_memory_fraction,   throw_on_cudamalloc_oom,
};

constexpr std::array three_passes_options_with_limits = {
    OptionRow{"large_segment_size_mb", segment_size,
              MebibytesValue{.field = &Settings::large_segment_size, .least_mib = 11}},
    max_split_size_mb,
    max_non_split_rounding_mb,
    garbage_collection_threshold,
    roundup_power2_divisions,
    expandable_segments,
    pinned_use_background_threads,
    OptionRow{"pinned_max_round_threshold_mb", shared,
              MebibytesValue{.field = &Settings::pinned_max_round_threshold}},
    OptionRow{"pinned_max_cached_size_mb", shared,
              MebibytesValue{.field = &Settings::pinned_max_cached_size}},
    backend,
    release_lock_on_cudamalloc,
    pinned_use_cuda_host_register,
    pinned_num_register_threads,
    pinned_reserve_segment_size_mb,
    pinned_free_catch_all,
    graph_capture_record_stream_reuse,
    per_process_memory_fraction,
    throw_on_cudamalloc_oom,
};

constexpr GrammarRules single_pass_rules{
    .options = single_pass_options,
    .blanks = " ",
    .separators = SeparatorRule::must_match,
    .no_separator = SettingsErrorKind::missing_separator,
    .list_ends_after_entry = SettingsErrorKind::unclosed_list,
    .numbers = NumberRule::whole_word,
    .largest_number = std::numeric_limits<std::int32_t>::max(),
};

constexpr GrammarRules three_passes_rules{
    .options = three_passes_options,
    .blanks = " \t\n\v\f\r",
    .separators = SeparatorRule::any_token,
    .no_separator = SettingsErrorKind::missing_value,
    .list_ends_after_entry = SettingsErrorKind::missing_value,
    .numbers = NumberRule::whole_word,
    .largest_number = std::numeric_limits<std::uint64_t>::max(),
};

constexpr GrammarRules three_passes_with_limits_rules{
    .options = three_passes_options_with_limits,
    .blanks = " \t\n\v\f\r",
    .separators = SeparatorRule::any_token,
    .no_separator = SettingsErrorKind::missing_value,
    .list_ends_after_entry = SettingsErrorKind::missing_value,
    .numbers = NumberRule::as_c,
    .largest_number = std::numeric_limits<std::uint64_t>::max(),
};

/// Says in words what one kind of value accepts.
struct AcceptedValues {
  const Settings& now;

  std::string operator()(const FlagValue&) const { return "True or False"; }
  std::string operator()(const MebibytesValue& value) const {
    std::string words =
        "a whole number of MiB, at least " + std::to_string(least_mebibytes(value, now));
    if (value.least_like != nullptr) words += " (the large segment size)";
    return words + at_most(value.most_mib);
  }
  std::string operator()(const CountValue& value) const {
    const std::string words =
        value.shape == Shape::power_of_two ? "a power of two" : "a whole number";
    return words + ", at least " + std::to_string(value.least) + at_most(value.most);
  }
  std::string operator()(const ShareValue& value) const {
    return value.ends == Ends::included ? "a number from 0 to 1, both included"
                                        : "a number between 0 and 1, neither included";
  }
  std::string operator()(const DivisionsValue&) const {
    return "a power of two, or a list like [4:2,16:8,>:4]";
  }
  std::string operator()(const BackendValue&) const { return "native or cudaMallocAsync"; }

 private:
  static std::string at_most(std::uint64_t most) {
    return most == unlimited.count ? "" : " and at most " + std::to_string(most);
  }
};

}  // namespace

const GrammarRules& rules_of(OptionGrammar grammar) {
  switch (grammar) {
    case OptionGrammar::single_pass:
      return single_pass_rules;
    case OptionGrammar::three_passes:
      return three_passes_rules;
    case OptionGrammar::three_passes_with_limits:
      return three_passes_with_limits_rules;
  }
  check_failed("every grammar has its rules", __FILE__, __LINE__);
}

const OptionRow* find_option(const GrammarRules& rules, std::string_view name) {
  const auto has_name = [&](const OptionRow& row) {
    return row.name == name || (!row.alias.empty() && row.alias == name);
  };
  const auto row = std::find_if(rules.options.begin(), rules.options.end(), has_name);
  return row == rules.options.end() ? nullptr : &*row;
}

std::string accepted_values(const OptionRow& row, const Settings& now) {
  return std::visit(AcceptedValues{now}, row.value);
}

std::uint64_t least_mebibytes(const MebibytesValue& value, const Settings& now) {
  constexpr Bytes mebibyte{1ULL << 20};
  return value.least_like == nullptr ? value.least_mib : now.*value.least_like / mebibyte;
}

}  // namespace vramlab::allocator
