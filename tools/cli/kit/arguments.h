// The options that several commands have, the exit statuses of the program, and the conditions and
// moments that are read from the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/kinds/block_kinds.h"
#include "replay/metrics/device_state.h"
#include "replay/replayer/replayer.h"
#include "traces/io/long_sequence.h"

namespace vramlab::tools {

/// The exit statuses of the whole program.
enum class ExitStatus : int {
  done = 0,
  /// The answer to the question is no: a failed case, an exceeded limit.
  answer_is_no = 1,
  bad_input = 2,
  /// Ended by Ctrl-C, as in shells; the results up to then were printed.
  interrupted = 130,
};

struct CommonFlags {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

/// --reference; `usual` is the end of its text and names the default. The name must outlive the
/// parsing.
void add_reference(CLI::App& command, std::string& name, const std::string& usual);
/// Another option that names a version.
struct VersionOption {
  std::string name;
  std::string text;
};
void add_version(CLI::App& command, const VersionOption& option, std::string& name);

/// --json, --quiet and --verbose. The flags must outlive the parsing.
void add_common_flags(CLI::App& command, CommonFlags& flags);

/// FILE, which must be given. `file` must outlive the parsing.
template <class Value>
CLI::Option* add_file(CLI::App& command, Value& file, const std::string& description) {
  return command.add_option("FILE", file, description)->required();
}

/// -j. The number must outlive the parsing.
void add_jobs(CLI::App& command, std::size_t& threads);

/// --conf, which may be given several times. The options must outlive the parsing.
void add_several_confs(CLI::App& command, std::vector<std::string>& options,
                       const std::string& description);

/// A sentence that refuses 0; empty for any other number.
std::string refusal_of_nothing(const std::string& number);

/// Makes bytes of a size, parts of a byte left out.
CLI::Validator size_in_bytes();

/// A size that gives so many bytes where it is typed, such as `80GB` or `23.69GiB`; the number
/// itself where no short one does.
std::string typed_size(std::uint64_t bytes);

/// Makes nanoseconds of a time such as 10us.
CLI::Validator time_in_nanoseconds();

traces::ScratchPlace scratch_place();

struct ReplayArguments {
  std::string file;
  std::string reference;
  std::optional<std::string> options;
  std::optional<std::uint64_t> device_memory;
  std::string gpu;
  std::string device_costs;
  std::optional<double> memory_fraction;
  std::optional<std::uint64_t> held_by_others;
  std::optional<std::uint64_t> cudagraph_initial_mempool;
  std::string frees;
  std::string segment_order;
  std::string on_out_of_memory = "recorded";

  /// Whether other conditions than the recorded ones were given, so that a replay is needed.
  bool asks_for_replay() const {
    return options || device_memory || !gpu.empty() || memory_fraction || held_by_others ||
           cudagraph_initial_mempool || !frees.empty() || !segment_order.empty();
  }
};

/// FILE, --conf and the other conditions. The arguments must outlive the parsing.
void add_replay_arguments(CLI::App& command, ReplayArguments& arguments);
/// The same without FILE.
void add_replay_options(CLI::App& command, ReplayArguments& arguments);
/// --conf instead of the options in the file.
void add_conf(CLI::App& command, ReplayArguments& arguments);
/// --segments: where the driver puts new ones.
void add_segment_order(CLI::App& command, ReplayArguments& arguments);
/// --device-memory and --gpu.
void add_memory_limit(CLI::App& command, ReplayArguments& arguments);
/// The other conditions alone.
void add_replay_conditions(CLI::App& command, ReplayArguments& arguments);

/// The conditions without those about the amount of memory.
void add_limitless_conditions(CLI::App& command, ReplayArguments& arguments);

/// --gpu, which must be one of the list, and --list-gpus. The name must outlive the parsing.
CLI::Option* add_gpu(CLI::App& command, std::string& gpu, const std::string& description);
/// The same, which may be given several times.
void add_several_gpus(CLI::App& command, std::vector<std::string>& gpus,
                      const std::string& description);
/// Empty if a device can have so many bytes.
std::string refusal_of_memory(const std::string& text);

/// --held-by-others; `without` names the default.
void add_held_by_others(CLI::App& command, std::optional<std::uint64_t>& bytes,
                        const std::string& without);

/// --device-memory; `without` names the default.
CLI::Option* add_device_memory(CLI::App& command, std::optional<std::uint64_t>& memory,
                               const std::string& without);

replay::ReplayConditions conditions_of(const ReplayArguments& arguments);
/// Sentences about the origin of the memory size of a named GPU.
std::vector<std::string> notes_on(const ReplayArguments& arguments);

/// Reads `peak`, `oom`, `end`, an event's number, or a time such as `12.5ms` or `time:3s`. Empty
/// for any other text.
std::optional<replay::Moment> moment_of(const std::string& text);

/// The moment as it was given, but a time without `time:`.
std::string shown_moment(const std::string& text);

/// Adds an option that takes a moment.
CLI::Option* add_moment(CLI::App& command, const std::string& name, std::string& text,
                        const std::string& description);

/// --kinds: what is done where a recording does not say what its blocks hold.
void add_kinds_option(CLI::App& command, std::string& kinds);
replay::KindsFrom kinds_source(const std::string& kinds);

}  // namespace vramlab::tools
