// ProgramRunner: applies a program of calls, step by step, to an allocator and to the world of the
// device under it, and collects what it answers. It knows which id names which address and which
// checkpoint has which name; judging the answers is for others.
//
// A call that must not be made throws allocator::AllocatorError, and the run cannot go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/runner/allocator_subject.h"
#include "replay/runner/live_addresses.h"
#include "streams/device/device_world.h"
#include "traces/calls/call.h"

namespace vramlab::replay {

struct ConfigFailure {
  /// Of the call; -1 for the settings at the start.
  std::int64_t call = 0;
  allocator::SettingsError error;
};

/// A request that failed for another reason than memory.
struct MallocFailure {
  std::int64_t call = 0;
  allocator::MallocOutcome outcome = allocator::MallocOutcome::scope_already_open;
};

struct Answers {
  /// One for each malloc.
  std::vector<allocator::MallocResult> results;
  /// One for each `snapshot`.
  std::vector<allocator::Snapshot> snapshots;
  /// One for each `restore`.
  std::vector<allocator::RestoreResult> restores;
  std::vector<ConfigFailure> config_failures;
  std::vector<MallocFailure> malloc_failures;
  /// Also of a rejected request.
  std::optional<allocator::OutOfMemory> first_out_of_memory;
};

/// A program is made for one allocator on one device. Both must outlive the runner.
struct ProgramSetting {
  AllocatorSubject& subject;
  streams::DeviceWorld& device;
};

class ProgramRunner {
 public:
  ProgramRunner(std::span<const traces::Call> calls, ProgramSetting setting)
      : calls_(calls), subject_(setting.subject), device_(setting.device) {}

  std::size_t call_count() const { return calls_.size(); }
  /// Applies one call. Calls are made in order: `index` is the number of calls made before.
  void step(std::size_t index);
  void run_all();

  const Answers& answers() const { return answers_; }
  /// Nothing where the id names no live block.
  std::optional<allocator::Address> address_of(std::uint64_t id) const {
    return addresses_.find(id);
  }

 private:
  void do_malloc(const traces::Call& call);
  void do_free(const traces::Call& call);
  void do_record_stream(const traces::Call& call);
  void do_set_config(const traces::Call& call);
  void do_begin_pool(const traces::Call& call);
  void do_checkpoint(const traces::Call& call);
  void do_restore(const traces::Call& call);
  void do_capture_begin(const traces::Call& call);
  void do_capture_end(const traces::Call& call);
  void do_statistics_or_snapshot(const traces::Call& call);

  std::span<const traces::Call> calls_;
  AllocatorSubject& subject_;
  streams::DeviceWorld& device_;
  std::size_t next_call_ = 0;
  LiveAddresses addresses_;
  std::map<std::string, allocator::Checkpoint> checkpoints_;
  Answers answers_;
};

}  // namespace vramlab::replay
