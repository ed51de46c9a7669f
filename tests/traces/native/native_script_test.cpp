// A script is the program that its lines say, and a fault in it is told by line and column.
#include "traces/native/native_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/support/fuzz/native_rewriting.h"
#include "tests/support/recordings/native_samples.h"
#include "traces/native/native_script_writer.h"
#include "traces/native/script_line.h"

namespace vramlab::traces {
namespace {

using support::native_script_of;
using support::rewrite_native_script;
using testing::HasSubstr;

/// The records of a text but those of stacks, which are a script's own lines.
std::string without_stacks(const std::string& text) {
  const std::string without =
      std::regex_replace(text, std::regex("\\{\"(frame|stack|text)\":[0-9]+,.*\n"), "");
  return std::regex_replace(without, std::regex(",\"stack\":[0-9]+"), "");
}

/// The events of the script, as JSON.
std::string records_of(const std::string& script) {
  const auto reading = rewrite_native_script("program()\n" + script);
  EXPECT_EQ(reading.error, "") << script;
  const std::string text = without_stacks(reading.text);
  const std::string end = "{\"end\":true}\n";
  const std::size_t first = text.find('\n') + 1;
  return text.substr(first, text.size() - first - end.size());
}

std::string fault_of(const std::string& script) { return rewrite_native_script(script).error; }

TEST(NativeScript, every_kind_of_event_reads_back_as_it_was) {
  const std::string text = support::sample_bytes(support::whole_program);
  const auto reading = rewrite_native_script(native_script_of(text));
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(without_stacks(reading.text), without_stacks(support::rewrite_native_text(text).text));
}

TEST(NativeScript, the_first_bytes_tell_a_script) {
  EXPECT_TRUE(begins_like_native_script("program(memory=1)"));
  EXPECT_TRUE(begins_like_native_script("\n  program("));
  EXPECT_FALSE(begins_like_native_script("import torch"));
  EXPECT_FALSE(begins_like_native_script("programs("));
}

TEST(NativeScript, requests_and_frees_look_like_those_of_python) {
  EXPECT_EQ(records_of("a = empty(4*MiB)  # four\n\nb = empty(512, stream=7)\ndel a, b\n"),
            "{\"malloc\":1,\"bytes\":4194304}\n{\"malloc\":2,\"bytes\":512,\"stream\":7}\n"
            "{\"free\":1}\n{\"free\":2}\n");
  EXPECT_EQ(records_of("a.record_stream(7, device=1)\n"),
            "{\"use\":1,\"stream\":7,\"device\":1}\n");
}

TEST(NativeScript, lines_below_a_stream_or_device_have_it) {
  EXPECT_EQ(
      records_of("with stream(7):\n    a = empty(1)\n    with device(1):\n"
                 "        work(duration_ns=5*us)\n    b = empty(2, stream=0)\nc = empty(3)\n"),
      "{\"malloc\":1,\"bytes\":1,\"stream\":7}\n"
      "{\"work\":7,\"duration_ns\":5000,\"device\":1}\n"
      "{\"malloc\":2,\"bytes\":2}\n{\"malloc\":3,\"bytes\":3}\n");
}

TEST(NativeScript, blocks_end_with_an_event) {
  EXPECT_EQ(records_of("with capture(3):\n  with pool((1, 0), scope=\"capturing_streams\"):\n"
                       "    a = empty(1)\nwith range(\"step\"):\n  empty_cache()\n"),
            "{\"capture_begin\":3}\n{\"pool_begin\":[1,0],\"scope\":\"capturing_streams\"}\n"
            "{\"malloc\":1,\"bytes\":1,\"stream\":3}\n{\"pool_end\":[1,0]}\n{\"capture_end\":3}\n"
            "{\"range_begin\":\"step\"}\n{\"empty_cache\":[0,0]}\n{\"range_end\":\"step\"}\n");
}

TEST(NativeScript, numbers_are_sums_of_products) {
  EXPECT_EQ(records_of("external(2*3*KiB + 1_000 + 5)\n"), "{\"external\":7149}\n");
  EXPECT_EQ(records_of("external(18446744073709551615)\n"),
            "{\"external\":18446744073709551615}\n");
}

TEST(NativeScript, a_name_is_a_number_as_a_column_of_a_sheet_is) {
  EXPECT_EQ(number_of_name("a"), 1);
  EXPECT_EQ(number_of_name("z"), 26);
  EXPECT_EQ(number_of_name("aa"), 27);
  EXPECT_EQ(number_of_name("_5"), 5);
  EXPECT_EQ(number_of_name("del"), std::nullopt);
  EXPECT_EQ(number_of_name("Tensor"), std::nullopt);
  EXPECT_EQ(number_of_name("zzzzzzzzzzzzzzz"), std::nullopt);
  EXPECT_EQ(name_of_number(2846), "_2846") << "its letters would be those of del";
  EXPECT_EQ(name_of_number(0), "_0");
  for (const std::uint64_t number : {1U, 26U, 27U, 702U, 703U, 123456789U})
    EXPECT_EQ(number_of_name(name_of_number(number)), number);
  EXPECT_EQ(number_of_name(name_of_number(UINT64_MAX)), UINT64_MAX);
}

TEST(NativeScript, an_event_has_its_line_as_its_stack) {
  EXPECT_THAT(rewrite_native_script("program()\n# comment\na = empty(1)\n").text,
              HasSubstr("{\"name\":\"\",\"filename\":\"file\",\"line\":3}"));
}

TEST(NativeScript, devices_are_named_below_the_header) {
  const std::string script =
      "program(reference=\"2.6\", settings=\"expandable_segments:True\", origin=\"x\")\n"
      "device(0, memory=1*GiB)\ndevice(1, memory=2*GiB, name=\"big\")\n";
  EXPECT_EQ(native_script_of(rewrite_native_script(script).text), script);
}

struct FaultyScript {
  std::string script;
  std::string error;
};

TEST(NativeScript, a_fault_is_told_with_line_and_column) {
  const std::string header = "program(memory=1*GiB)\n";
  const FaultyScript cases[] = {
      {"program(memory=1*GB)",
       "line 1, column 18: expected a whole number, such as 512 or 4*MiB, "
       "found 'GB'"},
      {"program(memory=1, memory=2)", "line 1, column 19: expected 'memory', 'reference'"},
      {"program(version=3)", "line 1, column 17: expected a number from 1 to 2, found 3"},
      {header + "a = emty(4)", "line 2, column 5: expected 'empty(', found 'emty'"},
      {header + "a = empty(1.5*MiB)",
       "column 11: expected a whole number, such as 512 or 4*MiB, "
       "found '1.5'"},
      {header + "a = empty(4, strem=3)",
       "column 14: expected a keyword of 'malloc', found "
       "'strem'"},
      {header + "a = empty(4,)", "column 13: expected a keyword and '=', found ')'"},
      {header + "A = empty(4)", "line 2, column 1: expected an event, 'NAME = empty(...)'"},
      {header + "del", "line 2, column 4: expected a name"},
      {header + "del a b", "column 7: expected the end of the line, found 'b'"},
      {header + "with stream(3):",
       "line 3, column 1: expected a line of the 'with' above, found "
       "the end of the file"},
      {header + "with stream(3):\na = empty(3)", "line 3, column 1: expected a line of the 'with'"},
      {header + "with stream(3):\n  del a\n   del b",
       "line 4, column 4: expected a line that is "
       "indented by 2 spaces, found 'del'"},
      {header + "\tdel a", "line 2, column 1: expected spaces, found '?'"},
      {header + "with stram(3):\n  del a", "column 6: expected 'stream(', 'device(', 'pool('"},
      {header + "a.recordstream(3)", "column 3: expected 'record_stream(', found 'recordstream'"},
      {header + "work(3)", "expected the duration_ns of 'work', found the end of the line"},
      {header + "work(3, duration_ns=5, duration_ns=3)", "column 24: expected each keyword once"},
      {header + "host_malloc(a, bytes=3)", "line 2, column 1: expected 'version=2' in 'program('"},
      {header + "options(\"abc)", "expected '\"' at the end of the text"},
      {header + "marker(\"\\ud800\")", "column 9: expected a text in UTF-8"},
      {header + "memory_fraction(x)", "column 17: expected a number, such as 0.5, found 'x'"},
      {header + "pool_begin(1)", "column 12: expected '(', found '1'"},
      {header + "external(99999999999*TiB*GiB)",
       "column 22: expected a number up to 2^64 - 1, "
       "found a larger one"},
      {header + "capture_begin(3, mode=\"x\")",
       "column 24: expected the name of a mode, found "
       "'x'"},
      {header + "{\"malloc\":1,\"bytes\":1}", "line 2, column 1: expected an event"},
  };
  for (const FaultyScript& bad : cases)
    EXPECT_THAT(fault_of(bad.script), HasSubstr(bad.error)) << bad.script;
}

TEST(NativeScript, a_recording_is_no_script) {
  EXPECT_THAT([] { native_script_of(support::sample_bytes(support::every_shape)); },
              testing::Throws<std::exception>(testing::Property(
                  &std::exception::what, HasSubstr("a program's own events, for a script"))));
}

}  // namespace
}  // namespace vramlab::traces
