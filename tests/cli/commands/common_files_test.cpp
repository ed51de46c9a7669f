// The files that people have, as PyTorch 2.6 wrote them, through the commands that read them.
#include <gtest/gtest.h>

#include "tests/support/fuzz/snapshot_listing.h"
#include "tests/support/kit/command_test.h"
#include "tests/support/recordings/pickle_writer.h"
#include "tests/support/recordings/zip_writer.h"
#include "traces/io/byte_sink.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;

const std::string common_files = support::source_dir() + "/tests/traces/samples/";

class CommonFiles : public FolderTest {
 protected:
  /// Everything in the file, in the words of `vramlab convert`.
  std::string converted(const std::string& path) const {
    const std::string output = in_folder("out.pickle");
    const auto run = run_vramlab({"convert", path, "-o", output, "--force"});
    EXPECT_EQ(run.exit_status, 0) << run.errors;
    return support::read_pickle_bytes(content_of(output)).lines;
  }
};

TEST_F(CommonFiles, hold_the_same_snapshot_however_it_was_saved) {
  const std::string expected = converted(common_files + "torch_save.pt");
  EXPECT_THAT(expected, HasSubstr("frames=[schlie\u00dfen@train.py:12;main@train.py:40;]"));
  for (const char* name : {"trace_plot.html", "protocol_0.pickle", "protocol_1.pickle"})
    EXPECT_EQ(converted(common_files + name), expected) << name;
  EXPECT_EQ(converted(write("packed.pt.gz",
                            traces::gzip_packed(content_of(common_files + "torch_save.pt")))),
            expected);
}

TEST_F(CommonFiles, info_says_how_they_are_packed) {
  const auto text_of = [](const std::string& name) {
    return run_vramlab({"info", common_files + name}).output;
  };
  EXPECT_THAT(text_of("torch_save.pt"), HasSubstr("PyTorch snapshot (pickle), in a zip archive\n"));
  EXPECT_THAT(text_of("torch_save.pt"), HasSubstr("protocol 2, written by Python"));
  EXPECT_THAT(text_of("trace_plot.html"),
              HasSubstr("PyTorch snapshot (pickle), in a page of _memory_viz\n"));
  EXPECT_THAT(text_of("protocol_0.pickle"), HasSubstr("protocol 0, written by Python"));
  EXPECT_THAT(text_of("protocol_1.pickle"), HasSubstr("protocol 1, written by Python"));
  const std::string twice =
      write("twice", traces::gzip_packed(content_of(common_files + "torch_save.pt")));
  EXPECT_EQ(run_json({"info", twice})["files"][0]["packing"], "zip, gzip");
  EXPECT_THAT(run_vramlab({"info", twice}).output, HasSubstr(", in a zip archive, in gzip\n"));
}

TEST_F(CommonFiles, are_read_from_standard_input) {
  for (const char* name : {"torch_save.pt", "trace_plot.html"}) {
    const auto run = run_vramlab({"info", "-"}, content_of(common_files + name));
    EXPECT_EQ(run.exit_status, 0) << run.errors;
    EXPECT_THAT(run.output, HasSubstr("segment_alloc 1, alloc 1")) << name;
  }
}

TEST_F(CommonFiles, events_without_segments_are_replayed) {
  const auto events = support::small_snapshot()["device_traces"];
  for (const std::string& path :
       {write("a.pickle", support::python_pickle(events)), write("a.json", events.dump())}) {
    const auto info = run_vramlab({"info", path});
    EXPECT_THAT(info.output, HasSubstr("The file has no final segments, to which its events"));
    const auto replay = run_vramlab({"replay", path});
    EXPECT_EQ(replay.exit_status, 0) << replay.errors;
    EXPECT_THAT(replay.output, HasSubstr("requests"));
  }
}

TEST_F(CommonFiles, memory_timelines_are_shown_and_not_replayed) {
  for (const char* name : {"memory_timeline.json", "memory_timeline_raw.json"}) {
    const auto info = run_vramlab({"info", common_files + name});
    EXPECT_EQ(info.exit_status, 0) << info.errors;
    EXPECT_THAT(info.output, HasSubstr("torch memory timeline (JSON)"));
    EXPECT_THAT(info.output, testing::ContainsRegex("parameters +16\\.25 KiB"));
    const auto timeline = run_json({"info", common_files + name})["files"][0]["timeline"];
    EXPECT_EQ(timeline["kinds"][0]["most_bytes"], 16640);
    EXPECT_EQ(timeline["peak_bytes"], 49920);
    for (const char* command : {"replay", "verify", "top", "advise", "snapshot", "capacity"})
      expect_refused({command, common_files + name},
                     "expected a recording with requests or blocks, found a memory timeline");
  }
  const ProgramResult beside = run_vramlab({"info", leak, common_files + "memory_timeline.json"});
  EXPECT_EQ(beside.exit_status, 2);
  EXPECT_THAT(beside.errors, HasSubstr("which vramlab info and explain show if it is the only"));
}

TEST_F(CommonFiles, a_dict_without_memory_is_refused_by_every_command) {
  for (const std::string content : {R"({"a": 1})", R"({"allocator_settings": {}})"}) {
    const std::string file = write("other.json", content);
    const std::string reason =
        "expected a memory snapshot, with 'segments' or 'device_traces', found a dict with" +
        std::string(content.find("\"a\"") == std::string::npos ? "out either" : " 'a'");
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"info", file},
                                               {"info", file, "--json"},
                                               {"verify", file},
                                               {"replay", file},
                                               {"explain", file},
                                               {"top", file, "--host"},
                                               {"convert", file, "-o", in_folder("out.pickle")}})
      expect_refused(words, reason);
    EXPECT_FALSE(std::filesystem::exists(in_folder("out.pickle")));
  }
}

TEST_F(CommonFiles, of_other_kinds_are_refused_by_what_they_are) {
  expect_refused({"info", write("a.npz", support::zip_archive({{"a.npy", ""}, {"b.npy", ""}},
                                                              support::ZipStyle::stored))},
                 "an archive of 2 files, the first 'a.npy'");
  expect_refused({"info", "https://example.org/a.pickle"}, "a URL: download it first");
  expect_refused({"info", write("a.html", "<html>")}, "an HTML page without a snapshot in it");
}

}  // namespace
}  // namespace vramlab::tests
