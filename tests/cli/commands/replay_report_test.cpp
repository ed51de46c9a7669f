// The report of `vramlab replay`: the table and the curves, as text and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/kit/command_test.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// In the folder of the sources, where samples have short names.
ProgramResult report(const std::vector<std::string>& arguments, const std::string& locale,
                     const std::string& input = "") {
  std::vector<std::string> command = {
      "/usr/bin/env", "-C",    support::source_dir(), "LC_ALL=" + locale, "LANG=C",
      vramlab_path,   "replay"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(command, input);
}

/// Half of the memory, all of it, a quarter.
const std::string small_program =
    "{\"format\":\"vramlab-trace\",\"version\":1}\n"
    "{\"malloc\":1,\"bytes\":20971520,\"time_ns\":5000}\n"
    "{\"malloc\":2,\"bytes\":20971520,\"time_ns\":6000}\n"
    "{\"free\":1,\"time_ns\":7000}\n"
    "{\"free\":2,\"time_ns\":9000}\n";

TEST(ReplayReports, curves_are_drawn_in_the_letters_of_the_locale) {
  const ProgramResult plain = report({"-"}, "C", small_program);
  EXPECT_THAT(plain.output, HasSubstr("  over time, peak 40.00 MiB\n"
                                      "  reserved   +###\n"
                                      "  allocated  +#+ \n"
                                      "             event 0  event 3, 4.00 us\n"));
  for (const char* locale : {"C.UTF-8", "en_US.utf8"})
    EXPECT_THAT(report({"-"}, locale, small_program).output, HasSubstr("  allocated  ▅█▅ \n"));
  EXPECT_THAT(report({"-"}, "", small_program).output, HasSubstr("  allocated  +#+ \n"));
}

TEST(ReplayReports, json_has_the_curve_and_no_peak_is_lost_in_it) {
  for (const char* options : {"", "expandable_segments:True", "backend:cudaMallocAsync"}) {
    SCOPED_TRACE(options);
    const ProgramResult result =
        report({"--json", "traces/samples/training.vtrace", "--conf", options}, "C");
    ASSERT_EQ(result.exit_status, 0) << result.errors;
    const json document = json::parse(result.output);
    const json& device = document.at("devices").at(0);
    const json& curve = device.at("curve");
    const std::uint64_t step = curve.at("events_per_step");
    EXPECT_EQ(curve.at("last_event"), document.at("allocator_calls").get<std::uint64_t>() - 1);
    for (const char* name : {"allocated", "reserved"}) {
      const json& levels = curve.at(std::string(name) + "_bytes");
      const json& peak = device.at(std::string("peak_") + name);
      EXPECT_EQ(*std::max_element(levels.begin(), levels.end()), peak.at("bytes"));
      EXPECT_EQ(levels.at(peak.at("event").get<std::uint64_t>() / step), peak.at("bytes"));
      EXPECT_EQ(levels.size(), curve.at("last_event").get<std::uint64_t>() / step + 1);
    }
    EXPECT_EQ(curve.at("reserved_bytes").back(), device.at("end").at("reserved_bytes"));
  }
}

TEST(ReplayReports, the_table_has_what_was_held_and_what_went_through) {
  const ProgramResult result = report({"-"}, "C", small_program);
  EXPECT_THAT(result.output,
              HasSubstr("                           current          peak  total allocated   "
                        "total freed\n"
                        "  allocated                0 bytes     40.00 MiB        40.00 MiB     "
                        "40.00 MiB\n"
                        "    small pool             0 bytes       0 bytes          0 bytes       "
                        "0 bytes\n"));
  EXPECT_THAT(result.output, HasSubstr("\n  classic segments               2             2"
                                       "                2             0\n"));
  const ProgramResult ordered =
      report({"-", "--conf", "backend:cudaMallocAsync"}, "C", small_program);
  EXPECT_THAT(ordered.output, Not(HasSubstr("small pool")));
}

}  // namespace
}  // namespace vramlab::tests
