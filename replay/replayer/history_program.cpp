#include "replay/replayer/history_program.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "replay/recording/explained_history.h"
#include "replay/recording/pool_inference.h"
#include "replay/replayer/recorded_memory.h"

namespace vramlab::replay {
namespace {

using traces::ProgramEvent;
using traces::ProgramEventKind;

/// A free that waited was held up by work on some other stream. Each gets a stream of its own, from
/// here on, whose work is done when the recording says so.
constexpr std::uint64_t first_waiting_stream = std::uint64_t{1} << 62;

constexpr std::size_t far_more = 4;

constexpr PoolId captured_pool{0, ~std::uint64_t{0} - 1};

/// Whether it stands for how little memory there was.
bool is_of_recorded_memory(const ProgramEvent& event) {
  return event.kind == ProgramEventKind::external || event.pool == captured_pool;
}

/// A free that waits for the work of a stream of its own.
struct WaitingFree {
  StreamId stream;
  std::uint64_t since_us = 0;
};

/// A free that a request waited for waits that long without it, at least.
constexpr std::uint64_t shortest_wait_us = 1000;

/// The number of events up to the last that the program made: a snapshot is no sign that it goes
/// on.
std::size_t events_of_program(const DeviceHistory& history) {
  std::size_t count = history.events.size();
  while (count > 0 && history.events[count - 1].action == Action::snapshot) --count;
  return count;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const DeviceHistory& history, const ExplainedHistory& explained,
                 traces::TextTable& texts)
      : history_(history),
        explained_(explained),
        texts_(texts),
        pools_(pools_by_generation(history, explained)),
        writer_(history.events.place(), KeepsIds::never),
        program_(facts_of(history, explained)),
        memory_(choose_memory(program_.memory, program_.shown_device, {}).memory),
        others_(history, explained, memory_),
        event_count_(events_of_program(history)) {
    const std::set<PoolId> lending = noted_lending_pools();
    for (LifeIndex life = 0; life < pools_.size(); ++life) {
      if (lending.contains(explained.pools[life])) lending_pools_.insert(pools_[life]);
      std::size_t& last = last_request_[pools_[life]];
      last = std::max(last, explained.placements.lives[life].last_request);
      if (explained.whole_pools.contains(explained.pools[life])) whole_pools_.insert(pools_[life]);
    }
    find_emptied();
    released_otherwise_ = emptied_;
    if (explained.fidelity.allowed)
      released_otherwise_.insert(explained.garbage_calls.begin(), explained.garbage_calls.end());
    if (!program_.told_memory) limit_ = steady_limit(explained, released_otherwise_, memory_);
  }

  HistoryProgram build() {
    add_start();
    write_last();
    program_.part.start_event_count = writer_.event_count();
    // Memory from before the first event lies where nobody knows the rules' choices.
    if (program_.part.start_event_count > 0) program_.drivers_places.reset();
    if (limit_) add_memory_of_others(memory_ - std::min(*limit_, memory_));
    for (std::size_t i = 0; i < explained_.calls.size(); ++i) {
      at_ = explained_.calls[i].first;
      add_noted_up_to(at_);
      change_settings(i);
      add_call(explained_.calls[i]);
    }
    at_ = history_.events.size() - std::min<std::size_t>(history_.events.size(), 1);
    add_noted_up_to(history_.events.size());
    write_last();
    program_.part.program = writer_.finish();
    std::ranges::sort(program_.formers);
    return std::move(program_);
  }

 private:
  static HistoryProgram facts_of(const DeviceHistory& history, const ExplainedHistory& explained) {
    return {.device = {static_cast<std::uint32_t>(history.device)},
            .part = {},
            .memory = recorded_memory(history, explained),
            .course = {},
            .placed = {},
            .event_count = history.events.size(),
            .shown_device = explained.shown_device(),
            .told_memory = told_memory_of(history),
            .places = {history, explained},
            .drivers_places = history.drivers_places,
            .fidelity = explained.fidelity,
            .emptied = explained.emptied,
            .emptied_in_vain = explained.emptied_in_vain.size()};
  }

