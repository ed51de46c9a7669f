// Who held memory at a moment of programs and of the bundled samples.
#include "replay/call_sites/holdings.h"

#include <gtest/gtest.h>

#include <map>

#include "replay/call_sites/call_sites.h"
#include "replay/replayer/replayer.h"
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
  replay::Recording recording(support::open_program(lines));
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
  EXPECT_EQ(
      refusal(malloc_line(1, 1) + free_line(1) + free_line(1), {}),
      "program at event 2 of the program: expected a call that may be made then, found the id 1 "
      "cannot be freed: nothing in use has that name");
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

TEST(FindHoldings, knows_the_blocks_that_a_checkpoint_brings_back_and_takes_away) {
  const std::string lines = "{\"pool_create\":[1,0]}\n{\"pool_begin\":[1,0]}\n" +
                            malloc_line(1, 4 << 20) +
                            "{\"pool_end\":[1,0]}\n{\"checkpoint\":\"here\",\"pool\":[1,0]}\n" +
                            free_line(1) + "{\"pool_begin\":[1,0]}\n" + malloc_line(2, 1 << 20) +
                            "{\"pool_end\":[1,0]}\n" + "{\"restore\":\"here\",\"id\":9}\n";
  EXPECT_EQ(ids(lines, {.kind = MomentKind::event, .event = 8}), (Ids{2}));
  const FoundHoldings held = found(lines, {.kind = MomentKind::end});
  const auto& blocks = held.devices.at(0).blocks;
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].key, 9U);
  EXPECT_EQ(blocks[0].bytes, 4_MiB);
  EXPECT_EQ(blocks[0].event, 9U);
}

TEST(FindHoldings, gives_the_rest_of_a_block_that_is_not_split_to_its_request) {
  // A hole of 20 MiB serves the request, and less than 1 MiB of it would be left.
  const std::string lines =
      malloc_line(1, 20 << 20) + free_line(1) + malloc_line(2, (19 << 20) + 512 * 1024);
  const FoundHoldings held = found(lines, {.kind = MomentKind::end});
  const auto& blocks = held.devices.at(0).blocks;
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].bytes, 20_MiB);
  EXPECT_EQ(blocks[0].requested, 19_MiB + 512_KiB);
}

TEST(FindHoldings, of_a_request_that_fails_are_without_it_and_its_free_is_none) {
  EXPECT_EQ(ids(malloc_line(1, 20 << 20) + malloc_line(2, 1ULL << 41) + free_line(2), {}),
            (Ids{1}));
  EXPECT_EQ(ids(malloc_line(1, 20 << 20) + malloc_line(2, 1ULL << 41) + free_line(1),
                {.kind = MomentKind::out_of_memory}),
            (Ids{1}));
}

/// The mallocs of a sample that are not freed after an event of each device.
class LiveAfter : public traces::ProgramSink {
 public:
  explicit LiveAfter(const FoundHoldings& held) {
    for (const auto& device : held.devices) until_[device.device] = device.event;
  }
  void program_event(const traces::ProgramEvent& event) override {
    const auto& until = until_.at(event.device.value);
    if (const std::uint64_t number = count_++; !until || number > *until) return;
    if (event.kind == traces::ProgramEventKind::malloc && event.bytes.count > 0)
      live[event.device.value][event.id] = event;
    if (event.kind == traces::ProgramEventKind::free) live[event.device.value].erase(event.id);
  }
  std::map<std::int64_t, std::map<std::uint64_t, traces::ProgramEvent>> live;

 private:
  std::map<std::int64_t, std::optional<std::uint64_t>> until_;
  std::uint64_t count_ = 0;
};

class FindHoldingsOfSample : public testing::TestWithParam<const char*> {};

TEST_P(FindHoldingsOfSample, finds_at_the_peak_what_a_plain_walk_finds) {
  const std::string path = support::source_dir() + "/traces/samples/" + GetParam();
  replay::Recording recording(traces::open_trace(path));
  const FoundHoldings held = replay::find_holdings(recording, {});
  LiveAfter walk(held);
  recording.pass_program(walk);
  for (const auto& device : held.devices) {
    const auto& expected = walk.live[device.device];
    ASSERT_EQ(device.blocks.size(), expected.size());
    for (const LiveBlock& block : device.blocks) {
      const traces::ProgramEvent& event = expected.at(block.key);
      EXPECT_EQ(block.requested, event.bytes);
      EXPECT_EQ(block.stack, event.stack);
      EXPECT_EQ(block.time_ns, event.time_ns);
    }
  }
}

TEST_P(FindHoldingsOfSample, takes_as_much_at_each_peak_as_a_replay) {
  const std::string path = support::source_dir() + "/traces/samples/" + GetParam();
  replay::Recording recording(traces::open_trace(path));
  const replay::ReplayReport report = replay::Replayer(recording).run({});
  const FoundHoldings held = replay::find_holdings(recording, {});
  const FoundHoldings reserved =
      replay::find_holdings(recording, {.kind = MomentKind::peak_reserved});
  ASSERT_EQ(held.devices.size(), report.devices.size());
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    EXPECT_EQ(replay::totals_of(held.devices[i].blocks).bytes,
              report.devices[i].peak_allocated.bytes);
    EXPECT_EQ(held.devices[i].event, report.devices[i].peak_allocated.event);
    EXPECT_EQ(reserved.devices.at(i).event, report.devices[i].peak_reserved.event);
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

TEST(FindHoldings, a_restored_checkpoint_leaves_later_ids_alone) {
  const std::string lines =
      "{\"pool_create\":[0,4]}\n{\"pool_begin\":[0,4],\"scope\":\"one_stream\",\"stream\":7}\n" +
      malloc_line(1, 4 << 20, ",\"stream\":7") +
      "{\"pool_end\":[0,4]}\n{\"checkpoint\":\"a\",\"pool\":[0,4]}\n" + free_line(1) +
      malloc_line(11, 8 << 20) + malloc_line(12, 8 << 20) + "{\"restore\":\"a\",\"id\":10}\n";
  const FoundHoldings held = found(lines, {.kind = MomentKind::end});
  std::map<std::uint64_t, std::optional<std::uint64_t>> events;
  for (const LiveBlock& block : held.devices.at(0).blocks) events[block.key] = block.event;
  EXPECT_EQ(events,
            (std::map<std::uint64_t, std::optional<std::uint64_t>>{{10, 8}, {11, 6}, {12, 7}}));
}

}  // namespace
}  // namespace vramlab::tests
