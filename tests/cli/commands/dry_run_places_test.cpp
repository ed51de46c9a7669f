// The folder of a run of `vramlab dry-run`, and code that a program compiles into it while it runs.
#include <unistd.h>

#include <fstream>

#include "tests/support/kit/dry_run_test.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

class DryRunPlaces : public DryRunTest {
 protected:
  /// The first folder of all, which a run takes unless another has it.
  std::string folder_of_run(int number = 1) const {
    return in_folder("scratch/vramlab-dry-run-") + std::to_string(geteuid()) + "-" +
           std::to_string(number);
  }

  std::string compiled_code_of(const std::vector<std::string>& around) const {
    std::vector<std::string> words = around;
    for (const char* const word : {"sh", "-c", "echo $TRITON_CACHE_DIR"}) words.emplace_back(word);
    return dry_run({}, words).output;
  }

  /// A file in the place of a folder.
  static void take_name(const std::string& path) { std::ofstream(path) << "taken"; }

  bool nothing_is_left() const { return fs::is_empty(in_folder("scratch")); }
};

TEST_F(DryRunPlaces, code_compiled_in_a_run_stays_in_it) {
  const std::string compiled = folder_of_run() + "/compiled/";
  for (int run = 0; run < 2; ++run) {
    const ProgramResult result = dry_run_shell(
        "set -e; for place in $TRITON_CACHE_DIR $TORCHINDUCTOR_CACHE_DIR $CUPY_CACHE_DIR "
        "$VLLM_CACHE_ROOT; do"
        " test ! -e $place; mkdir $place; echo $place; done;"
        " test -z \"$(ls $PYTORCH_KERNEL_CACHE_PATH)\"; touch $PYTORCH_KERNEL_CACHE_PATH/kernel;"
        " echo $PYTORCH_KERNEL_CACHE_PATH");
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.output, compiled + "triton\n" + compiled + "inductor\n" + compiled + "cupy\n" +
                                 compiled + "vllm\n" + compiled + "torch\n");
  }
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(DryRunPlaces, compilers_stand_behind_those_that_the_program_has) {
  std::ofstream(in_folder("own.c")) << "int nvrtcVersion(int* major, int* minor) { *major = 77; "
                                       "return *minor = 0; }";
  std::ofstream(in_folder("ask.c")) << R"(
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** words) {
  int major = -1, minor = -1;
  int (*version)(int*, int*) = (int (*)(int*, int*))dlsym(dlopen(words[count - 1], RTLD_NOW), "nvrtcVersion");
  return version == 0 || version(&major, &minor) != 0 || printf("%d\n", major) < 0;
})";
  const std::string place = in_folder("");
  const ProgramResult result =
      dry_run_shell("set -e; cd " + place +
                    "; cc -shared -fPIC -Wl,-soname,libnvrtc.so.12 -o libnvrtc.so.12 own.c; "
                    "cc -o ask ask.c -ldl; ./ask " +
                    place + "/libnvrtc.so.12; ./ask libnvrtc.so.12");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, testing::MatchesRegex("77\n1[23]\n"));
}

TEST_F(DryRunPlaces, pytorch_finds_a_folder_for_its_kernels) {
  const ProgramResult result = dry_run_shell("test -w $PYTORCH_KERNEL_CACHE_PATH");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
}

TEST_F(DryRunPlaces, compiled_code_is_kept_where_that_is_asked) {
  const std::vector<std::string> options = {
      "--keep-compiled", in_folder("kept"), "--world-size", "2", "--ranks", "all"};
  const ProgramResult first = dry_run(options, {"sh", "-c",
                                                "echo $RANK >> $TORCH_EXTENSIONS_DIR-seen; "
                                                "echo $TRITON_CACHE_DIR $TORCH_EXTENSIONS_DIR"});
  const std::string kept = in_folder("kept");
  const std::string line = kept + "/triton " + kept + "/extensions\n";
  EXPECT_EQ(first.output, line + line);
  EXPECT_EQ(content_of(kept + "/extensions-seen"), "0\n1\n");
}