  /// The size of the device, if the program set a share of it.
  static std::optional<Bytes> told_memory_of(const DeviceHistory& history) {
    for (const traces::NotedCall& call : history.noted_calls)
      if (call.kind == ProgramEventKind::memory_fraction) return call.device_memory;
    return std::nullopt;
  }

  std::set<PoolId> noted_lending_pools() const {
    std::set<PoolId> pools;
    for (const traces::NotedCall& call : history_.noted_calls)
      if (call.use_on_oom) pools.insert(call.pool);
    return pools;
  }

  /// Some releases may be those of a call that emptied the cache, or of a refused request. Without
  /// any stacks, a program that certainly emptied it far more often did so there, too.
  void find_emptied() {
    std::vector<std::size_t> doubtful;
    for (const EmptiedCache& cache : explained_.emptied)
      if (!cache.may_be_of_request || is_no_request_of(cache.event))
        emptied_.insert(cache.event);
      else
        doubtful.push_back(cache.event);
    if (!has_stacks(history_) && far_more * doubtful.size() <= emptied_.size())
      emptied_.insert(doubtful.begin(), doubtful.end());
  }

  /// Valid until the next one.
  ProgramEvent& add(ProgramEventKind kind) {
    write_last();
    ProgramEvent& event = last_.emplace();
    event.kind = kind;
    event.device = program_.device;
    origin_of_last_ = at_;
    if (at_ < history_.events.size()) {
      event.time_ns = history_.events[at_].time_us * 1000;
      event.stack = history_.stacks.empty() ? traces::StackId{} : history_.stacks[at_];
    }
    return event;
  }

  void write_last() {
    if (last_)
      writer_.add(*last_, origin_of_last_,
                  is_of_recorded_memory(*last_) ? OfRecordedMemory::yes : OfRecordedMemory::no);
    last_.reset();
  }

  void add_pool(PoolId pool, ProgramEventKind kind) { add(kind).pool = pool; }

  PoolId pool_of(std::size_t event) const {
    if (const auto failed = explained_.failed_pools.find(event);
        failed != explained_.failed_pools.end())
      return released_pools_.contains(failed->second) ? default_pool : failed->second;
    const LifeIndex life = explained_.placements.life_of_event[event];
    if (life == no_life) return default_pool;
    const auto follower = followers_.find(pools_[life]);
    return follower == followers_.end() ? pools_[life] : follower->second;
  }

  void add_start() {
    if (explained_.start.segments.empty()) return;
    std::set<PoolId> pools;
    const std::map<Address, traces::StackId> stacks = stacks_from_before(history_);
    for (std::size_t i = 0; i < explained_.start.segments.size(); ++i) {
      GivenSegment segment = explained_.start.segments[i];
      segment.pool = pools_[i];
      StartingSegment& start = program_.part.start.emplace_back(StartingSegment{segment, {}, {}});
      Address at = segment.base;
      for (GivenBlock& block : start.segment.blocks) {
        const bool waits = block.use == GivenUse::waiting;
        const bool is_held = waits || block.use == GivenUse::live;
        start.ids.push_back(is_held ? writer_.add_start(program_.device, name(at)) : 0);
        const auto stack = stacks.find(at);
        start.stacks.push_back(stack == stacks.end() ? traces::StackId{} : stack->second);
        if (waits) waiting_at_start_.push_back(at);
        if (waits) block.use = GivenUse::live;
        at = at + block.size;
      }
      if (segment.pool != default_pool) pools.insert(segment.pool);
    }
    for (const PoolId pool : pools) use_pool(pool);
    for (const Address at : waiting_at_start_) add_waiting_free(at);
  }

  std::uint64_t name(Address at) { return ids_[at.value] = next_id_++; }

