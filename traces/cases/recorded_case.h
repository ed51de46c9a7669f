// Recorded cases: runs of the reference, decoded: everything that was asked of it and everything it
// answered. A case is of the device's allocator, of the allocator of pinned memory, or of the
// parser of options; the first two are programs of calls of the same form. Reading a case never
// trusts the file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/host_values.h"
#include "allocator/types/reference_version.h"
#include "allocator/types/snapshot.h"
#include "traces/model/call_forms.h"
#include "traces/model/program_event.h"

namespace vramlab::traces {

/// A program of calls for one of the two allocators.
template <typename Call>
struct CaseProgram {
  std::string name;
  const ReferenceVersion* version = nullptr;
  /// The option string in force at the start.
  std::string config;
  std::vector<Call> calls;
};

struct RecordedProgram : CaseProgram<ProgramEvent> {
  /// The memory of the simulated device.
  Bytes device_total;
  /// Set before the first call.
  std::optional<double> memory_fraction;
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

/// A program for pinned memory, over a simulated host.
struct HostProgram : CaseProgram<HostCall> {
  static std::string_view text_of(const HostCall& call) { return call.text; }
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

/// The numbers of device calls that succeeded.
struct RecordedDeviceCalls {
  std::uint64_t cuda_malloc = 0;
  std::uint64_t cuda_free = 0;
  std::uint64_t cu_mem_create = 0;
  std::uint64_t cuda_event_synchronize = 0;
};

/// Everything that a run on a device answered. Optional members may be absent from a case.
struct RecordedAnswers {
  /// An address for each malloc: 0 for a request of 0 bytes, null where it failed.
  std::vector<std::optional<Address>> results;
  std::vector<RecordedEvent> trace;
  /// For each trace entry: the second half of its pool id.
  std::optional<std::vector<std::uint64_t>> trace_pools;
  std::vector<Snapshot> snapshots;
  std::vector<RecordedRestore> restores;
  Snapshot final_snapshot;
  StatisticValues final_statistics;
  /// The statistics of this version count rejected requests.
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

/// Everything that a run for pinned memory answered.
struct HostAnswers {
  /// A result for each malloc; every failure counts as out of memory.
  std::vector<HostMallocResult> results;
  /// An answer for each use: null where the id held nothing or the call failed.
  std::vector<std::optional<bool>> uses;
  std::vector<HostSystemCall> system_calls;
  std::vector<RecordedFailure> failures;
  std::vector<HostStatisticValues> statistics;
  std::vector<HostSnapshot> snapshots;
  std::vector<allocator::HostEvent> trace;
  HostSnapshot final_snapshot;
  HostStatisticValues final_statistics;
};

struct HostCase {
  HostProgram program;
  HostAnswers expected;
  /// The version has statistics, snapshots and a history.
  bool has_statistics = false;
};

struct OptionStep {
  std::string text;
  /// In the reference's words.
  std::optional<std::string> error;
  /// The reference warned that the limit of cached sizes comes before that of rounding.
  bool warned = false;
  /// The options that the shared parser sets; all others have their defaults.
  Settings settings;
};

/// A process that starts with the defaults and is given one string after another.
using OptionRun = std::vector<OptionStep>;

/// Runs of the reference's parser of the options that all accelerators share.
struct OptionCase {
  /// The file.
  std::string name;
  std::vector<OptionRun> runs;
};

using AnyCase = std::variant<RecordedCase, HostCase, OptionCase>;

// In all of these `-` is standard input, and .gz and .zst are told from the first bytes; `file` is
// the input's name for messages. All throw InputError.

AnyCase read_any_case(const std::string& path);
AnyCase parse_any_case(std::string_view text, const std::string& file);
RecordedCase read_recorded_case(const std::string& path);
RecordedCase parse_recorded_case(std::string_view text, const std::string& file);
/// The same form without answers, as workloads have it; answers that are there are passed over.
RecordedProgram read_recorded_program(const std::string& path);

// The names under which cases and reports know the statistics.

template <typename Member>
struct StatisticName {
  std::string_view name;
  Member StatisticValues::* member;
};

inline constexpr std::array<StatisticName<allocator::PooledStatistic>, 9> pooled_statistic_names = {
    {
        {"allocation", &StatisticValues::allocation},
        {"segment", &StatisticValues::segment},
        {"active", &StatisticValues::active},
        {"inactive_split", &StatisticValues::inactive_split},
        {"allocated_bytes", &StatisticValues::allocated_bytes},
        {"reserved_bytes", &StatisticValues::reserved_bytes},
        {"active_bytes", &StatisticValues::active_bytes},
        {"inactive_split_bytes", &StatisticValues::inactive_split_bytes},
        {"requested_bytes", &StatisticValues::requested_bytes},
    }};

inline constexpr std::array<StatisticName<StatisticValue>, 2> plain_statistic_names = {{
    {"oversize_allocations", &StatisticValues::oversize_allocations},
    {"oversize_segments", &StatisticValues::oversize_segments},
}};

/// A counter that recordings of older versions do not have.
inline constexpr std::string_view oom_rejections_name = "num_oom_rejections";

inline constexpr std::array<StatisticName<std::int64_t>, 5> counter_names = {{
    {"num_alloc_retries", &StatisticValues::num_alloc_retries},
    {"num_ooms", &StatisticValues::num_ooms},
    {"num_sync_all_streams", &StatisticValues::num_sync_all_streams},
    {"num_device_alloc", &StatisticValues::num_device_alloc},
    {"num_device_free", &StatisticValues::num_device_free},
}};

struct PoolPartName {
  std::string_view name;
  StatisticValue allocator::PooledStatistic::* member;
};

inline constexpr std::array<PoolPartName, 3> pool_part_names = {{
    {"all", &allocator::PooledStatistic::all},
    {"small_pool", &allocator::PooledStatistic::small_pool},
    {"large_pool", &allocator::PooledStatistic::large_pool},
}};

}  // namespace vramlab::traces
