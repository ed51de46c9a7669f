// The notes of a dry run: calls without an entry in PyTorch's history, which a replay makes all the
// same (docs/reference/trace_format.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

class DryRunNotes : public FolderTest {
 protected:
  /// The history that a program leaves, as PyTorch would write it, with these notes.
  std::string recording(const std::string& program, const std::string& notes,
                        std::vector<std::string> options = {}) {
    const std::string plain = in_folder("plain.json");
    std::vector<std::string> arguments = {
        "replay",
        "--force",
        "--on-oom",
        "skip",
        "--snapshot-out",
        plain,
        write("program.vtrace.jsonl", "{\"format\":\"vramlab-trace\",\"version\":1}\n" + program)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProgramResult made = run_vramlab(std::move(arguments));
    EXPECT_EQ(made.exit_status, 0) << made.errors;
    std::ifstream file(plain);
    std::ostringstream text;
    text << file.rdbuf();
    std::string snapshot = text.str();
    snapshot.erase(snapshot.find_last_of('}'));
    return write("recording.json", snapshot + ",\"vramlab_dry_run\":{\"format\":1," + notes + "}}");
  }
  ProgramResult asked(std::vector<std::string> arguments) {
    return run_vramlab(std::move(arguments));
  }
  std::string replayed(const std::string& file, std::vector<std::string> options) {
    std::vector<std::string> arguments = {"replay", "--json", "--on-oom", "skip", file};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return asked(std::move(arguments)).output;
  }
};

const std::vector<std::string> with_units = {"--conf", "expandable_segments:True"};
/// With expandable segments the free block has no unit of its own, so that nothing is released.
/// Otherwise it is a segment.
constexpr const char* two_blocks =
    "{\"malloc\":1,\"bytes\":12582912}\n{\"malloc\":2,\"bytes\":12582912}\n{\"free\":1}\n";

TEST_F(DryRunNotes, version_of_pytorch_is_no_guess) {
  const std::string file = recording("{\"malloc\":1,\"bytes\":512}\n", R"("torch":"2.6.0+cu124")");
  const ProgramResult verified = asked({"verify", file});
  EXPECT_THAT(verified.output, HasSubstr("2.6"));
  EXPECT_THAT(verified.output, Not(HasSubstr("guessed")));
  EXPECT_THAT(asked({"info", file}).output, HasSubstr("PyTorch 2.6.0+cu124 (a dry run noted it)"));
  EXPECT_THAT(asked({"info", file}).output, Not(HasSubstr("vramlab_dry_run")));
}

TEST_F(DryRunNotes, gpus_without_kernels_are_offered_by_no_command) {
  const auto offered_with = [&](const std::string& notes) {
    const std::string file = recording("{\"malloc\":1,\"bytes\":512}\n", notes);
    return std::vector{asked({"explain", file}).output, asked({"capacity", file}).output};
  };
  EXPECT_THAT(offered_with(R"("torch":"2.6.0")"), Each(HasSubstr("smallest GPU       gtx1050 (")));
  EXPECT_THAT(offered_with(R"("torch":"2.6.0","kernel_code":["sm_90"])"),
              Each(HasSubstr("smallest GPU       h100-80gb (")));
}

/// The second request releases the first one's segment where 50 MiB are all there is.
TEST_F(DryRunNotes, memory_that_was_too_little_is_no_more_under_other_options) {
  const std::string program =
      "{\"malloc\":1,\"bytes\":25165824}\n{\"free\":1}\n{\"malloc\":2,\"bytes\":41943040}\n";
  const std::vector<std::string> small = {"--device-memory", "50MiB"};
  const auto answer = [&](const std::string& notes, std::vector<std::string> options) {
    return nlohmann::json::parse(
        replayed(recording(program, notes, small), std::move(options)))["devices"][0];
  };
  const auto reserved = [](const nlohmann::json& device) {
    return device["metrics"]["peak_reserved"].get<std::uint64_t>() >> 20;
  };
  const std::string noted = R"("torch":"2.6.0","memory_limits":[{"device":0,"bytes":52428800}])";
  const std::vector<std::string> otherwise = {"--conf", "max_split_size_mb:64"};
  EXPECT_EQ(reserved(answer(R"("torch":"2.6.0")", otherwise)), 64U);
  const nlohmann::json limited = answer(noted, otherwise);
  EXPECT_EQ(reserved(limited), 40U);
  EXPECT_EQ(limited["memory_origin"], "noted by the dry run");
  EXPECT_EQ(reserved(answer(noted, {"--device-memory", "1GiB"})), 64U);
  const nlohmann::json as_recorded = answer(noted, {});
  EXPECT_EQ(reserved(as_recorded), 40U);
  EXPECT_EQ(as_recorded["memory_origin"], "");
}

/// A block of 80 MiB serves 43 MiB whole under limits that no file holds.
TEST_F(DryRunNotes, options_hold_from_their_place_on) {
  std::string program =
      "{\"malloc\":1,\"bytes\":83886080}\n"
      "{\"options\":\"max_split_size_mb:40,max_non_split_rounding_mb:38\"}\n"
      "{\"free\":1}\n{\"malloc\":2,\"bytes\":45088768}\n"
      "{\"malloc\":3,\"bytes\":31457280}\n{\"options\":\"\"}\n";
  const std::string calls =
      R"({"device":0,"before":2,"call":"options","text":"max_split_size_mb:40,max_non_split_rounding_mb:38"},)"
      R"({"device":0,"before":7,"call":"options","text":""})";
  const std::string file =
      recording(program, R"("torch":"2.6.0","options":"","calls":[)" + calls + "]");
  const ProgramResult verified = asked({"verify", "--require", "exact", file});
  EXPECT_EQ(verified.exit_status, 0) << verified.output << verified.errors;
  EXPECT_THAT(verified.output, Not(HasSubstr("guessed")));
  const std::string silent = recording(program, R"("torch":"2.6.0")");
  EXPECT_NE(asked({"verify", "--require", "exact", silent}).exit_status, 0);
}

TEST_F(DryRunNotes, string_that_was_refused_is_no_obstacle) {
  const std::string file = recording(
      "{\"malloc\":1,\"bytes\":512}\n{\"malloc\":2,\"bytes\":512}\n",
      R"("torch":"2.6.0","options":"","calls":[{"device":0,"before":2,"call":"options","text":"nonsense:1"}])");
  EXPECT_EQ(asked({"verify", "--require", "exact", file}).exit_status, 0);
}

TEST_F(DryRunNotes, cache_that_held_nothing_is_emptied_under_other_options_too) {
  const std::string note = R"({"device":0,"before":6,"call":"empty_cache"})";
  const std::string file =
      recording(two_blocks, R"("torch":"2.6.0","calls":[)" + note + "]", with_units);
  EXPECT_EQ(asked({"verify", "--require", "exact", file}).exit_status, 0);
  EXPECT_THAT(replayed(file, {"--conf", ""}), HasSubstr("\"end_reserved\": 12582912"));
  const std::string silent = recording(two_blocks, R"("torch":"2.6.0","calls":[])", with_units);
  EXPECT_THAT(replayed(silent, {"--conf", ""}), HasSubstr("\"end_reserved\": 25165824"));
}

TEST_F(DryRunNotes, pool_that_ends_gives_back_what_is_free_in_it) {
  const std::string in_pool = "{\"pool_create\":[0,1]}\n{\"pool_begin\":[0,1]}\n" +
                              std::string(two_blocks) +
                              "{\"pool_end\":[0,1]}\n{\"pool_release\":[0,1]}\n";
  const std::string note = R"({"device":0,"before":6,"call":"pool_destroy","pool":[0,1]})";
  const std::string file =
      recording(in_pool, R"("torch":"2.6.0","calls":[)" + note + "]", with_units);
  EXPECT_EQ(asked({"verify", "--require", "exact", file}).exit_status, 0);
  EXPECT_THAT(replayed(file, {"--conf", ""}), HasSubstr("\"end_reserved\": 12582912"));
}

/// A block of 12 MiB is free in a pool, on a device that has no room for another one outside.
constexpr const char* free_block_in_a_pool =
    "{\"pool_create\":[0,1]}\n{\"pool_begin\":[0,1]}\n{\"malloc\":1,\"bytes\":12582912}\n"
    "{\"pool_end\":[0,1]}\n{\"pool_release\":[0,1]}\n{\"free\":1}\n{\"malloc\":2,\"bytes\":"
    "12582912}\n";

TEST_F(DryRunNotes, pool_that_lends_its_memory_does_so_on_a_smaller_device) {
  const auto noted = [&](const std::string& traits) {
    const std::string note =
        R"({"device":0,"before":0,"call":"pool_create","pool":[0,1])" + traits + "}";
    return recording(free_block_in_a_pool, R"("torch":"2.15.0","calls":[)" + note + "]",
                     {"--reference", "2.15"});
  };
  const std::vector<std::string> small = {"--device-memory", "20MiB"};
  EXPECT_THAT(replayed(noted(R"(,"use_on_oom":true)"), small), HasSubstr("\"out_of_memory\": 0\n"));
  EXPECT_THAT(replayed(noted(R"(,"use_on_oom":false)"), small),
              HasSubstr("\"out_of_memory\": 1\n"));
  const ProgramResult refused = asked({"replay", noted(R"(,"use_on_oom":1)")});
  EXPECT_THAT(refused.errors, HasSubstr("['use_on_oom']"));
  EXPECT_THAT(refused.errors, HasSubstr("True or False"));
}

/// No event shows it: the rest of the first segment would not have served the second request.
TEST_F(DryRunNotes, pool_that_keeps_its_blocks_whole_does_so_under_other_options) {
  const std::string in_pool =
      "{\"pool_create\":[0,1],\"no_split\":true}\n{\"pool_begin\":[0,1]}\n"
      "{\"malloc\":1,\"bytes\":8388608}\n{\"malloc\":2,\"bytes\":15728640}\n"
      "{\"pool_end\":[0,1]}\n{\"pool_release\":[0,1]}\n{\"free\":1}\n";
  const auto noted = [&](const std::string& traits) {
    const std::string note =
        R"({"device":0,"before":0,"call":"pool_create","pool":[0,1])" + traits + "}";
    return recording(in_pool, R"("torch":"2.15.0","calls":[)" + note + "]",
                     {"--reference", "2.15"});
  };
  const std::vector<std::string> large = {"--conf", "large_segment_size_mb:64"};
  EXPECT_THAT(replayed(noted(R"(,"no_split":true)"), large), HasSubstr("\"device_allocs\": 2,"));
  EXPECT_THAT(replayed(noted(""), large), HasSubstr("\"device_allocs\": 1,"));
}

TEST_F(DryRunNotes, share_of_the_device_is_that_of_another_device_too) {
  const std::string file = recording(
      "{\"memory_fraction\":0.5}\n{\"malloc\":1,\"bytes\":314572800}\n"
      "{\"malloc\":2,\"bytes\":314572800}\n",
      R"("torch":"2.6.0","calls":[{"device":0,"before":0,"call":"memory_fraction","fraction":0.5,"device_memory":1073741824}])",
      {"--device-memory", "1GiB"});
  EXPECT_EQ(asked({"verify", "--require", "exact", file}).exit_status, 0);
  EXPECT_THAT(replayed(file, {}), HasSubstr("\"out_of_memory\": 1\n"));
  EXPECT_THAT(replayed(file, {"--conf", "max_split_size_mb:64"}),
              HasSubstr("\"out_of_memory\": 1\n"));
  EXPECT_THAT(replayed(file, {"--device-memory", "1000MiB"}), HasSubstr("\"out_of_memory\": 1\n"));
  EXPECT_THAT(replayed(file, {"--device-memory", "4GiB"}), HasSubstr("\"out_of_memory\": 0\n"));
}

TEST_F(DryRunNotes, all_formats_keep_them) {
  const std::string note = R"({"device":0,"before":6,"call":"empty_cache"})";
  std::string file = recording(two_blocks, R"("torch":"2.6.0","calls":[)" + note + "]", with_units);
  for (const char* name : {"a.vtrace", "b.pickle", "c.vtrace.jsonl", "d.json"}) {
    const std::string next = in_folder(name);
    const ProgramResult converted = asked({"convert", "--anonymize", file, "-o", next});
    ASSERT_EQ(converted.exit_status, 0) << converted.errors;
    file = next;
    EXPECT_THAT(replayed(file, {"--conf", ""}), HasSubstr("\"end_reserved\": 12582912")) << name;
  }
}

TEST_F(DryRunNotes, places_that_no_history_can_have_are_refused) {
  const std::string file =
      recording("{\"malloc\":1,\"bytes\":512}\n",
                R"("torch":"2.6.0","calls":[{"device":0,"before":77,"call":"empty_cache"}])");
  const ProgramResult verified = asked({"verify", file});
  EXPECT_EQ(verified.exit_status, 2);
  EXPECT_THAT(verified.errors, HasSubstr("expected places from 0 to 2 among its entries"));
}

/// The beginnings of segments in a replay under other options, by the order in which they were
/// taken.
class PlacesOfSegments : public DryRunNotes {
 protected:
  std::vector<std::uint64_t> places(const std::string& notes,
                                    const std::vector<std::string>& asked_for = {"--conf", ""}) {
    const std::string file = recording(two_segments, R"("torch":"2.6.0")" + notes);
    const std::string end = in_folder("end.json");
    std::vector<std::string> arguments = {"replay", "--force", file, "--snapshot-out", end};
    arguments.insert(arguments.end(), asked_for.begin(), asked_for.end());
    const ProgramResult run = asked(std::move(arguments));
    EXPECT_EQ(run.exit_status, 0) << run.errors;
    std::ifstream text(end);
    const auto snapshot = nlohmann::json::parse(text);
    std::vector<std::uint64_t> found;
    for (const auto& entry : snapshot.at("device_traces").at(0))
      if (entry.at("action") == "segment_alloc") found.push_back(entry.at("addr"));
    return found;
  }
  static constexpr const char* two_segments =
      "{\"malloc\":1,\"bytes\":41943040}\n{\"malloc\":2,\"bytes\":50331648}\n";
};

TEST_F(PlacesOfSegments, are_those_of_the_driver_if_the_recorded_ones_were) {
  const auto upwards = places("");
  ASSERT_EQ(upwards.size(), 2U);
  EXPECT_LT(upwards[0], upwards[1]);
  const auto by_driver = places(R"(,"segments":"driver","first_work":[])");
  EXPECT_GT(by_driver[0], by_driver[1]);
}

/// The first kernel frees a part of the context, which lies above all else.
TEST_F(PlacesOfSegments, change_with_the_first_kernel) {
  const auto kernel_at = [&](const char* before) {
    return places(R"(,"segments":"driver","first_work":[{"device":0,"before":)" +
                  std::string(before) + R"(,"work":"kernel"}])");
  };
  const auto between = kernel_at("2");
  EXPECT_LT(between[0], between[1]);
  EXPECT_GT(kernel_at("4")[0], kernel_at("4")[1]);
  const auto before = kernel_at("0");
  EXPECT_EQ(before[1], before[0] + 41943040);
}

TEST_F(PlacesOfSegments, stay_as_recorded_in_the_recorded_run) {
  const std::string notes = R"(,"segments":"driver","first_work":[])";
  EXPECT_EQ(places(notes, {}), places("", {}));
  const auto asked_for = places(notes, {"--segments", "upwards"});
  EXPECT_LT(asked_for[0], asked_for[1]);
}

TEST_F(PlacesOfSegments, are_unknown_where_the_first_work_is) {
  const auto found = places(R"(,"segments":"driver")");
  EXPECT_LT(found[0], found[1]);
}

TEST_F(PlacesOfSegments, at_which_no_history_can_have_work_are_refused) {
  const std::string file = recording(
      two_segments,
      R"("torch":"2.6.0","segments":"driver","first_work":[{"device":0,"before":77,"work":"kernel"}])");
  EXPECT_THAT(asked({"verify", file}).errors,
              HasSubstr("expected places from 0 to 4 among its entries"));
  const std::string unknown = recording(
      two_segments,
      R"("torch":"2.6.0","segments":"driver","first_work":[{"device":0,"before":0,"work":"copy"}])");
  EXPECT_THAT(asked({"verify", unknown}).errors, HasSubstr("expected kernel or library"));
}

}  // namespace
}  // namespace vramlab::tests
