// Settings: the option string, parsed to one value. Parsing starts from the settings in force (some
// options keep their last value when a new string is set) and gives new ones, with an error where
// the string was refused; options before the error have then taken effect, as in the reference.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::allocator {

struct ReferenceVersion;

enum class Backend : std::uint8_t { native, cuda_malloc_async };

inline constexpr Bytes unlimited{std::numeric_limits<std::uint64_t>::max()};
/// The size of a large segment, and of an expandable segment's units, unless an option says
/// another.
inline constexpr Bytes usual_large_segment{20ULL << 20};

/// The number of addresses that an expandable segment reserves, as an option says it; nine eighths
/// of the device's memory are the most.
struct AddressReserve {
  enum class Unit : std::uint8_t { device_memory, gibibytes };
  double amount = 0;
  Unit unit = Unit::device_memory;

  friend bool operator==(const AddressReserve&, const AddressReserve&) = default;
};

struct Settings {
  /// The string as it was set, also where it was refused.
  std::string text;

  Bytes max_split_size = unlimited;
  Bytes max_non_split_rounding = usual_large_segment;
  /// 0: no garbage collection.
  double garbage_collection_threshold = 0;
  /// Slot k is for sizes from 2^k MiB up to the next power of two; 0 and 1: no rounding to steps.
  std::array<std::uint32_t, 16> roundup_divisions{};
  bool expandable_segments = false;
  /// Empty: nine eighths of the device's memory.
  std::optional<AddressReserve> expandable_reserve{};
  Bytes large_segment_size = usual_large_segment;
  double per_process_memory_fraction = 1;
  bool throw_on_cudamalloc_oom = false;
  bool graph_capture_record_stream_reuse = false;
  Backend backend = Backend::native;

  /// Kept for snapshots; it steers locking, which nothing here depends on.
  bool release_lock_on_cudamalloc = false;

  // Pinned host memory.
  /// Larger requests are not rounded.
  Bytes pinned_max_round_threshold = unlimited;
  /// Larger blocks are not cached.
  Bytes pinned_max_cached_size = unlimited;
  bool pinned_use_cuda_host_register = false;
  bool pinned_use_background_threads = false;
  bool pinned_free_catch_all = false;
  std::uint64_t pinned_num_register_threads = 1;
  std::uint64_t pinned_reserve_segment_size_mb = 0;

  friend bool operator==(const Settings&, const Settings&) = default;
};

/// In parentheses: how the reference's own texts name the same mistake, which its recordings need.
enum class SettingsErrorKind : std::uint8_t {
  /// ("Unrecognized")
  unknown_option,
  /// The grammar of one pass: a `:` or `,` was expected. ("expected :", "expected ,")
  missing_separator,
  /// The string ends where a value should be; in the grammar of three passes also where a separator
  /// should be, and right after an entry of a list. ("Index out of bounds", "Error, expecting")
  missing_value,
  /// Also: too large to be read, has a sign, or has more behind its digits. ("stoi", "stoull",
  /// "stod")
  not_a_number,
  /// ("Expected 'True' or 'False'", "single True/False argument")
  not_a_boolean,
  /// Also: not a power of two. ("must be >", "power of 2", "less than", "greater than", "invalid")
  out_of_range,
  /// ("Unknown allocator backend")
  unknown_backend,
  /// Another backend than the one that runs. ("parsed at runtime !=")
  other_backend,
  /// ("Expected closing bracket")
  unclosed_list,
};
std::string_view settings_error_kind_name(SettingsErrorKind kind);

struct SettingsError {
  SettingsErrorKind kind = SettingsErrorKind::unknown_option;
  /// The option at fault, by the name that was written; of an unknown one, the word that was found.
  std::string option;
  /// A sentence that names the option, what it takes and what was found.
  std::string message;
};

struct ParsedSettings {
  Settings settings;
  std::optional<SettingsError> error;
  /// Values that the reference passes over with a warning: the option keeps its last value. One
  /// sentence for each.
  std::vector<std::string> ignored{};
  /// The string names both limits of pinned memory, and requests that are not cached would be
  /// rounded; the reference warns once that they are not.
  bool cached_size_limits_rounding = false;
};

/// The backend that a process starts with: the first one that the string names, before the string
/// is looked at as a whole.
Backend backend_at_start(std::string_view text);

ParsedSettings parse_settings(const Settings& in_force, std::string_view text,
                              const ReferenceVersion& version);
/// Only what all accelerators share: the reference's parser for the allocator's own options comes
/// after it. Requires: the version's grammar has passes.
ParsedSettings parse_shared_settings(const Settings& in_force, std::string_view text,
                                     const ReferenceVersion& version);

}  // namespace vramlab::allocator

/// Every folder speaks of these, so they need no prefix.
namespace vramlab {
using allocator::Settings;
}  // namespace vramlab
