// Recordings of memory that is known by handles, belongs to others, or appears when a graph is
// launched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/preload/preloaded_run.h"

namespace vramlab::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using traces::ProgramEvent;
using traces::ProgramEventKind;

constexpr std::uint64_t two_mib = std::uint64_t{2} << 20;

ReadRecording recording_of(const std::string& scene) {
  PreloadedRun run;
  const ProgramResult result = run.record().run({"preload_recorded", scene});
  EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
  EXPECT_EQ(result.errors, "");
  return run.recording();
}

/// How much physical memory there is when the program allocates in between, and at the end.
std::vector<std::uint64_t> physical_totals(const ReadRecording& read) {
  std::vector<std::uint64_t> totals;
  std::uint64_t now = 0;
  for (const ProgramEvent& event : read.events) {
    if (event.kind == ProgramEventKind::external) now = event.bytes.count;
    if (event.kind == ProgramEventKind::malloc) totals.push_back(now);
  }
  totals.push_back(now);
  return totals;
}

TEST(RecordedMemory, physical_memory_is_kept_by_a_handle_of_its_address) {
  EXPECT_THAT(physical_totals(recording_of("retain")), ElementsAre(two_mib, 0U));
}

TEST(RecordedMemory, physical_memory_is_kept_by_an_import_of_its_own_process) {
  EXPECT_THAT(physical_totals(recording_of("import_own")), ElementsAre(two_mib, 0U));
}

TEST(RecordedMemory, another_processs_memory_is_told_and_does_not_count) {
  PreloadedRun run;
  const ProgramResult result = run.record().run({"preload_recorded", "share"});
  ASSERT_EQ(result.exit_status, 0) << result.output << result.errors;
  ASSERT_THAT(run.recordings(), SizeIs(2)) << "two processes";
  std::vector<std::string> markers;
  std::vector<std::uint64_t> totals;
  for (const std::string& path : run.recordings()) {
    const ReadRecording read = read_recording(path);
    for (const std::string& marker : read.markers()) markers.push_back(marker);
    for (const ProgramEvent& event : read.of_kind(ProgramEventKind::external))
      totals.push_back(event.bytes.count);
  }
  EXPECT_THAT(markers, ElementsAre("cuMemImportFromShareableHandle 0 bytes", "cuMemUnmap 0 bytes"));
  EXPECT_THAT(totals, ElementsAre(two_mib)) << "where it was made";
}

TEST(RecordedMemory, what_a_capture_allocates_is_a_node_and_no_allocation) {
  const ReadRecording read = recording_of("capture");
  const auto taken = read.of_kind(ProgramEventKind::malloc);
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_EQ(taken[0].bytes.count, 5000U);
  EXPECT_THAT(read.of_kind(ProgramEventKind::free), SizeIs(1));
  EXPECT_THAT(read.markers(),
              ElementsAre("cuMemAllocAsync 4000 bytes", "cuMemFreeAsync 4000 bytes"));
}

TEST(RecordedMemory, nodes_of_all_functions_are_told) {
  EXPECT_THAT(recording_of("nodes").markers(),
              ElementsAre("cuGraphAddMemAllocNode 1000 bytes", "cuGraphAddMemFreeNode 1000 bytes",
                          "cuGraphAddNode 2000 bytes", "cuGraphAddNode 2000 bytes",
                          "cuGraphAddNode_v2 3000 bytes", "cuGraphAddNode_v3 4000 bytes"));
}

TEST(RecordedMemory, a_multicast_object_is_told_until_it_is_unmapped) {
  const ReadRecording read = recording_of("multicast");
  EXPECT_THAT(read.markers(),
              ElementsAre("cuMulticastCreate 2097152 bytes", "cuMemUnmap 2097152 bytes"));
  EXPECT_THAT(read.of_kind(ProgramEventKind::external), IsEmpty());
}

TEST(RecordedMemory, external_memory_and_its_buffers_are_told) {
  EXPECT_THAT(
      recording_of("external").markers(),
      ElementsAre("cuImportExternalMemory 0 bytes", "cuExternalMemoryGetMappedBuffer 7000 bytes",
                  "cuDestroyExternalMemory 0 bytes", "cuMemFree_v2 7000 bytes"));
}

TEST(RecordedMemory, what_another_processs_pool_has_is_told_and_is_no_allocation) {
  const ReadRecording read = recording_of("pool");
  EXPECT_THAT(read.of_kind(ProgramEventKind::malloc), SizeIs(1)) << "the process's own";
  EXPECT_THAT(read.markers(),
              ElementsAre("cuMemPoolImportPointer 0 bytes", "cuMemFreeAsync 0 bytes"));
}

}  // namespace
}  // namespace vramlab::tests
