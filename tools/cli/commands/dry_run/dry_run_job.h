// How the program of a dry run is started: the arguments, the folder of the run, the stand-ins for
// CUDA's libraries with the environment in which a program finds them, and the ranks of a job,
// which run alone, one after another. The names of the variables are an interface to
// tools/cuda_standins.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "tools/cli/kit/preloaded_program.h"

#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/numbered_folder.h"

namespace vramlab::tools {

/// The GPU whose properties a program sees if none is named.
inline constexpr const char* usual_gpu = "a100-80gb";

using Variables = std::vector<std::pair<std::string, std::string>>;

struct DryRunArguments {
  /// If empty, the properties of the usual GPU, and no limit of memory.
  std::string gpu;
  unsigned gpu_count = 1;
  std::optional<std::string> conf;
  /// `none` or a number of bytes; if empty, the GPU's memory.
  std::string device_memory;
  std::optional<std::uint64_t> held_by_others;
  std::string values = "computed";
  /// A file of Python; empty without one.
  std::string values_from;
  /// The rank that runs alone, or a list of ranks; then the size of the job.
  std::optional<unsigned> rank;
  std::string ranks;
  unsigned world_size = 0;
  /// `driver` or `upwards`.
  std::string segments = "driver";
  std::uint64_t kernel_time_ns = 10'000;
  std::uint64_t steps = 0;
  std::uint64_t mark_every = 0;
  /// All processes of the run share the memory of the devices.
  bool shared = false;
  std::string report_signal;
  /// The folder for code that the program compiles; if empty, that goes with the run.
  std::string keep_compiled;

  /// May hold %p and %q{NAME}.
  std::string output;
  std::string report;
  std::string json;
  /// The page of the processes that share the devices.
  std::string lanes;
  bool may_overwrite = false;

  bool fails_on_out_of_memory = false;
  bool fails_on_invalid = false;
  std::vector<std::string> fail_if;
  bool explains = false;
  CommonFlags flags;
  std::vector<std::string> program;
  /// Whether the hook for Python tells the files that decide what the program does.
  bool tells_files = false;
  /// Variables of the program's environment that the caller adds.
  Variables variables;

  /// For the allocator of each device; empty without a limit.
  std::optional<Bytes> memory() const;
};

/// The folder `dry_run`: beside a program in its build folder, or below the folder of the
/// libraries. Throws if this build has no stand-ins, and InputError if the folder is missing.
std::filesystem::path stand_in_folder();

/// The stand-ins for every version of CUDA in the order in which they are loaded: the driver, the
/// runtimes, the libraries built on them. Throws InputError if there are none.
std::vector<std::filesystem::path> stand_in_libraries(const std::filesystem::path& folder);

/// Whether there is such a program, in the PATH or where its name says.
bool is_program(const std::string& word);

/// The environment of the program. Our folders come first in PATH and PYTHONPATH. `scratch` is the
/// folder of this run, for notes and histories.
Variables stand_in_variables(const DryRunArguments& arguments,
                             const std::filesystem::path& stand_ins,
                             const std::filesystem::path& scratch);

/// The ranks in rising order; empty if the program is not a job. Throws InputError.
std::vector<unsigned> asked_ranks(const DryRunArguments& arguments);

/// True if the program can't be run or somebody ended it: Ctrl-C means all that is left to run.
bool ends_job(int status);

/// The exit status of one rank of a job.
struct RankEnd {
  unsigned rank = 0;
  int status = 0;
};

/// The end of a program, or of all ranks of a job that were asked for.
struct JobEnd {
  int process = 0;
  int status = 0;
  std::vector<RankEnd> ranks;
};

/// Runs a program to its end.
using RunProgram = std::function<ProgramEnd(const PreloadedProgram&)>;

/// A job before it runs.
struct Job {
  PreloadedProgram program;
  std::vector<unsigned> ranks;
  RunProgram run = run_preloaded;
};

/// Ranks run one after another, each alone.
JobEnd run_job(const Job& asked, const DryRunArguments& arguments, const NumberedFolder& folder);

}  // namespace vramlab::tools
