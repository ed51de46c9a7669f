// libcuda.so.1 of a dry run, as programs open it.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/kit/own_folder.h"
#include "tests/support/processes/places.h"
#include "tools/cuda_standins/driver/driver_functions.h"

namespace vramlab::tests {
namespace {

std::string library() { return support::binary_dir() + "/dry_run/lib/libcuda.so.1"; }

TEST(DryRunLibcuda, has_every_function_of_the_driver) {
  void* const opened = dlopen(library().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(opened, nullptr) << dlerror();
  for (const dry_run::DriverFunction& function : dry_run::driver_functions())
    EXPECT_NE(dlsym(opened, std::string(function.symbol).c_str()), nullptr) << function.symbol;
  for (const char* const own : {"vramlab_dry_run_note",           "vramlab_dry_run_set_place",
                                "vramlab_dry_run_set_values",     "vramlab_dry_run_work",
                                "vramlab_dry_run_gpu_count",      "vramlab_dry_run_watch_memory",
                                "vramlab_dry_run_written_parts",  "vramlab_dry_run_work_at",
                                "vramlab_dry_run_read_memory",    "vramlab_dry_run_remember",
                                "vramlab_dry_run_tell_truths",    "vramlab_dry_run_is_yes",
                                "vramlab_dry_run_sort",           "vramlab_dry_run_unique",
                                "vramlab_dry_run_pick",           "vramlab_dry_run_own_answers",
                                "vramlab_dry_run_repeat",         "vramlab_dry_run_draw",
                                "vramlab_dry_run_mark",           "vramlab_dry_run_count_classes",
                                "vramlab_dry_run_count_in_bins",  "vramlab_dry_run_set_first_work",
                                "vramlab_dry_run_answer_nvml",    "vramlab_dry_run_write_notes",
                                "vramlab_dry_run_captures_begun", "vramlab_dry_run_tile"})
    EXPECT_NE(dlsym(opened, own), nullptr) << own;
}

/// The answers for paths that are there, as a program with the library in front gets them.
std::string paths_found(const std::string& paths) {
  const std::string folder = support::binary_dir() + "/dry_run/lib/";
  const std::string command = "LD_PRELOAD=" + folder + "libcuda.so.1:" + folder +
                              "libvramlab_device_files.so.1 sh -c 'for path in " + paths +
                              "; do test -e $path && echo $path; done'";
  FILE* const output = popen(command.c_str(), "r");
  std::string text;
  for (int letter = 0; (letter = std::fgetc(output)) != EOF;) text += static_cast<char>(letter);
  pclose(output);
  return text;
}

TEST(DryRunLibcuda, device_files_of_its_gpus_are_there_for_programs_that_look) {
  EXPECT_EQ(paths_found("/dev/nvidia0 /dev/nvidia77 /dev/nvidia0x /dev/nvidiactl /dev/nvidia "
                        "/dev/nvidia-uvm /no/such/file /dev/null"),
            "/dev/nvidia0\n/dev/nvidiactl\n/dev/nvidia-uvm\n/dev/null\n");
}

/// A process that opens the library, allocates and ends.
int use_and_end(const std::string& folder) {
  setenv("VRAMLAB_DRY_RUN_NOTES", folder.c_str(), 1);
  setenv("VRAMLAB_DRY_RUN_GPU", "l4", 1);
  void* const opened = dlopen(library().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return 1;
  const auto call = [opened](const char* name, auto... arguments) {
    return reinterpret_cast<int (*)(decltype(arguments)...)>(dlsym(opened, name))(arguments...);
  };
  void* context = nullptr;
  unsigned long long at = 0;
  if (call("cuInit", 0U) != 0 || call("cuDevicePrimaryCtxRetain", &context, 0) != 0) return 2;
  if (call("cuCtxSetCurrent", context) != 0) return 3;
  void* pinned = nullptr;
  if (call("cuMemHostAlloc", &pinned, std::size_t{4096}, 0U) != 0) return 4;
  if (call("cuMemFreeHost", pinned) != 0) return 5;
  if (call("cuMemHostAlloc", &pinned, std::size_t{512}, 0U) != 0) return 6;
  if (call("cuMemAlloc_v2", &at, std::size_t{3 << 20}) != 0) return 7;
  unsigned long long managed = 0;
  for (const std::size_t bytes : {std::size_t{5 << 20}, std::size_t{1 << 20}}) {
    if (call("cuMemAllocManaged", &managed, bytes, 1U) != 0) return 8;
    if (call("cuMemFree_v2", managed) != 0) return 9;
  }
  if (call("cuMemFree_v2", at) != 0) return 10;
  if (call("cuMemAllocManaged", &managed, std::size_t{6 << 20}, 1U) != 0) return 11;
  return 0;
}

TEST(DryRunLibcuda, leaves_notes_where_a_process_used_it) {
  const support::OwnFolder folder;
  const pid_t child = fork();
  if (child == 0) std::exit(use_and_end(folder.path()));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::ifstream file(folder.path() + std::to_string(child) + ".json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("\"pid\": " + std::to_string(child)), std::string::npos) << text;
  EXPECT_NE(text.find("\"peak_used_bytes\": 4194304"), std::string::npos) << text;
  EXPECT_NE(text.find("\"peak_managed_bytes\": 6291456, \"managed_at_peak_bytes\": 5242880, "
                      "\"peak_with_managed_bytes\": 9437184}"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"pinned\": {\"peak_bytes\": 4096, \"count\": 3, \"calls\": "
                      "[[\"host_alloc\", 4096], [\"host_free\", 4096], [\"host_alloc\", 512]]}"),
            std::string::npos)
      << text;
}

TEST(DryRunLibcuda, tensor_maps_are_made_on_the_host) {
  void* const opened = dlopen(library().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(opened, nullptr) << dlerror();
  const auto encode = reinterpret_cast<int (*)(void*, int, unsigned, void*, const void*)>(
      dlsym(opened, "cuTensorMapEncodeTiled"));
  const auto replace =
      reinterpret_cast<int (*)(void*, void*)>(dlsym(opened, "cuTensorMapReplaceAddress"));
  std::array<void*, 16> map{&map};
  EXPECT_EQ(encode(map.data(), 9, 2, opened, nullptr), 0);
  EXPECT_EQ(map.front(), opened);
  EXPECT_EQ(map.back(), nullptr);
  EXPECT_EQ(replace(map.data(), &map), 0);
  EXPECT_EQ(map.front(), &map);
  EXPECT_NE(encode(nullptr, 9, 2, opened, nullptr), 0);
}

/// The last one: processes that are forked after it would share its driver.
TEST(DryRunLibcuda, log_of_errors_is_empty) {
  void* const opened = dlopen(library().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(opened, nullptr) << dlerror();
  const auto call = [opened](const char* name, auto... arguments) {
    return reinterpret_cast<int (*)(decltype(arguments)...)>(dlsym(opened, name))(arguments...);
  };
  void* handle = nullptr;
  EXPECT_EQ(call("cuLogsRegisterCallback", opened, static_cast<void*>(nullptr), &handle), 0);
  EXPECT_NE(handle, nullptr);
  std::string text = "before";
  std::size_t size = text.size();
  unsigned iterator = 7;
  EXPECT_EQ(call("cuLogsCurrent", &iterator, 0U), 0);
  EXPECT_EQ(call("cuLogsDumpToMemory", &iterator, text.data(), &size, 0U), 0);
  EXPECT_EQ(size, 0U);
  EXPECT_EQ(text.front(), '\0');
  const support::OwnFolder folder;
  const std::string path = folder.path() + "log";
  EXPECT_EQ(call("cuLogsDumpToFile", &iterator, path.c_str(), 0U), 0);
  EXPECT_TRUE(std::ifstream(path).is_open());
  EXPECT_EQ(call("cuLogsUnregisterCallback", handle), 0);
  EXPECT_NE(call("cuLogsUnregisterCallback", static_cast<void*>(nullptr)), 0);
}

}  // namespace
}  // namespace vramlab::tests
