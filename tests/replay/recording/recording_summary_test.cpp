// Recordings made by hand, and the summaries that they should have.
#include "replay/recording/recording_summary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/kit/dribbling_source.h"
#include "tests/support/recordings/pickle_writer.h"
#include "traces/pickle/snapshot_pickle.h"

namespace vramlab::replay {
namespace {

using allocator::Bytes;
using support::PickleTree;

constexpr std::uint64_t first_base = 0x7f0000000000;

RecordingSummary summary_of(const PickleTree& snapshot) {
  const std::string bytes = support::python_pickle(snapshot);
  support::DribblingSource source(bytes, bytes.size());
  traces::SnapshotTables tables;
  RecordingSummarizer summarizer(tables);
  traces::read_snapshot_pickle(source, "file", tables, summarizer);
  return summarizer.finish();
}

PickleTree event(const char* action, std::uint64_t offset, std::uint64_t size) {
  return {{"action", action}, {"addr", first_base + offset}, {"size", size}, {"stream", 0}};
}

PickleTree block(std::uint64_t size, std::uint64_t requested, const char* state) {
  return {{"size", size}, {"requested_size", requested}, {"state", state}};
}

PickleTree segment_with(const std::vector<PickleTree>& blocks) {
  PickleTree segment = {{"device", 0}, {"address", first_base}, {"stream", 0}};
  std::uint64_t total = 0;
  for (const PickleTree& block : blocks) total += block["size"].get<std::uint64_t>();
  segment["total_size"] = total;
  segment["blocks"] = blocks;
  return segment;
}

PickleTree snapshot_with(const std::vector<PickleTree>& segments,
                         const std::vector<PickleTree>& events) {
  PickleTree snapshot;
  snapshot["segments"] = segments;
  snapshot["device_traces"] = PickleTree::array({PickleTree(events)});
  return snapshot;
}

const PickleTree half_used_segment =
    segment_with({block(1024, 700, "active_allocated"), block(1024, 0, "inactive")});

/// A segment, two blocks, of which the second is freed again.
const std::vector<PickleTree> whole_story = {
    event("segment_alloc", 0, 2048),    event("alloc", 0, 700),
    event("alloc", 1024, 900),          event("free_requested", 1024, 900),
    event("free_completed", 1024, 900),
};

DeviceSummary only_device(const RecordingSummary& summary) {
  EXPECT_EQ(summary.devices.size(), 1U);
  return summary.devices.empty() ? DeviceSummary{} : summary.devices.front();
}

TEST(RecordingSummary, whole_history_is_counted_and_its_peaks_are_found) {
  const RecordingSummary summary = summary_of(snapshot_with({half_used_segment}, whole_story));
  const DeviceSummary device = only_device(summary);
  EXPECT_EQ(device.history, HistoryKind::whole);
  EXPECT_EQ(device.event_count, 5U);
  EXPECT_EQ(device.actions,
            (std::vector<ActionCount>{
                {"segment_alloc", 1}, {"alloc", 2}, {"free_requested", 1}, {"free_completed", 1}}));
  EXPECT_EQ(device.peak_requested, Bytes{1600});
  EXPECT_EQ(device.peak_reserved, Bytes{2048});
  EXPECT_EQ(device.segments.block_count, 2U);
  EXPECT_EQ(device.segments.active_block_count, 1U);
  EXPECT_EQ(device.segments.requested, Bytes{700});
  EXPECT_EQ(summary.event_count(), 5U);
}

TEST(RecordingSummary, history_that_begins_later_is_cut_and_its_peaks_count_what_was_there) {
  const std::vector<PickleTree> later(whole_story.begin() + 2, whole_story.end());
  const RecordingSummary summary = summary_of(snapshot_with({half_used_segment}, later));
  const DeviceSummary device = only_device(summary);
  EXPECT_EQ(device.history, HistoryKind::cut);
  EXPECT_EQ(device.history_reason, "1 block was allocated before the first event.");
  EXPECT_EQ(device.peak_requested, Bytes{1600});
  EXPECT_EQ(device.peak_reserved, Bytes{2048});
}

TEST(RecordingSummary, without_events_there_are_segments_only) {
  for (const std::vector<PickleTree>& events :
       {std::vector<PickleTree>{}, std::vector<PickleTree>{event("alloc", 0, 700)}}) {
    const RecordingSummary summary = summary_of(snapshot_with({half_used_segment}, events));
    const DeviceSummary device = only_device(summary);
    EXPECT_EQ(device.history, HistoryKind::segments_only);
    EXPECT_FALSE(device.peak_requested);
    EXPECT_FALSE(device.peak_reserved);
  }
}

TEST(RecordingSummary, more_allocated_than_is_left_is_inconsistent) {
  const RecordingSummary summary = summary_of(snapshot_with({}, whole_story));
  EXPECT_EQ(only_device(summary).history, HistoryKind::inconsistent);
  EXPECT_FALSE(only_device(summary).peak_requested);
}

TEST(RecordingSummary, out_of_memory_event_tells_how_large_the_device_is_at_least) {
  std::vector<PickleTree> events = whole_story;
  events.push_back({{"action", "oom"}, {"device_free", 5000}, {"size", 9000}, {"stream", 0}});
  const RecordingSummary summary = summary_of(snapshot_with({half_used_segment}, events));
  EXPECT_EQ(only_device(summary).least_device_memory, Bytes{2048 + 5000});
}

TEST(RecordingSummary, device_is_counted_by_itself) {
  PickleTree snapshot = snapshot_with({half_used_segment}, whole_story);
  snapshot["device_traces"].push_back(PickleTree::array());
  const RecordingSummary summary = summary_of(snapshot);
  ASSERT_EQ(summary.devices.size(), 2U);
  EXPECT_EQ(summary.devices[1].device, 1);
  EXPECT_EQ(summary.devices[1].event_count, 0U);
  EXPECT_EQ(summary.devices[1].history, HistoryKind::segments_only);
}

TEST(RecordingSummary, keys_tell_the_version) {
  const auto versions = [](const char* key, const PickleTree& value) {
    std::vector<PickleTree> events = whole_story;
    for (PickleTree& event : events) event[key] = value;
    return summary_of(snapshot_with({half_used_segment}, events)).version.versions;
  };
  EXPECT_EQ(versions("pool_id", {0, 0}), "2.12 or newer");
  EXPECT_EQ(versions("user_metadata", "step"), "2.10 or 2.11");
  EXPECT_EQ(versions("internal_metadata", "step"), "2.15 or newer");
  EXPECT_EQ(versions("time_us", 5), "2.1 or 2.2");
  EXPECT_EQ(summary_of(snapshot_with({half_used_segment}, whole_story)).version.versions,
            "unknown");
}

TEST(RecordingSummary, settings_tell_versions_apart_whose_events_are_alike) {
  std::vector<PickleTree> events = whole_story;
  for (PickleTree& event : events) event["pool_id"] = {0, 0};
  PickleTree snapshot = snapshot_with({half_used_segment}, events);
  snapshot["allocator_settings"] = {{"PYTORCH_CUDA_ALLOC_CONF", ""}};
  EXPECT_EQ(summary_of(snapshot).version.versions, "2.12");
  snapshot["allocator_settings"]["max_round_threshold"] = -1;
  EXPECT_EQ(summary_of(snapshot).version.versions, "2.13");
  snapshot["host_traces"] = PickleTree::array();
  EXPECT_EQ(summary_of(snapshot).version.versions, "2.14 or newer");
}

TEST(RecordingSummary, unknown_keys_are_named_once) {
  std::vector<PickleTree> events = whole_story;
  for (PickleTree& event : events) event["mood"] = "good";
  const RecordingSummary summary = summary_of(snapshot_with({half_used_segment}, events));
  EXPECT_EQ(summary.unknown_keys, std::vector<std::string>{"mood"});
}

TEST(RecordingSummary, addresses_that_no_allocator_gives_are_signs_of_a_script) {
  std::vector<PickleTree> events = whole_story;
  EXPECT_TRUE(summary_of(snapshot_with({half_used_segment}, events)).signs_of_synthesis.empty());
  events.push_back(event("alloc", 5, 1));
  const RecordingSummary summary = summary_of(snapshot_with({half_used_segment}, events));
  ASSERT_EQ(summary.signs_of_synthesis.size(), 1U);
  EXPECT_NE(summary.signs_of_synthesis[0].find("no multiple of 512"), std::string::npos);
}

}  // namespace
}  // namespace vramlab::replay
