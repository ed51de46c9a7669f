#include "traces/formats/open_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/kit/own_folder.h"
#include "tests/support/processes/places.h"
#include "tests/support/recordings/zip_writer.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/byte_sink.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

std::string error_of_file_with(const std::string& bytes) {
  const std::string path = support::own_folder() + "open_trace_test";
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    open_trace(path);
  } catch (const InputError& error) {
    return error.fault().found;
  }
  return "";
}

TEST(OpenTrace, pickles_are_told_from_their_first_bytes) {
  EXPECT_EQ(error_of_file_with("\x80\x04}."), "");
  EXPECT_EQ(error_of_file_with("}(u."), "");
}

TEST(OpenTrace, json_is_told_from_its_first_letter) {
  EXPECT_EQ(error_of_file_with("\n {}"), "");
  EXPECT_EQ(error_of_file_with("[]"), "");
}

TraceFormat format_of_file_with(const std::string& bytes) {
  const std::string path = support::own_folder() + "open_trace_test";
  std::ofstream(path, std::ios::binary) << bytes;
  return open_trace(path).format;
}

TEST(OpenTrace, kinds_of_json_are_told_from_their_keys) {
  EXPECT_EQ(format_of_file_with(R"({"segments": []})"), TraceFormat::snapshot_json);
  EXPECT_EQ(format_of_file_with(R"({"schemaVersion": 1})"), TraceFormat::torch_profiler);
  const std::string far = R"({"x": ")" + std::string(50'000, 'x') + R"(", "traceEvents": []})";
  EXPECT_EQ(format_of_file_with(far), TraceFormat::torch_profiler);
  const std::string too_far = R"({"x": ")" + std::string(70'000, 'x') + R"(", "traceEvents": []})";
  EXPECT_EQ(format_of_file_with(too_far), TraceFormat::snapshot_json);
}

TraceKind kind_of_file_with(const std::string& bytes) {
  const std::string path = support::own_folder() + "open_trace_test";
  std::ofstream(path, std::ios::binary) << bytes;
  return open_trace(path).kind;
}

const std::string native_header = "{\"format\":\"vramlab-trace\",\"version\":1}\n";
const std::string recorded_section = "{\"section\":\"device_traces\"}\n";
const std::string one_malloc = "{\"malloc\":1,\"bytes\":4096}\n";

TEST(OpenTrace, kind_is_that_of_the_first_record_that_defines_nothing) {
  std::string texts;
  for (int i = 1; i <= 5000; ++i)
    texts += "{\"text\":" + std::to_string(i) + ",\"is\":\"malloc or section\"}\n";
  EXPECT_EQ(kind_of_file_with(native_header + one_malloc), TraceKind::program);
  EXPECT_EQ(kind_of_file_with(native_header + recorded_section), TraceKind::history);
  EXPECT_EQ(kind_of_file_with(native_header + texts + one_malloc), TraceKind::program);
  EXPECT_EQ(kind_of_file_with(native_header + texts + recorded_section), TraceKind::history);
  EXPECT_EQ(kind_of_file_with(native_header + "\r\n  { \"free\" : 1}"), TraceKind::program);
}

TEST(OpenTrace, kind_of_a_file_without_records_is_a_history) {
  EXPECT_EQ(kind_of_file_with(native_header), TraceKind::history);
  EXPECT_EQ(kind_of_file_with(native_header + "{\"end\":true}\n"), TraceKind::history);
  EXPECT_EQ(kind_of_file_with("}."), TraceKind::history);
}

TEST(OpenTrace, kind_of_a_binary_trace_is_that_of_its_text) {
  const std::string samples = support::source_dir() + "/traces/samples/";
  EXPECT_EQ(open_trace(samples + "leak.vtrace").kind, TraceKind::program);
  const std::string path = support::own_folder() + "recorded.vtrace";
  {
    OutputFile output(path, Overwrite::allowed);
    SnapshotTables tables;
    const auto writer = make_trace_writer(TraceFormat::native_binary, output, tables);
    OpenTrace recorded = open_trace(samples + "gpt_training.pickle.gz");
    read_trace(recorded, tables, writer->sinks());
    writer->finish();
    output.finish();
  }
  EXPECT_EQ(open_trace(path).kind, TraceKind::history);
}

TEST(OpenTrace, looking_ahead_loses_nothing) {
  const std::string path = support::own_folder() + "open_trace_test";
  const std::string bytes = R"({"x": ")" + std::string(90'000, 'x') + R"("})";
  std::ofstream(path, std::ios::binary) << bytes;
  const OpenTrace trace = open_trace(path);
  std::string read;
  char piece[1000];
  while (const std::size_t got = trace.source->read(piece, sizeof piece)) read.append(piece, got);
  EXPECT_TRUE(read == bytes);
}

