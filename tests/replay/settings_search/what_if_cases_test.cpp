// Recorded cases as what-ifs: the calls of one under the options of another. No recording has the
// answers; the textbook twin gives them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/processes/places.h"
#include "tests/support/twin/side_by_side.h"
#include "traces/cases/recorded_case.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;

const fs::path folder = support::source_dir() + "/tests/conformance";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".gz") names.push_back(entry.path().stem().stem().string());
  std::ranges::sort(names);
  return names;
}

traces::RecordedProgram program_of(const std::string& name) {
  return traces::read_recorded_case((folder / (name + ".json.gz")).string()).program;
}

struct CaseOptions {
  const allocator::ReferenceVersion* version;
  std::string config;
};

/// Every case, read once, as reading them takes longer than the runs of a test.
const std::vector<CaseOptions>& options_of_all() {
  static const std::vector<CaseOptions> all = [] {
    std::vector<CaseOptions> read;
    for (const std::string& name : case_names()) {
      const traces::RecordedProgram program = program_of(name);
      read.push_back({program.version, program.config});
    }
    return read;
  }();
  return all;
}

/// Each different string of the cases of the same version, once.
std::vector<std::string> options_for(const traces::RecordedProgram& program) {
  std::vector<std::string> options = {"", "expandable_segments:True",
                                      "max_split_size_mb:32,roundup_power2_divisions:4"};
  for (const CaseOptions& other : options_of_all()) {
    const bool is_known = std::ranges::find(options, other.config) != options.end();
    if (other.version == program.version && !is_known) options.push_back(other.config);
  }
  return options;
}

class CaseUnderOtherOptions : public testing::TestWithParam<std::string> {};

TEST_P(CaseUnderOtherOptions, does_what_the_textbook_twin_does) {
  traces::RecordedProgram program = program_of(GetParam());
  const std::vector<std::string> options = options_for(program);
  ASSERT_GT(options.size(), 5U);
  for (const std::string& config : options) {
    program.config = config;
    const auto difference = first_difference(program, RuleChecks::none);
    EXPECT_FALSE(difference) << config << ": " << *difference;
  }
}

TEST_P(CaseUnderOtherOptions, on_two_thirds_of_its_device_too) {
  traces::RecordedProgram program = program_of(GetParam());
  program.device_total = {program.device_total.count / 3 * 2};
  for (const std::string& config : {std::string(), std::string("expandable_segments:True"),
                                    std::string("max_split_size_mb:32"), program.config}) {
    program.config = config;
    const auto difference = first_difference(program, RuleChecks::none);
    EXPECT_FALSE(difference) << config << ": " << *difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, CaseUnderOtherOptions, testing::ValuesIn(case_names()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace vramlab::tests
