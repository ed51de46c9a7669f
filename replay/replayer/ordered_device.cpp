#include "replay/replayer/ordered_device.h"

#include <algorithm>

#include "allocator/types/answers.h"
#include "replay/recording/compact_program.h"
#include "replay/replayer/replay_setup.h"
#include "streams/device/timed_device.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {

namespace {

// Names that no program gives.
/// PyTorch frees here what several streams used, behind all of them.
constexpr StreamId joining_stream{~0ULL - 2};
constexpr EventId between_streams{UINT64_MAX - 2};

/// Memory is kept until it is asked back, as PyTorch sets it.
constexpr streams::OrderedPoolRules pool_rules{.release_threshold = {UINT64_MAX}};

void set(StatisticValue& value, Bytes now) {
  const auto bytes = static_cast<std::int64_t>(now.count);
  (bytes > value.current ? value.allocated : value.freed) += std::abs(bytes - value.current);
  value.current = bytes;
  value.peak = std::max(value.peak, bytes);
}

}  // namespace

OrderedDevice::OrderedDevice(traces::DeviceIndex device, const DeviceConditions& conditions,
                             OrderedStreams& shared)
    : index_(device),
      conditions_(conditions),
      streams_(shared.program()),
      gates_(shared.held()),
      memory_(streams::MemoryOptions{.total = conditions.memory}),
      pool_(pool_rules, device.value, memory_, shared.order()),
      margin_(conditions.memory) {
  report_.device = device;
  report_.memory = conditions.memory;
  report_.held_by_others = conditions.setup.asked.held_by_others;
  memory_.set_external(report_.held_by_others.value_or(Bytes{}));
}

void OrderedDevice::adopt(const std::vector<StartingSegment>& start) {
  for (const StartingSegment& segment : start)
    for (std::size_t i = 0; i < segment.segment.blocks.size(); ++i) {
      const Bytes size = segment.segment.blocks[i].requested;
      if (segment.ids[i] == 0) continue;
      if (size.count == 0) {
        failed_ids_.insert(segment.ids[i]);
        continue;
      }
      const auto at = pool_.allocate(size, segment.segment.stream);
      if (!at)
        throw DeviceError("memory from before the recording needs more than the device's " +
                          format_bytes(conditions_.memory));
      hold(segment.ids[i], {*at, size, use_of(segment.segment.stream), {}});
    }
  note(0);
}

bool OrderedDevice::apply(const Event& event, std::uint64_t number,
                          const traces::TextTable& /*texts*/) {
  if (!streams_.begin(event, number))
    throw streams::EndlessWait("host thread " + std::to_string(event.thread) +
                               " waits for work that never ends");
  const bool goes_on = event.kind != Kind::malloc || request(event, number);
  if (event.kind != Kind::malloc) apply_other(event);
  note(number);
  return goes_on;
}

void OrderedDevice::apply_other(const Event& event) {
  switch (event.kind) {
    case Kind::free:
      return free(event);
    case Kind::use:
      return use(event);
    case Kind::empty_cache:
      return empty_cache();
    case Kind::external:
      if (!report_.held_by_others) memory_.set_external(event.bytes);
      return;
    case Kind::options:
      ++options_left_out_;
      return;
    case Kind::memory_fraction:
      if (!conditions_.setup.keeps_settings()) conditions_.memory_fraction = event.fraction;
      return;
    default:
      return apply_to_streams(event);
  }
}

void OrderedDevice::apply_to_streams(const Event& event) {
  switch (event.kind) {
    case Kind::pool_create:
    case Kind::pool_begin:
    case Kind::pool_end:
    case Kind::pool_release:
    case Kind::pool_destroy:
    case Kind::checkpoint:
    case Kind::restore:
      throw AllocatorError("private pools are not modelled with backend:cudaMallocAsync");
    case Kind::work:
    case Kind::copy:
    case Kind::memset:
    case Kind::host_function:
      // Captured work runs later, when nobody says that it is done.
      if (conditions_.timing == FreeTiming::recorded &&
          !streams_.streams().capture_of(stream_at(event.stream)))
        return gates_.hold_back(stream_at(event.stream));
      return streams_.apply(event);
    case Kind::stream_done:
    case Kind::stream_sync:
    case Kind::event_sync:
    case Kind::device_sync:
      return wait(event);
    case Kind::stream_destroy:
      return destroy_stream(event);
    default:
      return streams_.apply(event);
  }
}

