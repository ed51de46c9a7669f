#include "traces/cases/recorded_case.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "allocator/types/check.h"
#include "traces/io/byte_source.h"
#include "traces/json/json_value.h"

namespace vramlab::traces {
namespace {

using namespace allocator;

template <typename Value, typename Read>
std::vector<Value> read_array(const JsonValue& array, Read read) {
  std::vector<Value> values;
  values.reserve(array.array_size());
  for (std::size_t i = 0; i < array.array_size(); ++i) values.push_back(read(array.at(i)));
  return values;
}

// Programs and their calls.

/// The version with that description.
const ReferenceVersion& read_reference(const JsonValue& value) {
  std::string known;
  for (const ReferenceVersion& row : reference_versions()) {
    if (row.description == value.text()) return row;
    known += (known.empty() ? "\"" : " or \"") + std::string(row.description) + "\"";
  }
  value.fail(known);
}

double read_fraction(const JsonValue& value, const char* expected) {
  const double fraction = value.real();
  if (!(fraction >= 0 && fraction <= 1)) value.fail(expected);
  return fraction;
}

template <typename Call>
void read_scope(const JsonValue& value, Call& call) {
  if (value.is_null()) {
    call.scope = ScopeStreams::every_stream;
  } else if (value.is_text()) {
    if (value.text() != "capture") value.fail("a stream, null or \"capture\"");
    call.scope = ScopeStreams::capturing_streams;
  } else {
    call.scope = ScopeStreams::one_stream;
    call.stream = {value.number()};
  }
}

void read_traits(const JsonValue& value, ProgramEvent& call) {
  value.only_keys({"use_on_oom", "no_split"});
  call.use_on_oom = value.key("use_on_oom").boolean();
  call.no_split = value.key("no_split").boolean();
}

HostStackLevel read_stack_level(const JsonValue& value) {
  const auto* const name = std::ranges::find(host_level_names, std::string_view(value.text()));
  if (name == host_level_names.end()) value.fail("never, state, alloc or all");
  return static_cast<HostStackLevel>(name - host_level_names.begin());
}

/// A value that only calls for a device have.
void read_own_value(CallField field, const JsonValue& value, RecordedProgram& program) {
  ProgramEvent& call = program.calls.back();
  switch (field) {
    case CallField::waited_stream:
      call.for_stream = {value.number()};
      return;
    case CallField::fraction:
      call.fraction = read_fraction(value, "a fraction from 0 to 1");
      return;
    case CallField::text:
      call.text = program.add_text(value.text());
      return;
    case CallField::traits:
      return read_traits(value, call);
    default:
      check_failed("a call for a device has no such value", __FILE__, __LINE__);
  }
}

/// A value that only calls for pinned memory have.
void read_own_value(CallField field, const JsonValue& value, HostProgram& program) {
  HostCall& call = program.calls.back();
  switch (field) {
    case CallField::address:
      call.address = {value.number()};
      return;
    case CallField::on:
      call.on = value.boolean();
      return;
    case CallField::level:
      call.level = read_stack_level(value);
      return;
    case CallField::limit:
      call.limit = value.number();
      return;
    case CallField::clear:
      call.clear = value.boolean();
      return;
    case CallField::text:
      call.text = value.text();
      return;
    default:
      check_failed("a call for pinned memory has no such value", __FILE__, __LINE__);
  }
}

/// Into the last call.
template <typename Program>
void read_value(CallField field, const JsonValue& value, Program& program) {
  auto& call = program.calls.back();
  switch (field) {
    case CallField::id:
      call.id = value.number();
      return;
    case CallField::bytes:
      call.bytes = {value.number()};
      return;
    case CallField::stream:
      call.stream = {value.number()};
      return;
    case CallField::pool_graph:
      call.pool.graph = value.number();
      return;
    case CallField::pool:
    case CallField::maybe_pool:
      call.pool.user = value.number();
      return;
    case CallField::scope:
      return read_scope(value, call);
    default:
      return read_own_value(field, value, program);
  }
}

std::span<const CallForm> forms_of(const RecordedProgram&) { return call_forms(); }
std::span<const HostCallForm> forms_of(const HostProgram&) { return host_call_forms(); }

template <typename Program>
void read_call(const JsonValue& op, Program& program) {
  if (op.array_size() == 0) op.fail("a call: its name and what it is about");
  const JsonValue name = op.at(0);
  const auto forms = forms_of(program);
  const auto form =
      std::ranges::find_if(forms, [&](const auto& row) { return row.name == name.text(); });
  if (form == forms.end()) name.fail("the name of a call");
  const auto most = static_cast<std::size_t>(std::ranges::count_if(
      form->fields, [](CallField field) { return field != CallField::none; }));
  const std::size_t least = form->fields[0] == CallField::maybe_pool ? 0 : most;
  const std::size_t given = op.array_size() - 1;
  if (given < least || given > most)
    op.fail("'" + std::string(form->name) + "' with " + std::to_string(most) +
            (most == 1 ? " value" : " values") + " after it");
  program.calls.emplace_back().kind = form->kind;
  for (std::size_t i = 0; i < given; ++i) read_value(form->fields[i], op.at(i + 1), program);
}

template <typename Program>
void read_name_and_version(const JsonValue& top, Program& program) {
  program.name = top.key("name").text();
  program.version = &read_reference(top.key("reference"));
}

template <typename Program>
void read_calls(const JsonValue& top, Program& program) {
  const JsonValue ops = top.key("ops");
  program.calls.reserve(ops.array_size());
  for (std::size_t i = 0; i < ops.array_size(); ++i) read_call(ops.at(i), program);
}

/// More memory than any device has; sums of a few such numbers cannot wrap around.
constexpr std::uint64_t largest_device = std::uint64_t{1} << 50;

Bytes read_device_total(const JsonValue& device) {
  device.only_keys({"total_bytes"});
  return {device.key("total_bytes").number(largest_device)};
}

RecordedProgram read_program(const JsonValue& top) {
  top.only_keys({"name", "reference", "device", "config", "memory_fraction", "ops", "expect"});
  RecordedProgram program;
  read_name_and_version(top, program);
  program.device_total = read_device_total(top.key("device"));
  program.config = top.key("config").text();
  const JsonValue fraction = top.key("memory_fraction");
  if (!fraction.is_null())
    program.memory_fraction = read_fraction(fraction, "null or a fraction from 0 to 1");
  read_calls(top, program);
  return program;
}

HostProgram read_host_program(const JsonValue& top) {
  top.only_keys({"name", "reference", "config", "ops", "expect"});
  HostProgram program;
  read_name_and_version(top, program);
  program.config = top.key("config").text();
  read_calls(top, program);
  return program;
}

// Answers that both allocators give.

Action read_action(const JsonValue& value) {
  constexpr int action_count = static_cast<int>(Action::oom) + 1;
  for (int i = 0; i < action_count; ++i)
    if (value.text() == action_name(static_cast<Action>(i))) return static_cast<Action>(i);
  value.fail("the name of an action");
}

/// An array of the call's number and a text.
RecordedFailure read_failure(const JsonValue& failure) {
  if (failure.array_size() != 2) failure.fail("an error: the call's index and the text");
  return {failure.at(0).signed_number(), failure.at(1).text()};
}

StatisticValue read_statistic(const JsonValue& value) {
  if (value.array_size() != 4) value.fail("a statistic: current, peak, allocated, freed");
  return {value.at(0).signed_number(), value.at(1).signed_number(), value.at(2).signed_number(),
          value.at(3).signed_number()};
}

PoolId read_pool_id(const JsonValue& id) {
  if (id.array_size() != 2) id.fail("a pool id of two numbers");
  return {id.at(0).number(), id.at(1).number()};
}

// Answers of the device's allocator.

/// Keys that the recordings of a version have and those of others lack.
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

/// From the object `expect`. The program says which keys must be there.
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

// Answers of the allocator of pinned memory.

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

/// The counters of blocks say the same number, which must agree.
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

// Cases of the parser of options.

/// null stands for no limit.
Bytes read_limit(const JsonValue& value) {
  return value.is_null() ? allocator::unlimited : Bytes{value.number()};
}

void read_option_divisions(const JsonValue& list, Settings& settings) {
  auto& slots = settings.roundup_divisions;
  if (list.array_size() != slots.size())
    list.fail("a list of " + std::to_string(slots.size()) + " numbers");
  for (std::size_t i = 0; i < slots.size(); ++i)
    slots[i] = static_cast<std::uint32_t>(list.at(i).number(UINT32_MAX));
}

Settings read_state(const JsonValue& state) {
  state.only_keys({"large_segment_size", "max_split_size", "max_non_split_rounding_size",
                   "pinned_max_round_threshold", "pinned_max_cached_size",
                   "garbage_collection_threshold", "expandable_segments",
                   "pinned_use_background_threads", "roundup_power2_divisions", "last"});
  Settings settings;
  settings.text = state.key("last").text();
  settings.large_segment_size = {state.key("large_segment_size").number()};
  settings.max_split_size = read_limit(state.key("max_split_size"));
  settings.max_non_split_rounding = {state.key("max_non_split_rounding_size").number()};
  settings.pinned_max_round_threshold = read_limit(state.key("pinned_max_round_threshold"));
  settings.pinned_max_cached_size = read_limit(state.key("pinned_max_cached_size"));
  settings.garbage_collection_threshold = state.key("garbage_collection_threshold").real();
  settings.expandable_segments = state.key("expandable_segments").boolean();
  settings.pinned_use_background_threads = state.key("pinned_use_background_threads").boolean();
  read_option_divisions(state.key("roundup_power2_divisions"), settings);
  return settings;
}

OptionStep read_step(const JsonValue& value) {
  value.only_keys({"string", "error", "warned", "state"});
  OptionStep step;
  step.text = value.key("string").text();
  step.warned = value.key("warned").boolean();
  step.settings = read_state(value.key("state"));
  const JsonValue error = value.key("error");
  if (error.is_null()) return step;
  if (error.array_size() != 2) error.fail("an error: its kind and its text");
  step.error = error.at(1).text();
  return step;
}

OptionCase read_option_case(const JsonValue& top, const std::string& file) {
  return {file, read_array<OptionRun>(top, [](const JsonValue& run) {
            return read_array<OptionStep>(run, read_step);
          })};
}

// Whole cases.

RecordedCase read_case(const JsonValue& top) {
  RecordedCase recorded{read_program(top), {}};
  recorded.expected = read_recorded_answers(top.key("expect"), recorded.program);
  return recorded;
}

HostCase read_host_case(const JsonValue& top) {
  HostCase recorded;
  recorded.program = read_host_program(top);
  read_host_answers(top.key("expect"), recorded);
  return recorded;
}

}  // namespace

AnyCase read_any_case(const std::string& path) {
  return parse_any_case(read_input_bytes(path), input_name(path));
}

AnyCase parse_any_case(std::string_view text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  const JsonValue top(document, file);
  if (document.is_array()) return read_option_case(top, file);
  // Only a device has a size.
  if (document.is_object() && !document.contains("device") && document.contains("ops"))
    return read_host_case(top);
  return read_case(top);
}

RecordedCase read_recorded_case(const std::string& path) {
  return parse_recorded_case(read_input_bytes(path), input_name(path));
}

RecordedCase parse_recorded_case(std::string_view text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  return read_case(JsonValue(document, file));
}

RecordedProgram read_recorded_program(const std::string& path) {
  const std::string file = input_name(path);
  const nlohmann::json document = parse_json(read_input_bytes(path), file);
  return read_program(JsonValue(document, file));
}

}  // namespace vramlab::traces
