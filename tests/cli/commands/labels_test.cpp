// Labels that programs give their tensors: in the metadata of requests, and in the `annotate`
// entries of PyTorch 2.14.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json entry(const std::string& action, int address, int size, const std::string& text) {
  return {{"action", action},      {"addr", address},   {"size", size}, {"stream", 0},
          {"user_metadata", text}, {"pool_id", {0, 0}}, {"time_us", 5}, {"frames", json::array()}};
}

class Labels : public FolderTest {
 protected:
  /// Three tensors: of two the program says what they are, of one of them twice.
  std::string recording() const {
    const json entries = {entry("segment_alloc", 0x200000, 2097152, ""),
                          entry("alloc", 0x200000, 1024, "activations"),
                          entry("alloc", 0x200400, 2048, ""),
                          entry("annotate", 0x200400, 2048, "weights"),
                          entry("alloc", 0x200c00, 512, ""),
                          entry("annotate", 0x200400, 2048, "experts")};
    const std::string path = folder + "/labels.json";
    std::ofstream(path) << json{{"segments", json::array()},
                                {"device_traces", json::array({entries})}};
    return path;
  }
};

TEST_F(Labels, group_what_top_shows) {
  const json groups =
      run_json({"top", "--by", "label", recording()}).at("devices").at(0).at("groups");
  ASSERT_EQ(groups.size(), 3);
  EXPECT_EQ(groups.at(0).at("key"), "experts");
  EXPECT_EQ(groups.at(0).at("bytes"), 2048);
  EXPECT_EQ(groups.at(1).at("key"), "activations");
  EXPECT_EQ(groups.at(2).at("key"), "(no label)");
}

TEST_F(Labels, are_compared_by_diff) {
  const json document = run_json({"diff", "--by", "label", "--at", "peak", leak, recording()});
  EXPECT_THAT(document.at("groups").dump(), HasSubstr("\"experts\""));
}

TEST_F(Labels, are_no_unknown_events) {
  EXPECT_EQ(run_json({"info", recording()}).at("files").at(0).at("unknown_actions"), json::array());
}

}  // namespace
}  // namespace vramlab::tests
