// `vramlab capacity`, and memory that others hold, run as programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(CapacityCommands, show_the_packing_that_pack_finds_beside_the_least_memory) {
  const json capacity = run_json({"capacity", leak});
  const json pack = run_json({"pack", leak});
  const json& group = capacity.at("packing").at("groups").at(0);
  EXPECT_EQ(capacity.at("source"), "program");
  EXPECT_EQ(group.at("lower_bounds"), pack.at("groups").at(0).at("lower_bounds"));
  EXPECT_EQ(group.at("buffers"), pack.at("groups").at(0).at("buffers"));
  const json& row = capacity.at("rows").at(0);
  const double least = row.at("least_bytes");
  const double best = group.at("best").at("bytes");
  EXPECT_GE(best, group.at("load_bound").get<double>());
  EXPECT_NEAR(row.at("above_packing_millionths").get<double>(), (least / best - 1) * 1e6, 1);
  const ProgramResult text = run_vramlab({"capacity", leak});
  EXPECT_THAT(text.output, HasSubstr("above packing"));
  EXPECT_THAT(text.output, HasSubstr("best packing"));
}

TEST(CapacityCommands, find_the_same_in_a_recording_of_a_program_and_on_standard_input) {
  const std::string recording = support::own_folder() + "capacity_leak.pickle";
  ASSERT_EQ(
      run_vramlab({"replay", leak, "--snapshot-out", recording, "--force", "--quiet"}).exit_status,
      0);
  const json of_program = run_json({"capacity", leak});
  const json of_recording = run_json({"capacity", recording});
  const auto& group = of_recording.at("packing").at("groups").at(0);
  EXPECT_EQ(group.at("lower_bounds"),
            of_program.at("packing").at("groups").at(0).at("lower_bounds"));
  EXPECT_EQ(run_json({"capacity", "-"}, content_of(leak)).at("rows"), of_program.at("rows"));
}

TEST(CapacityCommands, name_the_smallest_gpu_that_explain_names) {
  for (const std::string& file : {leak, training, samples + "fragments.vtrace"}) {
    const json row = run_json({"capacity", file}).at("rows").at(0);
    EXPECT_EQ(row.at("smallest_gpu"), run_json({"explain", file}).at("answer").at("smallest_gpu"));
    EXPECT_GE(row.at("smallest_gpu").at("available_bytes"), row.at("least_bytes"));
    EXPECT_EQ(row.at("peak_without_limit_bytes"),
              run_json({"replay", file}).at("metrics").at("peak_reserved"));
  }
  EXPECT_THAT(run_vramlab({"capacity", training}).output, HasSubstr("  smallest GPU       "));
  EXPECT_THAT(run_vramlab({"capacity", training, "--format", "csv"}).output,
              HasSubstr(",replays,smallest_gpu\n"));
}

TEST(CapacityCommands, say_in_markdown_what_they_say_in_text) {
  const std::string pool = "backend:cudaMallocAsync";
  const std::string text =
      run_vramlab({"capacity", leak, "--conf", "", "--conf", pool, "--format", "markdown"}).output;
  EXPECT_THAT(text, testing::StartsWith(leak));
  EXPECT_THAT(text, HasSubstr("\n\n* smallest GPU: "));
  EXPECT_THAT(text, HasSubstr("(no options)\n* smallest GPU: "));
  EXPECT_THAT(text, HasSubstr("\n* backend:cudaMallocAsync is modelled"));
}

TEST(CapacityCommands, pack_lists_of_buffers_beside_a_known_capacity) {
  const ProgramResult fits = run_vramlab({"capacity", "-", "--capacity", "12"}, buffer_list);
  EXPECT_EQ(fits.exit_status, 0) << fits.errors;
  EXPECT_THAT(fits.output, HasSubstr("which is optimal"));
  EXPECT_THAT(fits.output, HasSubstr("fits into 12 bytes"));
  EXPECT_EQ(run_vramlab({"capacity", "-", "--capacity", "11"}, buffer_list).exit_status, 1);
  const json document = run_json({"capacity", "-"}, buffer_list);
  EXPECT_EQ(document.at("source"), "buffer_list");
  EXPECT_EQ(document.at("reference"), nullptr);
  EXPECT_EQ(document.at("packing").at("groups").at(0).at("best").at("bytes"), 12);
}

TEST(CapacityCommands, refuse_what_a_list_or_a_recording_cannot_have) {
  expect_refused({"capacity", "-", "--conf", ""}, "a recording or a program", buffer_list);
  expect_refused({"capacity", "-", "--format", "csv"}, "text or json", buffer_list);
  expect_refused({"capacity", leak, "--capacity", "1GiB"}, "a list of buffers");
  expect_refused({"capacity", "-"}, "line 3", "id,lower,upper,size\na,0,1,4\nb,2,1,4\n");
}

TEST(CapacityCommands, take_cudas_own_pool_as_the_model_that_it_is) {
  const json document = run_json({"capacity", leak, "--conf", "backend:cudaMallocAsync"});
  const std::int64_t least = document.at("rows").at(0).at("least_bytes");
  EXPECT_EQ(least % (32 << 20), 0);
  EXPECT_THAT(document.at("notes").dump(), HasSubstr("modelled"));
  const std::string at_least = std::to_string(least);
  const std::string less = std::to_string(least - (2 << 20));
  const auto replay = [](const std::string& memory) {
    return run_vramlab({"replay", leak, "--conf", "backend:cudaMallocAsync", "--device-memory",
                        memory, "--fail-on-oom"})
        .exit_status;
  };
  EXPECT_EQ(replay(at_least), 0);
  EXPECT_EQ(replay(less), 1);
}

TEST(MemoryHeldByOthers, leaves_a_replay_so_much_less) {
  const auto replay = [&](const std::string& memory, const std::string& held) {
    return run_vramlab(
        {"replay", leak, "--device-memory", memory, "--held-by-others", held, "--fail-on-oom"});
  };
  EXPECT_EQ(replay("1GiB", "100MiB").exit_status, 0);
  EXPECT_THAT(replay("1GiB", "100MiB").output, HasSubstr("100.00 MiB of it"));
  const json least = run_json({"capacity", leak, "--held-by-others", "100MiB"});
  const json least_alone = run_json({"capacity", leak});
  const std::int64_t bytes = least.at("rows").at(0).at("least_bytes");
  EXPECT_EQ(bytes - least_alone.at("rows").at(0).at("least_bytes").get<std::int64_t>(),
            100LL << 20);
  EXPECT_EQ(replay(std::to_string(bytes), "100MiB").exit_status, 0);
  EXPECT_EQ(replay(std::to_string(bytes - (2 << 20)), "100MiB").exit_status, 1);
}

TEST(MemoryHeldByOthers, that_is_all_of_the_device_is_refused) {
  const std::vector<std::vector<std::string>> commands = {
      {"replay", leak}, {"sweep", leak, "--conf", ""}, {"advise", leak}};
  for (const auto& command : commands)
    for (const std::string device : {"1GiB", "80GiB"}) {
      std::vector<std::string> words = command;
      if (device == "1GiB") words.insert(words.end(), {"--device-memory", device});
      words.insert(words.end(), {"--held-by-others", device == "1GiB" ? "1GiB" : "80GiB"});
      expect_refused(words, "less than the device's");
    }
  expect_refused({"capacity", leak, "--held-by-others", "1TiB"}, "less than the device's");
  expect_refused({"replay", leak, "--held-by-others", "plenty"}, "--held-by-others");
}

}  // namespace
}  // namespace vramlab::tests
