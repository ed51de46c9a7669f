// EngineReplay: an allocator on its device as a program's events drive it, whichever listeners the
// allocator has. DeviceReplay tells all of a replay, CompactReplay its figures as fast as it goes.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "allocator/replay_access.h"
#include "allocator/types/answers.h"
#include "replay/metrics/engine_rules.h"
#include "replay/replayer/apply_event.h"
#include "replay/replayer/replay_device.h"
#include "replay/replayer/replay_report.h"
#include "replay/replayer/replay_setup.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::replay {

template <class Allocator>
class EngineReplay {
 public:
  const RecordedCourse* course() const { return course_; }
  traces::DeviceIndex device() const { return index_; }
  StatisticValues statistics() const { return counted().values(); }
  streams::DeviceCallCounts device_calls() const { return on_device_.call_counts(); }
  const std::vector<FailedRequest>& failures() const { return failures_; }
  const Allocator& engine() const { return engine_; }
  Allocator& engine() { return engine_; }

 protected:
  using Event = traces::ProgramEvent;
  using Kind = traces::ProgramEventKind;

  EngineReplay(traces::DeviceIndex device, const DeviceConditions& conditions)
      : index_(device),
        conditions_(conditions),
        on_device_(conditions_, device),
        engine_(on_device_.device(), *conditions.setup.version, conditions.setup.settings),
        course_(conditions.setup.course),
        placed_(placed_requests_of(conditions.setup)) {
    if (conditions.memory_fraction) engine_.set_memory_fraction(*conditions.memory_fraction);
  }
  ~EngineReplay() = default;

  const ReplayConditions& asked() const { return conditions_.setup.asked; }
  const allocator::Statistics& counted() const { return engine_.listeners(); }

  /// Makes the memory of the start. `named` hears of each block: the start, its number there, where
  /// it is.
  template <class Named>
  void make_start(const std::vector<StartingSegment>& start, const Named& named) {
    if (asked().starting_memory == StartingMemory::requested_anew)
      request_anew(start, named);
    else
      lay_out(start, named);
  }

  /// Counters and peaks begin here.
  void count_from_here() {
    allocator::Statistics& statistics = engine_.listeners();
    statistics.reset_peak();
    statistics.reset_accumulated();
    on_device_.start_is_there();
    requests_ = 0;
    frees_ = 0;
    note_stranded(0);
  }

  /// Notes what is stranded at a new peak. A program that reaches new peaks again and again with
  /// many blocks is looked at less, so that looking costs no more than a share of its events; what
  /// was stranded at its last peaks is unknown then.
  void note_stranded(std::uint64_t event) {
    constexpr std::uint64_t at_least = 20'000'000;
    constexpr std::uint64_t for_an_event = 200;
    stranded_at_peak_.reset();
    if (looked_at_ > at_least + for_an_event * event) return;
    const StrandedMemory stranded = stranded_now(engine_);
    looked_at_ += stranded.looked_at;
    stranded_at_peak_ = stranded.bytes;
  }

  /// Gives back what the recording gave back before this event, if a course is followed.
  void follow_releases(std::uint64_t number) {
    if (course_ == nullptr) return;
    const std::vector<RecordedCourse::Release>& releases = course_->releases;
    for (; next_release_ < releases.size() && releases[next_release_].event < number;
         ++next_release_)
      release_as_recorded(releases[next_release_]);
  }

  MallocResult allocate(Bytes bytes, StreamId stream, std::uint64_t number) {
    on_device_.begin_request(number);
    if (begins_pool_) [[unlikely]]
      if (const MallocResult first = begin_pool(stream); !first) return first;
    if (placed_ != nullptr) [[unlikely]]
      return allocate_beside_chosen(bytes, stream, number);
    return allocate_anywhere(bytes, stream, number);
  }

  /// For a request that asked for something and got nothing.
  [[gnu::noinline]] void note_failure(MallocOutcome outcome, FailedRequest failed) {
    if (outcome == MallocOutcome::scope_already_open)
      throw AllocatorError("a request in a pool that lends its memory while it is captured to");
    failed.figures = engine_.last_failure();
    failures_.push_back(failed);
  }

  /// All kinds but requests, frees, uses and checkpoints.
  void apply_rare(const Event& event, const traces::TextTable& texts) {
    switch (event.kind) {
      case Kind::options:
        return set_options(texts.text(event.text));
      case Kind::memory_fraction:
        return set_fraction(event.fraction);
      case Kind::external:
        return on_device_.set_external(event.bytes);
      case Kind::empty_cache:
        // The course has all that it gave back.
        if (course_ == nullptr) apply_to_pools(engine_, event, [](auto) { return false; });
        return;
      default:
        note_begun_pool(event);
        if (apply_to_pools(engine_, event,
                           [this](auto stream) { return on_device_.is_capturing(stream); }))
          return;
        // Events that ask for answers, or that are for people, are nothing to a device's streams
        // either.
        on_device_.apply(event);
        if (begins_or_ends_capture(event.kind)) engine_.set_current_stream(event.stream);
    }
  }

