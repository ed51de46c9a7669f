// The shim decides as the simulator does: the same requests through the shim over the fake driver
// and through the engine on a simulated device have the same events, call by call, and leave the
// same statistics and blocks. Both place segments by the same rule, so that even the addresses
// differ by a constant at most. Requests that the shim has the driver answer at the end are asked
// of the simulated device too, so that all that comes after them is compared as well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <random>
#include <tuple>

#include "allocator/caching_allocator.h"
#include "allocator/options/size_rules.h"
#include "streams/device/simulated_device.h"
#include "tests/shim/engine_events.h"
#include "tests/shim/setup/shim_setup.h"

namespace vramlab::tests {
namespace {

using allocator::Address;
using allocator::Bytes;
using allocator::EventId;
using allocator::Snapshot;
using preload::PreloadMode;
using replay::DeviceAction;
using shim::LastResort;
using testing::ElementsAreArray;

/// The calls of the shim to the fake driver. The driver's functions are plain ones, so there is
/// one.
struct WatchedDriver {
  streams::CudaDriver real;
  std::vector<DeviceAction> actions;
};
WatchedDriver& watched() {
  static WatchedDriver one;
  return one;
}

void watch(streams::CudaDriver& driver) {
  watched() = {driver, {}};
  driver.mem_alloc = [](CUdeviceptr* at, std::size_t bytes) {
    const CUresult result = watched().real.mem_alloc(at, bytes);
    const bool was_granted = result == CUDA_SUCCESS;
    watched().actions.push_back({DeviceAction::Kind::allocate, was_granted,
                                 Address{was_granted ? *at : 0}, allocator::Bytes{bytes}});
    return result;
  };
  driver.mem_free = [](CUdeviceptr at) {
    watched().actions.push_back({DeviceAction::Kind::release, true, Address{at}, {}});
    return watched().real.mem_free(at);
  };
}

struct Trial {
  std::uint64_t seed = 0;
  std::uint64_t memory = 0;
  std::string settings;
  PreloadMode mode = PreloadMode::deferred;
  LastResort last_resort = LastResort::none;
  std::uint64_t waiting_limit = 0;
};

/// One event for all frees up to the next request, recorded when that begins, as the shim's fences
/// are.
class LateEvents final : public allocator::Device {
 public:
  explicit LateEvents(allocator::Device& device) : device_(device) {}

  void request_begins() {
    if (gathering_ != nullptr) gathering_->recorded = device_.record_event({1});
    gathering_ = nullptr;
  }
  /// A free of these bytes is over: the event of every half limit is recorded by the free.
  void freed(Bytes bytes, Bytes waiting, Bytes limit) {
    freed_ += bytes;
    if (waiting.count <= limit.count / 2 || freed_.count <= limit.count / 2) return;
    freed_ = Bytes{0};
    of_frees_.push_back(gathering_);
    request_begins();
  }
  /// Asked before memory is; true is answered by a DeviceError.
  void set_waits_first(std::function<bool()> waits_first) { waits_first_ = std::move(waits_first); }
  bool has_event_of_free() {
    while (!of_frees_.empty() && is_complete(id_of(of_frees_.front()))) of_frees_.pop_front();
    return !of_frees_.empty();
  }
  void wait_for_oldest_free() { wait_for_event(id_of(of_frees_.front())); }

  EventId record_event(allocator::StreamId) override {
    if (gathering_ == nullptr) gathering_ = &events_.emplace_back();
    return id_of(gathering_);
  }
  bool is_complete(EventId event) override {
    const LateEvent& late = *reinterpret_cast<const LateEvent*>(event.value);
    return late.recorded && device_.is_complete(*late.recorded);
  }
  void wait_for_event(EventId event) override {
    device_.wait_for_event(*reinterpret_cast<const LateEvent*>(event.value)->recorded);
  }
  void forget_event(EventId) override {}

