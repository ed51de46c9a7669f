// ReplayConditions: under which version, options and memory a program is replayed. What is not
// given comes from the file.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allocator/types/reference_version.h"
#include "streams/memory/segment_order.h"
#include "streams/memory/simulated_memory.h"
#include "streams/stream_model/work.h"
#include "traces/io/long_sequence.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::streams {
class DeviceCosts;
}

namespace vramlab::replay {

struct DeviceConditions;
class ProgramDevice;

/// So large that nothing a program asks for exceeds it, and small enough that expandable segments,
/// which reserve a little more, find addresses.
inline constexpr Bytes boundless_memory{1ULL << 40};

/// As many entries of history as there are.
inline constexpr std::size_t unlimited_history = std::numeric_limits<std::size_t>::max();

/// When memory that other streams used is free again.
enum class FreeTiming : std::uint8_t {
  /// When the program says that a stream's work is done.
  recorded,
  /// At once, as if nobody used it on another stream.
  eager,
  /// By the durations of the work on the streams; also when the program says so.
  modelled,
};

enum class OnOutOfMemory : std::uint8_t {
  /// The program goes on where the recorded one did after the same request had failed. Any other
  /// failure ends the replay.
  as_recorded,
  /// The replay ends there.
  stop,
  /// The request gets nothing, and the program goes on without it.
  skip,
};

/// Memory that was reserved before a recording began.
enum class StartingMemory : std::uint8_t {
  /// Lies where it was recorded, under every setting.
  as_recorded,
  /// The blocks that were in use are requested anew, in the order of their addresses: a model, as
  /// the recording does not say how they came about.
  requested_anew,
};

/// Whether options that the program sets while it runs hold beside those that are asked for.
enum class OwnOptions : std::uint8_t { left_out, kept };

/// An option string that is set before an event, as if the program did it.
struct OptionsChange {
  std::uint64_t event = 0;
  traces::TextId text;
  friend bool operator==(const OptionsChange&, const OptionsChange&) = default;
};

enum class NotesOrigins : bool { no, yes };

enum class ChosenBackend : std::uint8_t {
  as_set,
  /// PyTorch's own, also where the options choose another one.
  native,
};

/// For PyTorch's own allocator; the timing is not modelled.
using MakeProgramDevice = std::function<std::unique_ptr<ProgramDevice>(
    traces::DeviceIndex device, const DeviceConditions& conditions)>;

struct ReplayConditions {
  const ReferenceVersion* version = nullptr;
  /// Instead of the options in the file, those that the program sets included unless they are kept.
  std::optional<std::string> options{};
  OwnOptions own_options = OwnOptions::left_out;
  /// By ascending events, on every device that the program names. Requires: the program's own
  /// options are kept, and the program is kept.
  std::vector<OptionsChange> changes{};
  ChosenBackend backend = ChosenBackend::as_set;
  std::optional<Bytes> memory{};
  std::optional<double> memory_fraction{};
  /// Memory that other processes hold of each device all the time, in place of the file's figure.
  std::optional<Bytes> held_by_others{};
  /// The size of a first block in each private pool, which is freed at once.
  std::optional<Bytes> first_of_private_pools{};
  std::optional<FreeTiming> timing{};
  /// For modelled frees.
  streams::StreamModel stream_model{};
  OnOutOfMemory on_out_of_memory = OnOutOfMemory::as_recorded;
  StartingMemory starting_memory = StartingMemory::as_recorded;
  /// The places of new segments; without it, the recorded ones, else the lowest gap.
  std::optional<streams::SegmentOrder> segment_order{};
  std::size_t history_capacity = 0;
  /// For long histories.
  traces::ScratchPlace scratch = {};
  NotesOrigins notes_origins = NotesOrigins::no;
  /// For reports that tell on which other devices the same would happen.
  streams::KeepsRanges keeps_ranges = streams::KeepsRanges::no;
  /// Costs of device calls; estimates if null.
  std::shared_ptr<const streams::DeviceCosts> costs{};
  /// Makes something else than a simulated device for the program.
  MakeProgramDevice make_program_device = {};
};

/// Throws InputError where nothing of a device of this size is left beside what others hold.
void refuse_full_device(const ReplayConditions& conditions, Bytes memory);

}  // namespace vramlab::replay
