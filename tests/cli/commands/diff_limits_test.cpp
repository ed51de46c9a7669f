// The limits of `vramlab diff` from outside: budgets and refusals.
#include <nlohmann/json.hpp>

#include "tests/support/kit/diff_runs.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class DiffRefusals : public DiffRuns {};

class DiffBudget : public DiffRuns {
 protected:
  void SetUp() override {
    DiffRuns::SetUp();
    write("base.jsonl", program_of({{1, {mebibyte}}}));
    write("new.jsonl", program_of({{1, {3 * mebibyte}}}));
  }
  static std::string budget_of(const std::string& limit) {
    return json({{"schema_version", 1}, {"fail_if", {limit}}}).dump();
  }
};

TEST_F(DiffBudget, in_the_current_folder_is_used) {
  write(".vramlab.json", budget_of("peak_allocated > +10%"));
  const ProgramResult result = diff({"base.jsonl", "new.jsonl"});
  EXPECT_EQ(result.exit_status, 1) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("BROKEN  peak_allocated > +10%: 1.00 MiB before, 3.00 MiB"));
  EXPECT_EQ(json::parse(diff({"base.jsonl", "new.jsonl", "--json"}).output)["limits"][0]["origin"],
            ".vramlab.json at fail_if[0]");
}

TEST_F(DiffBudget, stands_beside_the_limits_of_the_command_line) {
  write(".vramlab.json", budget_of("peak_allocated > +300%"));
  const json both = json::parse(
      diff({"base.jsonl", "new.jsonl", "--json", "--fail-if", "peak_allocated > 2MiB"}).output);
  ASSERT_EQ(both["limits"].size(), 2U);
  EXPECT_EQ(both["limits"][0]["broken"], false);
  EXPECT_EQ(both["limits"][1]["broken"], true);
  EXPECT_EQ(both["limits"][1]["origin"], "--fail-if");
  EXPECT_EQ(both["limits"][1]["base"], nullptr);
  EXPECT_EQ(both["limits"][1]["new"], 3 * mebibyte);
}

TEST_F(DiffBudget, is_left_out_where_that_is_asked) {
  write(".vramlab.json", budget_of("peak_allocated > +10%"));
  const ProgramResult result = diff({"base.jsonl", "new.jsonl", "--no-budget"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, Not(HasSubstr("limits")));
}

TEST_F(DiffBudget, that_is_named_takes_the_place_of_the_usual_one) {
  write(".vramlab.json", budget_of("peak_allocated > +10%"));
  write("other.json", budget_of("peak_allocated > +1000%"));
  EXPECT_EQ(diff({"base.jsonl", "new.jsonl", "--budget", "other.json"}).exit_status, 0);
  expect_refused({"base.jsonl", "new.jsonl", "--budget", "none.json"},
                 "none.json: expected a file that can be read, found No such file");
}

TEST_F(DiffBudget, with_a_fault_is_refused_before_anything_is_read) {
  write(".vramlab.json", "{\"schema_version\": 1, \"fail_if\": [\"speed > 1\"]}");
  expect_refused({"base.jsonl", "new.jsonl"},
                 ".vramlab.json at fail_if[0] 'speed > 1' at letter 1: expected the name of a "
                 "metric (docs/reference/metrics.md), found 'speed'");
  write(".vramlab.json", "{\"schema_version\": 1");
  expect_refused({"base.jsonl", "new.jsonl"}, ".vramlab.json at byte 21: expected JSON, found ");
}

TEST_F(DiffBudget, has_limits_for_files_by_their_names) {
  write(".vramlab.json", R"({"schema_version": 1, "budgets": [
            {"files": "new.*", "fail_if": ["peak_allocated > +10%"]}]})");
  EXPECT_EQ(diff({"base.jsonl", "new.jsonl"}).exit_status, 1);
  EXPECT_EQ(diff({"base.jsonl", "./new.jsonl"}).exit_status, 1);
  EXPECT_EQ(diff({"new.jsonl", "base.jsonl"}).exit_status, 0);
}

TEST_F(DiffRefusals, of_limits_that_mean_nothing) {
  const std::string file = leak;
  expect_refused({file, file, "--fail-if", "speed > 1"},
                 "--fail-if 'speed > 1' at letter 1: expected the name of a metric");
  expect_refused({file, file, "--fail-if", "peak_reserved > 1 XB"},
                 "at letter 19: expected a unit such as MiB or GiB, or %, found 'XB'");
  expect_refused({file, file, "--fail-if", "group_growth > +2%"}, "is a change already");
}

TEST_F(DiffRefusals, of_limits_on_what_a_file_does_not_tell) {
  write("report.json", "{\"schema_version\":1,\"metrics\":{\"requests\":1}}");
  expect_refused({leak, "report.json", "--fail-if", "peak_reserved > +2%"},
                 "--fail-if 'peak_reserved > +2%': expected a metric that both files have, found "
                 "report.json without peak_reserved");
  expect_refused({"report.json", "report.json", "--fail-if", "new_groups > 0"},
                 "found report.json without new_groups");
}

TEST_F(DiffRefusals, of_files_that_are_none) {
  const std::string file = leak;
  expect_refused({file, "none.pickle"},
                 "none.pickle: expected a file that can be read, found No such file or directory");
  expect_refused({"none.pickle", file}, "none.pickle: expected a file that can be read");
  write("text.txt", "hello\n");
  expect_refused({"text.txt", file}, "text.txt");
  expect_refused({file, file, "--device", "7"}, "expected a device 7, found none of that number");
  expect_refused({file, file, "--at", "oom"}, "expected a request that failed, found none");
}

TEST_F(DiffRefusals, of_reports_with_a_fault) {
  const struct {
    const char* report;
    const char* reason;
  } faults[] = {
      {R"({"schema_version":1,"file":"x"})", ": expected a report with metrics, such as"},
      {R"({"schema_version":4,"metrics":{}})", " at schema_version: expected 1, 2 or 3, found 4"},
      {R"({"schema_version":1,"metrics":[]})", " at metrics: expected an object, found array"},
      {R"({"schema_version":1,"metrics":{}} x)", " at byte 35: expected JSON, found"},
      {R"({"schema_version":1,"metrics":{"requests":"x"}})",
       " at metrics.requests: expected a whole number, not negative, found \"x\""},
      {R"({"schema_version":1,"metrics":{"requests":-1}})",
       " at metrics.requests: expected a whole number, not negative, found -1"},
      {R"({"schema_version":1,"metrics":{"requests":1.5}})",
       " at metrics.requests: expected a whole number, not negative, found 1.5"},
      {R"({"schema_version":1,"metrics":{"reserved":18446744073709551615}})",
       " at metrics.reserved: expected a whole number, not negative, found 18446744073709551615"},
      {R"({"schema_version":1,"metrics":{"usable_share":1.1}})",
       " at metrics.usable_share: expected a number from 0 to 1, found 1.1"},
  };
  for (const auto& fault : faults) {
    write("report.json", fault.report);
    expect_refused({"report.json", "report.json"}, std::string("report.json") + fault.reason);
  }
}

TEST_F(DiffRefusals, of_a_device_that_a_report_does_not_have) {
  for (const char* devices :
       {"[{\"device\":1,\"metrics\":{}}]", "[{\"device\":\"0\"}]", "[]", "7"}) {
    write("report.json",
          std::string("{\"schema_version\":1,\"metrics\":{},\"devices\":") + devices + "}");
    expect_refused({"report.json", "report.json", "--device", "0"},
                   "report.json at devices: expected device 0, found none");
  }
}

}  // namespace
}  // namespace vramlab::tests