  void use_pool(PoolId pool) {
    if (!used_pools_.insert(pool).second) return;
    ProgramEvent& made = add(ProgramEventKind::pool_create);
    made.pool = pool;
    made.no_split = whole_pools_.contains(pool);
    made.use_on_oom = lending_pools_.contains(pool);
  }

  /// Options that were set in mid-run, and those of the start if the file holds others.
  void change_settings(std::size_t call) {
    const std::vector<SettingsInTime::Change>& changes = explained_.settings_changes;
    if (next_change_ == changes.size() || changes[next_change_].first_call > call) return;
    add(ProgramEventKind::options).text = texts_.intern(changes[next_change_++].settings.text);
  }

  /// Adds the calls that a dry run noted before this event.
  void add_noted_up_to(std::size_t event) {
    const std::vector<traces::NotedCall>& calls = history_.noted_calls;
    for (; next_noted_ < calls.size() && calls[next_noted_].before <= event; ++next_noted_)
      if (!explained_.held_back.contains(next_noted_)) add_noted(calls[next_noted_]);
  }

  void add_noted(const traces::NotedCall& call) {
    switch (call.kind) {
      case ProgramEventKind::options:
        add(call.kind).text = texts_.intern(call.options);
        return;
      case ProgramEventKind::memory_fraction:
        add(call.kind).fraction = call.fraction;
        return;
      case ProgramEventKind::empty_cache:
        add(call.kind);
        return;
      case ProgramEventKind::pool_destroy: {
        const auto follower = followers_.find(call.pool);
        return end_pool(follower == followers_.end() ? call.pool : follower->second);
      }
      default:
        // Scopes say the pools of requests; and a pool is made when it is first used.
        return;
    }
  }

  void add_memory_of_others(Bytes bytes) { add(ProgramEventKind::external).bytes = bytes; }

  void add_call(const RecordedCall& call) {
    if (!limit_ && !program_.told_memory)
      if (const auto others = others_.follow(call, released_otherwise_))
        add_memory_of_others(*others);
    complete_awaited(history_.events[call.first].time_us);
    if (explained_.emptied_in_vain.contains(call.first)) add(ProgramEventKind::empty_cache);
    note_course(call);
    const Address address = history_.events[call.first].address;
    switch (call.kind) {
      case RecordedCallKind::free:
        return add_free(address);
      case RecordedCallKind::free_later:
        return add_waiting_free(address);
      case RecordedCallKind::release:
        return add_completions_and_releases(call.first, call.end, PoolId{});
      case RecordedCallKind::request: {
        const PoolId pool = pool_of(call.end - 1);
        add_completions_and_releases(call.first, call.end - 1, pool);
        at_ = call.end - 1;
        add_noted_up_to(at_);
        if (is_captured(call))
          add_captured_request(pool);
        else if (explained_.captured_failures.contains(at_))
          add_request_beside_capture(pool);
        else
          add_request(pool);
        return put_off_awaited(call);
      }
    }
  }

  /// Frees for which the request waits once it is refused. Where it isn't, nobody knows when the
  /// work that held them up is done: at the latest when a free that came later completes by
  /// itself, or after some time.
  void put_off_awaited(const RecordedCall& call) {
    for (auto i = explained_.awaited.lower_bound(call.first);
         i != explained_.awaited.end() && *i < call.end; ++i) {
      const auto waiting = waiting_.find(history_.events[*i].address);
      if (waiting == waiting_.end()) continue;
      const WaitingFree& free = waiting->second;
      const std::uint64_t done_us = history_.events[*i].time_us;
      const std::uint64_t waited_us = done_us - std::min(done_us, free.since_us);
      awaited_[free.stream] = done_us + std::max(waited_us, shortest_wait_us);
      waiting_.erase(waiting);
    }
  }

  /// Completes the ones that are done by now.
  void complete_awaited(std::uint64_t time_us) {
    while (!awaited_.empty() && awaited_.begin()->second <= time_us) {
      add(ProgramEventKind::stream_done).stream = awaited_.begin()->first;
      awaited_.erase(awaited_.begin());
    }
  }

