#include "tools/pytorch/loaded_pytorch.h"

#include <link.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace vramlab::pytorch {
namespace {

/// What is known of the PyTorch in this process.
struct LoadedPyTorch {
  bool is_there = false;
  /// Empty where no library of it lies beside one.
  std::filesystem::path version_file;
};

/// Wheels have torch/version.py, torch/lib/libc10.so and torch/_C.cpython-311-x86_64-linux-gnu.so.
/// Systems may keep libc10.so elsewhere.
LoadedPyTorch look_for_pytorch() {
  LoadedPyTorch found;
  const auto look = [](dl_phdr_info* library, std::size_t, void* result) {
    auto& pytorch = *static_cast<LoadedPyTorch*>(result);
    const std::filesystem::path path(library->dlpi_name);
    const std::string name = path.filename();
    const bool is_core = name == "libc10.so";
    if (!is_core && !(name.starts_with("_C.") && path.parent_path().filename() == "torch"))
      return 0;
    pytorch.is_there = true;
    const std::filesystem::path folder = path.parent_path();
    std::filesystem::path file = (is_core ? folder.parent_path() : folder) / "version.py";
    if (std::filesystem::exists(file)) pytorch.version_file = std::move(file);
    return pytorch.version_file.empty() ? 0 : 1;
  };
  dl_iterate_phdr(look, &found);
  return found;
}

/// version.py holds a line such as `__version__ = '2.12.1+cu130'`.
std::string release_in(const std::filesystem::path& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("__version__")) continue;
    const std::size_t begin = line.find_first_of("'\"");
    if (begin == std::string::npos) break;
    return line.substr(begin + 1, line.find(line[begin], begin + 1) - begin - 1);
  }
  throw std::runtime_error("vramlab_torch: " + file.string() + " names no version of PyTorch");
}

}  // namespace

const ReferenceVersion& reference_of_loaded_pytorch() {
  const LoadedPyTorch pytorch = look_for_pytorch();
  const ReferenceVersion& usual = allocator::default_reference_version();
  if (pytorch.version_file.empty()) {
    if (pytorch.is_there)
      std::fprintf(stderr,
                   "vramlab_torch: found no version.py of the loaded PyTorch; the rules are those "
                   "of %s\n",
                   std::string(usual.description).c_str());
    return usual;
  }
  const std::string release = release_in(pytorch.version_file);
  const ReferenceVersion* const version = allocator::reference_version_of_release(release);
  if (version == nullptr)
    throw std::runtime_error("vramlab_torch: no version of PyTorch is named '" + release + "'");
  return *version;
}

}  // namespace vramlab::pytorch
