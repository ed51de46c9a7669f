#include "tools/cli/commands/dry_run/stand_ins.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <tuple>

#include "streams/device/gpu_models.h"
#include "tools/cli/kit/preloaded_program.h"
#include "tools/preload/names/file_names.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

/// The rest needs the driver, and the libraries of an older CUDA are asked first.
int rank_of(const std::string& name) {
  if (name.starts_with("libcuda.so")) return 0;
  return name.starts_with("libcudart.so") ? 1 : 2;
}

std::string in_front_of(const std::filesystem::path& folder, const char* variable) {
  // No thread of ours changes the environment.
  const char* const before = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  return folder.string() + (before == nullptr || *before == '\0' ? "" : std::string(":") + before);
}

std::string memory_text(const DryRunArguments& arguments) {
  const auto memory = arguments.memory();
  return memory ? std::to_string(memory->count) : "none";
}

/// As a shell finds it; empty where it doesn't.
std::filesystem::path found_in_path(const std::string& word) {
  if (word.find('/') != std::string::npos) return word;
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::filesystem::exists(std::filesystem::path(folder) / word))
      return std::filesystem::path(folder) / word;
  return {};
}

/// Choices among compiled kernels are made by modelled times and some code is made up, so neither
/// may get into caches that runs on a GPU use, and no run may depend on one before it.
void add_places_of_compiled_code(const std::filesystem::path& stand_ins,
                                 const std::filesystem::path& scratch, Variables& variables) {
  const std::filesystem::path place = place_of_compiled_code(scratch);
  for (const auto& [name, folder] :
       {std::pair{"TORCHINDUCTOR_CACHE_DIR", "inductor"}, std::pair{"TRITON_CACHE_DIR", "triton"},
        std::pair{"PYTORCH_KERNEL_CACHE_PATH", "torch"}, std::pair{"CUPY_CACHE_DIR", "cupy"}})
    variables.emplace_back(name, (place / folder).string());
  // Triton links what it compiles for the host with the driver, whose name has no version there.
  variables.emplace_back("TRITON_LIBCUDA_PATH", (stand_ins / "lib").string());
}

}  // namespace

bool is_plain_program(const std::string& word) {
  // They start what they are told to.
  static constexpr std::array<std::string_view, 16> starters = {
      "sh",   "bash",   "dash",   "zsh",     "env",     "timeout", "nice", "nohup",
      "time", "stdbuf", "setsid", "taskset", "numactl", "xargs",   "make", "busybox"};
  const std::filesystem::path path = found_in_path(word);
  const std::string name = path.filename().string();
  if (name.starts_with("python") || name.starts_with("pypy")) return false;
  if (std::ranges::find(starters, name) != starters.end()) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> begin{};
  file.read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) ==
         "\x7f"
         "ELF";
}

std::optional<Bytes> DryRunArguments::memory() const {
  if (device_memory == "none" || (device_memory.empty() && gpu.empty())) return std::nullopt;
  if (!device_memory.empty()) return Bytes{std::stoull(device_memory)};
  return streams::find_gpu(gpu)->available();
}

std::filesystem::path stand_in_folder() {
  require_own_libraries("stand-ins for CUDA's libraries");
  return find_own_file("dry_run", "vramlab/dry_run");
}

std::vector<std::filesystem::path> stand_in_libraries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> libraries;
  const std::filesystem::path place = folder / "lib";
  if (std::filesystem::is_directory(place))
    for (const auto& entry : std::filesystem::directory_iterator(place))
      if (entry.path().filename().string().find(".so.") != std::string::npos)
        libraries.push_back(entry.path());
  if (libraries.empty())
    throw traces::InputError({place.string(), "", "stand-ins for CUDA's libraries", "none"});
  std::ranges::sort(libraries, {}, [](const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return std::tuple(rank_of(name), name);
  });
  return libraries;
}

std::filesystem::path place_of_compiled_code(const std::filesystem::path& scratch) {
  return scratch / "compiled";
}

Variables stand_in_variables(const DryRunArguments& arguments,
                             const std::filesystem::path& stand_ins,
                             const std::filesystem::path& scratch) {
  Variables variables = {
      {"PYTHONPATH", in_front_of(stand_ins / "python", "PYTHONPATH")},
      {"PATH", in_front_of(stand_ins / "bin", "PATH")},
      {"VRAMLAB_DRY_RUN", "1"},
      {"VRAMLAB_DRY_RUN_GPU", arguments.gpu.empty() ? usual_gpu : arguments.gpu},
      {"VRAMLAB_DRY_RUN_GPUS", std::to_string(arguments.gpu_count)},
      {"VRAMLAB_DRY_RUN_MEMORY", memory_text(arguments)},
      {"VRAMLAB_DRY_RUN_HELD", std::to_string(arguments.held_by_others.value_or(0))},
      {"VRAMLAB_DRY_RUN_KERNEL_NS", std::to_string(arguments.kernel_time_ns)},
      {"VRAMLAB_DRY_RUN_VALUES", arguments.values},
      {"VRAMLAB_DRY_RUN_NOTES", scratch.string()},
      {"VRAMLAB_DRY_RUN_HISTORY", names::literal_name(scratch.string()) + "/history.%p.pickle"},
  };
  add_places_of_compiled_code(stand_ins, scratch, variables);
  if (!arguments.values_from.empty())
    variables.emplace_back("VRAMLAB_DRY_RUN_VALUES_FROM",
                           std::filesystem::absolute(arguments.values_from).string());
  if (!arguments.output.empty())
    variables.emplace_back("VRAMLAB_DRY_RUN_OUTPUT", names::from_this_folder(arguments.output));
  if (arguments.steps > 0)
    variables.emplace_back("VRAMLAB_DRY_RUN_STEPS", std::to_string(arguments.steps));
  if (arguments.mark_every > 0)
    variables.emplace_back("VRAMLAB_DRY_RUN_MARK_EVERY", std::to_string(arguments.mark_every));
  if (!arguments.report_signal.empty())
    variables.emplace_back("VRAMLAB_DRY_RUN_SIGNAL", arguments.report_signal);
  if (arguments.conf)
    for (const char* const name : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"})
      variables.emplace_back(name, *arguments.conf);
  return variables;
}

}  // namespace vramlab::tools