  /// The first of the frees that the call waited for, if nothing waits after it.
  std::optional<std::size_t> awaited_by(const RecordedCall& call) const {
    const auto awaited = explained_.awaited.lower_bound(call.first);
    if (awaited == explained_.awaited.end() || *awaited >= call.end) return std::nullopt;
    std::size_t completed = 0;
    for (std::size_t i = call.first; i < call.end; ++i)
      if (history_.events[i].action == Action::free_completed) ++completed;
    if (completed < waiting_.size()) return std::nullopt;
    return *awaited;
  }

  void note_course(const RecordedCall& call) {
    RecordedCourse& course = program_.course;
    bool gets_memory = false;
    const std::optional<std::size_t> awaited = awaited_by(call);
    // Collected garbage is released before.
    bool is_to_wait = awaited.has_value();
    for (std::size_t i = call.first; i < call.end; ++i) {
      const AllocatorEvent& event = history_.events[i];
      if (is_release(event.action)) {
        const bool waits = is_to_wait && *awaited < i;
        if (waits) is_to_wait = false;
        course.releases.push_back({i, event.address, event.action == Action::segment_unmap, waits});
      } else if (is_segment_call(event.action)) {
        gets_memory = true;
      }
    }
    if (call.kind != RecordedCallKind::request) return;
    const AllocatorEvent& request = history_.events[call.end - 1];
    const bool fails = request.action == Action::oom;
    if (!fails && !gets_memory) return;
    // A request that fails released all that was cached, even where that was nothing.
    const bool retries =
        explained_.retried.contains(call.first) ||
        (fails && !explained_.captured_failures.contains(call.end - 1) && !is_held_back(call));
    course.requests.push_back(
        {call.end - 1, pool_of(call.end - 1), fails, retries, awaited.has_value(), std::nullopt});
    if (fails && !history_.traits.lacks_device_free)
      course.requests.back().device_free = Bytes{request.address.value};
  }

  void add_free(Address address) {
    const auto found = ids_.find(address.value);
    if (found == ids_.end()) return void(++program_.unmatched_frees);
    add(ProgramEventKind::free).id = found->second;
    ids_.erase(found);
  }

  void add_waiting_free(Address address) {
    const auto found = ids_.find(address.value);
    if (found == ids_.end()) return void(++program_.unmatched_frees);
    const StreamId stream{next_stream_++};
    ProgramEvent& use = add(ProgramEventKind::use);
    use.id = found->second;
    use.stream = stream;
    add(ProgramEventKind::work).stream = stream;
    waiting_[address] = {stream, at_ < history_.events.size() ? history_.events[at_].time_us : 0};
    add_free(address);
  }

  void add_completions_and_releases(std::size_t first, std::size_t end, PoolId own_pool) {
    for (std::size_t i = first; i < end; ++i) {
      at_ = i;
      add_noted_up_to(i);
      const AllocatorEvent& event = history_.events[i];
      if (event.action == Action::free_completed && !is_awaited(i, end)) complete(event.address);
      if (explained_.ended_pools.contains(i)) end_pool(pool_of(i));
      if (is_release(event.action) && pool_of(i) != own_pool) release_pool(pool_of(i), i);
      if (emptied_.contains(i)) empty_cache(i, end, own_pool);
    }
  }

  /// An emptied cache waits for them, too.
  bool is_awaited(std::size_t event, std::size_t end) const {
    if (!explained_.awaited.contains(event)) return false;
    const auto emptied = emptied_.lower_bound(event);
    return emptied == emptied_.end() || *emptied >= end;
  }

  void complete(Address address) {
    const auto waiting = waiting_.find(address);
    if (waiting == waiting_.end()) return;
    const StreamId stream = waiting->second.stream;
    waiting_.erase(waiting);
    while (!awaited_.empty() && awaited_.begin()->first < stream) {
      add(ProgramEventKind::stream_done).stream = awaited_.begin()->first;
      awaited_.erase(awaited_.begin());
    }
    add(ProgramEventKind::stream_done).stream = stream;
  }

