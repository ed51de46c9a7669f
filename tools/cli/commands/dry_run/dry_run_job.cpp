#include "tools/cli/commands/dry_run/dry_run_job.h"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "streams/device/gpu_models.h"
#include "tools/cli/kit/preloaded_program.h"
#include "tools/preload/names/file_names.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using traces::InputError;

/// The order of loading: all others need the driver, and libraries of an older CUDA come first.
int rank_of(const std::string& name) {
  if (name.starts_with("libcuda.so")) return 0;
  return name.starts_with("libcudart.so") ? 1 : 2;
}

/// Compilers need no GPU: a program that finds one of its own by a path uses that one. Others find
/// the stand-in by LD_LIBRARY_PATH.
bool is_preloaded(std::string_view name) {
  return name.find(".so.") != std::string_view::npos && !name.starts_with("libnvrtc.") &&
         !name.starts_with("libnvJitLink.");
}

/// A variable that lists folders, and the one of ours that comes first in it.
struct FolderList {
  const char* variable;
  const char* folder;
};
/// Programs look in the last one for a library by its name without a version.
constexpr FolderList lists_of_folders[] = {
    {"PYTHONPATH", "python"}, {"PATH", "bin"}, {"LD_LIBRARY_PATH", "lib"}};

/// The folder in front of those that the caller's variable names, else the environment's.
std::string in_front_of(const std::filesystem::path& folder, const char* variable,
                        const DryRunArguments& arguments) {
  // No thread of ours changes the environment.
  const char* const inherited = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  std::string before = inherited == nullptr ? "" : inherited;
  for (const auto& [name, value] : arguments.variables)
    if (name == variable) before = value;
  return folder.string() + (before.empty() ? "" : ":" + before);
}

std::string memory_text(const DryRunArguments& arguments) {
  const auto memory = arguments.memory();
  return memory ? std::to_string(memory->count) : "none";
}

/// The program that a shell would find; empty if there is none.
std::filesystem::path found_in_path(const std::string& word) {
  if (word.find('/') != std::string::npos) return word;
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::filesystem::exists(std::filesystem::path(folder) / word))
      return std::filesystem::path(folder) / word;
  return {};
}

/// The folder for code that the program compiles: inside that of the run, unless it is to be kept.
std::filesystem::path place_of_compiled_code(const DryRunArguments& arguments,
                                             const std::filesystem::path& scratch) {
  return arguments.keep_compiled.empty() ? scratch / "compiled"
                                         : std::filesystem::absolute(arguments.keep_compiled);
}

/// The place of PyTorch's own kernels, inside that of compiled code.
constexpr const char* kernels_of_pytorch = "torch";

/// PyTorch wants a folder that is there; all others make their own.
void make_place(const std::filesystem::path& place) {
  std::error_code error;
  std::filesystem::create_directories(place / kernels_of_pytorch, error);
  if (error) throw InputError({place.string(), "", "a folder for compiled code", error.message()});
}

/// Kernels are chosen by modelled times here and some code is made up. So neither may get into the
/// caches of real runs, and no dry run depends on one before it that is not named.
void add_places_of_compiled_code(const std::filesystem::path& place,
                                 const std::filesystem::path& stand_ins, bool is_kept,
                                 Variables& variables) {
  for (const auto& [name, folder] :
       {std::pair{"TORCHINDUCTOR_CACHE_DIR", "inductor"}, std::pair{"TRITON_CACHE_DIR", "triton"},
        std::pair{"PYTORCH_KERNEL_CACHE_PATH", kernels_of_pytorch},
        std::pair{"CUPY_CACHE_DIR", "cupy"}, std::pair{"VLLM_CACHE_ROOT", "vllm"}})
    variables.emplace_back(name, (place / folder).string());
  // Code for the host is the same as in real runs.
  if (is_kept) variables.emplace_back("TORCH_EXTENSIONS_DIR", (place / "extensions").string());
  // Triton links its code for the host with the driver under a name without a version.
  variables.emplace_back("TRITON_LIBCUDA_PATH", (stand_ins / "lib").string());
}

unsigned parse_rank(std::string_view text, const DryRunArguments& arguments) {
  if (text == "last") return arguments.world_size - 1;
  unsigned rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || end != text.data() + text.size() || rank >= arguments.world_size)
    throw InputError({"--ranks", "",
                      "ranks below " + std::to_string(arguments.world_size) +
                          ", such as all, 0,7, 0-3 or 0,last",
                      std::string(text)});
  return rank;
}

/// `3`, `last`, or `4-7`.
void add_range(std::string_view text, const DryRunArguments& arguments, std::set<unsigned>& ranks) {
  const std::size_t dash = text.find('-');
  const unsigned first = parse_rank(text.substr(0, dash), arguments);
  const unsigned last =
      dash == std::string_view::npos ? first : parse_rank(text.substr(dash + 1), arguments);
  for (unsigned rank = first; rank <= last; ++rank) ranks.insert(rank);
}

/// The variables that a launcher of jobs sets for a rank. A node has as many GPUs as the dry run.
Variables rank_variables(unsigned rank, const DryRunArguments& arguments) {
  const unsigned on_a_node = std::min(arguments.gpu_count, arguments.world_size);
  return {{"VRAMLAB_DRY_RUN_ALONE", "1"},
          {"RANK", std::to_string(rank)},
          {"WORLD_SIZE", std::to_string(arguments.world_size)},
          {"LOCAL_RANK", std::to_string(rank % on_a_node)},
          {"LOCAL_WORLD_SIZE", std::to_string(on_a_node)},
          {"GROUP_RANK", std::to_string(rank / on_a_node)},
          {"MASTER_ADDR", "127.0.0.1"},
          {"MASTER_PORT", "29500"}};
}

}  // namespace

