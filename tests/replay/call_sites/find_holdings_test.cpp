// Who held memory at a moment of programs and of the bundled samples.
#include "replay/call_sites/holdings.h"

#include <gtest/gtest.h>

#include "replay/replayer/device_replay.h"
#include "replay/replayer/program_replay.h"
#include "tests/support/kit/text_program.h"
#include "tests/support/processes/places.h"
#include "tests/support/recordings/native_samples.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"

namespace vramlab::tests {
namespace {

using namespace allocator::literals;
using replay::FoundHoldings;
using replay::LiveBlock;
using replay::Moment;
using replay::MomentKind;
using support::free_line;
using support::malloc_line;

FoundHoldings found(const std::string& lines, const Moment& moment,
                    std::optional<std::uint64_t> allocated_after = {}) {
  replay::Recording recording(support::open_program(lines), {.passes = replay::Passes::one});
  return find_holdings(recording, moment, allocated_after);
}

std::vector<std::uint64_t> ids(const std::string& lines, const Moment& moment,
                               std::optional<std::uint64_t> allocated_after = {}) {
  std::vector<std::uint64_t> held;
  for (const auto& device : found(lines, moment, allocated_after).devices)
    for (const LiveBlock& block : device.blocks) held.push_back(block.key);
  return held;
}

std::string refusal(const std::string& lines, const Moment& moment) {
  try {
    found(lines, moment);
  } catch (const traces::InputError& error) {
    return error.what();
  }
  return "none";
}

using Ids = std::vector<std::uint64_t>;

TEST(FindHoldings, knows_each_kind_of_moment_of_a_program) {
  const std::string lines = malloc_line(1, 1 << 20, ",\"time_ns\":100") +
                            malloc_line(2, 2 << 20, ",\"time_ns\":200") + free_line(1) +
                            "{\"marker\":\"out of memory\"}\n" +
                            malloc_line(3, 512, ",\"time_ns\":300") + free_line(2);
  EXPECT_EQ(ids(lines, {}), (Ids{1, 2}));
  EXPECT_EQ(ids(lines, {.kind = MomentKind::out_of_memory}), (Ids{2}));
  EXPECT_EQ(ids(lines, {.kind = MomentKind::end}), (Ids{3}));
  EXPECT_EQ(ids(lines, {.kind = MomentKind::event, .event = 0}), (Ids{1}));
  EXPECT_EQ(ids(lines, {.kind = MomentKind::time, .time_ns = 99}), (Ids{1}));
  EXPECT_EQ(ids(lines, {.kind = MomentKind::time, .time_ns = 100}), (Ids{2}));
  EXPECT_EQ(ids(lines, {.kind = MomentKind::event, .event = 4}, 1), (Ids{3}));
}

TEST(FindHoldings, counts_events_across_devices) {
  const FoundHoldings held = found(malloc_line(1, 1) + malloc_line(2, 2, ",\"device\":1") +
                                       malloc_line(3, 3) + malloc_line(4, 4, ",\"device\":1"),
                                   {.kind = MomentKind::event, .event = 2});
  ASSERT_EQ(held.devices.size(), 2U);
  EXPECT_EQ(held.devices[0].blocks.size(), 2U);
  EXPECT_EQ(held.devices[1].blocks.size(), 1U);
  EXPECT_EQ(held.devices[1].event, 1U);
}

TEST(FindHoldings, rounds_requests_by_the_options_in_force) {
  const FoundHoldings held =
      found(malloc_line(1, 700) + malloc_line(2, (5 << 20) + 1) +
                "{\"options\":\"roundup_power2_divisions:4\"}\n" + malloc_line(3, (5 << 20) + 1),
            {.kind = MomentKind::end});
  const auto& blocks = held.devices.at(0).blocks;
  EXPECT_EQ(blocks[0].bytes, 1_KiB);
  EXPECT_EQ(blocks[1].bytes, 5_MiB + 512_B);
  EXPECT_EQ(blocks[2].bytes, 6_MiB);
  EXPECT_EQ(blocks[2].requested, 5_MiB + 1_B);
}

TEST(FindHoldings, says_the_pool_whose_scope_takes_the_request) {
  const FoundHoldings held = found(
      "{\"pool_create\":[0,3]}\n{\"pool_begin\":[0,3],\"scope\":\"one_stream\",\"stream\":5}\n" +
          malloc_line(1, 1, ",\"stream\":5") + malloc_line(2, 1) + "{\"pool_end\":[0,3]}\n" +
          malloc_line(3, 1, ",\"stream\":5"),
      {.kind = MomentKind::end});
  const auto& blocks = held.devices.at(0).blocks;
  EXPECT_EQ(blocks[0].pool, (allocator::PoolId{0, 3}));
  EXPECT_EQ(blocks[1].pool, allocator::default_pool);
  EXPECT_EQ(blocks[2].pool, allocator::default_pool);
}

TEST(FindHoldings, refuses_what_no_program_does) {
  EXPECT_EQ(refusal(malloc_line(1, 1) + free_line(1) + free_line(1), {}),
            "program at event 2 of the program: expected the id of memory that is live, found 1");
  EXPECT_EQ(refusal(malloc_line(2, 1) + malloc_line(2, 1), {}),
            "program at event 1 of the program: expected a new id, found 2, which is live");
}

TEST(FindHoldings, refuses_moments_that_there_are_not) {
  EXPECT_EQ(refusal(malloc_line(1, 1), {.kind = MomentKind::out_of_memory}),
            "program: expected a request that failed, found none");
  EXPECT_EQ(refusal(malloc_line(1, 1), {.kind = MomentKind::event, .event = 1}),
            "program: expected an event 1, found 1 events, from 0 on");
  EXPECT_EQ(refusal(malloc_line(1, 1), {.kind = MomentKind::time, .time_ns = 1}),
            "program: expected events with times, found none");
  EXPECT_EQ(refusal(malloc_line(1, 1, ",\"time_ns\":5"), {.kind = MomentKind::time, .time_ns = 1}),
            "program: expected a time that the history reaches, found a history of 0 ns");
}

TEST(FindHoldings, tolerates_unknown_ids_once_a_checkpoint_was_restored_and_says_so) {
  const FoundHoldings held =
      found(malloc_line(1, 1) + "{\"restore\":\"c\",\"id\":9}\n" + free_line(9),
            {.kind = MomentKind::end});
  EXPECT_EQ(held.devices.at(0).blocks.size(), 1U);
  ASSERT_EQ(held.notes.size(), 1U);
  EXPECT_NE(held.notes[0].find("1 restored"), std::string::npos);
}

/// All events of a sample, walked through plainly.
class PlainWalk : public traces::ProgramSink {
 public:
  void program_event(const traces::ProgramEvent& event) override {
    if (event.kind == traces::ProgramEventKind::malloc) {
      live[event.device.value][event.id] = event;
      now[event.device.value] += event.bytes.count;
    }
    if (event.kind == traces::ProgramEventKind::free) {
      now[event.device.value] -= live[event.device.value].at(event.id).bytes.count;
      live[event.device.value].erase(event.id);
    }
    for (const auto& [device, bytes] : now)
      if (bytes > peak[device]) {
        peak[device] = bytes;
        at_peak[device] = live[device];
        peak_event[device] = count;
      }
    ++count;
  }
  std::uint64_t count = 0;
  std::map<std::int64_t, std::map<std::uint64_t, traces::ProgramEvent>> live;
  std::map<std::int64_t, std::map<std::uint64_t, traces::ProgramEvent>> at_peak;
  std::map<std::int64_t, std::uint64_t> now;
  std::map<std::int64_t, std::uint64_t> peak;
  std::map<std::int64_t, std::uint64_t> peak_event;
};

class FindHoldingsOfSample : public testing::TestWithParam<const char*> {};

TEST_P(FindHoldingsOfSample, finds_at_the_peak_what_a_plain_walk_finds) {
  const std::string path = support::source_dir() + "/traces/samples/" + GetParam();
  traces::SnapshotTables tables;
  PlainWalk walk;
  traces::SnapshotSink unused;
  traces::OpenTrace once = traces::open_trace(path);
  traces::read_trace(once, tables, {unused, walk});
  replay::Recording recording(traces::open_trace(path), {.passes = replay::Passes::one});
  const FoundHoldings held = replay::find_holdings(recording, {});
  ASSERT_FALSE(walk.peak.empty());
  for (const auto& device : held.devices) {
    const auto& expected = walk.at_peak[device.device];
    EXPECT_EQ(device.event, walk.peak_event[device.device]);
    ASSERT_EQ(device.blocks.size(), expected.size());
    for (const LiveBlock& block : device.blocks) {
      const traces::ProgramEvent& event = expected.at(block.key);
      EXPECT_EQ(block.requested, event.bytes);
      EXPECT_EQ(block.stream, event.stream);
      EXPECT_EQ(block.stack, event.stack);
      EXPECT_EQ(block.time_ns, event.time_ns);
    }
  }
}

/// A replay allocates at least the rounded requests, and not much more.
TEST_P(FindHoldingsOfSample, agrees_with_the_peak_of_a_replay) {
  const std::string path = support::source_dir() + "/traces/samples/" + GetParam();
  traces::SnapshotTables tables;
  traces::OpenTrace trace = traces::open_trace(path);
  replay::ProgramReplay replayed(path, tables, {}, {});
  traces::SnapshotSink unused;
  traces::read_trace(trace, tables, {unused, replayed});
  const replay::ReplayReport report = replayed.finish();
  replay::Recording recording(traces::open_trace(path), {.passes = replay::Passes::one});
  const FoundHoldings held = replay::find_holdings(recording, {});
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    std::uint64_t rounded = 0;
    for (const LiveBlock& block : held.devices.at(i).blocks) rounded += block.bytes.count;
    const std::uint64_t allocated = report.devices[i].peak_allocated.bytes.count;
    EXPECT_LE(rounded, allocated);
    EXPECT_GE(rounded + rounded / 10, allocated);
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, FindHoldingsOfSample,
                         testing::Values("training.vtrace", "recompute.vtrace", "experts.vtrace",
                                         "diffusion.vtrace", "fragments.vtrace", "leak.vtrace",
                                         "serving.vtrace.jsonl", "graphs.vtrace.jsonl"),
                         [](const auto& named) {
                           const std::string name = named.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace vramlab::tests
