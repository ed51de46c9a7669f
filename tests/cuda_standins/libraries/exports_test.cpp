// Every library exports its whole list, and what PyTorch binds, with the versions of the real ones.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cuda_standins/libraries/library_test.h"

namespace vramlab::dry_run {
namespace {

struct List {
  std::vector<std::pair<std::string, std::string>> libraries;  // SONAME, version node
  std::vector<std::string> names;
};

List read_list(const std::filesystem::path& path) {
  List list;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first.empty() || first == "#") continue;
    if (first != "library") {
      list.names.push_back(first);
      continue;
    }
    std::string soname;
    std::string node;
    words >> soname >> node;
    list.libraries.emplace_back(soname, node);
  }
  return list;
}

bool has(const Library& library, const std::string& name, const std::string& node) {
  void* const found = node == "-" ? dlsym(library.handle(), name.c_str())
                                  : dlvsym(library.handle(), name.c_str(), node.c_str());
  return found != nullptr;
}

TEST(LibraryExports, every_function_of_every_list_has_its_version) {
  int libraries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           VRAMLAB_SOURCE_DIR "/tools/cuda_standins/libraries/lists")) {
    const List list = read_list(entry.path());
    for (const auto& [soname, node] : list.libraries) {
      const Library library(soname);
      ++libraries;
      for (const std::string& name : list.names)
        EXPECT_TRUE(has(library, name, node)) << soname << " " << name;
    }
  }
  EXPECT_GE(libraries, 31);
}

TEST(LibraryExports, what_pytorch_binds_is_there) {
  std::map<std::string, Library> loaded;
  std::ifstream lines(VRAMLAB_SOURCE_DIR
                      "/tests/cuda_standins/libraries/bound_by_pytorch_2.6.0.txt");
  int functions = 0;
  for (std::string soname, name, node; lines >> soname >> name >> node; ++functions)
    EXPECT_TRUE(has(loaded.try_emplace(soname, soname).first->second, name, node))
        << soname << " " << name;
  EXPECT_GT(functions, 400);
}

class UnknownFunctions : public LibraryTest {};

TEST_F(UnknownFunctions, succeed_and_are_noted_a_hundred_times) {
  const Library library("libcublas.so.12");
  for (int call = 0; call < 150; ++call) EXPECT_EQ(library.call("cublasAlloc"), 0);
  EXPECT_EQ(doings().notes_of("unknown", "libcublas.so.12 cublasAlloc"), 100);
}

TEST_F(UnknownFunctions, are_named_with_the_library_that_was_called) {
  EXPECT_EQ(Library("libcublas.so.13").call("cublasAlloc"), 0);
  EXPECT_EQ(doings().notes_of("unknown", "libcublas.so.13 cublasAlloc"), 1);
}

TEST_F(UnknownFunctions, of_nvml_are_not_supported) {
  EXPECT_EQ(Library("libnvidia-ml.so.1").call("nvmlDeviceGetFanSpeed"), 3);
}

TEST_F(UnknownFunctions, sizes_of_workspaces_are_none_and_modelled) {
  const Library library("libcusolver.so.11");
  int words = -1;
  EXPECT_EQ(library.call("cusolverDnSgetrf_bufferSize", nullptr, 4, 4, nullptr, 4, &words), 0);
  EXPECT_EQ(words, 0);
  EXPECT_EQ(doings().notes_of("modelled", "cusolver workspace"), 1);
}

}  // namespace
}  // namespace vramlab::dry_run
