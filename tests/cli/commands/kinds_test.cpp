// Kinds of memory in commands: notes that a recording carries under a key of its own
// (docs/guide/kinds.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// A weight, a batch, two layers of which each saves a block, a gradient, and a state.
constexpr const char* training_step =
    "{\"malloc\":1,\"bytes\":4194304}\n"  // 0: the weight
    "{\"malloc\":2,\"bytes\":1048576}\n"  // 1: the batch
    "{\"malloc\":3,\"bytes\":2097152}\n"  // 2: saved by layers.0
    "{\"malloc\":4,\"bytes\":3145728}\n"  // 3: saved by layers.1
    "{\"malloc\":5,\"bytes\":524288}\n"   // 4: passes
    "{\"free\":5}\n"
    "{\"malloc\":6,\"bytes\":4194304}\n"  // the gradient
    "{\"free\":3}\n{\"free\":4}\n"
    "{\"malloc\":7,\"bytes\":8388608}\n";  // the state

class Kinds : public FolderTest {
 protected:
  void SetUp() override {
    const std::string file = in_folder("plain.json");
    const ProgramResult made = run_vramlab(
        {"replay", "--force", "--snapshot-out", file,
         write("program.vtrace.jsonl",
               "{\"format\":\"vramlab-trace\",\"version\":1}\n" + std::string(training_step))});
    ASSERT_EQ(made.exit_status, 0) << made.errors;
    snapshot = json::parse(std::ifstream(file));
    const json& entries = snapshot["device_traces"][0];
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i]["action"] == "alloc") requests.push_back(i);
    ASSERT_EQ(requests.size(), 7U);
  }

  std::uint64_t entry_of(std::size_t request) const { return requests[request]; }
  std::string storage(std::size_t request, int kind, int name, int part = 0) const {
    const json& entry = snapshot["device_traces"][0][entry_of(request)];
    std::string row;
    for (const std::uint64_t number :
         {entry["addr"].get<std::uint64_t>(), entry["size"].get<std::uint64_t>()})
      row += std::to_string(number) + " ";
    return row + std::to_string(kind) + " " + std::to_string(name) + " " + std::to_string(part);
  }
  std::string mark(std::size_t request, int phase, int name = 0) const {
    return std::to_string(entry_of(request)) + " " + std::to_string(phase) + " " +
           std::to_string(name);
  }
  json notes() const {
    const std::string end = std::to_string(snapshot["device_traces"][0].size());
    return {{"format", 1},
            {"phases", {"other", "forward", "backward", "step"}},
            {"kinds", {"parameters", "gradients", "optimizer_state", "inputs"}},
            {"names", {"", "layers.0", "layers.1", "layers.0.weight", "exp_avg"}},
            {"devices",
             {{{"device", 0},
               {"marks", mark(2, 1, 1) + " " + mark(3, 1, 2) + " " + mark(5, 2) + " " + mark(6, 3)},
               {"scans",
                {storage(0, 0, 3) + " " + storage(1, 3, 0),
                 storage(5, 1, 3) + " " + storage(6, 2, 3, 4)}},
               {"scanned", std::to_string(entry_of(2)) + " 0 " + end + " 1"}}}},
            {"troubles", json::array()}};
  }
  std::string recording(const json& kinds) {
    json with = snapshot;
    with["vramlab_kinds"] = kinds;
    return write("recording.json", with.dump());
  }
  json groups(const std::string& file, std::vector<std::string> options) {
    std::vector<std::string> arguments = {"top", "--json", file};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult result = run_vramlab(std::move(arguments));
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    json bytes = json::object();
    const json document = json::parse(result.output);
    for (const json& group : document["devices"][0]["groups"])
      bytes[group["key"].get<std::string>()] = group["bytes"].get<std::uint64_t>() >> 10;
    return bytes;
  }

  json snapshot;
  /// The entries of the requests.
  std::vector<std::size_t> requests;
};

TEST_F(Kinds, top_groups_blocks_by_what_they_hold) {
  const std::string file = recording(notes());
  EXPECT_EQ(
      groups(file, {"--by", "kind", "--at", std::to_string(entry_of(5))}),
      json({{"parameters", 4096}, {"gradients", 4096}, {"activations", 5120}, {"inputs", 1024}}));
  EXPECT_EQ(groups(file, {"--by", "module", "--at", std::to_string(entry_of(5))}),
            json({{"layers.*, parameters", 4096},
                  {"layers.*, gradients", 4096},
                  {"layers.*, activations", 5120},
                  {"inputs", 1024}}));
  EXPECT_EQ(groups(file, {"--by", "parameter", "--at", "end"}),
            json({{"layers.0.weight, parameters", 4096},
                  {"layers.0.weight, gradients", 4096},
                  {"exp_avg of layers.0.weight, optimizer state", 8192},
                  {"inputs", 1024}}));
}

TEST_F(Kinds, explain_tells_kinds_and_levers) {
  const ProgramResult result = run_vramlab({"explain", "--json", recording(notes())});
  const std::string text = result.output;
  EXPECT_THAT(text, HasSubstr("\"kind\": \"optimizer state\""));
  // ZeRO-3 keeps an eighth of 8 MiB of states, 4 MiB of gradients and 4 MiB of parameters.
  EXPECT_THAT(text, HasSubstr("\"saves_at_most_bytes\": " + std::to_string(14 << 20)));
}

