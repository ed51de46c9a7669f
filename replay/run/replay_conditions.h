// ReplayConditions: under which version, options and memory a program is replayed. What is not
// given comes from the file. ReplayWatch: what is looked at on the way.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "replay/run/device_replay.h"

namespace vramlab::replay {

/// So large that nothing a program asks for exceeds it, and small enough that expandable segments,
/// which reserve a little more, find addresses.
inline constexpr allocator::Bytes boundless_memory{1ULL << 40};

enum class OnOutOfMemory : std::uint8_t {
  /// The replay ends there.
  stop,
  /// The request gets nothing, and the program goes on without it.
  skip,
};

/// Of PyTorch's own allocator; the timing is not modelled.
using MakeProgramDevice = std::function<std::unique_ptr<ProgramDevice>(
    traces::DeviceIndex device, const DeviceConditions& conditions)>;

struct ReplayConditions {
  const allocator::ReferenceVersion* version = nullptr;
  /// Instead of the options in the file, those that the program sets included.
  std::optional<std::string> options{};
  std::optional<allocator::Bytes> memory{};
  std::optional<double> memory_fraction{};
  /// What other processes hold of each device all the time, in place of what the file says of them.
  std::optional<allocator::Bytes> held_by_others{};
  std::optional<FreeTiming> timing{};
  /// Of modelled frees.
  streams::StreamModel stream_model{};
  OnOutOfMemory on_out_of_memory = OnOutOfMemory::stop;
  std::size_t history_capacity = 0;
  /// For long histories.
  traces::ScratchPlace scratch = {};
  NotesOrigins notes_origins = NotesOrigins::no;
  /// For reports that tell on which other devices the same would happen.
  streams::KeepsPlaceBook keeps_place_book = streams::KeepsPlaceBook::no;
  /// What device calls cost; estimates where there are none.
  std::shared_ptr<const streams::DeviceCosts> costs{};
  /// Where the program is to run on something else than a simulated device.
  MakeProgramDevice make_program_device = {};
};

/// What is looked at on the way. Events have the numbers of the file; of a recording: of the entry
/// in its device's trace. Several events may have one number.
struct ReplayWatch {
  std::function<void(DeviceReplay& replay, const traces::ProgramEvent& event, std::uint64_t number)>
      after_event = {};
  /// Once for each device of a recording, when what was there at the start is laid out.
  std::function<void(DeviceReplay& replay)> at_start = {};
  /// The last event of each device that is replayed; all of a device that is not named.
  std::map<traces::DeviceIndex, std::uint64_t> until = {};
  /// Only events up to this time; one without a time is where the last one before it was.
  std::optional<std::uint64_t> until_ns = {};
  // Where frees are modelled:
  /// Is told what happens on the streams.
  std::shared_ptr<streams::StreamWatcher> streams = std::make_shared<streams::StreamWatcher>();
  std::shared_ptr<ProgramAccesses> accesses =
      std::make_shared<ProgramAccesses>(ProgramAccesses::Use::none);
  /// Device memory that was given back.
  std::function<void(std::uint32_t device, streams::AddressRange range)> released = {};
  /// Once for each device, after its last event.
  std::function<void(DeviceReplay& replay)> at_end = {};

  bool reaches(const traces::ProgramEvent& event, std::uint64_t number) const {
    if (until_ns && event.time_ns && *event.time_ns > *until_ns) return false;
    const auto last = until.find(event.device);
    return last == until.end() || number <= last->second;
  }
};

/// Throws InputError where nothing of a device of this size is left beside what others hold.
void refuse_full_device(const ReplayConditions& conditions, allocator::Bytes memory);

/// Throws InputError where the options choose another backend than PyTorch's own.
void refuse_other_backends(const allocator::Settings& settings, const std::string& where);

}  // namespace vramlab::replay
