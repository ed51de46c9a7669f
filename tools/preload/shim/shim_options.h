// ShimOptions: the behaviour of the caching shim, from the environment. A word that cannot be read
// is a complaint and changes nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/reference_version.h"
#include "tools/preload/ground/preload_mode.h"
#include "tools/preload/segments/fence.h"
#include "tools/preload/shim/history_stacks.h"

namespace vramlab::shim {

/// The last resort of a request that the cache has no room for: the driver, or no memory.
enum class LastResort { driver, none };

/// In bytes or as a part of the device's memory; nothing: no limit.
struct IdleLimit {
  std::optional<Bytes> bytes;
  std::optional<std::uint64_t> percent;
  std::optional<Bytes> on(Bytes device_total) const {
    if (percent) return Bytes{device_total.count / 100 * *percent};
    return bytes;
  }
};

struct ShimOptions {
  /// One of the three that the shim has: deferred, sync and nosplit.
  preload::PreloadMode mode = preload::PreloadMode::deferred;
  Settings settings;
  const ReferenceVersion* version = &allocator::default_reference_version();
  FenceKind fence = FenceKind::automatic;
  LastResort last_resort = LastResort::driver;
  /// A path, or `stderr`; empty for none.
  std::string statistics_to;
  /// A path; empty for none.
  std::string snapshot_to;
  /// Files from before this time, in nanoseconds since 1970, are of an earlier run. 0: none is.
  std::uint64_t reports_since_ns = 0;
  /// The number of entries of each context's history in the snapshot.
  std::size_t history_entries = 0;
  /// Its entries have call stacks.
  bool has_stacks = false;
  /// Empty if they have none.
  StackSource stacks;
  /// So many bytes may wait for their fences before a request waits for one of them; without a
  /// value the larger of 256 MiB and a quarter of the most that the program held.
  std::optional<Bytes> waiting_limit;
  /// The signal that asks for both; 0 for none.
  int report_signal = 0;
  /// The signal that asks for idle memory to be given back; 0 for none.
  int trim_signal = 0;
  /// The unused memory that each context may keep.
  IdleLimit idle_limit;
  /// A program that frees in a capture which is open for longer is told that the memory waits for
  /// its end.
  std::chrono::nanoseconds long_capture = std::chrono::minutes(1);
  /// Fresh blocks are filled with it.
  std::optional<unsigned char> fill;
  /// Tells the user what turns out later; each sentence at most once.
  std::function<void(const std::string& sentence)> say = [](const std::string&) {};
  /// The process that the user started; 0 if it is not known. Others tell nothing where nothing was
  /// hooked in them.
  int program_process = 0;
  /// Whether the program got any function of ours.
  std::function<bool()> has_hooked = [] { return true; };
  /// The functions of ours that the program got, in a sentence for its statistics.
  std::function<std::string()> hooked = [] { return std::string(); };
  /// Sentences for the user.
  std::vector<std::string> complaints;
};

/// The value of an environment variable, or null.
using Environment = std::function<const char*(const char* name)>;

/// The first of VRAMLAB_ALLOC_CONF, PYTORCH_CUDA_ALLOC_CONF and PYTORCH_ALLOC_CONF that is set,
/// VRAMLAB_STATS, VRAMLAB_SNAPSHOT, VRAMLAB_REPORTS_SINCE, VRAMLAB_PROGRAM_PROCESS,
/// VRAMLAB_HISTORY, VRAMLAB_STACKS, VRAMLAB_REPORT_SIGNAL, VRAMLAB_TRIM_SIGNAL, VRAMLAB_IDLE_LIMIT,
/// VRAMLAB_WAITING_LIMIT, VRAMLAB_FILL.
ShimOptions read_shim_options(preload::PreloadMode mode, const Environment& environment);

}  // namespace vramlab::shim