  /// Pools whose memory it releases must have lost their users before.
  void empty_cache(std::size_t first, std::size_t end, PoolId own_pool) {
    for (std::size_t i = first; i < end; ++i)
      if (is_release(history_.events[i].action) && pool_of(i) != own_pool)
        release_pool(pool_of(i), i);
    add(ProgramEventKind::empty_cache);
  }

  /// A pool that nobody uses any more gives back its memory, and takes no more requests.
  void release_pool(PoolId pool, std::size_t event) {
    if (pool == default_pool || !used_pools_.contains(pool)) return;
    const auto last = last_request_.find(pool);
    if (last != last_request_.end() && last->second > event) return;
    retire(pool, ProgramEventKind::pool_release);
  }

  /// A pool object that goes gives back the memory of its own pool.
  void end_pool(PoolId pool) {
    if (used_pools_.contains(pool)) retire(pool, ProgramEventKind::pool_destroy);
  }

  void retire(PoolId pool, ProgramEventKind kind) {
    add_pool(pool, kind);
    used_pools_.erase(pool);
    released_pools_.insert(pool);
    follow_by_new(pool);
  }

  /// From here on, what the placements take for the pool is another one: addresses that a pool gave
  /// back may serve the next.
  void follow_by_new(PoolId pool) {
    const auto ended = std::ranges::find_if(
        followers_, [pool](const auto& follower) { return follower.second == pool; });
    const PoolId first = ended == followers_.end() ? pool : ended->first;
    const PoolId follower{0, first_unnamed_pool * 3 + follower_count_++};
    followers_[first] = follower;
    if (whole_pools_.contains(first)) whole_pools_.insert(follower);
    if (const auto last = last_request_.find(first); last != last_request_.end())
      last_request_[follower] = last->second;
  }

  /// Whether the request's own stream captured, as far as the history says so. Only versions that
  /// ask the stream need to know. A pool with a number of a graph's was made by a capture. Another
  /// one is a pool object or was handed to captures: the legacy stream cannot capture, and what
  /// captures handles no events and releases nothing.
  bool is_captured(const RecordedCall& call) const {
    if (explained_.capture_sign == allocator::CaptureSign::open_scope) return false;
    const std::size_t request = call.end - 1;
    const PoolId pool = pool_of(request);
    if (pool == default_pool) return explained_.captured_failures.contains(request);
    if (pool.graph != 0) return true;
    return history_.events[request].stream != StreamId{} && !begins_with_completions(call) &&
           !releases_everything(call);
  }

  /// As its stack says. Collected garbage is released during captures as well.
  bool releases_everything(const RecordedCall& call) const {
    if (call.origin != ReleaseOrigin::by_stacks) return false;
    if (explained_.garbage_calls.contains(call.first)) return false;
    const PoolId own = pool_of(call.end - 1);
    for (std::size_t i = call.first; i < call.end; ++i)
      if (is_release(history_.events[i].action) && pool_of(i) != own) return true;
    return false;
  }

  /// If memory was released as well, the cache was emptied before the request.
  bool begins_with_completions(const RecordedCall& call) const {
    bool completes = false;
    for (std::size_t i = call.first; i < call.end; ++i) {
      if (is_release(history_.events[i].action)) return false;
      completes = completes || history_.events[i].action == Action::free_completed;
    }
    return completes;
  }

  /// Whether nothing that is cached is released for it.
  bool is_held_back(const RecordedCall& call) const {
    if (explained_.capture_sign == allocator::CaptureSign::open_scope)
      return pool_of(call.end - 1) != default_pool;
    return is_captured(call);
  }

