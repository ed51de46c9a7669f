// The commands of vramlab_benchmarks. Each declares its options on a command of its own; the action
// prints the figures. `shares` runs where no command is named.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/cli/printers/json_text.h"

namespace vramlab::tests {

void add_engine_benchmark(CLI::App& program);
void add_streams_benchmark(CLI::App& program);
void add_trace_benchmark(CLI::App& program);
void add_shares(CLI::App& program);

/// The twin, the hazard checker and what-if replays beside the engine or the streams alone; of the
/// twin on these workloads, where there are any.
void print_shares(const std::vector<std::string>& files);
/// The cost of the hazard checker beside the streams that it watches.
void print_hazard_share();
/// The cost of a replay from memory beside the allocator alone: a line for each sample whose blocks
/// stay on one stream.
void print_what_if_share();

/// The answer to --json.
template <class Row>
void print_json(const std::vector<Row>& rows, nlohmann::ordered_json (*row_json)(const Row&)) {
  const nlohmann::ordered_json list = tools::json_list(rows, row_json);
  std::fputs(tools::json_text({{"schema_version", 1}, {"rows", list}}).c_str(), stdout);
}

}  // namespace vramlab::tests
