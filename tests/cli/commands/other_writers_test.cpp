// Snapshots of other allocators than CUDA's. No snapshot of a real run was available, so these
// follow public documentation (docs/guide/recordings.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json entry(const std::string& action, std::uint64_t address, std::uint64_t size) {
  return {{"action", action},
          {"addr", address},
          {"size", size},
          {"stream", 94'000'000'000'000},
          {"time_us", 1'700'000'000'000'000},
          {"frames", json::array({{{"filename", "train.py"},
                                   {"line", 12},
                                   {"name", "step"},
                                   {"fx_node_op", "call_function"}}})}};
}

json block(std::uint64_t address, std::uint64_t size, const std::string& state) {
  return {{"address", address},
          {"size", size},
          {"requested_size", size},
          {"state", state},
          {"frames", json::array()}};
}

json segment(const json& blocks) {
  return {{"device", 0},
          {"address", 0x10000000},
          {"total_size", 20971520},
          {"stream", 94'000'000'000'000},
          {"segment_type", "large"},
          {"segment_pool_id", {0, 0}},
          {"is_expandable", false},
          {"allocated_size", 0},
          {"active_size", 4194304},
          {"requested_size", 4194304},
          {"blocks", blocks},
          {"frames", json::array()}};
}

/// Two keys at the top; a waiting block has the state's name from the documentation.
json of_xpu() {
  return {{"segments",
           {segment({block(0x10000000, 4194304, "active_awaiting_free"),
                     block(0x10400000, 16777216, "inactive")})}},
          {"device_traces",
           {{entry("segment_alloc", 0x10000000, 20971520), entry("alloc", 0x10000000, 4194304),
             entry("free_requested", 0x10000000, 4194304)}}}};
}

json of_rocm() {
  json snapshot = of_xpu();
  snapshot["allocator_settings"] = {{"PYTORCH_HIP_ALLOC_CONF", "max_split_size_mb:64"},
                                    {"hip_only", true}};
  return snapshot;
}

json of_mtia() {
  json snapshot = of_xpu();
  snapshot["device_type"] = "mtia";
  snapshot["device_traces"][0].push_back(entry("block_moved", 0x10000000, 4194304));
  snapshot["segments"][0]["blocks"][1]["state"] = "moving";
  snapshot["segments"][0]["bank"] = 3;
  return snapshot;
}

class OtherWriters : public FolderTest {
 protected:
  std::string file(const json& snapshot) const {
    const std::string path = folder + "/other.json";
    std::ofstream(path) << snapshot;
    return path;
  }
  json info(const json& snapshot) const {
    return run_json({"info", file(snapshot)}).at("files").at(0);
  }
};

TEST_F(OtherWriters, snapshots_of_xpu_are_read_as_those_of_cuda) {
  const json about = info(of_xpu());
  EXPECT_EQ(about.at("settings"), nullptr);
  EXPECT_EQ(about.at("unknown_states"), json::array());
  EXPECT_EQ(about.at("devices").at(0).at("segments").at("active_bytes"), 4194304);
  const json state = run_json({"snapshot", file(of_xpu())}).at("devices").at(0);
  EXPECT_EQ(state.at("waiting_bytes"), 4194304);
  EXPECT_EQ(run_json({"top", file(of_xpu())}).at("devices").at(0).at("groups").at(0).at("key"),
            "train.py:12 step");
}

TEST_F(OtherWriters, option_string_of_rocm_is_in_force) {
  EXPECT_EQ(run_json({"replay", file(of_rocm())}).at("options"), "max_split_size_mb:64");
}

TEST_F(OtherWriters, what_is_not_understood_is_said_once) {
  const json about = info(of_mtia());
  EXPECT_EQ(about.at("unknown_actions"), json::array({"block_moved"}));
  EXPECT_EQ(about.at("unknown_states"), json::array({"moving"}));
  EXPECT_THAT(about.at("unknown_keys").dump(),
              testing::AllOf(HasSubstr("\"device_type\""), HasSubstr("\"bank\"")));
  EXPECT_THAT(run_vramlab({"info", file(of_mtia())}).output,
              testing::AllOf(
                  HasSubstr("unknown actions    block_moved; a replay leaves these events out\n"),
                  HasSubstr("unknown states     moving; such blocks count as free\n")));
}

TEST_F(OtherWriters, what_is_not_understood_is_kept_by_convert) {
  for (const char* name : {"/converted.json", "/converted.pickle", "/converted.vtrace"}) {
    const std::string converted = folder + name;
    const std::string back = folder + std::string(name) + ".json";
    ASSERT_EQ(run_vramlab({"convert", file(of_mtia()), "-o", converted}).exit_status, 0);
    ASSERT_EQ(run_vramlab({"convert", converted, "-o", back}).exit_status, 0);
    EXPECT_EQ(json::parse(content_of(back)), of_mtia()) << name;
  }
}

}  // namespace
}  // namespace vramlab::tests