  /// Without peaks.
  DeviceReport counters() const {
    DeviceReport report;
    report.device = index_;
    report.memory = conditions_.memory;
    report.held_by_others = asked().held_by_others;
    report.requests = requests_;
    report.frees = frees_;
    report.statistics = statistics();
    report.reserved_by_private_pools = counted().reserved_by_private_pools();
    report.device_calls = device_calls();
    if (const streams::MemoryDevice* const simulated = on_device_.simulated()) {
      report.device_call_tally = on_device_.call_tally();
      report.device_time_ns =
          conditions_.setup.device_costs().nanoseconds_of(report.device_call_tally);
      report.same_below = std::min(simulated->same_answers().below, engine_.core().margin.below());
      report.places = simulated->placed_ranges();
    }
    report.stranded_at_peak = stranded_at_peak_;
    report.failures = failures_;
    return report;
  }

  traces::DeviceIndex index_;
  DeviceConditions conditions_;
  ReplayDevice on_device_;
  Allocator engine_;
  const RecordedCourse* course_;
  /// Null where no caller chose a place.
  const std::vector<PlacedRequest>* placed_;
  std::size_t next_placed_ = 0;
  /// The beginnings of the blocks of former requests.
  std::map<std::uint64_t, Address> began_;
  std::size_t next_release_ = 0;
  std::size_t next_request_ = 0;
  /// Private pools that had their first block, and whether the next request is behind another's.
  std::set<PoolId> begun_;
  bool begins_pool_ = false;
  std::vector<FailedRequest> failures_;
  std::optional<Bytes> stranded_at_peak_ = Bytes{};
  /// Segments and blocks looked at for what is stranded.
  std::uint64_t looked_at_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t frees_ = 0;
  std::uint64_t options_left_out_ = 0;

 private:
  static const std::vector<PlacedRequest>* placed_requests_of(const ReplaySetup& setup) {
    const bool has_any = setup.history != nullptr && !setup.history->placed.empty();
    return has_any ? &setup.history->placed : nullptr;
  }

  void release_as_recorded(const RecordedCourse::Release& release) {
    engine_.complete_frees();
    allocator::ReplayAccess access(engine_);
    const auto can_release = [&] {
      return release.is_unmap ? access.can_unmap_named(release.address)
                              : access.can_release_named(release.address);
    };
    // Its free may be one that the recorded run waited for.
    if (release.waits || !can_release()) access.synchronise();
    if (!can_release()) return;
    if (release.is_unmap)
      access.unmap_named(release.address);
    else
      access.release_named(release.address);
  }

  /// A pool that has no memory yet may begin with a block of its own.
  void note_begun_pool(const Event& event) {
    if (event.kind != Kind::pool_begin || !asked().first_of_private_pools) return;
    const auto* pool = engine_.core().find_private_pool(event.pool);
    begins_pool_ =
        (pool == nullptr || pool->segment_count == 0) && begun_.insert(event.pool).second;
  }

  /// The first block of the pool that is in use; it is freed at once.
  [[gnu::noinline]] MallocResult begin_pool(StreamId stream) {
    begins_pool_ = false;
    ++requests_;
    const MallocResult first = engine_.malloc(*asked().first_of_private_pools, stream);
    if (!first) return first;
    ++frees_;
    engine_.free(first.address);
    return first;
  }

  MallocResult allocate_anywhere(Bytes bytes, StreamId stream, std::uint64_t number) {
    if (course_ == nullptr) [[likely]]
      return engine_.malloc(bytes, stream);
    return allocate_as_recorded(bytes, stream, number);
  }

  /// In a history in which callers chose places.
  [[gnu::noinline]] MallocResult allocate_beside_chosen(Bytes bytes, StreamId stream,
                                                        std::uint64_t number) {
    const auto at = allocate_where_chosen(bytes, stream, number);
    const MallocResult result =
        at ? MallocResult{MallocOutcome::allocated, *at} : allocate_anywhere(bytes, stream, number);
    const std::vector<std::uint64_t>& formers = conditions_.setup.history->formers;
    if (result && std::ranges::binary_search(formers, number)) began_[number] = result.address;
    return result;
  }

  /// The place that the caller of the recorded request chose, if a block of its pool is free there.
  [[gnu::noinline]] std::optional<Address> allocate_where_chosen(Bytes bytes, StreamId stream,
                                                                 std::uint64_t number) {
    while (next_placed_ < placed_->size() && (*placed_)[next_placed_].event < number)
      ++next_placed_;
    if (next_placed_ == placed_->size() || (*placed_)[next_placed_].event != number)
      return std::nullopt;
    const PlacedRequest& chosen = (*placed_)[next_placed_];
    engine_.complete_frees();
    const auto former = chosen.former ? began_.find(*chosen.former) : began_.end();
    return allocator::ReplayAccess(engine_).malloc_at(
        former == began_.end() ? chosen.address : former->second, bytes,
        {chosen.pool, stream, round_request(bytes, engine_.settings())});
  }