  allocator::MemoryInfo memory_info() override { return device_.memory_info(); }
  std::optional<Address> allocate(Bytes size, allocator::StreamId stream) override {
    ask_to_wait();
    return device_.allocate(size, stream);
  }
  void release(Address at) override { device_.release(at); }
  std::optional<Address> reserve(Bytes size, allocator::StreamId stream) override {
    ask_to_wait();
    return device_.reserve(size, stream);
  }
  void release_reservation(Address at, Bytes size) override {
    device_.release_reservation(at, size);
  }
  [[nodiscard]] bool map(const allocator::UnitRange& range) override {
    ask_to_wait();
    return device_.map(range);
  }
  void unmap(const allocator::UnitRange& range) override { device_.unmap(range); }
  void wait_for_stream(allocator::StreamId stream) override { device_.wait_for_stream(stream); }
  std::optional<allocator::StreamCapture> capture_of(allocator::StreamId stream) override {
    return device_.capture_of(stream);
  }
  std::vector<allocator::GraphNode> dependencies_of(allocator::GraphNode node) override {
    return device_.dependencies_of(node);
  }

 private:
  struct LateEvent {
    std::optional<EventId> recorded;
  };
  static EventId id_of(LateEvent* event) { return {reinterpret_cast<std::uintptr_t>(event)}; }
  void ask_to_wait() {
    if (waits_first_ && waits_first_()) throw allocator::DeviceError("freed memory first");
  }
  allocator::Device& device_;
  std::deque<LateEvent> events_;
  LateEvent* gathering_ = nullptr;
  std::deque<LateEvent*> of_frees_;
  Bytes freed_;
  std::function<bool()> waits_first_;
};

/// The engine alone: one stream owns all blocks, another one stands for all that may use them.
class Alone {
 public:
  explicit Alone(const Trial& trial)
      : trial_(trial),
        device_(allocator::Bytes{trial.memory}),
        engine_(late_, allocator::default_reference_version(),
                shim_options(trial.mode, trial.settings).settings) {}

  std::optional<Address> malloc(std::uint64_t bytes) {
    late_.request_begins();
    const allocator::MallocResult result = malloc_in_engine(bytes);
    if (result) return result.address;
    if (trial_.last_resort == LastResort::none) return std::nullopt;
    const std::optional<Address> got = logged_.allocate({bytes}, {0});
    if (got) ++last_resorts_;
    return got;
  }
  void free(Address at) {
    device_.submit_work({1});
    if (trial_.mode == PreloadMode::sync) device_.complete_work({1});
    if (!engine_.is_live(at)) return logged_.release(at);
    if (trial_.mode != PreloadMode::sync) engine_.record_stream(at, {1});
    const Bytes waiting = waiting_bytes();
    engine_.free(at);
    if (waiting_bytes() > waiting) late_.freed(waiting_bytes() - waiting, waiting_bytes(), limit());
  }
  void finish_work() { device_.complete_work({1}); }
  allocator::CountingAllocator& engine() { return engine_; }
  std::vector<DeviceAction>& actions() { return actions_; }
  std::uint64_t last_resorts() const { return last_resorts_; }
  std::uint64_t waits() const { return waits_; }

 private:
  allocator::MallocResult malloc_in_engine(std::uint64_t bytes) {
    late_.set_waits_first([&] {
      return waiting_bytes() > limit() && would_serve(bytes) && late_.has_event_of_free();
    });
    for (;;) {
      try {
        return engine_.malloc({bytes}, {0});
      } catch (const allocator::DeviceError&) {
        late_.wait_for_oldest_free();
        ++waits_;
      }
    }
  }
  Bytes waiting_bytes() {
    const allocator::StatisticValues values = engine_.listeners().values();
    return {static_cast<std::uint64_t>(values.active_bytes.all.current -
                                       values.allocated_bytes.all.current)};
  }
  Bytes limit() {
    if (trial_.waiting_limit > 0) return {trial_.waiting_limit};
    const auto peak = engine_.listeners().values().allocated_bytes.all.peak;
    return {std::max<std::uint64_t>(256 * mib, static_cast<std::uint64_t>(peak) / 4)};
  }
  /// True for a waiting block that is as large, in the right pool, and not too large to be split.
  bool would_serve(std::uint64_t bytes) {
    const allocator::Settings& settings = engine_.core().settings;
    const Bytes rounded = allocator::round_request({bytes}, settings);
    for (const allocator::SnapshotSegment& segment : engine_.take_snapshot().segments)
      for (const allocator::SnapshotBlock& block : segment.blocks)
        if (block.state == allocator::BlockState::active_pending_free && block.size >= rounded &&
            segment.kind == allocator::pool_kind_of(rounded) &&
            !allocator::is_oversize_mismatch(block.size, rounded, settings))
          return true;
    return false;
  }

