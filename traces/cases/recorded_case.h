// RecordedCase: one run of the reference allocator over a simulated device, decoded: what was asked
// of it and everything it answered. Reading one never trusts the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/reference_version.h"
#include "allocator/types/snapshot.h"
#include "traces/model/program_event.h"

namespace vramlab::traces {

/// What to run, and on what.
struct RecordedProgram {
  std::string name;
  const ReferenceVersion* version = nullptr;
  Bytes device_total;
  /// The option string in force at the start.
  std::string config;
  /// Set before the first call.
  std::optional<double> memory_fraction;
  std::vector<ProgramEvent> calls;
  /// The texts of the calls, by their ids.
  std::vector<std::string> texts;

  TextId add_text(std::string text) {
    texts.push_back(std::move(text));
    return TextId(static_cast<std::uint32_t>(texts.size() - 1));
  }
  /// Empty where the call has none.
  std::string_view text_of(const ProgramEvent& call) const {
    return call.text.value < texts.size() ? texts[call.text.value] : std::string_view();
  }
};

struct RecordedEvent {
  Action action = Action::alloc;
  Address address;
  Bytes size;
  StreamId stream;
};

struct RecordedRestore {
  std::vector<Address> freed;
  std::vector<Address> created;
};

/// An error that the reference raised, in its words.
struct RecordedFailure {
  /// The call's number; -1 for the option string at the start.
  std::int64_t call = 0;
  std::string text;
  friend bool operator==(const RecordedFailure&, const RecordedFailure&) = default;
};

/// How many device calls of each kind succeeded.
struct RecordedDeviceCalls {
  std::uint64_t cuda_malloc = 0;
  std::uint64_t cuda_free = 0;
  std::uint64_t cu_mem_create = 0;
  std::uint64_t cuda_event_synchronize = 0;
};

/// What has a std::optional may be absent from a case.
struct RecordedAnswers {
  /// One for each malloc: an address, 0 for a request of 0 bytes, nothing where it failed.
  std::vector<std::optional<Address>> results;
  std::vector<RecordedEvent> trace;
  /// For each trace entry: the second half of its pool id.
  std::optional<std::vector<std::uint64_t>> trace_pools;
  std::vector<Snapshot> snapshots;
  std::vector<RecordedRestore> restores;
  Snapshot final_snapshot;
  StatisticValues final_statistics;
  /// Whether the statistics say how many requests were rejected.
  bool has_oom_rejections = false;
  RecordedDeviceCalls device_calls;
  std::optional<std::string> first_oom_message;
  std::vector<RecordedFailure> config_failures;
  std::vector<RecordedFailure> malloc_failures;
};

struct RecordedCase {
  RecordedProgram program;
  RecordedAnswers expected;
};

/// `-` is standard input; .gz and .zst are told from the first bytes. Throws InputError.
RecordedCase read_recorded_case(const std::string& path);
/// `file` is for error messages only. Throws InputError.
RecordedCase parse_recorded_case(std::string_view text, const std::string& file);
/// The same form without answers, as workloads have it; answers that are there are passed over.
RecordedProgram read_recorded_program(const std::string& path);

}  // namespace vramlab::traces
