// OutOfMemoryTries: replays again with more memory, and with a few settings that are likely to
// help, to find out how a request that failed in a replay would have passed.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/options/settings.h"
#include "replay/replayer/replay_report.h"

namespace vramlab::replay {

/// The difference between a try and the replay that failed.
struct ReplayChange {
  std::optional<Bytes> memory;
  std::optional<std::string> options;
};
/// Replays a recording; a request that fails may end it, unless the program went on after it.
using ReplayTry = std::function<ReplayReport(const ReplayChange& change)>;

/// The request that failed.
struct FailedAt {
  traces::DeviceIndex device;
  std::uint64_t event = 0;
  /// Earlier requests that failed as well, and that the program went on without, by event.
  std::set<std::uint64_t> went_on_after = {};
};

/// Whether the request passes, and no request before it fails that did not fail before.
bool passes(const ReplayReport& report, const FailedAt& failed);
/// Whether it passes, and no later request of the device fails.
bool runs_through(const ReplayReport& report, const FailedAt& failed);

struct TriedOptions {
  /// The text added to the options, such as `expandable_segments:True`.
  std::string added;
  bool passes = false;
  /// Whether no later request fails either.
  bool runs_through = false;
  /// The whole option string.
  std::string options;
  friend bool operator==(const TriedOptions&, const TriedOptions&) = default;
};

/// The least memory, in whole steps of a classic segment, with which the request passes: `guess` is
/// added to `memory` and doubled until it is enough, then the interval is halved. Empty if no
/// memory that a device can have helps.
std::optional<Bytes> least_memory(const ReplayTry& replay, const FailedAt& failed, Bytes memory,
                                  Bytes guess);

/// An option string with another option added, which replaces what it names.
std::string with_option(std::string_view options, const std::string& added);

/// Whether the allocator may have the whole device.
enum class MemoryShare : std::uint8_t { whole, limited };

/// Tries settings that are likely to help and not in force yet, each on its own. Garbage is only
/// collected where a share of the device is allowed.
std::vector<TriedOptions> try_likely_options(const ReplayTry& replay, const FailedAt& failed,
                                             const Settings& settings, MemoryShare share);

}  // namespace vramlab::replay
