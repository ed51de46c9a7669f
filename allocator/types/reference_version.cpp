#include "allocator/types/reference_version.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace vramlab::allocator {
namespace {

constexpr HostRules host_in_2_6{HostFreeBlock::youngest, HostMiss::handles_events_of_its_size,
                                HostRelease::by_option,  HostFailedEvent::keeps_streams,
                                HostGraphPools::no,      HostPeaks::of_buckets};
constexpr HostRules host_in_2_12{HostFreeBlock::youngest,  HostMiss::gets_memory,
                                 HostRelease::as_obtained, HostFailedEvent::keeps_waiting,
                                 HostGraphPools::yes,      HostPeaks::of_buckets};

constexpr ReferenceVersion v2_6 = {.name = "2.6",
                                   .description = "PyTorch 2.6.0",
                                   .first = {2, 5},
                                   .grammar = OptionGrammar::single_pass,
                                   .rest_of_list = RestOfListStart::last_given_slot,
                                   .whole_fraction = WholeFraction::limits_to_total,
                                   .scope_order = ScopeOrder::oldest_first,
                                   .capture_sign = CaptureSign::open_scope,
                                   .empty_cache_in_capture = EmptyCacheInCapture::refused,
                                   .grown_checkpoint = GrownCheckpoint::refused,
                                   .among_same_size = AmongSameSize::lowest_address,
                                   .private_segments = PrivateSegments::as_option_says,
                                   .beyond_reservation = BeyondReservation::is_mapped,
                                   .host = host_in_2_6};

constexpr ReferenceVersion v2_4 = [] {
  ReferenceVersion version = v2_6;
  version.name = "2.4";
  version.description = "PyTorch 2.4";
  version.first = {1, 0};
  version.private_segments = PrivateSegments::classic;
  return version;
}();

constexpr ReferenceVersion v2_12 = {
    .name = "2.12",
    .description = "PyTorch 2.12 (main, April 2026)",
    .first = {},
    .grammar = OptionGrammar::three_passes,
    .rest_of_list = RestOfListStart::after_last_given_slot,
    .whole_fraction = WholeFraction::removes_limit,
    .scope_order = ScopeOrder::newest_first,
    .capture_sign = CaptureSign::open_scope,
    .empty_cache_in_capture = EmptyCacheInCapture::skips_default_pools,
    .grown_checkpoint = GrownCheckpoint::tolerated,
    .among_same_size = AmongSameSize::lowest_address,
    .private_segments = PrivateSegments::as_option_says,
    .beyond_reservation = BeyondReservation::is_mapped,
    .host = host_in_2_12};

constexpr ReferenceVersion v2_12_1 = [] {
  ReferenceVersion version = v2_12;
  version.name = "2.12.1";
  version.description = "PyTorch 2.12.0 and 2.12.1";
  version.first = {2, 12};
  version.among_same_size = AmongSameSize::oldest_block;
  return version;
}();

constexpr ReferenceVersion v2_13 = [] {
  ReferenceVersion version = v2_12_1;
  version.name = "2.13";
  version.description = "PyTorch 2.13.0";
  version.first = {2, 13};
  version.grammar = OptionGrammar::three_passes_with_limits;
  version.capture_sign = CaptureSign::current_stream;
  version.among_same_size = AmongSameSize::oldest_segment;
  return version;
}();

constexpr ReferenceVersion v2_14 = [] {
  ReferenceVersion version = v2_13;
  version.name = "2.14";
  version.description = "PyTorch 2.14.1";
  version.first = {2, 14};
  version.host.free_block = HostFreeBlock::youngest_large_enough;
  return version;
}();

constexpr ReferenceVersion v2_15 = [] {
  ReferenceVersion version = v2_14;
  version.name = "2.15";
  version.description = "PyTorch 2.15.0";
  version.first = {2, 15};
  version.grammar = OptionGrammar::three_passes_with_reserves;
  version.beyond_reservation = BeyondReservation::fails;
  version.host.peaks = HostPeaks::of_pools_and_buckets;
  return version;
}();

constexpr std::array rows = {v2_4, v2_6, v2_12, v2_12_1, v2_13, v2_14, v2_15};

constexpr std::size_t default_row = 1;
static_assert(rows[default_row].name == "2.6");

}  // namespace

std::span<const ReferenceVersion> reference_versions() { return rows; }

const ReferenceVersion& default_reference_version() { return rows[default_row]; }

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
