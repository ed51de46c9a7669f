// The memory of kinds and modules over time, as a report shows it.
#include "replay/html_report/report_kinds.h"

#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

using allocator::Action;

/// Activations of two layers, and a parameter.
RecordingKinds kinds_of_three_blocks() {
  DeviceHistory history;
  for (const std::uint64_t address : {1U, 2U, 3U}) {
    allocator::AllocatorEvent event;
    event.action = Action::alloc;
    event.address = {address};
    event.size = {512};
    history.events.push_back(event);
  }
  traces::DeviceKindsNotes notes;
  notes.marks = {{0, traces::Phase::forward, 1}, {1, traces::Phase::forward, 2}};
  notes.scans = {{{{3}, {512}, MemoryKind::parameters, 3, 0}}};
  notes.scanned = {{3, 0}};
  RecordingKinds kinds;
  kinds.names = {"", "layers.0", "layers.1", "head.weight"};
  kinds.devices.emplace(0, find_block_kinds(history, notes, KindsFrom::notes));
  return kinds;
}

TEST(ReportKinds, sums_are_those_of_the_blocks_in_use) {
  const RecordingKinds kinds = kinds_of_three_blocks();
  ReportKinds sums(&kinds, kinds.of_device(0));
  LiveBlock block;
  for (block.event = 0; *block.event < 3; ++*block.event) {
    block.bytes = {std::uint64_t{1024} << *block.event};
    sums.hand_out(block);
  }
  const auto activations = static_cast<std::uint32_t>(MemoryKind::activations);
  EXPECT_EQ(sums.kinds().now(activations).count, 3072U);
  EXPECT_EQ(ReportKinds::kind_name(activations), "activations");
  ASSERT_EQ(sums.modules().largest(5).size(), 2U);
  const std::uint32_t largest = sums.modules().largest(1).front();
  EXPECT_EQ(sums.module_name(largest), "head, parameters");
  EXPECT_EQ(sums.module_name(sums.modules().largest(2).back()), "layers.*, activations");

  block.event = 0;
  block.bytes = {1024};
  sums.give_back(block);
  EXPECT_EQ(sums.kinds().now(activations).count, 2048U);
}

TEST(ReportKinds, holders_are_modules_by_their_whole_paths) {
  const RecordingKinds kinds = kinds_of_three_blocks();
  ReportKinds holders(&kinds, kinds.of_device(0));
  LiveBlock block;
  for (const std::uint64_t event : {2U, 0U, 1U, 2U}) {
    block.event = event;
    EXPECT_EQ(holders.holder_of(block), event == 2 ? 1 : event + 2);
  }
  EXPECT_EQ(holders.holders(),
            (std::vector<ReportKinds::Holder>{{"", MemoryKind::not_labelled},
                                              {"head", MemoryKind::parameters},
                                              {"layers.0", MemoryKind::activations},
                                              {"layers.1", MemoryKind::activations}}));
}

TEST(ReportKinds, without_notes_nothing_is_counted) {
  ReportKinds sums;
  sums.hand_out({});
  EXPECT_FALSE(sums.is_known());
  EXPECT_TRUE(sums.kinds().largest(5).empty());
}

}  // namespace
}  // namespace vramlab::replay
