// The program: the table of subcommands, and what an error looks like from outside.
#include <cstdio>
#include <exception>
#include <string>

#include "allocator/reference_version.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "traces/input_error.h"

namespace vramlab::tools {
namespace {

/// A new subcommand has a line here and one in commands.h.
constexpr AddCommand commands[] = {
    add_conform_command,  add_bench_command,    add_info_command,     add_convert_command,
    add_verify_command,   add_replay_command,   add_snapshot_command, add_generate_command,
    add_streams_command,  add_top_command,      add_diff_command,     add_report_command,
    add_pack_command,     add_policies_command, add_sweep_command,    add_merge_command,
    add_capacity_command, add_advise_command,   add_run_command,      add_record_command,
    add_live_command,
};

std::string version_text() {
  std::string text = "vramlab " VRAMLAB_VERSION "\nreferences:";
  for (const allocator::ReferenceVersion& row : allocator::reference_versions())
    text += " " + std::string(row.name) + " (" + std::string(row.description) + ")";
  return text;
}

ExitStatus run(int argument_count, char** arguments) {
  CLI::App program("A faithful simulator of PyTorch's CUDA caching allocator.", "vramlab");
  program.set_version_flag("--version", version_text());
  program.require_subcommand(1);
  program.footer("Example: vramlab conform tests/conformance/*.json.gz");
  program.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string("vramlab: ") + error.what() + " (--help says more)\n";
  });
  CommandAction action;
  for (const AddCommand add : commands) add(program, action);
  try {
    program.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? ExitStatus::done : ExitStatus::bad_input;
  }
  return action();
}

}  // namespace
}  // namespace vramlab::tools

int main(int argument_count, char** arguments) {
  using vramlab::tools::ExitStatus;
  try {
    return static_cast<int>(vramlab::tools::run(argument_count, arguments));
  } catch (const vramlab::traces::InputError& error) {
    std::fprintf(stderr, "vramlab: %s\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vramlab: %s\n", error.what());
  }
  return static_cast<int>(ExitStatus::bad_input);
}