TEST_F(DryRunPlaces, each_rank_of_a_job_compiles) {
  const ProgramResult result =
      dry_run({"--world-size", "3", "--ranks", "all"},
              {"sh", "-c", "test ! -e $TRITON_CACHE_DIR && mkdir -p $TRITON_CACHE_DIR"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
}

TEST_F(DryRunPlaces, runs_at_one_time_have_folders_of_their_own) {
  EXPECT_EQ(compiled_code_of({vramlab_path, "dry-run", "-q", "--"}),
            folder_of_run(2) + "/compiled/triton\n");
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(DryRunPlaces, what_a_killed_run_left_is_removed) {
  fs::create_directories(folder_of_run() + "/compiled/triton");
  write("scratch/" + fs::path(folder_of_run()).filename().string() + "/1.json", "of another run");
  const ProgramResult result = dry_run_shell("test ! -e $TRITON_CACHE_DIR");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.errors, HasSubstr("the program did not use CUDA"));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(DryRunPlaces, folder_that_others_may_write_into_is_not_taken) {
  fs::create_directories(folder_of_run());
  for (const fs::perms others : {fs::perms::others_write, fs::perms::group_write}) {
    fs::permissions(folder_of_run(), fs::perms::owner_all | others);
    EXPECT_EQ(compiled_code_of({}), folder_of_run(2) + "/compiled/triton\n");
  }
  fs::permissions(folder_of_run(), fs::perms::owner_all);
  EXPECT_EQ(compiled_code_of({}), folder_of_run() + "/compiled/triton\n");
}

TEST_F(DryRunPlaces, all_numbers_in_use_do_not_stop_a_run) {
  fs::create_directory(in_folder("scratch"));
  for (int number = 1; number <= 1000; ++number) take_name(folder_of_run(number));
  const std::string place = compiled_code_of({});
  EXPECT_THAT(place,
              testing::MatchesRegex(".*/vramlab-dry-run-[0-9]+-[a-zA-Z0-9]{6}/compiled/triton\n"));
}

TEST_F(DryRunPlaces, what_is_no_folder_of_ours_is_left_alone) {
  fs::create_directory(in_folder("others"));
  write("others/file", "kept");
  fs::create_symlink(in_folder("others"), folder_of_run());
  EXPECT_EQ(compiled_code_of({}), folder_of_run(2) + "/compiled/triton\n");
  EXPECT_EQ(content_of(in_folder("others/file")), "kept");
}

TEST_F(DryRunPlaces, program_can_link_with_the_driver_while_it_runs) {
  const ProgramResult result = dry_run_shell(
      "cd '" + folder +
      "' && echo 'int cuInit(unsigned); int main(void) { return cuInit(0); }' > linked.c && "
      "cc linked.c -o linked \"-L$TRITON_LIBCUDA_PATH\" -lcuda && ./linked");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
}

// CUDA's own runtime asks for these tables, and ends if they are missing.
TEST_F(DryRunPlaces, program_with_the_runtime_linked_in_is_named) {
  const ProgramResult result = dry_run_shell(
      "cd '" + folder +
      "' && echo 'int cuGetExportTable(const void**, const void*);"
      " int main(void) { const void* table; return cuGetExportTable(&table, \"\") == 500 ? 7 "
      ": "
      "0; }' > by_nvcc.c && cc by_nvcc.c -o by_nvcc \"-L$TRITON_LIBCUDA_PATH\" -lcuda && "
      "./by_nvcc");
  EXPECT_EQ(result.exit_status, 7) << result.errors;
  EXPECT_THAT(result.errors,
              HasSubstr("CUDA's runtime is linked in, and does not run here: by_nvcc"));
}

TEST_F(DryRunPlaces, compilers_that_ask_for_tables_are_no_programs_with_a_runtime) {
  std::ofstream(in_folder("own.c")) << "int cuGetExportTable(const void**, const void*); "
                                       "int nvJitLinkAsk(void) { const void* table; "
                                       "return cuGetExportTable(&table, \"\"); }";
  std::ofstream(in_folder("ask.c")) << "int nvJitLinkAsk(void); "
                                       "int main(void) { return nvJitLinkAsk() == 500 ? 7 : 1; }";
  const ProgramResult result =
      dry_run_shell("cd " + in_folder("") +
                    " && cc -shared -fPIC -o libnvJitLink.so.99 own.c && "
                    "cc -o ask ask.c ./libnvJitLink.so.99 -Wl,--allow-shlib-undefined && ./ask");
  EXPECT_EQ(result.exit_status, 7) << result.errors;
  EXPECT_THAT(result.errors, testing::Not(HasSubstr("linked in")));
}

}  // namespace
}  // namespace vramlab::tests
