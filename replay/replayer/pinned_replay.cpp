#include "replay/replayer/pinned_replay.h"

#include <algorithm>

#include "allocator/types/answers.h"
#include "allocator/types/check.h"
#include "replay/replayer/apply_event.h"

namespace vramlab::replay {
namespace {

std::int64_t as_count(std::uint64_t count) { return static_cast<std::int64_t>(count); }

bool gives_back(const HostCallAt& made) {
  return made.call.action == HostSystemAction::host_free ||
         made.call.action == HostSystemAction::host_unregister;
}

bool obtains(const HostCallAt& made) {
  return made.call.action == HostSystemAction::host_alloc ||
         made.call.action == HostSystemAction::host_register;
}

}  // namespace

MetricValues host_metrics(const HostReport& report) {
  return {{"host_requests", as_count(report.requests)},
          {"host_frees", as_count(report.frees)},
          {"host_peak_requested", as_count(report.peak_requested.bytes.count)},
          {"host_peak_active", as_count(report.peak_active.bytes.count)},
          {"host_peak_pinned", as_count(report.peak_pinned.bytes.count)},
          {"host_end_pinned", as_count(report.end_pinned.count)},
          {"host_allocs", std::ranges::count_if(report.calls, obtains)},
          {"host_releases", std::ranges::count_if(report.calls, gives_back)}};
}

using allocator::AllocatorError;
using Kind = traces::ProgramEventKind;

namespace {

constexpr std::uint64_t unlimited_entries = ~std::uint64_t{0};

/// The scope that a capture opens, rather than a pool object that the program uses.
bool is_of_graph(const traces::ProgramEvent& event) {
  return event.pool.graph != 0 || event.scope == traces::ScopeStreams::capturing_streams;
}

void note_if_higher(ReachedPeak& peak, Bytes now, const ReachedPeak& moment) {
  if (now <= peak.bytes) return;
  peak = moment;
  peak.bytes = now;
}

}  // namespace

HostReplay::HostReplay(const HostConditions& conditions)
    : version_(conditions.version),
      frees_(conditions.frees),
      options_(conditions.options),
      host_(conditions.streams),
      engine_(host_, conditions.settings, conditions.version) {
  if (conditions.keeps == KeepsHostHistory::yes)
    engine_.record_history({true, HostStackLevel::all, unlimited_entries, false});
}

void HostReplay::apply(const Event& event, std::uint64_t number, const traces::TextTable& texts) {
  if (event.kind == Kind::options) return set_options(texts.text(event.text));
  if (!traces::is_of_host(event.kind)) {
    host_.drive_streams(event);
    return apply_to_pools(event);
  }
  has_events_ = true;
  if (engine_.settings().pinned_use_background_threads) {
    had_background_threads_ = true;
    engine_.run_background_thread();
  }
  try {
    apply_to_host(event);
  } catch (const allocator::HostError& error) {
    throw AllocatorError(error.what());
  }
  note_calls(number);
  note_peaks(event, number);
  note_entries(event, number);
}

void HostReplay::apply_to_host(const Event& event) {
  switch (event.kind) {
    case Kind::host_malloc:
      return request(event);
    case Kind::host_free:
      return free(event);
    case Kind::host_use:
      return use(event);
    default:
      return engine_.empty_cache();
  }
}

void HostReplay::apply_to_pools(const Event& event) {
  if (version_.host.graph_pools == allocator::HostGraphPools::no) return;
  const auto users = graph_pool_users_.find(event.pool);
  const bool is_known = users != graph_pool_users_.end();
  if (event.kind == Kind::pool_begin && is_of_graph(event)) {
    engine_.begin_pool(event.pool, filter_of(event));
    ++graph_pool_users_[event.pool];
  } else if (event.kind == Kind::pool_end && is_known) {
    engine_.end_pool(event.pool);
  } else if (event.kind == Kind::pool_release && is_known) {
    engine_.release_pool(event.pool);
    if (--users->second == 0) graph_pool_users_.erase(users);
  }
}

StreamFilter HostReplay::filter_of(const Event& event) {
  const StreamId own = stream_of(event);
  traces::ProgramEvent named = event;
  named.stream = own;
  return scope_filter(named, [this](StreamId asked) { return host_.is_capturing(asked); });
}

StreamId HostReplay::stream_of(const Event& event) {
  return host_.name_of({event.device.value, event.stream});
}

void HostReplay::request(const Event& event) {
  ++report_.requests;
  const HostMallocResult result =
      engine_.malloc(event.bytes, stream_of(event), {event.stack.value});
  if (result.outcome == MallocOutcome::out_of_memory)
    throw AllocatorError("a request for " + format_bytes(event.bytes) +
                         " of pinned memory, more than any host has");
  held_[event.id] = {result.address, event.bytes};
  report_.requested += event.bytes;
  report_.given += result.size;
  requested_now_ += event.bytes;
}

HostReplay::Held HostReplay::held(const Event& event, const char* purpose) const {
  const auto found = held_.find(event.id);
  if (found != held_.end()) return found->second;
  throw AllocatorError("the id " + std::to_string(event.id) + " of pinned memory cannot be " +
                       purpose + ": nothing in use has that name");
}

void HostReplay::free(const Event& event) {
  const Held freed = held(event, "freed");
  ++report_.frees;
  held_.erase(event.id);
  requested_now_ -= freed.requested;
  if (freed.requested != Bytes{}) engine_.free(freed.address, {event.stack.value});
}

void HostReplay::use(const Event& event) {
  const Held used = held(event, "used");
  if (frees_ == HostFrees::complete_at_once || used.requested == Bytes{}) return;
  engine_.use(used.address, stream_of(event));
}

void HostReplay::set_options(std::string_view text) {
  if (options_ == HostOptions::as_given) return;
  allocator::ParsedSettings parsed = parse_settings(engine_.settings(), text, version_);
  if (parsed.error) throw AllocatorError("the option string is refused: " + parsed.error->message);
  engine_.set_settings(std::move(parsed.settings));
}

void HostReplay::note_calls(std::uint64_t number) {
  const std::vector<HostSystemCall>& calls = host_.calls();
  for (std::size_t i = report_.calls.size(); i < calls.size(); ++i)
    report_.calls.push_back({number, calls[i]});
}

void HostReplay::note_peaks(const Event& event, std::uint64_t number) {
  if (event.kind != Kind::host_malloc) return;
  const ReachedPeak moment{{}, number, event.time_ns};
  note_if_higher(report_.peak_requested, requested_now_, moment);
  note_if_higher(report_.peak_active, active_now(), moment);
  note_if_higher(report_.peak_pinned, host_.pinned(), moment);
}

Bytes HostReplay::active_now() const {
  return {static_cast<std::uint64_t>(engine_.statistics().active_bytes.current)};
}

void HostReplay::note_entries(const Event& event, std::uint64_t number) {
  entry_origins_.resize(engine_.history_size(), {number, event.time_ns.value_or(0) / 1000});
}

HostReport HostReplay::report() const {
  HostReport report = report_;
  report.end_active = active_now();
  report.end_pinned = host_.pinned();
  report.statistics = engine_.statistics();
  if (had_background_threads_)
    report.notes.emplace_back(
        "pinned memory: the background thread is modelled: it is taken to look at the events right "
        "before each request, use and free");
  return report;
}

namespace {

traces::StackId stack_id(const MaybeHostStack& stack) {
  return {stack ? static_cast<std::uint32_t>(stack->value) : 0};
}

BlockState state_of(const HostBlockState& block) {
  if (block.allocated) return BlockState::active_allocated;
  return block.active ? BlockState::active_pending_free : BlockState::inactive;
}

SnapshotSegment segment_of(const HostBlockState& block) {
  SnapshotSegment segment;
  segment.address = block.address;
  segment.total_size = block.size;
  if (block.allocated) segment.allocated_size = block.size;
  if (block.active) segment.active_size = segment.requested_size = block.size;
  segment.kind = PoolKind::large;
  segment.pool = block.pool;
  segment.blocks.push_back({block.address, block.size, block.size, state_of(block)});
  return segment;
}

}  // namespace

Snapshot HostReplay::state() const {
  Snapshot state;
  for (const HostBlockState& block : engine_.snapshot())
    state.segments.push_back(segment_of(block));
  return state;
}

std::optional<Address> HostReplay::address_of(std::uint64_t id) const {
  const auto found = held_.find(id);
  if (found == held_.end() || found->second.requested == Bytes{}) return std::nullopt;
  return found->second.address;
}

KeptHostHistory HostReplay::kept_history() const {
  KeptHostHistory kept;
  DeviceHistory& history = kept.history;
  history.traits.names_pools = true;
  history.traits.requests_frees = true;
  history.traits.has_whole_blocks = true;
  const std::vector<HostEvent> entries = engine_.history();
  check(entries.size() == entry_origins_.size(), "every entry has an event of the program");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const HostEvent& entry = entries[i];
    history.events.push_back(
        {entry.action, entry.address, entry.size, {}, entry.pool, entry_origins_[i].time_us});
    history.stacks.push_back(stack_id(entry.stack));
    kept.numbers.push_back(entry_origins_[i].number);
  }
  for (const HostBlockState& block : engine_.snapshot()) {
    history.final_segments.push_back(segment_of(block));
    if (block.stack) history.final_stacks[block.address] = stack_id(block.stack);
  }
  return kept;
}

}  // namespace vramlab::replay
