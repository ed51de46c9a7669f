#include "tools/cli/kit/shared_files.h"

#include <fstream>
#include <iterator>

#include "traces/io/input_error.h"

namespace vramlab::tools {

std::optional<std::filesystem::path> first_own_place(
    std::initializer_list<std::filesystem::path> places) {
  const auto folder = own_folder();
  for (const std::filesystem::path& place : places) {
    auto path = (folder / place).lexically_normal();
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

std::optional<std::filesystem::path> find_shared_file(const std::filesystem::path& name) {
  return first_own_place({VRAMLAB_DATA_PLACE / name, "share/vramlab" / name});
}

std::optional<std::filesystem::path> find_page() {
  constexpr const char* page = "vramlab.html";
  if (auto path = find_shared_file(page)) return path;
  // A clone, where tools/web/build.sh left it.
  return first_own_place({std::filesystem::path("../build-page") / page});
}

std::string shared_file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw traces::InputError({path.string(), "", "a file that can be read", "an error"});
  return bytes;
}

}  // namespace vramlab::tools
