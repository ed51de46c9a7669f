// libcuda.so.1 of a dry run, as programs open it.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/kit/own_folder.h"
#include "tests/support/processes/places.h"
#include "tools/dry_run/driver/driver_functions.h"

namespace vramlab::tests {
namespace {

std::string library() { return support::binary_dir() + "/dry_run/lib/libcuda.so.1"; }

TEST(DryRunLibcuda, has_every_function_of_the_driver) {
  void* const opened = dlopen(library().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(opened, nullptr) << dlerror();
  for (const dry_run::DriverFunction& function : dry_run::driver_functions())
    EXPECT_NE(dlsym(opened, std::string(function.symbol).c_str()), nullptr) << function.symbol;
  for (const char* const own :
       {"vramlab_dry_run_note", "vramlab_dry_run_set_place", "vramlab_dry_run_set_values",
        "vramlab_dry_run_work", "vramlab_dry_run_gpu_count"})
    EXPECT_NE(dlsym(opened, own), nullptr) << own;
}

/// What a process does that opens the library, allocates and ends.
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
  return call("cuMemAlloc_v2", &at, std::size_t{3 << 20});
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
}

}  // namespace
}  // namespace vramlab::tests
