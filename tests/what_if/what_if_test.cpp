// A replay under other settings says what PyTorch then did: PyTorch's own figures from runs of the
// same program under eleven settings are kept beside this test.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/processes/places.h"
#include "tests/support/processes/run_program.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;

json figures_of_replay(const json& recording, const json& run) {
  const ProgramResult result =
      run_program({support::binary_dir() + "/vramlab", "replay", "--json", "--conf", run.at("conf"),
                   "--device-memory", std::to_string(run.at("device_memory").get<std::uint64_t>()),
                   support::source_dir() + "/" + recording.get<std::string>()});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const json answer = json::parse(result.output);
  const json& end = answer.at("devices").at(0).at("end");
  json figures = answer.at("metrics");
  figures["end_segments"] = end.at("segments");
  figures["end_inactive_split_bytes"] = end.at("inactive_split_bytes");
  return figures;
}

TEST(WhatIf, answers_are_what_pytorch_did_under_that_setting) {
  const json truth =
      json::parse(std::ifstream(support::source_dir() + "/tests/what_if/gpt_training.json"));
  ASSERT_EQ(truth.at("runs").size(), 11U);
  for (const json& run : truth.at("runs")) {
    SCOPED_TRACE(run.at("conf").get<std::string>());
    const json replayed = figures_of_replay(truth.at("recording"), run);
    ASSERT_EQ(run.at("figures").size(), 14U);
    for (const auto& [name, value] : run.at("figures").items())
      EXPECT_EQ(replayed.at(name), value) << name;
  }
}

}  // namespace
}  // namespace vramlab::tests
