// What a recording says of memory that is known by handles, belongs to others, or appears when a
// graph is launched.
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

}  // namespace
}  // namespace vramlab::tests