  [[gnu::noinline]] MallocResult allocate_as_recorded(Bytes bytes, StreamId stream,
                                                      std::uint64_t number) {
    const std::vector<RecordedCourse::Request>& requests = course_->requests;
    while (next_request_ < requests.size() && requests[next_request_].event < number)
      ++next_request_;
    if (next_request_ == requests.size() || requests[next_request_].event != number)
      return engine_.malloc(bytes, stream);
    const RecordedCourse::Request& recorded = requests[next_request_];
    engine_.complete_frees();
    allocator::ReplayAccess access(engine_);
    if (recorded.waits) access.synchronise();
    // A request that failed and left cached memory alone, as during a capture, tried once.
    const bool retries = recorded.retries && (!recorded.fails || caches_nothing());
    CourseDirector director(recorded, bytes, retries);
    if (!recorded.fails) return access.malloc_directed(bytes, stream, recorded.pool, director);
    const Bytes held = engine_.core().reserved + recorded.device_free.value_or(Bytes{});
    on_device_.set_external(conditions_.memory - std::min(conditions_.memory, held));
    const MallocResult result = access.malloc_directed(bytes, stream, recorded.pool, director);
    if (!result) access.describe_failure(bytes);
    on_device_.set_external({});
    return result;
  }

  /// Whether the device's own pools hold nothing that a release of everything would give back.
  bool caches_nothing() const {
    const allocator::ReplayView view(engine_);
    return view.plan_pool(default_pool, PoolKind::large).empty() &&
           view.plan_pool(default_pool, PoolKind::small).empty();
  }

  /// A request whose search missed: releases were made before, as recorded.
  class CourseDirector : public allocator::Director {
   public:
    CourseDirector(const RecordedCourse::Request& recorded, Bytes bytes, bool retries)
        : retries_(retries),
          asks_device_(!recorded.fails || recorded.device_free.value_or(Bytes{}) < bytes) {}
    bool search_has_failed() override { return true; }
    unsigned garbage_passes() override { return 0; }
    bool may_attempt() override {
      const bool is_first = !std::exchange(has_tried_, true);
      if (is_first && retries_) return false;
      return asks_device_;
    }
    bool goes_on() override { return retries_; }
    bool releases_everything(std::vector<PoolId>& /*pools*/) override { return true; }

   private:
    bool retries_;
    /// Otherwise a memory fraction refused it, which no recording tells.
    bool asks_device_;
    bool has_tried_ = false;
  };

  /// Gets its memory as long as there is any, and releases nothing.
  struct PlainDirector : allocator::Director {
    bool search_has_failed() override { return false; }
    unsigned garbage_passes() override { return 0; }
    bool may_attempt() override { return true; }
    bool goes_on() override { return false; }
    bool releases_everything(std::vector<PoolId>& /*pools*/) override { return false; }
  };

  template <class Named>
  void lay_out(const std::vector<StartingSegment>& start, const Named& named) {
    for (const StartingSegment& given : start) {
      GivenSegment segment = given.segment;
      segment.base = on_device_.adopt(segment);
      allocator::ReplayAccess(engine_).adopt(segment);
      Address address = segment.base;
      for (std::size_t i = 0; i < segment.blocks.size(); ++i) {
        named(given, i, address);
        address = address + segment.blocks[i].size;
      }
    }
    static_cast<allocator::Statistics&>(engine_.listeners()).start_from(engine_.take_snapshot());
  }

  template <class Named>
  void request_anew(const std::vector<StartingSegment>& start, const Named& named) {
    PlainDirector director;
    allocator::ReplayAccess access(engine_);
    for (const StartingSegment& given : start)
      for (std::size_t i = 0; i < given.ids.size(); ++i) {
        if (given.ids[i] == 0) continue;
        const MallocResult result =
            access.malloc_directed(given.segment.blocks[i].known_request(), given.segment.stream,
                                   given.segment.pool, director);
        if (!result)
          throw DeviceError("the blocks from before the recording need more than " +
                            format_bytes(conditions_.memory));
        named(given, i, result.address);
      }
  }

  /// A share that is asked for stands in place of those that a recorded program set.
  void set_fraction(double fraction) {
    const bool is_recorded = conditions_.setup.history != nullptr;
    if (is_recorded ? asked().memory_fraction.has_value() : conditions_.setup.keeps_settings())
      return;
    engine_.set_memory_fraction(
        conditions_.setup.fraction_of(engine_.core().device_total, fraction));
  }

  /// The recorded program went on after a string that was refused.
  void set_options(std::string_view text) {
    if (conditions_.setup.keeps_settings())
      ++options_left_out_;
    else if (const auto error = engine_.set_options(text);
             error && conditions_.setup.history == nullptr)
      throw AllocatorError("the option string is refused: " + error->message);
  }
};

}  // namespace vramlab::replay
