// Who held memory at a moment, against a plain walk over all events.
#include "replay/call_sites/holdings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "allocator/types/bytes_and_ids.h"
#include "tests/support/kit/random_numbers.h"
#include "tests/support/recordings/held_history.h"
#include "traces/io/input_error.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;
using replay::DeviceHoldings;
using replay::LiveBlock;
using replay::Moment;
using replay::MomentKind;
using Truth = std::map<std::uint64_t, LiveBlock>;

constexpr std::uint64_t program_count = 300;
constexpr std::size_t step_count = 120;

struct Drawn {
  HeldHistory history;
  bool segments_first = false;
};

/// Histories, some from the beginning of the program, some from the middle.
Drawn drawn(std::uint64_t seed) {
  const auto frees = seed % 3 == 0 ? FreeEntries::completed_only : FreeEntries::both;
  return {random_held_history(seed, frees, step_count, seed % 2 == 0 ? 0 : seed % 50),
          seed % 4 < 2};
}

bool says_when_freed(const HeldHistory& history) {
  return std::ranges::any_of(history.entries, [](const traces::TraceEntry& entry) {
    return entry.action == traces::TextId(traces::KnownText::free_requested);
  });
}

std::vector<DeviceHoldings> found(const Drawn& made, const Moment& moment,
                                  std::optional<std::uint64_t> allocated_after = {}) {
  replay::HoldingsFinder finder("file", moment, replay::KeyMeaning::address, allocated_after);
  replay::HistoryCollector collector;
  feed(made.history, collector, made.segments_first);
  pass_history(collector.take(), finder);
  return finder.finish(std::nullopt);
}

/// Blocks by address. A block from before the recording has a known stack only if it survives.
using Facts = std::tuple<std::uint64_t, std::uint64_t, std::optional<std::uint64_t>,
                         std::optional<std::uint64_t>, std::uint64_t, std::uint32_t>;
Facts facts_of(const LiveBlock& block) {
  return {block.key,     block.requested.count, block.event,
          block.time_ns, block.stream.value,    block.event ? block.stack.value : 0};
}

std::vector<Facts> facts_of(const std::vector<LiveBlock>& blocks) {
  std::vector<Facts> facts;
  for (const LiveBlock& block : blocks) facts.push_back(facts_of(block));
  std::ranges::sort(facts);
  return facts;
}

std::vector<Facts> facts_of(const Truth& truth) {
  std::vector<Facts> facts;
  for (const auto& [address, block] : truth) facts.push_back(facts_of(block));
  std::ranges::sort(facts);
  return facts;
}

std::uint64_t requested(const Truth& truth) {
  std::uint64_t sum = 0;
  for (const auto& [address, block] : truth) sum += block.requested.count;
  return sum;
}

TEST(Holdings, of_random_recordings_at_their_peak_are_what_a_plain_walk_finds) {
  std::size_t begun_at_the_peak = 0;
  for (std::uint64_t seed = 0; seed < program_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Drawn made = drawn(seed);
    if (seed % 3 != 0 && !says_when_freed(made.history)) continue;
    const auto& truth = made.history.truth;
    const auto peak = std::ranges::max_element(
        truth, [](const Truth& a, const Truth& b) { return requested(a) < requested(b); });
    const auto devices = found(made, {});
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_EQ(facts_of(devices[0].blocks), facts_of(*peak));
    const auto index = static_cast<std::uint64_t>(peak - truth.begin());
    if (index == 0) ++begun_at_the_peak;
    EXPECT_EQ(devices[0].event,
              index == 0 ? std::nullopt : std::optional<std::uint64_t>(index - 1));
  }
  EXPECT_GT(begun_at_the_peak, 0U);
}

TEST(Holdings, of_random_recordings_after_any_event_are_what_a_plain_walk_finds) {
  for (std::uint64_t seed = 0; seed < program_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Drawn made = drawn(seed);
    if (seed % 3 != 0 && !says_when_freed(made.history)) continue;
    const std::uint64_t event = seed * 7 % made.history.entries.size();
    const auto devices = found(made, {.kind = MomentKind::event, .event = event});
    EXPECT_EQ(facts_of(devices.at(0).blocks), facts_of(made.history.truth[event + 1]));
    EXPECT_EQ(devices.at(0).event, event);
  }
}