void OrderedDevice::wait(const Event& event) {
  if (conditions_.timing == FreeTiming::recorded) {
    if (event.kind == Kind::event_sync)
      gates_.event_is_done(event.event);
    else if (event.kind == Kind::device_sync)
      gates_.device_is_done(index_.value);
    else
      gates_.stream_is_done(stream_at(event.stream));
  }
  streams_.apply(event);
  pool_.host_waited();
}

/// Its work still runs: blocks that it used are freed behind that.
void OrderedDevice::destroy_stream(const Event& event) {
  const streams::StreamAt stream = stream_at(event.stream);
  const bool was_there = event.stream.value != 0 && streams_.streams().has_stream(stream);
  if (was_there && !streams_.streams().capture_of(stream)) join(event.stream);
  streams_.apply(event);
  if (was_there && !streams_.streams().has_stream(stream)) ++destroyed_[event.stream];
}

OrderedDevice::StreamUse OrderedDevice::use_of(StreamId stream) const {
  const auto found = destroyed_.find(stream);
  return {stream, found == destroyed_.end() ? 0 : found->second};
}

/// Memory that is freed there from now on is free behind all work of the stream.
void OrderedDevice::join(StreamId stream) {
  streams::TimedStreams& streams = streams_.streams();
  const streams::StreamAt joining = stream_at(joining_stream);
  if (!streams.has_stream(joining)) streams.create_stream(joining, {.is_blocking = false});
  const streams::CudaStatus status =
      wait_for_other_stream(streams, joining, streams_.known_stream(stream_at(stream)),
                            between_streams, streams_.number());
  // After a fault nothing runs any more.
  if (status != streams::CudaStatus::success && status != streams.lost_context())
    throw AllocatorError(
        "a free must wait for stream " + std::to_string(stream.value) +
        ", and CUDA refuses that: " + std::string(streams::cuda_status_name(status)));
}

bool OrderedDevice::request(const Event& event, std::uint64_t number) {
  ++report_.requests;
  if (event.bytes.count == 0) {
    failed_ids_.insert(event.id);
    return true;
  }
  refuse_captured(event.stream, "requests");
  const auto at = allocate(event.bytes, event.stream);
  if (!at) return fail(event, number);
  hold(event.id, {*at, event.bytes, use_of(event.stream), {}});
  return true;
}

void OrderedDevice::hold(std::uint64_t id, const Held& block) {
  held_[id] = block;
  requested_ += block.requested;
}

std::optional<Bytes> OrderedDevice::allowed() const {
  if (!conditions_.memory_fraction) return std::nullopt;
  return allowed_on(conditions_.memory);
}

Bytes OrderedDevice::allowed_on(Bytes total) const {
  return allocator::share_of(*conditions_.memory_fraction, total);
}

std::optional<Address> OrderedDevice::allocate(Bytes size, StreamId stream) {
  const auto limit = allowed();
  if (limit && (size > *limit || pool_.used() > *limit - size)) {
    margin_.note([&](Bytes total) {
      const Bytes other = allowed_on(total);
      return size <= other && pool_.used() <= other - size;
    });
    return std::nullopt;
  }
  return pool_.allocate(size, streams_.known_stream(stream_at(stream)).stream);
}

bool OrderedDevice::fail(const Event& event, std::uint64_t number) {
  failed_ids_.insert(event.id);
  OutOfMemory figures;
  figures.request = event.bytes;
  figures.device_size = event.bytes;
  figures.device = static_cast<int>(index_.value);
  figures.device_total = conditions_.memory;
  figures.device_free = memory_.info().free;
  figures.allowed = allowed();
  figures.allocated = pool_.used();
  figures.reserved = pool_.reserved();
  report_.failures.push_back({number, event.time_ns, event.stream, figures});
  ++report_.statistics.num_ooms;
  return false;
}

OrderedDevice::Held& OrderedDevice::held(const Event& event, const char* purpose) {
  const auto found = held_.find(event.id);
  if (found == held_.end())
    throw AllocatorError("the id " + std::to_string(event.id) + " cannot be " + purpose +
                         ": nothing in use has that name");
  return found->second;
}

