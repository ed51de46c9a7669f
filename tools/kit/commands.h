// The subcommands, each in a file of its own.
#pragma once

#include "tools/kit/arguments.h"

namespace vramlab::tools {

void add_conform_command(CLI::App& program, CommandAction& action);
void add_bench_command(CLI::App& program, CommandAction& action);
void add_info_command(CLI::App& program, CommandAction& action);
void add_convert_command(CLI::App& program, CommandAction& action);
void add_verify_command(CLI::App& program, CommandAction& action);
void add_replay_command(CLI::App& program, CommandAction& action);
void add_snapshot_command(CLI::App& program, CommandAction& action);
void add_generate_command(CLI::App& program, CommandAction& action);
void add_top_command(CLI::App& program, CommandAction& action);
void add_diff_command(CLI::App& program, CommandAction& action);
void add_report_command(CLI::App& program, CommandAction& action);
void add_streams_command(CLI::App& program, CommandAction& action);
void add_pack_command(CLI::App& program, CommandAction& action);
void add_policies_command(CLI::App& program, CommandAction& action);
void add_sweep_command(CLI::App& program, CommandAction& action);
void add_merge_command(CLI::App& program, CommandAction& action);
void add_capacity_command(CLI::App& program, CommandAction& action);
void add_advise_command(CLI::App& program, CommandAction& action);
void add_run_command(CLI::App& program, CommandAction& action);
void add_record_command(CLI::App& program, CommandAction& action);
void add_live_command(CLI::App& program, CommandAction& action);

void add_bench_streams_command(CLI::App& bench, CommandAction& action);

void add_bench_trace_command(CLI::App& bench, CommandAction& action);

}  // namespace vramlab::tools
