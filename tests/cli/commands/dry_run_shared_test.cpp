// `vramlab dry-run --shared`: processes that share the memory of a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/kit/dry_run_test.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class DryRunShared : public DryRunTest {
 protected:
  ProgramResult run(std::vector<std::string> options) const {
    options.insert(options.end(), {"--gpu", "a100-40gb", "--device-memory", "8GiB"});
    return dry_run(options, {"python3", support::source_dir() +
                                            "/tests/cuda_standins/command/shared_devices.py"});
  }
};

TEST_F(DryRunShared, processes_see_what_the_others_hold) {
  const std::string said = run({"--shared"}).output;
  EXPECT_THAT(said, HasSubstr("alone 8.0\n"));
  EXPECT_THAT(said, HasSubstr("beside a holder 2.5 status 2\n"));
  EXPECT_THAT(said, HasSubstr("after it freed 0\n"));
  EXPECT_THAT(said, HasSubstr("beside another 2.5\n"));
  EXPECT_THAT(said, HasSubstr("after it was killed 8.0\n"));
  // Each has a context of half a gibibyte besides.
  EXPECT_THAT(said, HasSubstr("four workers 0 0 0 2\n"));
  EXPECT_THAT(said, HasSubstr("at the end 8.0\n"));
}

TEST_F(DryRunShared, summary_says_who_held_the_rest) {
  const ProgramResult ended = run({"--shared", "--explain", "--json", in_folder("shared.json")});
  EXPECT_THAT(ended.errors, HasSubstr("shared GPU 0"));
  EXPECT_THAT(ended.errors, HasSubstr("asked for 4.00 GiB"));
  EXPECT_THAT(ended.errors, HasSubstr("over time"));
  const auto shared = nlohmann::json::parse(content_of(in_folder("shared.json"))).at("shared");
  const auto& device = shared.at("devices").at(0);
  const auto& refusal = device.at("refusals").at(0);
  EXPECT_EQ(refusal.at("bytes"), 4ULL << 30);
  EXPECT_EQ(refusal.at("held").size(), 2U);
  EXPECT_EQ(device.at("refusals").size(), 2U);
  EXPECT_GE(shared.at("processes").size(), 7U);
}

TEST_F(DryRunShared, page_has_a_lane_for_each_process) {
  const std::string path = in_folder("lanes.html");
  EXPECT_EQ(run({"--shared", "--quiet", "--lanes", path}).exit_status, 0);
  const std::string page = content_of(path);
  EXPECT_THAT(page, HasSubstr(">all processes</div>"));
  EXPECT_THAT(page, HasSubstr(" GiB held by all processes, at "));
  EXPECT_THAT(page, HasSubstr("no room for 4.00 GiB at "));
  EXPECT_THAT(page, HasSubstr("python3"));
  std::size_t lanes = 0;
  for (std::size_t at = 0; (at = page.find("<svg", at)) != std::string::npos; ++at) ++lanes;
  EXPECT_GE(lanes, 8U);
  // Another run would overwrite it.
  EXPECT_EQ(run({"--shared", "--lanes", path}).exit_status, 2);
}

TEST_F(DryRunShared, page_needs_shared) {
  const ProgramResult refused = run({"--lanes", in_folder("lanes.html")});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("--shared, whose processes it shows"));
}

TEST_F(DryRunShared, without_it_each_process_has_the_gpu_to_itself) {
  const ProgramResult ended = run({});
  EXPECT_THAT(ended.output, HasSubstr("status 0"));
  EXPECT_THAT(ended.output, HasSubstr("four workers 0 0 0 0\n"));
  EXPECT_THAT(ended.errors, Not(HasSubstr("shared GPU")));
}

TEST_F(DryRunShared, needs_a_limit_of_memory) {
  const ProgramResult refused = dry_run({"--shared"}, {"true"});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("--gpu or --device-memory"));
}

}  // namespace
}  // namespace vramlab::tests