  const Trial trial_;
  std::uint64_t waits_ = 0;
  streams::SimulatedDevice device_;
  std::vector<DeviceAction> actions_;
  replay::LoggedDevice logged_{device_, actions_};
  LateEvents late_{logged_};
  allocator::CountingAllocator engine_;
  std::uint64_t last_resorts_ = 0;
};

class BothWays {
 public:
  explicit BothWays(const Trial& trial)
      : random_(trial.seed), setup_(options_of(trial)), alone_(trial) {
    stream_ = setup_.make_stream();
    work_memory_ = setup_.alloc(512);
    alone_origin_ = alone_.malloc(512)->value;
    compare();
  }

  enum class Made { request, free, time };
  Made step() {
    const std::uint64_t what = random_() % 100;
    if (what < 50) return allocate(), Made::request;
    if (what < 95) return free(), Made::free;
    finish_work();
    return Made::time;
  }

  /// The events since the last time.
  void compare() {
    const Snapshot ours = setup_.snapshot();
    const Snapshot theirs = alone_.engine().take_snapshot();
    const EngineEvents expected = alone_reader_.of(alone_.actions(), theirs, alone_origin_);
    const EngineEvents got = reader_.of(watched().actions, ours, work_memory_);
    ASSERT_THAT(got, ElementsAreArray(expected));
    ASSERT_EQ(setup_.statistics(), alone_.engine().listeners().values());
    event_count_ += got.size();
  }
  std::int64_t out_of_memory_count() { return setup_.statistics().num_ooms; }
  std::int64_t release_count() { return setup_.statistics().num_device_free; }
  std::uint64_t last_resorts() const { return alone_.last_resorts(); }
  std::uint64_t waits() const { return alone_.waits(); }
  std::uint64_t event_count() const { return event_count_; }
  std::string first_race() { return setup_.first_race(); }

 private:
  struct Held {
    CUdeviceptr ours;
    Address theirs;
  };

  static ShimSetupOptions options_of(const Trial& trial) {
    ShimSetupOptions options = in_mode(trial.mode, trial.settings);
    options.shim.last_resort = trial.last_resort;
    if (trial.waiting_limit > 0) options.shim.waiting_limit = Bytes{trial.waiting_limit};
    options.fake.memory_bytes = trial.memory;
    options.change_driver = watch;
    return options;
  }
  void allocate() {
    const std::uint64_t range = random_() % 3 == 0 ? 1 * mib : 30 * mib;
    const std::uint64_t bytes = 1 + random_() % range;
    CUdeviceptr ours = 0;
    const CUresult result = setup_.try_alloc(&ours, bytes);
    const std::optional<Address> theirs = alone_.malloc(bytes);
    ASSERT_EQ(result == CUDA_SUCCESS, theirs.has_value()) << bytes;
    if (!theirs) return;
    // The driver's own blocks lie elsewhere where segments expand.
    if (alone_.engine().is_live(*theirs)) {
      ASSERT_EQ(ours - work_memory_, theirs->value - alone_origin_) << bytes;
    }
    held_.push_back({ours, *theirs});
  }
  void free() {
    if (held_.empty()) return;
    const std::size_t which = random_() % held_.size();
    const Held held = held_[which];
    held_[which] = held_.back();
    held_.pop_back();
    setup_.work(stream_, work_memory_, 512, 1000);
    ASSERT_EQ(setup_.free(held.ours), CUDA_SUCCESS);
    alone_.free(held.theirs);
  }
  void finish_work() {
    setup_.advance(1000000000);
    alone_.finish_work();
  }

