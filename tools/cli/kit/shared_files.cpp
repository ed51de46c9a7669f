#include "tools/cli/kit/shared_files.h"

#include <fstream>
#include <iterator>
#include <system_error>

#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

std::optional<std::filesystem::path> first_that_exists(
    std::initializer_list<std::filesystem::path> places) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const std::filesystem::path& place : places) {
    auto path = (folder / place).lexically_normal();
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path;
  }
  return {};
}

}  // namespace

std::optional<std::filesystem::path> find_shared_file(const std::filesystem::path& name) {
  return first_that_exists({VRAMLAB_DATA_PLACE / name, "share/vramlab" / name});
}

std::optional<std::filesystem::path> find_page() {
  constexpr const char* page = "vramlab.html";
  if (auto path = find_shared_file(page)) return path;
  // A clone, where tools/web/build.sh left it.
  return first_that_exists({std::filesystem::path("../build-page") / page});
}

std::string shared_file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw traces::InputError({path.string(), "", "a file that can be read", "an error"});
  return bytes;
}

}  // namespace vramlab::tools
