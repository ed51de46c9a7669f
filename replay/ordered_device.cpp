#include "replay/ordered_device.h"

#include "allocator/allocator_error.h"
#include "streams/stream_joint.h"
#include "streams/timed_device.h"
#include "traces/input_error.h"

namespace vramlab::replay {

using allocator::AllocatorError;
using allocator::Bytes;
using allocator::StreamId;

namespace {

// Names that no program gives.
/// PyTorch frees here what several streams used, behind all of them.
constexpr StreamId joining_stream{~0ULL - 2};
/// Where flags are written for work that ends when the program says so.
constexpr StreamId writing_stream{~0ULL - 3};
constexpr allocator::EventId between_streams{UINT64_MAX - 2};

/// Flags that no program has, one for each stream.
streams::FlagId flag_of(StreamId stream) { return {~stream.value}; }

void set(allocator::StatisticValue& value, Bytes now) {
  const auto bytes = static_cast<std::int64_t>(now.count);
  (bytes > value.current ? value.allocated : value.freed) += std::abs(bytes - value.current);
  value.current = bytes;
  value.peak = std::max(value.peak, bytes);
}

}  // namespace

OrderedDevice::OrderedDevice(traces::DeviceIndex device, const OrderedConditions& conditions,
                             StreamProgram& streams, streams::TimedFreeOrder& order)
    : index_(device),
      conditions_(conditions),
      streams_(streams),
      memory_(streams::MemoryOptions{.total = conditions.memory}),
      pool_(conditions.rules, device.value, memory_, order) {
  report_.device = device;
  report_.memory = conditions.memory;
}

void OrderedDevice::adopt(const std::vector<StartingSegment>& start) {
  for (const StartingSegment& segment : start)
    for (std::size_t i = 0; i < segment.segment.blocks.size(); ++i) {
      const Bytes size = segment.segment.blocks[i].requested;
      if (segment.ids[i] == 0 || size.count == 0) continue;
      const auto at = pool_.allocate(size, segment.segment.stream);
      if (!at)
        throw allocator::DeviceError(
            "what was there at the start needs more memory than the device's " +
            format_bytes(conditions_.memory));
      held_[segment.ids[i]] = {*at, size, segment.segment.stream, {}};
      set(report_.statistics.requested_bytes.all,
          Bytes{static_cast<std::uint64_t>(report_.statistics.requested_bytes.all.current)} + size);
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
      return memory_.set_external(event.bytes);
    case Kind::options:
      ++options_left_out_;
      return;
    case Kind::memory_fraction:
      conditions_.memory_fraction = event.fraction;
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
      if (conditions_.timing == FreeTiming::recorded) return hold_back(event);
      return streams_.apply(event);
    case Kind::stream_done:
    case Kind::stream_sync:
      if (conditions_.timing == FreeTiming::recorded) let_go(event);
      [[fallthrough]];
    case Kind::event_sync:
    case Kind::device_sync:
      streams_.apply(event);
      return pool_.host_waited();
    default:
      return streams_.apply(event);
  }
}

/// It ends when the program says that the stream is done.
void OrderedDevice::hold_back(const Event& event) {
  streams_.streams().submit(streams_.known_stream(stream_at(event.stream)),
                            {.kind = streams::WorkKind::await_flag,
                             .flag = flag_of(event.stream),
                             .value = let_go_[event.stream] + 1,
                             .tag = streams_.number()});
}

void OrderedDevice::let_go(const Event& event) {
  streams::TimedStreams& streams = streams_.streams();
  const streams::StreamAt writing = stream_at(writing_stream);
  if (!streams.has_stream(writing)) streams.create_stream(writing, {.is_blocking = false});
  streams.submit(writing, {.kind = streams::WorkKind::write_flag,
                           .flag = flag_of(event.stream),
                           .value = ++let_go_[event.stream],
                           .tag = streams_.number()});
}

bool OrderedDevice::request(const Event& event, std::uint64_t number) {
  ++report_.requests;
  if (event.bytes.count == 0) {
    failed_ids_.insert(event.id);
    return true;
  }
  refuse_captured(event);
  const auto at = allocate(event.bytes, event.stream);
  if (!at) return fail(event, number);
  held_[event.id] = {*at, event.bytes, event.stream, {}};
  set(report_.statistics.requested_bytes.all,
      Bytes{static_cast<std::uint64_t>(report_.statistics.requested_bytes.all.current)} +
          event.bytes);
  return true;
}

std::optional<Bytes> OrderedDevice::allowed() const {
  if (!conditions_.memory_fraction) return std::nullopt;
  return Bytes{static_cast<std::uint64_t>(*conditions_.memory_fraction *
                                          static_cast<double>(conditions_.memory.count))};
}

std::optional<allocator::Address> OrderedDevice::allocate(Bytes size, StreamId stream) {
  const auto limit = allowed();
  if (limit && (size > *limit || pool_.used() > *limit - size)) return std::nullopt;
  return pool_.allocate(size, streams_.known_stream(stream_at(stream)).stream);
}

bool OrderedDevice::fail(const Event& event, std::uint64_t number) {
  failed_ids_.insert(event.id);
  allocator::OutOfMemory figures;
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
  if (event.stream != block.stream) block.users.insert(event.stream);
}

void OrderedDevice::free(const Event& event) {
  ++report_.frees;
  if (failed_ids_.erase(event.id) > 0) return;
  const Held block = held(event, "freed");
  held_.erase(event.id);
  set(report_.statistics.requested_bytes.all,
      Bytes{static_cast<std::uint64_t>(report_.statistics.requested_bytes.all.current)} -
          block.requested);
  if (block.users.empty()) return pool_.free(block.address, block.stream);
  streams::TimedStreams& streams = streams_.streams();
  const streams::StreamAt joining = stream_at(joining_stream);
  if (!streams.has_stream(joining)) streams.create_stream(joining, {.is_blocking = false});
  std::set<StreamId> all = block.users;
  all.insert(block.stream);
  for (const StreamId user : all)
    wait_for_other_stream(streams, joining, streams_.known_stream(stream_at(user)), between_streams,
                          streams_.number());
  pool_.free(block.address, joining_stream);
}

/// Everything is done first, so that all that is free can be given back.
void OrderedDevice::empty_cache() {
  if (!streams_.streams().wait_for_device(index_.value))
    throw streams::EndlessWait("emptying the cache waits for work that never ends");
  pool_.trim_to({0});
}

void OrderedDevice::refuse_captured(const Event& event) {
  if (streams_.streams().capture_of(stream_at(event.stream)))
    throw AllocatorError(
        "requests of streams that capture are not modelled with "
        "backend:cudaMallocAsync");
}

void OrderedDevice::note(std::uint64_t number) {
  allocator::StatisticValues& values = report_.statistics;
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

std::string modelled_backend_note(const allocator::Settings& settings) {
  std::string note =
      "backend:cudaMallocAsync is modelled after CUDA's documentation, not exact: see "
      "docs/ordered_memory.md";
  if (settings.text.find_first_of(", ") != std::string::npos)
    note += "; the other options do nothing with it";
  return note;
}

DeviceReport OrderedDevice::report() const {
  DeviceReport report = report_;
  report.device_calls.units_created = pool_.counts().units_created;
  report.pool = pool_.counts();
  return report;
}

}  // namespace vramlab::replay
