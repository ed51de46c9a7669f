// Recorded histories: the versions that a snapshot can be of, by its keys and segments, whether
// requests come from threads that the program started, and rare events.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "replay/recording/recorded_history.h"
#include "tests/support/kit/dribbling_source.h"
#include "tests/support/recordings/pickle_writer.h"
#include "traces/pickle/snapshot_pickle.h"

namespace vramlab::replay {
namespace {

using support::PickleTree;
using testing::ElementsAre;

std::vector<std::string_view> names_for(const PickleTree& snapshot) {
  const std::string bytes = support::python_pickle(snapshot);
  support::DribblingSource source(bytes, bytes.size());
  traces::SnapshotTables tables;
  HistoryCollector collector;
  traces::read_snapshot_pickle(source, "file", tables, collector);
  std::vector<std::string_view> names;
  for (const ReferenceVersion* version : possible_references(collector.take(), tables.texts))
    names.push_back(version->name);
  return names;
}

/// One segment of a graph's pool, one event.
PickleTree snapshot_with(bool option_is_on, bool segment_is_expandable) {
  const PickleTree segment = {{"device", 0},
                              {"address", 4096},
                              {"total_size", 1024},
                              {"stream", 0},
                              {"segment_pool_id", {1, 0}},
                              {"is_expandable", segment_is_expandable},
                              {"blocks", PickleTree::array()}};
  const PickleTree event = {{"action", "alloc"}, {"addr", 4096}, {"size", 512}, {"stream", 0}};
  return {{"segments", PickleTree::array({segment})},
          {"device_traces", PickleTree::array({PickleTree::array({event})})},
          {"allocator_settings", {{"expandable_segments", option_is_on}}}};
}

TEST(PossibleReferences, are_2_4_first_where_a_graphs_pool_is_left_out_of_expandable_segments) {
  EXPECT_THAT(names_for(snapshot_with(true, false)), ElementsAre("2.4", "2.6"));
  EXPECT_THAT(names_for(snapshot_with(true, true)), ElementsAre("2.6"));
  EXPECT_THAT(names_for(snapshot_with(false, false)), ElementsAre("2.6"));
}

TEST(PossibleReferences, are_those_of_2_12_where_events_name_pools) {
  PickleTree snapshot = snapshot_with(true, false);
  snapshot["device_traces"][0][0]["pool_id"] = {0, 0};
  EXPECT_THAT(names_for(snapshot), ElementsAre("2.12.1", "2.12"));
  snapshot["allocator_settings"]["max_round_threshold"] = 0;
  EXPECT_THAT(names_for(snapshot), ElementsAre("2.13"));
  snapshot["host_traces"] = PickleTree::array();
  EXPECT_THAT(names_for(snapshot), ElementsAre("2.15"));
}

class RecordedStacks : public testing::Test {
 protected:
  void request_from(std::string_view function, std::string_view file) {
    traces::FrameValue frame;
    frame.name = tables_.texts.intern(function);
    frame.filename = tables_.texts.intern(file);
    const traces::FrameId id = tables_.frames.intern(frame);
    history_.events.push_back({allocator::Action::alloc, {}, {512}, {}, {}, 0});
    history_.stacks.push_back(tables_.stacks.intern(std::vector{id}));
  }

  traces::SnapshotTables tables_;
  DeviceHistory history_;
};
using RecordedThreads = RecordedStacks;
using RestoredCheckpoints = RecordedStacks;

TEST_F(RestoredCheckpoints, are_told_by_the_stacks_of_their_requests) {
  request_from("forward", "/home/me/train.py");
  request_from("apply_checkpoint_execution_state_in_allocator",
               "torch/_inductor/cudagraph_trees.py");
  RecordedHistory history;
  history.devices.push_back(std::move(history_));
  find_restored_checkpoints(history, tables_);
  EXPECT_THAT(history.devices.front().placed_requests, testing::ElementsAre(1U));
  EXPECT_EQ(history.devices.front().traits.restored_requests, 1U);
}

TEST_F(RecordedThreads, are_told_by_stacks_that_begin_in_python_s_threading) {
  request_from("_bootstrap", "/usr/lib/python3.11/threading.py");
  EXPECT_TRUE(has_threads(history_, tables_));
}

TEST_F(RecordedThreads, are_none_where_the_main_program_asks) {
  request_from("<module>", "/home/me/threading.py");
  request_from("_bootstrap", "/home/me/train.py");
  EXPECT_FALSE(has_threads(history_, tables_));
}

TEST_F(RecordedThreads, are_none_where_there_are_no_stacks) {
  history_.events.push_back({allocator::Action::alloc, {}, {512}, {}, {}, 0});
  EXPECT_FALSE(has_threads(history_, tables_));
}

TEST(RecordedEvents, know_those_that_are_not_about_a_block) {
  using allocator::Action;
  std::vector<AllocatorEvent> events;
  for (const Action action :
       {Action::segment_alloc, Action::alloc, Action::snapshot, Action::free_requested,
        Action::free_completed, Action::segment_free, Action::alloc, Action::segment_map,
        Action::segment_unmap, Action::oom})
    events.push_back({action, {}, {512}, {}, {}, 0});
  RecordedEvents one_by_one;
  for (const AllocatorEvent& event : events) one_by_one.push_back(event);
  const std::vector<RecordedEvents> ways = {
      RecordedEvents(events), RecordedEvents(traces::LongSequence<AllocatorEvent>(events)),
      one_by_one};
  for (const RecordedEvents& way : ways) {
    EXPECT_EQ(way.size(), events.size());
    EXPECT_THAT(way.rare().to_vector(), ElementsAre(0, 2, 5, 7, 8, 9));
  }
}

}  // namespace

}  // namespace vramlab::replay