  /// Whether a request cannot have released this. What is held back releases nothing; and what was
  /// unmapped and then mapped again by the same request was no help to it.
  bool is_no_request_of(std::size_t first) const {
    const std::optional<RecordedCall> call = call_of(explained_.calls, first);
    if (!call) return false;
    if (is_held_back(*call)) return true;
    const auto is_covered = [&](const AllocatorEvent& unmapped) {
      for (std::size_t i = first; i < call->end; ++i) {
        const AllocatorEvent& event = history_.events[i];
        if (event.action == Action::segment_map && event.address <= unmapped.address &&
            unmapped.address + unmapped.size <= event.address + event.size)
          return true;
      }
      return false;
    };
    for (std::size_t i = first; i < call->end; ++i)
      if (is_release(history_.events[i].action) && !is_covered(history_.events[i])) return false;
    return true;
  }

  /// While a capture of some other stream is under way.
  void add_request_beside_capture(PoolId pool) {
    if (pool != default_pool) return add_request(pool);
    use_pool(captured_pool);
    ProgramEvent& scope = add(ProgramEventKind::pool_begin);
    scope.pool = captured_pool;
    scope.scope = traces::ScopeStreams::one_stream;
    scope.stream = {first_waiting_stream - 1};
    add_request(pool);
    add_pool(captured_pool, ProgramEventKind::pool_end);
    add_pool(captured_pool, ProgramEventKind::pool_release);
  }

  void add_captured_request(PoolId pool) {
    const StreamId stream = history_.events[at_].stream;
    ProgramEvent& begin = add(ProgramEventKind::capture_begin);
    begin.stream = stream;
    begin.mode = traces::CaptureStrictness::relaxed;
    add_request(pool);
    add(ProgramEventKind::capture_end).stream = stream;
  }

  void add_request(PoolId pool) {
    const bool is_private = pool != default_pool;
    if (is_private) use_pool(pool);
    if (is_private) add_pool(pool, ProgramEventKind::pool_begin);
    const AllocatorEvent& event = history_.events[at_];
    const bool has_failed = event.action == Action::oom;
    const std::uint64_t id = has_failed ? next_id_++ : name(event.address);
    ProgramEvent& request = add(ProgramEventKind::malloc);
    request.id = id;
    request.bytes = event.size;
    request.stream = event.stream;
    if (!history_.placed_requests.empty()) note_place(pool);
    if (is_private) add_pool(pool, ProgramEventKind::pool_end);
    if (is_private) add_pool(pool, ProgramEventKind::pool_release);
    if (!has_failed) return;
    program_.part.failed.push_back(at_);
    if (at_ + 1 < event_count_) ++program_.caught_count;
    add(ProgramEventKind::free).id = id;
  }

  /// Restored blocks lie where blocks of their pool began before.
  void note_place(PoolId pool) {
    const AllocatorEvent& event = history_.events[at_];
    PlacedRequest placed{at_, event.address, pool};
    const auto begun = last_begun_.find({pool, event.address});
    if (begun != last_begun_.end()) placed.former = begun->second;
    if (pool != default_pool && event.action != Action::oom)
      last_begun_[{pool, event.address}] = at_;
    if (!has_chosen_place(history_, at_)) return;
    if (placed.former) program_.formers.push_back(*placed.former);
    program_.placed.push_back(placed);
  }

