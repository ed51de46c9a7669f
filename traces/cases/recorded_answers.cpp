#include <algorithm>
#include <array>

#include "traces/cases/case_parts.h"
#include "traces/cases/recorded_answers.h"
#include "traces/model/statistic_names.h"

namespace vramlab::traces {
namespace {

using namespace allocator;

/// Which keys a version's recordings have that those of others lack.
struct VersionKeys {
  std::string_view version;
  bool has_trace_pools;
  bool has_oom_rejections;
};
constexpr std::array<VersionKeys, 2> version_keys = {{
    {"2.6", false, false},
    {"2.12", true, true},
}};

VersionKeys keys_of(const ReferenceVersion& version) {
  const auto row = std::ranges::find(version_keys, version.name, &VersionKeys::version);
  return row == version_keys.end() ? VersionKeys{version.name, true, true} : *row;
}

Address read_address(const JsonValue& value) { return {value.number()}; }

std::optional<Address> read_result(const JsonValue& value) {
  if (value.is_null()) return std::nullopt;
  return read_address(value);
}

RecordedEvent read_event(const JsonValue& entry) {
  if (entry.array_size() != 4) entry.fail("a trace entry: action, address, size, stream");
  return {read_action(entry.at(0)),
          {entry.at(1).number()},
          {entry.at(2).number()},
          {entry.at(3).number()}};
}

RecordedRestore read_restore(const JsonValue& restore) {
  restore.only_keys({"freed", "created"});
  return {read_array<Address>(restore.key("freed"), read_address),
          read_array<Address>(restore.key("created"), read_address)};
}

std::vector<RecordedFailure> read_failures(const JsonValue& expect, std::string_view name) {
  const auto failures = expect.find(name);
  if (!failures) return {};
  return read_array<RecordedFailure>(*failures, read_failure);
}

StatisticValues read_statistics(const JsonValue& stats) {
  stats.only_keys({"allocation", "segment", "active", "inactive_split", "allocated_bytes",
                   "reserved_bytes", "active_bytes", "inactive_split_bytes", "requested_bytes",
                   "oversize_allocations", "oversize_segments", "num_alloc_retries", "num_ooms",
                   "num_sync_all_streams", "num_device_alloc", "num_device_free",
                   oom_rejections_name});
  StatisticValues values;
  for (const auto& statistic : pooled_statistic_names) {
    const JsonValue pools = stats.key(statistic.name);
    pools.only_keys({"all", "small_pool", "large_pool"});
    for (const PoolPartName& part : pool_part_names)
      values.*statistic.member.*part.member = read_statistic(pools.key(part.name));
  }
  for (const auto& statistic : plain_statistic_names)
    values.*statistic.member = read_statistic(stats.key(statistic.name));
  for (const auto& counter : counter_names)
    values.*counter.member = stats.key(counter.name).signed_number();
  if (const auto rejections = stats.find(oom_rejections_name))
    values.num_oom_rejections = rejections->signed_number();
  return values;
}

RecordedDeviceCalls read_device_calls(const JsonValue& calls) {
  calls.only_keys({"cudaMalloc", "cudaFree", "cuMemCreate", "cudaEventSynchronize"});
  return {calls.key("cudaMalloc").number(), calls.key("cudaFree").number(),
          calls.key("cuMemCreate").number(), calls.key("cudaEventSynchronize").number()};
}

BlockState read_block_state(const JsonValue& value) {
  for (const BlockState state :
       {BlockState::active_allocated, BlockState::active_pending_free, BlockState::inactive})
    if (value.text() == block_state_name(state)) return state;
  value.fail("active_allocated, active_pending_free or inactive");
}

PoolKind read_pool_kind(const JsonValue& value) {
  for (const PoolKind kind : {PoolKind::small, PoolKind::large})
    if (value.text() == pool_kind_name(kind)) return kind;
  value.fail("small or large");
}

SnapshotBlock read_block(const JsonValue& block, Address at) {
  if (block.array_size() != 3) block.fail("a block: size, requested size, state");
  return {at, {block.at(0).number()}, {block.at(1).number()}, read_block_state(block.at(2))};
}

SnapshotSegment read_segment(const JsonValue& segment) {
  segment.only_keys({"address", "total_size", "stream", "segment_type", "allocated_size",
                     "active_size", "requested_size", "is_expandable", "segment_pool_id",
                     "blocks"});
  SnapshotSegment read;
  read.address = {segment.key("address").number()};
  read.total_size = {segment.key("total_size").number()};
  read.allocated_size = {segment.key("allocated_size").number()};
  read.active_size = {segment.key("active_size").number()};
  read.requested_size = {segment.key("requested_size").number()};
  read.stream = {segment.key("stream").number()};
  read.kind = read_pool_kind(segment.key("segment_type"));
  read.pool = read_pool_id(segment.key("segment_pool_id"));
  read.is_expandable = segment.key("is_expandable").boolean();
  const JsonValue blocks = segment.key("blocks");
  read.blocks.reserve(blocks.array_size());
  Address at = read.address;
  for (std::size_t i = 0; i < blocks.array_size(); ++i) {
    read.blocks.push_back(read_block(blocks.at(i), at));
    at = at + read.blocks.back().size;
  }
  return read;
}

Snapshot read_recorded_snapshot(const JsonValue& segments) {
  Snapshot snapshot;
  snapshot.segments.reserve(segments.array_size());
  for (std::size_t i = 0; i < segments.array_size(); ++i)
    snapshot.segments.push_back(read_segment(segments.at(i)));
  return snapshot;
}

void read_optional_keys(const JsonValue& expect, RecordedAnswers& answers) {
  if (const auto pools = expect.find("trace_pools"))
    answers.trace_pools =
        read_array<std::uint64_t>(*pools, [](const JsonValue& pool) { return pool.number(); });
  if (const auto restores = expect.find("restores"))
    answers.restores = read_array<RecordedRestore>(*restores, read_restore);
  if (const auto message = expect.find("first_oom_message"))
    answers.first_oom_message = message->text();
  answers.config_failures = read_failures(expect, "config_errors");
  answers.malloc_failures = read_failures(expect, "malloc_errors");
}

/// Some keys must be there for some programs only.
void require_keys_of_program(const JsonValue& expect, const RecordedProgram& program) {
  const VersionKeys keys = keys_of(*program.version);
  if (keys.has_trace_pools) (void)expect.key("trace_pools");
  if (keys.has_oom_rejections) (void)expect.key("final_stats").key(oom_rejections_name);
  const bool restores = std::ranges::any_of(program.calls, [](const ProgramEvent& call) {
    return call.kind == ProgramEventKind::restore;
  });
  if (restores) (void)expect.key("restores");
}

}  // namespace

RecordedAnswers read_recorded_answers(const JsonValue& expect, const RecordedProgram& program) {
  expect.only_keys({"results", "trace", "trace_pools", "snapshots", "restores", "final_snapshot",
                    "final_stats", "device_calls", "first_oom_message", "config_errors",
                    "malloc_errors"});
  require_keys_of_program(expect, program);
  RecordedAnswers answers;
  answers.results = read_array<std::optional<Address>>(expect.key("results"), read_result);
  answers.trace = read_array<RecordedEvent>(expect.key("trace"), read_event);
  answers.snapshots = read_array<Snapshot>(expect.key("snapshots"), read_recorded_snapshot);
  answers.final_snapshot = read_recorded_snapshot(expect.key("final_snapshot"));
  const JsonValue stats = expect.key("final_stats");
  answers.final_statistics = read_statistics(stats);
  answers.has_oom_rejections = stats.find(oom_rejections_name).has_value();
  answers.device_calls = read_device_calls(expect.key("device_calls"));
  read_optional_keys(expect, answers);
  return answers;
}

}  // namespace vramlab::traces