TEST_F(Kinds, diff_has_limits_for_kinds) {
  const std::string file = recording(notes());
  const ProgramResult kept =
      run_vramlab({"diff", file, file, "--fail-if", "peak_activations > 5MiB"});
  EXPECT_EQ(kept.exit_status, 0) << kept.output << kept.errors;
  const ProgramResult broken =
      run_vramlab({"diff", file, file, "--fail-if", "peak_activations >= 5MiB"});
  EXPECT_EQ(broken.exit_status, 1) << broken.output << broken.errors;
}

TEST_F(Kinds, diff_tells_growth_by_kind_and_module) {
  const std::string states = write("states.json", content_of(recording(notes())));
  json other = notes();
  other["devices"][0]["scans"][1] = storage(5, 1, 3) + " " + storage(6, 1, 3);
  const std::string gradients = recording(other);
  EXPECT_THAT(run_vramlab({"diff", states, gradients}).output,
              HasSubstr("\nby kind and module: +8.00 MiB gradients of layers.*, "
                        "-8.00 MiB optimizer state of layers.*\n"));
  const json modules =
      json::parse(run_vramlab({"diff", "--json", states, gradients}).output)["modules"];
  EXPECT_EQ(modules[0]["group"], "layers.*, gradients");
  EXPECT_EQ(modules[0]["change_bytes"], 8 << 20);
  EXPECT_THAT(run_vramlab({"diff", "--by", "module", states, gradients}).output,
              testing::AllOf(HasSubstr("layers.*, gradients"), Not(HasSubstr("by kind and"))));
  const ProgramResult without = run_vramlab({"diff", "--json", states, in_folder("plain.json")});
  EXPECT_EQ(json::parse(without.output)["modules"], json());
}

TEST_F(Kinds, a_recording_without_notes_says_so) {
  const ProgramResult result = run_vramlab({"top", "--by", "kind", in_folder("plain.json")});
  EXPECT_THAT(result.output, HasSubstr("does not say what its blocks hold"));
  EXPECT_THAT(result.output, HasSubstr("not labelled"));
}

TEST_F(Kinds, parts_of_a_recording_keep_their_kinds) {
  const std::string part = in_folder("part.json");
  const std::string file = recording(notes());
  const ProgramResult converted = run_vramlab({"convert", "--device", "0", file, "-o", part});
  ASSERT_EQ(converted.exit_status, 0) << converted.errors;
  EXPECT_EQ(groups(part, {"--by", "kind"}), groups(file, {"--by", "kind"}));
  const std::string unnamed = in_folder("unnamed.json");
  ASSERT_EQ(run_vramlab({"convert", "--anonymize", file, "-o", unnamed}).exit_status, 0);
  EXPECT_EQ(groups(unnamed, {"--by", "kind"}), groups(file, {"--by", "kind"}));
  EXPECT_THAT(groups(unnamed, {"--by", "parameter", "--at", "end"}).dump(),
              Not(HasSubstr("weight")));
}

TEST_F(Kinds, info_does_not_take_the_notes_for_an_unknown_key) {
  EXPECT_THAT(run_vramlab({"info", recording(notes())}).output, Not(HasSubstr("vramlab_kinds")));
}

struct BadNotes {
  const char* name;
  void (*spoil)(json& notes);
  const char* expected;
};

TEST_F(Kinds, bad_notes_are_refused_with_their_place) {
  const BadNotes all[] = {
      BadNotes{"format", [](json& notes) { notes["format"] = 2; }, "later ones are not known"},
      BadNotes{"phase", [](json& notes) { notes["phases"][1] = "sleep"; }, "names that are known"},
      BadNotes{"first_name", [](json& notes) { notes["names"][0] = "a"; }, "begin with ''"},
      BadNotes{"mark", [](json& notes) { notes["devices"][0]["marks"] = "0 9 0"; },
               "['marks'], row 0: expected a number below 4"},
      BadNotes{"order", [](json& notes) { notes["devices"][0]["marks"] = "5 0 0 4 0 0"; },
               "row 1: expected a place from 5 on, found 4"},
      BadNotes{"place", [](json& notes) { notes["devices"][0]["marks"] = "999 0 0"; },
               "among its entries, found 999"},
      BadNotes{"short_row", [](json& notes) { notes["devices"][0]["scanned"] = "5"; },
               "found the end of the row"},
      BadNotes{"letters", [](json& notes) { notes["devices"][0]["scans"][0] = "1 x 0 0 0"; },
               "a number from 0 on, found 'x 0 0 0'"}};
  for (const BadNotes& one : all) {
    json bad = notes();
    one.spoil(bad);
    const ProgramResult result = run_vramlab({"top", "--by", "kind", recording(bad)});
    EXPECT_EQ(result.exit_status, 2) << result.output;
    EXPECT_THAT(result.errors,
                testing::AnyOf(HasSubstr("['vramlab_kinds']"), HasSubstr("kinds of device 0")));
    EXPECT_THAT(result.errors, HasSubstr(one.expected)) << one.name;
  }
}

}  // namespace
}  // namespace vramlab::tests