  const DeviceHistory& history_;
  const ExplainedHistory& explained_;
  traces::TextTable& texts_;
  /// By life.
  const std::vector<PoolId> pools_;
  CompactWriter writer_;
  std::optional<ProgramEvent> last_;
  std::size_t origin_of_last_ = 0;
  HistoryProgram program_;
  /// The entry of the trace that is being translated.
  std::size_t at_ = 0;
  std::uint64_t next_id_ = 1;
  std::size_t next_change_ = 0;
  std::size_t next_noted_ = 0;
  std::uint64_t next_stream_ = first_waiting_stream;
  /// By address.
  std::unordered_map<std::uint64_t, std::uint64_t> ids_;
  std::map<Address, WaitingFree> waiting_;
  /// Streams that refused requests waited for, the oldest free first, each with the time at which
  /// its work is done at the latest.
  std::map<StreamId, std::uint64_t> awaited_;
  std::vector<Address> waiting_at_start_;
  std::set<PoolId> used_pools_;
  std::set<PoolId> whole_pools_;
  /// Followers of a pool that ended lend nothing.
  std::set<PoolId> lending_pools_;
  std::set<PoolId> released_pools_;
  /// The pool that stands now for one of the placements that ended.
  std::map<PoolId, PoolId> followers_;
  std::uint64_t follower_count_ = 0;
  std::map<PoolId, std::size_t> last_request_;
  /// The last request of a private pool whose block began at an address, where places are chosen.
  std::map<std::pair<PoolId, Address>, std::uint64_t> last_begun_;
  std::set<std::size_t> emptied_;
  /// Events that show releases which no refusal made: emptied caches, and garbage that the replay
  /// collects by itself.
  std::set<std::size_t> released_otherwise_;
  Bytes memory_;
  MemoryOfOthers others_;
  std::size_t event_count_;
  /// The memory that the program could hold all the time, if that explains every refusal.
  std::optional<Bytes> limit_;
};

}  // namespace

HistoryProgram program_of(const DeviceHistory& history, const ExplainedHistory& explained,
                          traces::TextTable& texts) {
  return ProgramBuilder(history, explained, texts).build();
}

bool HistoryProgram::went_on_after(std::uint64_t number) const {
  return std::ranges::binary_search(std::span(part.failed).first(caught_count), number);
}

std::optional<std::uint64_t> HistoryProgram::first_passed(
    const std::vector<FailedRequest>& failures, std::uint64_t end) const {
  auto next = failures.begin();
  for (const std::uint64_t number : part.failed) {
    if (number >= end) return std::nullopt;
    next = std::find_if(next, failures.end(),
                        [number](const FailedRequest& one) { return one.event >= number; });
    if (next == failures.end() || next->event != number) return number;
  }
  return std::nullopt;
}

// Assumptions of a replay of a recorded history, as sentences.

namespace {

/// Collected garbage shows that there was a limit, and mostly which.
bool has_garbage(const DeviceFidelity& fidelity) {
  const Inferences& inferred = fidelity.inferred;
  return inferred.garbage_collections + inferred.garbage_shaped > 0;
}

}  // namespace

bool is_recorded_run(const HistoryProgram& history, const DeviceReport& report) {
  const auto requested = static_cast<std::uint64_t>(report.statistics.requested_bytes.all.peak);
  return report.counts() == history.memory.counts &&
         report.peak_reserved.bytes == history.memory.peak_reserved &&
         Bytes{requested} == history.memory.peak_requested;
}

std::optional<std::string> failures_note(const HistoryProgram& history,
                                         const DeviceReport& report) {
  if (history.part.failed.empty()) return std::nullopt;
  const std::string device = "device " + std::to_string(history.device.value) + ": ";
  if (report.depends_from)
    return device + "what follows event " + std::to_string(*report.depends_from) +
           " depends on what the program does: this request failed in the recorded run, which "
           "is replayed from there on, and passes here";
  const auto count = std::ranges::count_if(report.failures, [&](const FailedRequest& failure) {
    return std::ranges::binary_search(history.part.failed, failure.event);
  });
  if (count == 0) return std::nullopt;
  return device + (count == 1 ? "1 request fails" : std::to_string(count) + " requests fail") +
         " as in the recorded run" + (history.caught_count > 0 ? ", which went on" : "");
}

std::optional<std::string> awaited_note(const HistoryProgram& history) {
  const std::uint64_t awaited = history.fidelity.inferred.awaited_frees;
  if (awaited == 0) return std::nullopt;
  return "device " + std::to_string(history.device.value) + ": " +
         (awaited == 1 ? "1 free was" : std::to_string(awaited) + " frees were") +
         " awaited by a refused request; where it is not refused, when they complete is modelled "
         "(--frees eager: no free waits)";
}

