// ProgramRunner: applies a program's events, step by step, to an allocator and to the device under
// it, and collects what the allocator answers. It knows which id names which address and which
// checkpoint has which name; judging the answers is for others.
//
// A call that must not be made throws AllocatorError, and the run cannot go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/replayer/apply_event.h"
#include "replay/replayer/subjects.h"
#include "streams/device/memory_device.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

struct ConfigFailure {
  /// The call's number; -1 for the settings at the start.
  std::int64_t call = 0;
  allocator::SettingsError error;
};

/// A request that failed for another reason than memory.
struct MallocFailure {
  std::int64_t call = 0;
  MallocOutcome outcome = MallocOutcome::scope_already_open;
};

struct Answers {
  /// One for each malloc.
  std::vector<MallocResult> results;
  /// One for each `snapshot`.
  std::vector<Snapshot> snapshots;
  /// One for each `restore`.
  std::vector<allocator::RestoreResult> restores;
  std::vector<ConfigFailure> config_failures;
  std::vector<MallocFailure> malloc_failures;
  /// Also of a rejected request.
  std::optional<OutOfMemory> first_out_of_memory;
};

/// A program is made for one allocator on one device. Both must outlive the runner.
struct ProgramSetting {
  AllocatorSubject& subject;
  streams::DrivenDevice& device;
};

class ProgramRunner {
 public:
  /// `texts` are those of the calls, by their ids. Both lists must outlive the runner.
  ProgramRunner(std::span<const traces::ProgramEvent> calls, std::span<const std::string> texts,
                ProgramSetting setting)
      : calls_(calls), texts_(texts), subject_(setting.subject), device_(setting.device) {}

  std::size_t call_count() const { return calls_.size(); }
  /// Applies one call. Calls are made in order: `index` is the number of calls made before.
  void step(std::size_t index);
  void run_all();

  const Answers& answers() const { return answers_; }
  /// Empty if the id names no live block.
  std::optional<Address> address_of(std::uint64_t id) const { return addresses_.find(id); }

 private:
  using Event = traces::ProgramEvent;

  void request(const Event& call);
  void set_options(const Event& call);
  void restore(const Event& call);
  const std::string& text_of(const Event& call) const { return texts_[call.text.value]; }
  std::int64_t call_number() const { return static_cast<std::int64_t>(next_call_) - 1; }

  std::span<const Event> calls_;
  std::span<const std::string> texts_;
  AllocatorSubject& subject_;
  streams::DrivenDevice& device_;
  std::size_t next_call_ = 0;
  LiveAddresses addresses_;
  std::map<std::string, allocator::Checkpoint> checkpoints_;
  Answers answers_;
};

}  // namespace vramlab::replay