TEST(OpenTrace, other_files_are_refused_by_what_they_are) {
  EXPECT_EQ(error_of_file_with(""), "an empty file");
  EXPECT_EQ(error_of_file_with("PK\x03\x04..."), "damaged or cut-off data");
  EXPECT_EQ(error_of_file_with("<?xml"), "HTML or XML text");
  EXPECT_EQ(error_of_file_with("\n<!DOCTYPE html><html>"), "an HTML page without a snapshot in it");
  EXPECT_EQ(error_of_file_with("<html><meta name=\"generator\" content=\"vramlab report\">"),
            "a report that vramlab wrote; open the recording that it shows");
  EXPECT_EQ(error_of_file_with("<?xml?><svg>"),
            "a picture (SVG), as _memory_viz draws it; open the snapshot that it shows");
  EXPECT_EQ(error_of_file_with("\x93NUMPY\x01"), "an array of NumPy");
  EXPECT_EQ(error_of_file_with("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."),
            "a file of torch.save without a zip archive; load it, and save it with pickle.dump");
  EXPECT_EQ(error_of_file_with("|=====\n| PyTorch CUDA memory summary"),
            "a table of torch.cuda.memory_summary(), which has no events");
  EXPECT_EQ(error_of_file_with("Traceback\ntorch.OutOfMemoryError: CUDA out of memory."),
            "a log with PyTorch's message about an out-of-memory, which has no events");
  EXPECT_EQ(error_of_file_with("root:x:0:0:root\ndaemon"),
            "a text that begins with 'root:x:0:0:root'");
  EXPECT_EQ(error_of_file_with("\x01\x02"), "bytes that begin with 01 02");
}

TEST(OpenTrace, url_is_told_to_be_downloaded) {
  try {
    open_trace("https://example.org/snapshot.pickle");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.fault().found, "a URL: download it first");
  }
}

TEST(OpenTrace, old_pickles_and_memory_timelines_are_told_from_their_first_bytes) {
  EXPECT_EQ(format_of_file_with("(dp0\n."), TraceFormat::snapshot_pickle);
  EXPECT_EQ(format_of_file_with("(lp0\n."), TraceFormat::snapshot_pickle);
  EXPECT_EQ(format_of_file_with("[[1, 2], [[0"), TraceFormat::memory_timeline);
}

TEST(OpenTrace, archives_and_pages_are_opened_on_the_way) {
  const std::string saved = support::torch_save_archive("\x80\x02}.");
  EXPECT_EQ(format_of_file_with(saved), TraceFormat::snapshot_pickle);
  EXPECT_EQ(format_of_file_with(gzip_packed(saved)), TraceFormat::snapshot_pickle);
  const std::string page = "<html>{\"base64\": \"" + base64_text("\x80\x04}.") + "\"}";
  EXPECT_EQ(format_of_file_with(page), TraceFormat::snapshot_pickle);
  const std::string zipped =
      support::zip_archive({{"page.html", page}}, support::ZipStyle::deflated);
  const std::string path = support::own_folder() + "open_trace_test";
  std::ofstream(path, std::ios::binary) << gzip_packed(zipped);
  const OpenTrace trace = open_trace(path);
  EXPECT_EQ(trace.packings, (std::vector{Packing::gzip, Packing::zip, Packing::viewer_page}));
}

TEST(OpenTrace, missing_file_is_named) { EXPECT_THROW(open_trace("/no/such/file"), InputError); }

TEST(OpenTrace, broken_gzip_is_told) {
  EXPECT_THROW(open_trace("/dev/null"), InputError);
  EXPECT_EQ(error_of_file_with("\x1f\x8b\x08\x01\x02"), "damaged or cut-off data");
}

TEST(TraceFormats, every_format_that_is_written_stands_on_the_page) {
  std::ifstream file(support::source_dir() + "/docs/guide/recordings.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const std::string& option : format_options(written_formats()))
    EXPECT_THAT(page, testing::HasSubstr("`" + option + "`"));
  for (const std::string& ending : format_endings(written_formats()))
    EXPECT_THAT(page, testing::HasSubstr(ending + "`"));
}

TEST(TraceFormats, an_output_is_of_the_format_that_is_named_or_that_its_ending_says) {
  EXPECT_EQ(find_format("a.vtrace.jsonl", "", written_formats()), TraceFormat::native_text);
  EXPECT_EQ(find_format("a.vtrace", "", written_formats()), TraceFormat::native_binary);
  EXPECT_EQ(find_format("a.vtrace.py", "", written_formats()), TraceFormat::native_script);
  EXPECT_EQ(find_format("a.vtrace", "pickle", written_formats()), TraceFormat::snapshot_pickle);
  EXPECT_EQ(find_format("a.pickle", "", native_formats), std::nullopt);
  EXPECT_THROW(output_format("a.txt", "", native_formats), InputError);
}

}  // namespace
}  // namespace vramlab::traces