bool ends_job(int status) {
  return status == program_not_found || status == program_not_runnable ||
         status == ended_by_signal + SIGINT || status == ended_by_signal + SIGTERM;
}

bool is_program(const std::string& word) {
  const std::filesystem::path path = found_in_path(word);
  return std::filesystem::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
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
      if (is_preloaded(entry.path().filename().string())) libraries.push_back(entry.path());
  if (libraries.empty())
    throw traces::InputError({place.string(), "", "stand-ins for CUDA's libraries", "none"});
  std::ranges::sort(libraries, {}, [](const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return std::tuple(rank_of(name), name);
  });
  return libraries;
}

Variables stand_in_variables(const DryRunArguments& arguments,
                             const std::filesystem::path& stand_ins,
                             const std::filesystem::path& scratch) {
  Variables variables = {
      {"VRAMLAB_DRY_RUN", "1"},
      {"VRAMLAB_DRY_RUN_GPU", arguments.gpu.empty() ? usual_gpu : arguments.gpu},
      {"VRAMLAB_DRY_RUN_GPUS", std::to_string(arguments.gpu_count)},
      {"VRAMLAB_DRY_RUN_MEMORY", memory_text(arguments)},
      {"VRAMLAB_DRY_RUN_HELD", std::to_string(arguments.held_by_others.value_or(0))},
      {"VRAMLAB_DRY_RUN_KERNEL_NS", std::to_string(arguments.kernel_time_ns)},
      {"VRAMLAB_DRY_RUN_SEGMENTS", arguments.segments},
      {"VRAMLAB_DRY_RUN_VALUES", arguments.values},
      {"VRAMLAB_DRY_RUN_NOTES", scratch.string()},
      {"VRAMLAB_DRY_RUN_HISTORY", names::literal_name(scratch.string()) + "/history.%p.pickle"},
  };
  for (const auto& [name, folder] : lists_of_folders)
    variables.emplace_back(name, in_front_of(stand_ins / folder, name, arguments));
  add_places_of_compiled_code(place_of_compiled_code(arguments, scratch), stand_ins,
                              !arguments.keep_compiled.empty(), variables);
  if (arguments.shared) variables.emplace_back("VRAMLAB_DRY_RUN_SHARED", scratch.string());
  if (!arguments.values_from.empty())
    variables.emplace_back("VRAMLAB_DRY_RUN_VALUES_FROM",
                           std::filesystem::absolute(arguments.values_from).string());
  if (!arguments.output.empty())
    variables.emplace_back("VRAMLAB_DRY_RUN_OUTPUT", names::from_this_folder(arguments.output));
  if (arguments.tells_files) variables.emplace_back("VRAMLAB_DRY_RUN_FILES", "1");
  if (arguments.steps > 0)
    variables.emplace_back("VRAMLAB_DRY_RUN_STEPS", std::to_string(arguments.steps));
  if (arguments.mark_every > 0)
    variables.emplace_back("VRAMLAB_DRY_RUN_MARK_EVERY", std::to_string(arguments.mark_every));
  if (!arguments.report_signal.empty())
    variables.emplace_back("VRAMLAB_DRY_RUN_SIGNAL", arguments.report_signal);
  if (arguments.conf)
    for (const char* const name : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"})
      variables.emplace_back(name, *arguments.conf);
  for (const auto& variable : arguments.variables)
    if (std::ranges::find(lists_of_folders, variable.first, &FolderList::variable) ==
        std::end(lists_of_folders))
      variables.push_back(variable);
  return variables;
}

std::vector<unsigned> asked_ranks(const DryRunArguments& arguments) {
  if (!arguments.rank && arguments.ranks.empty()) return {};
  if (arguments.world_size == 0)
    throw InputError({"dry-run", "", "--world-size, how many ranks the job has", "none"});
  if (arguments.rank && !arguments.ranks.empty())
    throw InputError({"dry-run", "", "--rank or --ranks", "both"});
  if (arguments.rank && *arguments.rank >= arguments.world_size)
    throw InputError({"--rank", "", "a rank below " + std::to_string(arguments.world_size),
                      std::to_string(*arguments.rank)});
  if (arguments.rank) return {*arguments.rank};
  std::set<unsigned> ranks;
  const std::string all = "0-" + std::to_string(arguments.world_size - 1);
  std::istringstream parts(arguments.ranks == "all" ? all : arguments.ranks);
  for (std::string part; std::getline(parts, part, ',');) add_range(part, arguments, ranks);
  if (ranks.empty())
    throw InputError({"--ranks", "", "ranks in rising order, such as 0-3", arguments.ranks});
  return {ranks.begin(), ranks.end()};
}

JobEnd run_job(const Job& asked, const DryRunArguments& arguments, const NumberedFolder& folder) {
  const std::filesystem::path compiled = place_of_compiled_code(arguments, folder.path());
  make_place(compiled);
  if (asked.ranks.empty()) {
    const ProgramEnd end = asked.run(asked.program);
    return {end.process, end.status, {}};
  }
  JobEnd job;
  for (const unsigned rank : asked.ranks) {
    PreloadedProgram as_rank = asked.program;
    for (auto& variable : rank_variables(rank, arguments))
      as_rank.variables.push_back(std::move(variable));
    const ProgramEnd end = asked.run(as_rank);
    // In a real job every rank compiles for itself.
    if (arguments.keep_compiled.empty()) {
      std::filesystem::remove_all(compiled);
      make_place(compiled);
    }
    if (job.ranks.empty()) job.process = end.process;
    if (job.status == 0) job.status = end.status;
    job.ranks.push_back({rank, end.status});
    if (ends_job(end.status)) break;
  }
  return job;
}

}  // namespace vramlab::tools
