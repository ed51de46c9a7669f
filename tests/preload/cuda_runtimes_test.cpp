// CUDA's own runtimes, static and shared, over the fake driver: they ask for all that they use, and
// then find that the driver is not theirs and give up. What they were given until then is judged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "tests/preload/preloaded_run.h"
#include "tools/preload/ground/hook_table.h"

namespace vramlab::tests {
namespace {

using preload::DefaultStream;
using testing::HasSubstr;
using testing::IsEmpty;

struct Asked {
  std::string name;
  int version = 0;
  int flags = 0;
  std::string given;
};

std::vector<Asked> asked_of_resolver(const std::string& path) {
  std::vector<Asked> all;
  std::ifstream log(path);
  for (std::string line; std::getline(log, line);) {
    Asked asked;
    std::istringstream parts(line);
    std::string version;
    std::string flags;
    std::getline(parts, asked.name, '|');
    std::getline(parts, version, '|');
    std::getline(parts, flags, '|');
    std::getline(parts, asked.given, '|');
    asked.version = std::stoi(version);
    asked.flags = std::stoi(flags);
    all.push_back(asked);
  }
  return all;
}

/// The function that the table means for a query that the driver answered.
std::string intended(const Asked& asked, bool recording) {
  const auto hook = preload::hook_of_query(
      {asked.name, asked.version,
       asked.flags == 2 ? DefaultStream::per_thread : DefaultStream::legacy});
  if (!hook) return "driver";
  const preload::HookRow& row = preload::row_of(*hook);
  if (row.use == (recording ? preload::HookUse::room : preload::HookUse::recorded)) return "driver";
  return "ours:" + std::string(row.symbol);
}

class CudaRuntimes : public testing::TestWithParam<std::string> {};

TEST_P(CudaRuntimes, get_exactly_the_intended_functions) {
  const std::string name = "preload_runtime_" + GetParam();
  if (!std::filesystem::exists(built(name)))
    GTEST_SKIP() << "NOT TESTED with CUDA's own runtime: no Toolkit that has it";
  for (const bool recording : {false, true}) {
    PreloadedRun run;
    run.set("LD_PRELOAD", built("preload_asking.so") + ":" + preload_library());
    run.set("ASKED_LOG", run.file("asked")).set("VRAMLAB_SHIM", recording ? "record" : "deferred");
    const ProgramResult result = run.run({name});
    EXPECT_THAT(result.output, HasSubstr("cudaMalloc ")) << result.errors;
    const auto asked = asked_of_resolver(run.file("asked"));
    // Other Toolkits have other numbers.
    if (std::string_view(VRAMLAB_CUDA_RUNTIME).starts_with("13.0")) {
      EXPECT_EQ(asked.size(), 440U);
    }
    ASSERT_GT(asked.size(), 100U);
    std::size_t ours = 0;
    for (const Asked& one : asked) {
      if (one.given == "nobody") continue;
      EXPECT_EQ(one.given, intended(one, recording)) << one.name << " " << one.version;
      ours += one.given.starts_with("ours:") ? 1 : 0;
    }
    EXPECT_GT(ours, 20U);
    RecordProperty("queries", static_cast<int>(asked.size()));
    RecordProperty(recording ? "ours_recording" : "ours", static_cast<int>(ours));
  }
}

INSTANTIATE_TEST_SUITE_P(Toolkit, CudaRuntimes, testing::Values("static", "shared"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace vramlab::tests
