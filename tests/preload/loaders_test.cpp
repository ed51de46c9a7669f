// Every way in which a program gets at the driver, and every loader that stands in the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>

#include "tests/preload/preloaded_run.h"

namespace vramlab::tests {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string said(const PreloadedRun& run, const std::vector<std::string>& words) {
  const ProgramResult result = run.run(words);
  EXPECT_EQ(result.exit_status, 0) << result.output << result.errors;
  EXPECT_EQ(result.errors, "");
  return result.output;
}

std::string library(const std::string& name) { return built(name); }

TEST(Loaders, dlsym_gives_ours_for_hooked_symbols_and_the_drivers_for_others) {
  const PreloadedRun run;
  EXPECT_EQ(said(run, {"preload_loading", "dlsym"}),
            "cuMemAlloc_v2 ours:cuMemAlloc_v2\n"
            "cuMemHostAlloc driver\n"
            "cuModuleLoadData ours:cuModuleLoadData\n"
            "cuInit driver\n"
            "cuMemFreeAsync_ptsz ours:cuMemFreeAsync_ptsz\n"
            "cuGetProcAddress_v2 ours:cuGetProcAddress_v2\n"
            "cuGetExportTable driver\n"
            "cublasCreate_v2 nobody\n"
            "cuMemAlloc_v9 nobody\n");
}

TEST(Loaders, recorded_functions_are_ours_only_while_recording) {
  PreloadedRun run;
  EXPECT_THAT(said(run.record(), {"preload_loading", "dlsym"}),
              HasSubstr("cuMemHostAlloc ours:cuMemHostAlloc\ncuModuleLoadData driver\n"));
}

TEST(Loaders, nothing_is_ours_with_the_kill_switch) {
  PreloadedRun run;
  run.set("VRAMLAB_SHIM", "off");
  EXPECT_THAT(said(run, {"preload_loading", "dlsym"}), Not(HasSubstr("ours")));
  EXPECT_THAT(said(run, {"preload_loading", "resolver"}), Not(HasSubstr("ours")));
}

TEST(Loaders, a_mode_that_does_not_exist_is_said_and_replaces_nothing) {
  PreloadedRun run;
  run.set("VRAMLAB_SHIM", "defered");
  const ProgramResult result = run.run({"preload_loading", "dlsym"});
  EXPECT_THAT(result.errors, HasSubstr("VRAMLAB_SHIM=defered is no mode"));
  EXPECT_THAT(result.output, Not(HasSubstr("ours")));
}

TEST(Loaders, the_drivers_resolver_gives_ours_by_name_version_and_stream) {
  const PreloadedRun run;
  EXPECT_EQ(said(run, {"preload_loading", "resolver"}),
            "cuMemAlloc 3020 0: 0 ours:cuMemAlloc_v2\n"
            "cuMemAlloc 3020 0: 0 ours:cuMemAlloc_v2\n"
            "cuMemAlloc 13000 0: 0 ours:cuMemAlloc_v2\n"
            "cuMemAlloc 2000 0: 0 driver\n"
            "cuMemAlloc 3020 2: 0 ours:cuMemAlloc_v2\n"
            "cuMemFreeAsync 11020 0: 0 ours:cuMemFreeAsync\n"
            "cuMemFreeAsync 11020 2: 0 ours:cuMemFreeAsync_ptsz\n"
            "cuStreamBeginCapture 10000 0: 0 ours:cuStreamBeginCapture\n"
            "cuStreamBeginCapture 10010 2: 0 ours:cuStreamBeginCapture_v2_ptsz\n"
            "cuGetProcAddress 11030 0: 0 ours:cuGetProcAddress\n"
            "cuGetProcAddress 12000 0: 0 ours:cuGetProcAddress_v2\n"
            "cuInit 2000 0: 0 driver\n"
            "cuNoSuchFunction 13000 0: 0 nobody\n"
            "status 1\n"
            "cuMemAlloc 3020 0: 0 ours:cuMemAlloc_v2\n"
            "null 1\n");
}

TEST(Loaders, the_resolver_that_the_resolver_gives_is_ours_too) {
  const PreloadedRun run;
  EXPECT_EQ(said(run, {"preload_loading", "given_resolver"}),
            "cuMemAlloc 3020 0: 0 ours:cuMemAlloc_v2\n"
            "cuMemAlloc 3020 0: 0 ours:cuMemAlloc_v2\n");
}

TEST(Loaders, a_version_newer_than_we_know_gives_ours_where_the_function_is_still_the_same) {
  PreloadedRun run;
  run.set("FAKE_CUDA_DRIVER_VERSION", "14000");
  EXPECT_EQ(said(run, {"preload_loading", "newer_version"}),
            "cuMemAlloc 14000 0: 0 ours:cuMemAlloc_v2\n"
            "cuMemFreeAsync 14000 2: 0 ours:cuMemFreeAsync_ptsz\n"
            "cuInit 14000 0: 0 driver\n");
}

TEST(Loaders, a_lookup_calls_nothing_in_the_driver_but_its_resolver) {
  const PreloadedRun run;
  said(run, {"preload_loading", "dlsym"});
  EXPECT_THAT(run.run_command({"/bin/cat", run.file("driver.log")}).output, IsEmpty());
}

TEST(Loaders, rtld_default_finds_nobody_before_there_is_a_driver) {
  const PreloadedRun run;
  EXPECT_EQ(said(run, {"preload_loading", "default"}),
            "before nobody\n"
            "global before nobody\n"
            "error some\n"
            "after ours:cuMemAlloc_v2\n"
            "global after ours:cuMemAlloc_v2\n");
}

TEST(Loaders, a_driver_of_another_namespace_is_left_alone) {
  const PreloadedRun run;
  EXPECT_EQ(said(run, {"preload_loading", "namespace"}),
            "other namespace driver\n"
            "own namespace ours:cuMemAlloc_v2\n"
            "other again driver\n");
}

TEST(Loaders, an_rtld_deepbind_library_goes_past_us_and_works) {
  const PreloadedRun run;
  EXPECT_EQ(said(run, {"preload_loading", "deepbind", library("preload_scene.so")}),
            "asked driver\nlinked driver\ncalls 0 0\n");
}

TEST(Loaders, a_library_that_is_loaded_while_the_program_runs_gets_ours) {
  const PreloadedRun run;
  EXPECT_EQ(said(run, {"preload_loading", "library", library("preload_scene.so")}),
            "asked ours:cuMemAlloc_v2\nlinked ours:cuMemAlloc_v2\ncalls 0 0\n");
}

TEST(Loaders, without_a_driver_a_weak_name_answers_that_there_is_none) {
  PreloadedRun run;
  run.without_driver();
  // 34 is what there is to call without a driver.
  EXPECT_EQ(said(run, {"preload_loading", "weak"}), "weak 34 7\n");
  EXPECT_THAT(said(run, {"preload_loading", "default"}), HasSubstr("after nobody\n"));
  EXPECT_THAT(run.recordings(), IsEmpty());
}

TEST(Loaders, a_wrapper_before_us_finds_us_as_the_next) {
  PreloadedRun run;
  run.record().set("LD_PRELOAD", library("preload_wrapping.so") + ":" + preload_library());
  const std::string output = said(run, {"preload_direct", "allocate"});
  EXPECT_THAT(output, HasSubstr("wrapper's next ours:cuMemAlloc_v2\n"));
  EXPECT_EQ(run.recording().of_kind(traces::ProgramEventKind::malloc).size(), 1U);
}

TEST(Loaders, a_wrapper_behind_us_is_passed_over_and_the_program_works) {
  PreloadedRun run;
  run.record().set("LD_PRELOAD", preload_library() + ":" + library("preload_wrapping.so"));
  said(run, {"preload_direct", "allocate"});
  EXPECT_EQ(run.recording().of_kind(traces::ProgramEventKind::malloc).size(), 1U);
}

TEST(Loaders, the_systems_loader_leaves_us_out_of_setuid_programs) {
  PreloadedRun run;
  const std::string maps = "cat /proc/self/maps";
  ASSERT_THAT(run.run_command({"/bin/sh", "-c", maps}).output, HasSubstr("libvramlab_preload"));
  struct statvfs files{};
  ASSERT_EQ(statvfs(run.file("").c_str(), &files), 0);
  if ((files.f_flag & ST_NOSUID) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0)
    GTEST_SKIP() << "the system ignores setuid here";
  // A program of another user, which only root can make.
  const ProgramResult made = run.run_command(
      {"/bin/sh", "-c", "cp /bin/cat other && chown nobody other && chmod 4755 other"});
  if (made.exit_status != 0) GTEST_SKIP() << "only root makes a setuid program: " << made.errors;
  const std::string maps_of_setuid = run.run_command({"./other", "/proc/self/maps"}).output;
  EXPECT_THAT(maps_of_setuid, HasSubstr("libc.so"));
  EXPECT_THAT(maps_of_setuid, Not(HasSubstr("libvramlab_preload")));
}

TEST(Loaders, rtld_next_goes_by_the_caller_so_a_weak_forwarder_ends) {
  // As OpenMP's runtime asks for a tool: 0 is "no other one", -1 a caller that was led back.
  PreloadedRun run;
  for (const bool is_first : {true, false}) {
    const std::string wrapper = library("preload_wrapping.so");
    run.set("LD_PRELOAD",
            is_first ? wrapper + ":" + preload_library() : preload_library() + ":" + wrapper);
    EXPECT_THAT(said(run, {"preload_loading", "nothing"}), HasSubstr("tool 0\n"));
  }
}

TEST(Loaders, another_dlsym_behind_us_is_handed_over_to) {
  PreloadedRun run;
  run.set("LD_PRELOAD", preload_library() + ":" + library("preload_asking.so"));
  for (const char* const way : {"libc", "next"}) {
    run.set("VRAMLAB_TEST_ASKING", way);
    EXPECT_THAT(said(run, {"preload_loading", "dlsym"}),
                HasSubstr("cuMemAlloc_v2 ours:cuMemAlloc_v2\n"))
        << way;
  }
}

TEST(Loaders, another_dlsym_before_us_that_hands_over_leads_to_us) {
  PreloadedRun run;
  run.set("LD_PRELOAD", library("preload_asking.so") + ":" + preload_library());
  run.set("VRAMLAB_TEST_ASKING", "next");
  EXPECT_THAT(said(run, {"preload_loading", "dlsym"}),
              HasSubstr("cuMemAlloc_v2 ours:cuMemAlloc_v2\n"));
}

TEST(Loaders, another_dlsym_before_us_that_does_not_hand_over_goes_past_us) {
  PreloadedRun run;
  run.set("LD_PRELOAD", library("preload_asking.so") + ":" + preload_library());
  run.set("VRAMLAB_TEST_ASKING", "libc");
  EXPECT_THAT(said(run, {"preload_loading", "dlsym"}), HasSubstr("cuMemAlloc_v2 driver\n"));
}

}  // namespace
}  // namespace vramlab::tests