TEST(Holdings, of_random_recordings_at_any_time_are_what_a_plain_walk_finds) {
  for (std::uint64_t seed = 0; seed < program_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Drawn made = drawn(seed);
    if (seed % 3 != 0 && !says_when_freed(made.history)) continue;
    const auto& entries = made.history.entries;
    const std::uint64_t time_us =
        (entries.back().time_us - entries.front().time_us) * (seed % 10) / 10;
    std::size_t last = 0;
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i].time_us - entries.front().time_us <= time_us) last = i;
    const auto devices = found(made, {.kind = MomentKind::time, .time_ns = time_us * 1000});
    EXPECT_EQ(facts_of(devices.at(0).blocks), facts_of(made.history.truth[last + 1]));
  }
}

TEST(Holdings, at_the_end_are_what_the_segments_show_with_what_the_history_tells) {
  for (std::uint64_t seed = 0; seed < program_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Drawn made = drawn(seed);
    const auto devices = found(made, {.kind = MomentKind::end});
    // Without requests of frees, the events take waiting memory as allocated, the segments do not.
    if (seed % 3 == 0) continue;
    EXPECT_EQ(facts_of(devices.at(0).blocks), facts_of(made.history.truth.back()));
    EXPECT_TRUE(devices.at(0).has_block_sizes);
    for (const LiveBlock& block : devices.at(0).blocks) EXPECT_EQ(block.bytes, 4_KiB);
    if (says_when_freed(made.history)) {
      EXPECT_EQ(devices.at(0).contradictions, 0U);
    }
  }
}

TEST(Holdings, between_two_events_are_what_came_and_stayed) {
  for (std::uint64_t seed = 0; seed < program_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Drawn made = drawn(seed);
    if (seed % 3 != 0 && !says_when_freed(made.history)) continue;
    const std::uint64_t last = made.history.entries.size() - 1 - seed % 20;
    const std::uint64_t first = last * (seed % 5) / 5;
    Truth expected = made.history.truth[last + 1];
    std::erase_if(expected, [&](const auto& held) {
      return !held.second.event || *held.second.event <= first;
    });
    const auto devices = found(made, {.kind = MomentKind::event, .event = last}, first);
    EXPECT_EQ(facts_of(devices.at(0).blocks), facts_of(expected));
  }
}

/// Entries left out, doubled, moved to other addresses: nothing that an allocator would write.
HeldHistory altered(HeldHistory history, std::uint64_t seed) {
  RandomNumbers random(seed);
  for (int i = 0; i < 5; ++i) {
    auto& entries = history.entries;
    const auto at = entries.begin() + static_cast<std::ptrdiff_t>(random.below(entries.size()));
    switch (random.below(4)) {
      case 0:
        entries.erase(at);
        break;
      case 1:
        entries.insert(at, traces::TraceEntry(random.pick(entries)));
        break;
      case 2:
        at->address.value ^= 0x1000;
        break;
      default:
        at->size.count = ~std::uint64_t{0} - random.below(9);
    }
  }
  return history;
}

TEST(Holdings, of_altered_recordings_are_some_blocks_each_of_them_once_at_the_end) {
  for (std::uint64_t seed = 0; seed < program_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Drawn made = drawn(seed);
    made.history = altered(std::move(made.history), seed);
    for (const MomentKind kind : {MomentKind::peak, MomentKind::end}) {
      const auto devices = found(made, {.kind = kind});
      EXPECT_EQ(facts_of(devices.at(0).blocks), facts_of(found(made, {.kind = kind})[0].blocks));
      std::set<std::uint64_t> keys;
      for (const LiveBlock& block : devices[0].blocks) keys.insert(block.key);
      if (kind == MomentKind::end) {
        EXPECT_EQ(keys.size(), devices[0].blocks.size());
      }
    }
  }
}

}  // namespace
}  // namespace vramlab::tests
