// Step: what the allocator of one device, or that of pinned memory, did at one event, as it says
// itself: the rules that decided something, the entries of its history, and its state afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "allocator/listeners/rules.h"
#include "allocator/types/answers.h"
#include "allocator/types/snapshot.h"
#include "replay/replayer/kept_rest.h"
#include "replay/replayer/passed_over.h"
#include "replay/replayer/replay_watch.h"

namespace vramlab::replay {

/// The allocator that a step is of. That of pinned memory serves all devices and announces no
/// rules.
enum class StepMemory : std::uint8_t { device, pinned };

/// A counter that an event changed: of torch.cuda.memory_stats(), or of host_memory_stats() as
/// PyTorch names them from 2.11 on.
struct CounterChange {
  /// As there, such as `segment.all.current`.
  std::string_view name;
  bool is_bytes = false;
  std::int64_t before = 0;
  std::int64_t after = 0;
};

struct Step {
  std::uint64_t number = 0;
  StepMemory memory = StepMemory::device;
  traces::ProgramEvent event;
  /// In the order in which they acted; none where the allocator was not asked.
  std::vector<allocator::Rule> rules;
  std::vector<AllocatorEvent> entries;
  /// If its request failed.
  std::optional<OutOfMemory> failure;
  /// Free blocks that its request could have got. Of a program with several devices, not for the
  /// first step of each if earlier ones are left out.
  std::vector<PassedOver> passed_over;
  /// If the block of its request was handed out whole.
  std::optional<KeptRest> kept_rest;
  std::vector<CounterChange> counters;
  Snapshot state;
  /// The names that the program gave to the blocks in the state that it holds, or that wait.
  std::map<Address, std::uint64_t> ids;
  Bytes allocated;
  Bytes reserved;
};

/// So many events from the one with this number on.
struct StepRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool contains(std::uint64_t number) const { return number >= first && number - first < count; }
};

/// Adds the steps in the range. Requires: the replay's conditions say that all entries are kept,
/// and `steps` lives as long as the watch.
ReplayWatch watch_steps(StepRange range, std::vector<Step>& steps);

}  // namespace vramlab::replay
