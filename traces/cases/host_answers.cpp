#include "traces/cases/case_parts.h"
#include "traces/cases/host_case_reader.h"

namespace vramlab::traces {
namespace {

using namespace allocator;

HostMallocResult read_host_result(const JsonValue& value) {
  if (value.is_null()) return {MallocOutcome::out_of_memory, {}, {}};
  if (!value.is_array() && value.number(0) == 0) return {};
  if (value.array_size() != 2) value.fail("a block: address and size");
  return {MallocOutcome::allocated, {value.at(0).number()}, {value.at(1).number()}};
}

std::optional<bool> read_use(const JsonValue& value) {
  if (value.is_null()) return std::nullopt;
  return value.boolean();
}

HostSystemCall read_system_call(const JsonValue& value) {
  if (value.array_size() != 3) value.fail("a call of the system: name, address, bytes");
  constexpr int action_count = static_cast<int>(HostSystemAction::free) + 1;
  const JsonValue name = value.at(0);
  for (int i = 0; i < action_count; ++i)
    if (name.text() == host_system_action_name(static_cast<HostSystemAction>(i)))
      return {static_cast<HostSystemAction>(i), {value.at(1).number()}, {value.at(2).number()}};
  name.fail("the name of a call of the system");
}

MaybeHostStack read_stack(const JsonValue& value) {
  if (value.is_null()) return std::nullopt;
  return HostStack{value.number()};
}

HostEvent read_host_event(const JsonValue& entry) {
  if (entry.array_size() != 5) entry.fail("a trace entry: action, address, size, pool, stack");
  return {read_action(entry.at(0)),
          {entry.at(1).number()},
          {entry.at(2).number()},
          read_pool_id(entry.at(3)),
          read_stack(entry.at(4))};
}

/// Versions without history have neither pools nor stacks.
HostBlockState read_host_block(const JsonValue& block) {
  if (block.array_size() != 4 && block.array_size() != 6)
    block.fail("a block: address, size, allocated, active, and perhaps pool and stack");
  HostBlockState state{{block.at(0).number()}, {block.at(1).number()}, block.at(2).boolean(),
                       block.at(3).boolean(),  default_pool,           std::nullopt};
  if (block.array_size() == 4) return state;
  state.pool = read_pool_id(block.at(4));
  state.stack = read_stack(block.at(5));
  return state;
}

HostSnapshot read_host_snapshot(const JsonValue& blocks) {
  return read_array<HostBlockState>(blocks, read_host_block);
}

HostTimes read_times(const JsonValue& value) {
  if (value.array_size() != 4) value.fail("times: total, largest, smallest, count");
  return {value.at(0).number(), value.at(1).number(), value.at(2).number(), value.at(3).number()};
}

/// What the counters of blocks say already, which must agree.
void check_count(const JsonValue& stats, std::string_view name, std::int64_t count) {
  const JsonValue value = stats.key(name);
  if (value.signed_number() != count) value.fail(std::to_string(count));
}

HostStatisticValues read_host_statistics(const JsonValue& stats) {
  stats.only_keys({"active_requests", "active_bytes", "allocations", "allocated_bytes",
                   "host_alloc_time", "host_free_time", "num_host_alloc", "num_host_free",
                   "bucket_allocation"});
  HostStatisticValues values;
  values.active_requests = read_statistic(stats.key("active_requests"));
  values.active_bytes = read_statistic(stats.key("active_bytes"));
  values.allocations = read_statistic(stats.key("allocations"));
  values.allocated_bytes = read_statistic(stats.key("allocated_bytes"));
  values.alloc_time = read_times(stats.key("host_alloc_time"));
  values.free_time = read_times(stats.key("host_free_time"));
  check_count(stats, "num_host_alloc", values.allocations.allocated);
  check_count(stats, "num_host_free", values.allocations.freed);
  const JsonValue buckets = stats.key("bucket_allocation");
  for (std::size_t bucket = 0; bucket < host_bucket_count; ++bucket)
    if (const auto count = buckets.find(std::to_string(bucket)))
      values.bucket_allocations[bucket] = count->number();
  return values;
}

}  // namespace

void read_host_answers(const JsonValue& expect, HostCase& recorded) {
  expect.only_keys({"results", "uses", "driver", "errors", "stats", "snapshots", "trace",
                    "final_blocks", "final_snapshot", "final_stats"});
  HostAnswers& answers = recorded.expected;
  answers.results = read_array<HostMallocResult>(expect.key("results"), read_host_result);
  answers.uses = read_array<std::optional<bool>>(expect.key("uses"), read_use);
  answers.system_calls = read_array<HostSystemCall>(expect.key("driver"), read_system_call);
  answers.failures = read_array<RecordedFailure>(expect.key("errors"), read_failure);
  // Versions without statistics and history have their last state under another name.
  if (const auto blocks = expect.find("final_blocks")) {
    answers.final_snapshot = read_host_snapshot(*blocks);
    return;
  }
  recorded.has_statistics = true;
  answers.statistics = read_array<HostStatisticValues>(expect.key("stats"), read_host_statistics);
  answers.snapshots = read_array<HostSnapshot>(expect.key("snapshots"), read_host_snapshot);
  answers.trace = read_array<HostEvent>(expect.key("trace"), read_host_event);
  answers.final_snapshot = read_host_snapshot(expect.key("final_snapshot"));
  answers.final_statistics = read_host_statistics(expect.key("final_stats"));
}

}  // namespace vramlab::traces
