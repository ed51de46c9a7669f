#include "tests/support/fuzz/snapshot_writing_fuzz_body.h"

#include <gtest/gtest.h>

#include "tests/support/recordings/pickle_writer.h"

namespace vramlab::support {
namespace {

TEST(SnapshotWritingFuzzBody, snapshots_come_back_as_they_were_from_every_format) {
  EXPECT_EQ(broken_rule_of_snapshot_writing(python_pickle(small_snapshot())), std::nullopt);
  EXPECT_EQ(broken_rule_of_snapshot_writing(cpp_pickle(small_snapshot())), std::nullopt);
  EXPECT_EQ(broken_rule_of_snapshot_writing(small_snapshot().dump()), std::nullopt);
}

TEST(SnapshotWritingFuzzBody, unknown_keys_and_bare_lists_come_back) {
  PickleTree snapshot = small_snapshot();
  snapshot["mood"] = {{"of", {1, 2.5, nullptr, "day"}}};
  snapshot["segments"][0]["colour"] = "red";
  EXPECT_EQ(broken_rule_of_snapshot_writing(python_pickle(snapshot)), std::nullopt);
  EXPECT_EQ(broken_rule_of_snapshot_writing(snapshot["segments"].dump()), std::nullopt);
}

/// A key of a frame that comes twice, once with a value that is kept as it is.
TEST(SnapshotWritingFuzzBody, key_that_comes_again_replaces_the_one_before) {
  for (const char* const lines :
       {R"("line": "x", "line": 12)", R"("line": 12, "line": "x")", R"("line": "x", "line": "y")"})
    EXPECT_EQ(broken_rule_of_snapshot_writing(
                  R"({"segments": [], "device_traces": [[{"action": "alloc", "addr": 512,
                  "size": 512, "stream": 0, "frames": [{"name": "f", "filename": "a.py", )" +
                  std::string(lines) + "}]}]]}"),
              std::nullopt)
        << lines;
}

TEST(SnapshotWritingFuzzBody, bytes_that_are_no_snapshot_break_no_rule) {
  EXPECT_EQ(broken_rule_of_snapshot_writing("nothing"), std::nullopt);
  EXPECT_EQ(broken_rule_of_snapshot_writing("{\"segments\": 5}"), std::nullopt);
}

}  // namespace
}  // namespace vramlab::support
