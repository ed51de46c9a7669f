#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int not_supported = 801;

std::vector<std::string> names_in(const std::string& file) {
  std::vector<std::string> names;
  std::ifstream text(std::string(VRAMLAB_SOURCE_DIR) + '/' + file);
  for (std::string line; std::getline(text, line);)
    if (!line.empty() && line.front() != '#') names.push_back(line);
  return names;
}

void* open_library(const std::string& name) {
  void* const library = dlopen((std::string(VRAMLAB_DRY_RUN_LIB) + '/' + name).c_str(), RTLD_NOW);
  EXPECT_NE(library, nullptr) << dlerror();
  return library;
}

void check_names(const std::string& library, const std::string& file) {
  void* const opened = open_library(library);
  const std::vector<std::string> names = names_in(file);
  EXPECT_GT(names.size(), 80U);
  for (const std::string& name : names)
    EXPECT_NE(dlvsym(opened, name.c_str(), library.c_str()), nullptr) << name;
}

TEST(RuntimeNames, all_that_pytorch_binds_have_their_version) {
  check_names("libcudart.so.12", "tests/cuda_standins/runtime/bound_by_pytorch_2.6.0.txt");
}

TEST(RuntimeNames, all_of_a_version_are_there) {
  check_names("libcudart.so.12", "tools/cuda_standins/runtime/cudart_12.txt");
  check_names("libcudart.so.13", "tools/cuda_standins/runtime/cudart_13.txt");
}

TEST(RuntimeNames, what_only_one_version_has_is_not_in_the_other) {
  EXPECT_EQ(dlsym(open_library("libcudart.so.13"), "cudaGetDeviceProperties_v2"), nullptr);
  EXPECT_EQ(dlsym(open_library("libcudart.so.12"), "cudaGreenCtxCreate"), nullptr);
}

TEST(RuntimeNames, function_without_code_of_its_own_is_not_supported) {
  void* const library = open_library("libcudart.so.13");
  const auto unknown = reinterpret_cast<int (*)()>(dlsym(library, "cudaGreenCtxCreate"));
  const auto last_error = reinterpret_cast<int (*)()>(dlsym(library, "cudaGetLastError"));
  EXPECT_EQ(unknown(), not_supported);
  EXPECT_EQ(last_error(), not_supported);
}

TEST(RuntimeNames, versions_tell_themselves) {
  int version = 0;
  for (const auto& [library, expected] :
       {std::pair{"libcudart.so.12", 12090}, std::pair{"libcudart.so.13", 13000}}) {
    const auto ask =
        reinterpret_cast<int (*)(int*)>(dlsym(open_library(library), "cudaRuntimeGetVersion"));
    EXPECT_EQ(ask(&version), 0);
    EXPECT_EQ(version, expected);
  }
}

}  // namespace
