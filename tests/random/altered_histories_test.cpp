// Verifying and replaying histories that were altered at random, and adding up their waits:
// whatever they say, each gets a verdict, and the same one each time.
#include <gtest/gtest.h>

#include "replay/replayer/replayer.h"
#include "replay/stream_waits/recorded_waiting.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/recordings/case_history.h"
#include "tests/support/recordings/replayed.h"
#include "traces/io/input_error.h"

namespace vramlab::tests {
namespace {

using allocator::AllocatorEvent;

void alter_event(RandomNumbers& random, std::vector<AllocatorEvent>& events) {
  const std::size_t at = random.below(events.size());
  const std::size_t other = random.below(events.size());
  AllocatorEvent& event = events[at];
  switch (random.below(7)) {
    case 0:
      events.erase(events.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    case 1:
      events.insert(events.begin() + static_cast<std::ptrdiff_t>(at),
                    AllocatorEvent(events[other]));
      return;
    case 2:
      event.size.count += random.below(2) == 0 ? 512 : 2U << 20;
      return;
    case 3:
      event.address.value ^= std::uint64_t{1} << random.below(50);
      return;
    case 4:
      event.size.count = std::uint64_t{1} << random.below(64);
      return;
    case 5:
      std::swap(event, events[other]);
      return;
    default:
      event.stream.value = random.below(3);
  }
}

void alter_final_state(RandomNumbers& random, std::vector<allocator::SnapshotSegment>& segments) {
  if (segments.empty()) return;
  allocator::SnapshotSegment& segment = segments[random.below(segments.size())];
  if (random.below(2) == 0 || segment.blocks.empty())
    segment.address.value += 512;
  else
    segment.blocks[random.below(segment.blocks.size())].size.count += 512 * random.below(5);
}

replay::RecordedHistory altered_history(const traces::RecordedCase& recorded, std::uint64_t seed) {
  RandomNumbers random(seed);
  replay::RecordedHistory history =
      history_of(recorded, seed % 2 == 0 ? 0 : random.below(recorded.expected.trace.size() / 2));
  replay::DeviceHistory& device = history.devices.front();
  std::vector<AllocatorEvent> events = device.events.to_vector();
  for (std::uint64_t i = random.below(4) + 1; i > 0; --i) alter_event(random, events);
  device.events = std::move(events);
  if (seed % 4 == 0) alter_final_state(random, device.final_segments);
  return history;
}

/// A history that nobody made is followed many times over, under each rule that may explain it.
constexpr std::uint64_t altered_count = 12;

class AlteredHistories : public ::testing::TestWithParam<const char*> {};

TEST_P(AlteredHistories, get_a_verdict_and_the_same_one_again) {
  const traces::RecordedCase recorded = bundled_case(GetParam());
  for (std::uint64_t seed = 0; seed < altered_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const replay::RecordedHistory history = altered_history(recorded, seed);
    const replay::DeviceFidelity first = fidelity_of(history, recorded);
    const replay::DeviceFidelity again = fidelity_of(history, recorded);
    EXPECT_EQ(first.label, again.label);
    EXPECT_EQ(first.allocs.exact, again.allocs.exact);
    if (first.label == replay::FidelityLabel::exact) {
      EXPECT_TRUE(first.allocs.is_full());
    } else {
      EXPECT_TRUE(first.first_difference || !first.reasons.empty());
    }
  }
}

/// The history is refused as bad input, or replayed with a report that adds up.
TEST_P(AlteredHistories, are_replayed_or_refused) {
  const traces::RecordedCase recorded = bundled_case(GetParam());
  for (std::uint64_t seed = 0; seed < altered_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const replay::RecordedHistory history = altered_history(recorded, seed);
    replay::ReplayConditions conditions;
    conditions.on_out_of_memory = replay::OnOutOfMemory::skip;
    if (seed % 3 == 1) conditions.options = "expandable_segments:True";
    traces::SnapshotTables tables;
    try {
      const replay::ReplayReport report =
          Replayed(history, tables, recorded.program.version).run(conditions);
      const replay::DeviceReport& device = report.devices.front();
      EXPECT_GE(device.peak_reserved.bytes, device.peak_allocated.bytes);
      EXPECT_GE(device.requests, device.failures.size());
    } catch (const traces::InputError&) {
    }
  }
}

/// Whatever the waits are, their streams and their places add up to all of them.
TEST_P(AlteredHistories, have_waits_whose_parts_add_up) {
  const traces::RecordedCase recorded = bundled_case(GetParam());
  for (std::uint64_t seed = 0; seed < altered_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const replay::RecordedHistory history = altered_history(recorded, seed);
    traces::SnapshotTables tables;
    replay::Recording recording = recording_of(history, tables, recorded.program.version);
    const replay::RecordedWaiting waiting = find_waiting(recording);
    const replay::DeviceWaiting& device = waiting.devices.front();
    replay::WaitingTotals streams;
    for (const replay::WaitingStream& stream : device.cost.streams) streams.add(stream.totals);
    EXPECT_EQ(streams, device.cost.totals);
    replay::WaitingTotals places;
    for (const replay::WaitingPlace& place : device.places) places.add(place.totals);
    EXPECT_EQ(places, device.cost.totals);
    const bool is_judged = device.eager.has_value() || !waiting.obstacle.empty();
    EXPECT_EQ(is_judged, device.cost.totals.count > 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, AlteredHistories,
                         ::testing::Values("pools-1122", "captures-1055", "gc-1101",
                                           "oversize-1010", "streams-1115", "exptoggle-1134"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           name[name.find('-')] = '_';
                           return name;
                         });

}  // namespace
}  // namespace vramlab::tests