std::optional<std::string> threads_note(const HistoryProgram& history) {
  if (!history.has_threads) return std::nullopt;
  return "device " + std::to_string(history.device.value) +
         ": requests come from threads of the program, in the order of the recorded run: under "
         "other conditions the threads may take other turns (guessed)";
}

std::optional<std::string> short_memory_note(const HistoryProgram& history) {
  const Inferences& inferred = history.fidelity.inferred;
  const bool was_short =
      inferred.oversize_releases + inferred.release_all_or_empty_cache + inferred.out_of_memory > 0;
  if (!was_short || history.memory.noted_limit || history.memory.bound) return std::nullopt;
  return "device " + std::to_string(history.device.value) +
         ": memory may have been short in the recorded run: --device-memory sets how much the "
         "device has";
}

std::vector<std::string> notes_on(const HistoryProgram& history, const ReplayConditions& conditions,
                                  const allocator::Settings& settings) {
  std::vector<std::string> notes;
  const std::string device = "device " + std::to_string(history.device.value) + ": ";
  const DeviceFidelity& fidelity = history.fidelity;
  if (fidelity.label != FidelityLabel::exact)
    notes.push_back(device + "following the recording was " +
                    std::string(fidelity_label_name(fidelity.label)) +
                    " (vramlab verify says where), so this replay is guessed");
  if (!conditions.options)
    for (const std::string& change : fidelity.settings_changes) notes.push_back(device + change);
  const bool is_native = settings.backend == allocator::Backend::native;
  if (!history.part.start.empty())
    notes.push_back(device + (is_native && conditions.starting_memory == StartingMemory::as_recorded
                                  ? "memory from before the recording keeps its recorded layout"
                                  : "memory from before the recording is requested first"));
  if (history.unmatched_frees > 0)
    notes.push_back(device + std::to_string(history.unmatched_frees) +
                    " frees of unknown blocks are left out");
  if (const std::string placed = placed_requests_text(fidelity);
      !placed.empty() && !is_as_recorded(conditions))
    notes.push_back(device + placed);
  if (const auto note = short_memory_note(history);
      note && !conditions.memory && !is_as_recorded(conditions))
    notes.push_back(*note);
  if (history.emptied_in_vain > 0 && !is_as_recorded(conditions))
    notes.push_back(device + std::to_string(history.emptied_in_vain) +
                    " calls of empty_cache that released nothing are guessed from the rhythm of "
                    "the others");
  const bool waits = conditions.timing.value_or(FreeTiming::recorded) == FreeTiming::recorded;
  if (const auto note = awaited_note(history); note && waits && !is_as_recorded(conditions))
    notes.push_back(*note);
  if (const auto note = threads_note(history); note && !is_as_recorded(conditions))
    notes.push_back(*note);
  return notes;
}

std::vector<std::string> garbage_notes(const HistoryProgram& history,
                                       const ReplayConditions& conditions) {
  std::vector<std::string> notes;
  if (conditions.memory_fraction) return notes;
  const std::string device = "device " + std::to_string(history.device.value) + ": ";
  const DeviceFidelity& fidelity = history.fidelity;
  if (fidelity.allowed && conditions.memory)
    notes.push_back(device +
                    "garbage was collected in the recorded run, under a memory fraction: give it "
                    "with --memory-fraction, as its share of another device is not known");
  else if (fidelity.allowed)
    notes.push_back(device +
                    "a memory fraction is guessed: the garbage collected in the recorded run "
                    "shows that it allowed between " +
                    format_bytes(fidelity.allowed->at_least) + " and " +
                    format_bytes(fidelity.allowed->at_most));
  else if (has_garbage(fidelity))
    notes.push_back(device +
                    "garbage was collected in the recorded run, under a memory fraction that the "
                    "file does not contain: without --memory-fraction and --device-memory, more "
                    "memory stays cached here, and more requests may fail");
  return notes;
}

}  // namespace vramlab::replay