void OrderedDevice::use(const Event& event) {
  if (failed_ids_.contains(event.id) || conditions_.timing == FreeTiming::eager) return;
  Held& block = held(event, "used");
  const StreamUse user = use_of(event.stream);
  if (user != block.owner) block.users.insert(user);
}

void OrderedDevice::free(const Event& event) {
  if (failed_ids_.erase(event.id) > 0) return;
  ++report_.frees;
  const Held block = held(event, "freed");
  held_.erase(event.id);
  requested_ -= block.requested;
  if (block.users.empty() && !is_destroyed(block.owner)) {
    refuse_captured(block.owner.stream, "frees");
    return pool_.free(block.address, block.owner.stream);
  }
  std::set<StreamUse> all = block.users;
  all.insert(block.owner);
  // Behind what was destroyed it is already.
  for (const StreamUse& user : all) {
    if (is_destroyed(user)) continue;
    refuse_captured(user.stream, "frees");
    join(user.stream);
  }
  pool_.free(block.address, joining_stream);
}

/// Everything is done first, so that all that is free can be given back.
void OrderedDevice::empty_cache() {
  if (conditions_.timing == FreeTiming::recorded) gates_.device_is_done(index_.value);
  if (!streams_.streams().wait_for_device(index_.value))
    throw streams::EndlessWait("emptying the cache waits for work that never ends");
  pool_.trim_to({0});
}

void OrderedDevice::refuse_captured(StreamId stream, const char* what) const {
  if (streams_.streams().capture_of(stream_at(stream)))
    throw AllocatorError(std::string(what) +
                         " of streams that capture are not modelled with backend:cudaMallocAsync");
}

void OrderedDevice::note(std::uint64_t number) {
  StatisticValues& values = report_.statistics;
  set(values.requested_bytes.all, requested_);
  set(values.allocated_bytes.all, pool_.used());
  set(values.active_bytes.all, pool_.used());
  set(values.reserved_bytes.all, pool_.reserved());
  const std::uint64_t now_ns = streams_.streams().now().ns;
  if (pool_.used() > report_.peak_allocated.bytes)
    report_.peak_allocated = {pool_.used(), number, now_ns};
  if (pool_.reserved() > report_.peak_reserved.bytes)
    report_.peak_reserved = {pool_.reserved(), number, now_ns};
  report_.curve.note(number, {pool_.used(), pool_.reserved()});
  if (!report_.begin_ns) report_.begin_ns = now_ns;
  report_.end_ns = now_ns;
}

void refuse_watch_of_ordered(const ReplayWatch& watch) {
  if (!watch.after_event && !watch.at_start && !watch.at_end && watch.until.empty() &&
      !watch.until_ns && !watch.released)
    return;
  throw traces::InputError({"the options", "",
                            "the native backend, whose segments can be looked at",
                            "backend:cudaMallocAsync, which vramlab replay models by its figures"});
}

std::string modelled_backend_note(const Settings& settings) {
  std::string note =
      "backend:cudaMallocAsync is modelled after CUDA's documentation, not exact: see "
      "docs/reference/ordered_memory.md";
  if (settings.text.find_first_of(", ") != std::string::npos)
    note += "; the other options do nothing with it";
  return note;
}

DeviceReport OrderedDevice::report() const {
  DeviceReport report = report_;
  report.same_below = std::min(memory_.same_answers().below, margin_.below());
  report.device_calls.units_created = pool_.counts().units_created;
  report.pool = pool_.counts();
  streams::DeviceCallTally& calls = report.device_call_tally;
  const Bytes unit = pool_rules.unit;
  calls.add(streams::DeviceCall::create, unit, report.pool->units_created);
  calls.add(streams::DeviceCall::map, unit, report.pool->units_created + report.pool->units_moved);
  calls.add(streams::DeviceCall::unmap, unit,
            report.pool->units_released + report.pool->units_moved);
  report.device_time_ns = conditions_.setup.device_costs().nanoseconds_of(calls);
  report.stranded_at_peak.reset();
  return report;
}

}  // namespace vramlab::replay
