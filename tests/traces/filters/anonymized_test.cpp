// An anonymized recording does not tell whose program it was, and what was equal stays equal.
#include "traces/filters/anonymized.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/collected_bytes.h"
#include "tests/support/recordings/native_samples.h"
#include "traces/formats/trace_formats.h"
#include "traces/native/native_text.h"

namespace vramlab::traces {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string anonymized(const std::string& text) {
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_trace_writer(TraceFormat::native_text, output, tables);
  Pseudonyms names(tables);
  AnonymizedSnapshot recorded(names, writer->sinks().recorded);
  AnonymizedProgram program(names, writer->sinks().program);
  const auto source = make_memory_source(text);
  read_native_text(*source, "file", tables, {recorded, program});
  writer->finish();
  return output.bytes;
}

std::string lines(const std::string& records) {
  const std::string start =
      anonymized("{\"format\":\"vramlab-trace\",\"version\":1,\"origin\":\"mine\"}\n" + records);
  return start.substr(start.find('\n') + 1);
}

TEST(Anonymized, the_same_text_gets_the_same_name_everywhere) {
  EXPECT_EQ(lines("{\"range_begin\":\"secret\"}\n{\"marker\":\"other\"}\n"
                  "{\"range_end\":\"secret\"}\n"),
            "{\"range_begin\":\"annotation_1\"}\n{\"marker\":\"annotation_2\"}\n"
            "{\"range_end\":\"annotation_1\"}\n{\"end\":true}\n");
}

TEST(Anonymized, the_marker_of_a_failed_request_stays) {
  const std::string marker = "{\"marker\":\"out of memory\"}\n";
  EXPECT_EQ(lines(marker), marker + "{\"end\":true}\n");
}

TEST(Anonymized, frames_keep_their_lines_and_the_kind_of_their_file) {
  EXPECT_EQ(
      lines("{\"frame\":1,\"is\":{\"name\":\"f\",\"filename\":\"/home/me/a.py\",\"line\":7}}\n"
            "{\"frame\":2,\"is\":{\"name\":\"g\",\"filename\":\"??\",\"line\":0}}\n"
            "{\"stack\":1,\"frames\":[1,2]}\n{\"malloc\":1,\"bytes\":2,\"stack\":1}\n"),
      "{\"frame\":1,\"is\":{\"name\":\"function_1\",\"filename\":\"file_1.py\",\"line\":7}}\n"
      "{\"frame\":2,\"is\":{\"name\":\"function_2\",\"filename\":\"??\",\"line\":0}}\n"
      "{\"stack\":1,\"frames\":[1,2]}\n{\"malloc\":1,\"bytes\":2,\"stack\":1}\n"
      "{\"end\":true}\n");
}

TEST(Anonymized, settings_and_numbers_stay) {
  const std::string settings = "{\"settings\":{\"conf\":\"max_split_size_mb:64\",\"n\":-1}}\n";
  EXPECT_EQ(lines(settings), settings + "{\"end\":true}\n");
  EXPECT_EQ(lines("{\"options\":\"max_split_size_mb:1\"}\n"),
            "{\"options\":\"max_split_size_mb:1\"}\n{\"end\":true}\n");
}

TEST(Anonymized, the_header_does_not_say_where_it_is_from) {
  const std::string text = anonymized(support::sample_bytes(support::whole_program));
  EXPECT_THAT(text, Not(HasSubstr("by hand")));
  EXPECT_THAT(text, HasSubstr("\"origin\":\"anonymized\""));
}

TEST(Anonymized, no_text_of_a_snapshot_is_left_but_keys_and_settings) {
  const std::string text = anonymized(support::sample_bytes(support::every_shape));
  for (const char* gone : {"train.py", "somebody", "a long name", "much longer", "\"one\"", "step",
                           "😀", "\"4\"]", "call\"", "$odd"})
    EXPECT_THAT(text, Not(HasSubstr(gone)));
  for (const char* kept : {"expandable_segments:True", "active_awaiting_free", "N/A",
                           "host_segments", "fx_node_op", "START"})
    EXPECT_THAT(text, HasSubstr(kept));
}

}  // namespace
}  // namespace vramlab::traces