  std::mt19937_64 random_;
  ShimSetup setup_;
  Alone alone_;
  CUstream stream_ = nullptr;
  CUdeviceptr work_memory_ = 0;
  std::uint64_t alone_origin_ = 0;
  std::vector<Held> held_;
  EventReader reader_;
  EventReader alone_reader_;
  std::uint64_t event_count_ = 0;
};

struct Setting {
  const char* name;
  const char* text;
  std::uint64_t memory;
  std::uint64_t waiting_limit = 0;
};

using Row = std::tuple<Setting, PreloadMode, LastResort>;
class ShimDifferential : public testing::TestWithParam<Row> {
 protected:
  static Trial trial(std::uint64_t seed) {
    const auto& [setting, mode, last_resort] = GetParam();
    return {seed, setting.memory, setting.text, mode, last_resort, setting.waiting_limit};
  }
};
const Setting settings[] = {
    {"defaults", "", 8ULL << 30},
    {"short_of_memory", "", 512 * mib},
    {"no_large_splits", "max_split_size_mb:21", 512 * mib},
    {"rounding", "roundup_power2_divisions:4", 1ULL << 30},
    {"garbage_collection", "garbage_collection_threshold:0.5", 1ULL << 30},
    {"no_room_for_segments", "", 37 * mib},
    {"waiting_is_bounded", "", 8ULL << 30, 48 * mib},
    {"expandable_waiting_is_bounded", "expandable_segments:True", 8ULL << 30, 48 * mib},
    {"expandable", "expandable_segments:True", 8ULL << 30},
    {"expandable_short_of_memory", "expandable_segments:True", 512 * mib},
};
INSTANTIATE_TEST_SUITE_P(Settings, ShimDifferential,
                         testing::Combine(testing::ValuesIn(settings),
                                          testing::Values(PreloadMode::deferred, PreloadMode::sync),
                                          testing::Values(LastResort::none, LastResort::driver)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) +
                                  (std::get<1>(row.param) == PreloadMode::sync ? "_sync" : "") +
                                  (std::get<2>(row.param) == LastResort::driver
                                       ? "_asking_the_driver_last"
                                       : "");
                         });

TEST_P(ShimDifferential, the_shim_decides_as_the_simulator_does) {
  constexpr std::uint64_t steps = 1500;
  const bool is_short = std::get<Setting>(GetParam()).memory <= 512 * mib;
  std::int64_t refusals = 0;
  std::int64_t releases = 0;
  std::uint64_t last_resorts = 0;
  std::uint64_t waits = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    BothWays both(trial(seed));
    // To look is to hand the frees in. Where only requests are looked at, they do that.
    const bool looks_at_all = seed % 2 == 0;
    for (std::uint64_t step = 0; step < steps && !HasFatalFailure(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      const BothWays::Made made = both.step();
      if (looks_at_all || made == BothWays::Made::request) both.compare();
    }
    if (HasFatalFailure()) return;
    both.compare();
    EXPECT_GT(both.event_count(), steps);
    EXPECT_EQ(both.first_race(), "");
    refusals += both.out_of_memory_count();
    releases += both.release_count();
    last_resorts += both.last_resorts();
    waits += both.waits();
  }
  if (std::get<Setting>(GetParam()).waiting_limit > 0 &&
      std::get<PreloadMode>(GetParam()) != PreloadMode::sync) {
    EXPECT_GT(waits, 0U);
  }
  if (is_short) {
    EXPECT_GT(refusals, 0);
    EXPECT_GT(releases, 0);
  }
  const bool is_asked_last = std::get<LastResort>(GetParam()) == LastResort::driver;
  if (is_asked_last && std::get<Setting>(GetParam()).memory < 64 * mib) {
    EXPECT_GT(last_resorts, 0U);
  }
}

}  // namespace
}  // namespace vramlab::tests
