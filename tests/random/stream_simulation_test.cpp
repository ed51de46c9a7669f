// Random programs of all kinds of events, from the allocator down to the streams: whatever they do,
// the simulation ends in a report or in one sentence about the mistake, and twice in the same.
#include "replay/stream_waits/stream_simulation.h"

#include <gtest/gtest.h>

#include "tests/support/kit/random_numbers.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using traces::ProgramEvent;
using EventKind = traces::ProgramEventKind;

class RandomEvents {
 public:
  explicit RandomEvents(std::uint64_t seed) : random_(seed) {
    declares_ = random_.below(2) == 0;
    has_pools_ = random_.below(8) == 0;
  }

  std::vector<ProgramEvent> take(traces::TextTable& texts) {
    name_ = texts.intern("name");
    if (declares_) declare();
    const std::uint64_t count = 5 + random_.below(80);
    while (events_.size() < count) add();
    return std::move(events_);
  }

 private:
  void declare() {
    for (std::uint32_t device = 0; device < 2; ++device)
      for (std::uint64_t stream = 1; stream <= 4; ++stream) {
        ProgramEvent& made = fresh(EventKind::stream_create);
        made.device = {device};
        made.stream = {stream};
        made.non_blocking = random_.below(2) == 0;
        made.priority = -static_cast<std::int32_t>(random_.below(3));
      }
    for (std::uint64_t event = 1; event <= 4; ++event) {
      ProgramEvent& made = fresh(EventKind::event_create);
      made.event = {event};
      made.device = {static_cast<std::uint32_t>(random_.below(2))};
    }
  }

  ProgramEvent& fresh(EventKind kind) {
    ProgramEvent& event = events_.emplace_back();
    event.kind = kind;
    event.device = {static_cast<std::uint32_t>(random_.below(5) == 0 ? 1 : 0)};
    event.thread = static_cast<std::uint32_t>(random_.below(3));
    event.stream = {random_.below(30) == 0 ? ~random_.below(3) : random_.below(5)};
    if (declares_ && event.stream.value > 4) event.stream = {0};
    event.for_stream = {random_.below(5)};
    event.event = {1 + random_.below(4)};
    event.from_event = {1 + random_.below(4)};
    event.duration_ns = random_.below(10) == 0 ? UINT64_MAX : random_.below(1000);
    event.flag = random_.below(2);
    event.value = random_.below(3);
    event.graph = random_.below(3);
    event.pageable = random_.below(4) == 0;
    event.text = name_;
    if (random_.below(3) == 0) event.time_ns = time_ns_ += random_.below(300);
    return event;
  }

  /// An event whose ids exist, as they must. Pools are only in some programs.
  void add() {
    const auto kind = static_cast<EventKind>(random_.below(traces::program_event_kind_count));
    const bool is_of_pool = (kind >= EventKind::pool_create && kind <= EventKind::pool_destroy) ||
                            kind == EventKind::checkpoint || kind == EventKind::restore;
    if (kind == EventKind::options || (is_of_pool && !has_pools_)) return;
    // An id that was used already must not be created.
    if (!declares_ && (kind == EventKind::stream_create || kind == EventKind::event_create)) return;
    if (random_.below(3) == 0) return add_memory();
    if (kind == EventKind::free || kind == EventKind::use || kind == EventKind::malloc)
      return add_memory();
    if (kind == EventKind::reads || kind == EventKind::writes) {
      if (last_id_ > 0) fresh(kind).id = 1 + random_.below(last_id_);
      return;
    }
    ProgramEvent& event = fresh(kind);
    event.id = 1'000'000;
    event.pool = {0, random_.below(2)};
    event.fraction = 0.9;
    if (kind == EventKind::work && random_.below(60) == 0)
      event.fault = traces::WorkFault::launch_failure;
    event.direction = static_cast<traces::CopyDirection>(random_.below(3));
    event.mode = static_cast<traces::CaptureStrictness>(random_.below(3));
    event.bytes = {random_.below(1 << 20)};
    // A name is taken from a pool once.
    if (kind == EventKind::stream_from_pool) event.stream = {++last_pool_name_};
  }

  void add_memory() {
    static constexpr std::uint64_t sizes[] = {0, 1, 512, 3000, 1 << 20, 5 << 20, 70 << 20};
    if (live_.empty() || random_.below(2) == 0) {
      ProgramEvent& event = fresh(EventKind::malloc);
      event.id = ++last_id_;
      event.bytes = {sizes[random_.below(7)]};
      live_.push_back({event.id, event.device});
      return;
    }
    const std::size_t place = random_.below(live_.size());
    const bool frees = random_.below(2) == 0;
    ProgramEvent& event = fresh(frees ? EventKind::free : EventKind::use);
    event.id = live_[place].first;
    event.device = live_[place].second;
    if (frees) live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(place));
  }

  tests::RandomNumbers random_;
  bool declares_ = false;
  bool has_pools_ = false;
  traces::TextId name_;
  std::uint64_t last_id_ = 0;
  std::uint64_t last_pool_name_ = 40;
  std::uint64_t time_ns_ = 0;
  std::vector<std::pair<std::uint64_t, traces::DeviceIndex>> live_;
  std::vector<ProgramEvent> events_;
};

/// The figures to compare, or the sentence of the error.
std::string outcome_of(const std::vector<ProgramEvent>& events,
                       const traces::SnapshotTables& tables, std::uint64_t seed) {
  StreamConditions conditions;
  conditions.replay.on_out_of_memory = OnOutOfMemory::skip;
  conditions.replay.memory = allocator::Bytes{200 << 20};
  conditions.history_capacity = 1000;
  if (seed % 3 == 0) conditions.replay.stream_model.limits = {1, 1, 1, 2};
  StreamSimulation simulation("program", tables, conditions, {});
  try {
    simulation.header({});
    for (const ProgramEvent& event : events) simulation.program_event(event);
    const StreamReport report = simulation.finish();
    std::string text =
        std::to_string(report.activity.end.ns) + " " + std::to_string(report.hazards.size()) + " " +
        std::to_string(report.refused.size()) + " " + std::to_string(report.deadlock.work.size());
    for (const auto& [device, figures] : report.activity.devices) {
      EXPECT_LE(figures.overlapped, figures.busy);
      EXPECT_LE(figures.busy.ns, report.activity.end.ns);
    }
    return text;
  } catch (const traces::InputError& error) {
    return std::string("refused: ") + error.what();
  }
}

TEST(RandomSimulations, end_in_a_report_or_a_sentence_and_twice_in_the_same) {
  std::uint64_t reports = 0;
  constexpr std::uint64_t programs = 1500;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    traces::SnapshotTables tables;
    const std::vector<ProgramEvent> events = RandomEvents(seed).take(tables.texts);
    const std::string outcome = outcome_of(events, tables, seed);
    ASSERT_EQ(outcome, outcome_of(events, tables, seed));
    reports += outcome.starts_with("refused") ? 0 : 1;
  }
  // Not all of them end at their first mistake.
  EXPECT_GT(reports, programs / 2);
}

}  // namespace
}  // namespace vramlab::replay
