// Programs that are built with the compiler's sanitizers, and the library in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/preload/preloaded_run.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;

class SanitizedPrograms : public testing::Test {
 protected:
  SanitizedPrograms() { run_.set("VRAMLAB_RECORD", "").set("VRAMLAB_STATS", run_.file("stats")); }

  ProgramResult run(const std::string& kind, const std::string& scene) {
    const std::string program = "preload_sanitized_" + kind;
    is_built_ = std::filesystem::exists(built(program));
    return is_built_ ? run_.run({program, scene}) : ProgramResult{};
  }
  void expect_it_works(const std::string& kind) {
    const ProgramResult result = run(kind, "works");
    if (!is_built_) GTEST_SKIP() << "the compiler has no such sanitizer";
    EXPECT_EQ(result.output, "worked\n") << result.errors;
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_TRUE(has_report());
  }
  void expect_errors_are_found(const std::string& kind) {
    const ProgramResult result = run(kind, "overflows");
    if (!is_built_) GTEST_SKIP() << "the compiler has no such sanitizer";
    EXPECT_THAT(result.errors, HasSubstr("heap-buffer-overflow"));
    EXPECT_NE(result.exit_status, 0);
    EXPECT_FALSE(has_report());
  }
  bool has_report() const { return std::filesystem::exists(run_.file("stats")); }

  PreloadedRun run_;
  bool is_built_ = false;
};

TEST_F(SanitizedPrograms, refuse_to_start_with_the_shared_runtime_behind_us) {
  const ProgramResult result = run("address", "works");
  if (!is_built_) GTEST_SKIP() << "the compiler has no such sanitizer";
  EXPECT_THAT(result.errors, HasSubstr("ASan runtime does not come first"));
}

TEST_F(SanitizedPrograms, work_with_the_shared_runtime_before_us) {
  run_.set("LD_PRELOAD", std::string(VRAMLAB_LIBASAN) + ":" + preload_library());
  expect_it_works("address");
}

TEST_F(SanitizedPrograms, find_errors_with_the_shared_runtime_before_us) {
  run_.set("LD_PRELOAD", std::string(VRAMLAB_LIBASAN) + ":" + preload_library());
  expect_errors_are_found("address");
}

TEST_F(SanitizedPrograms, work_with_the_static_runtime) { expect_it_works("static_address"); }

TEST_F(SanitizedPrograms, find_errors_with_the_static_runtime) {
  expect_errors_are_found("static_address");
}

TEST_F(SanitizedPrograms, for_undefined_behaviour_work) { expect_it_works("undefined"); }

TEST_F(SanitizedPrograms, for_leaks_work) { expect_it_works("leak"); }

}  // namespace
}  // namespace vramlab::tests
