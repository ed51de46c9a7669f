// What the commands that replay a file have in common on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "replay/replayer/replayer.h"
#include "tools/cli/kit/arguments.h"

namespace vramlab::tools {

struct ReplayArguments {
  std::string file;
  std::string reference;
  std::optional<std::string> options;
  std::optional<std::uint64_t> device_memory;
  std::string gpu;
  std::string device_costs;
  std::optional<double> memory_fraction;
  std::optional<std::uint64_t> held_by_others;
  std::string frees;
  std::string on_out_of_memory = "stop";

  /// Other conditions than the recorded ones: what is shown is that of a replay.
  bool asks_for_replay() const {
    return options || device_memory || !gpu.empty() || memory_fraction || held_by_others ||
           !frees.empty();
  }
};

/// FILE, --conf and the other conditions. The arguments must outlive the parsing.
void add_replay_arguments(CLI::App& command, ReplayArguments& arguments);
/// The other conditions alone.
void add_replay_conditions(CLI::App& command, ReplayArguments& arguments);

/// Those that do not say how much memory there is.
void add_limitless_conditions(CLI::App& command, ReplayArguments& arguments);

/// --gpu, which must be one of the list. The name must outlive the parsing.
CLI::Option* add_gpu(CLI::App& command, std::string& gpu, const std::string& description);
/// Empty where a device can have so many bytes.
std::string refusal_of_memory(const std::string& text);

/// --held-by-others; `without`: what others hold without it.
void add_held_by_others(CLI::App& command, std::optional<std::uint64_t>& bytes,
                        const std::string& without);

/// --device-memory; `without`: what there is without it.
CLI::Option* add_device_memory(CLI::App& command, std::optional<std::uint64_t>& memory,
                               const std::string& without);

replay::ReplayConditions conditions_of(const ReplayArguments& arguments);
/// Sentences: where the memory of a named GPU comes from.
std::vector<std::string> notes_on(const ReplayArguments& arguments);

}  // namespace vramlab::tools
