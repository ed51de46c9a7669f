// The notes of a dry run: facts that PyTorch's history has no entry for, which `vramlab dry-run`
// writes into a snapshot under a key of its own (docs/reference/trace_format.md). They are the
// version of PyTorch and the GPUs that it has kernels for, calls with their places among a device's
// entries, how much memory was too little for a request, and where the driver put segments.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

inline constexpr std::string_view dry_run_key = "vramlab_dry_run";

struct NotedCall {
  DeviceIndex device;
  /// The number of entries of the device's trace before it.
  std::uint64_t before = 0;
  /// `options`, `memory_fraction`, `empty_cache`, `pool_create`, `pool_destroy`, `pool_begin` or
  /// `pool_end`.
  ProgramEventKind kind = ProgramEventKind::options;
  std::string options;
  double fraction = 0;
  /// The size of the device, as PyTorch saw it when the fraction was set.
  Bytes device_memory;
  PoolId pool;
  /// Traits of a pool that is made.
  bool use_on_oom = false;
  bool no_split = false;
  friend bool operator==(const NotedCall&, const NotedCall&) = default;
};

/// A driver frees and takes memory of its own when a process first does such work on a device, and
/// so new segments lie elsewhere.
enum class FirstWork : std::uint8_t { kernel, library };

struct NotedWork {
  DeviceIndex device;
  /// The number of entries of the device's trace before it.
  std::uint64_t before = 0;
  FirstWork work = FirstWork::kernel;
  friend bool operator==(const NotedWork&, const NotedWork&) = default;
};

struct NotedLimit {
  DeviceIndex device;
  Bytes bytes;
  friend bool operator==(const NotedLimit&, const NotedLimit&) = default;
};

struct DryRunNotes {
  /// Such as `2.6.0+cu124`; empty if it is not known.
  std::string torch;
  /// The architectures that it has kernels for, such as `sm_90`; empty if they are not known.
  std::vector<std::string> kernel_code;
  /// The option string at the start, where the program set another one.
  std::optional<std::string> options_at_start;
  /// Otherwise nobody knows whether there were any.
  bool knows_calls = false;
  /// In order for each device.
  std::vector<NotedCall> calls;
  /// Devices that were too small for a request, at first or for good, with all that the allocator
  /// could have there; at most one for a device.
  std::vector<NotedLimit> memory_limits;
  /// Told where segments lie as a driver for Linux puts them (docs/reference/driver_places.md): at
  /// most one of each kind for a device.
  std::optional<std::vector<NotedWork>> first_works;
  friend bool operator==(const DryRunNotes&, const DryRunNotes&) = default;
};

/// `file` is for messages. Throws InputError where the value is no such notes.
DryRunNotes read_dry_run_notes(const GenericValue& value, const TextTable& texts,
                               const std::string& file);

/// The version of PyTorch that notes say; empty where they say none.
std::string_view torch_of_notes(const GenericValue& notes, const TextTable& texts);

/// The place of a call in a recording of which a part is left; empty for a call that has none.
using NewPlace =
    std::function<std::optional<std::uint64_t>(std::string_view call, DeviceIndex, std::uint64_t)>;
/// The same notes for that part. Values that are no calls stay as they are.
GenericPointer moved_notes(const GenericPointer& notes, const TextTable& texts,
                           const NewPlace& new_place);
/// The same notes without calls: nobody knows them any more.
GenericPointer notes_without_calls(const GenericPointer& notes, const TextTable& texts);

}  // namespace vramlab::traces
