#include "tools/cli/commands/dry_run/job_ranks.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <functional>
#include <set>
#include <sstream>
#include <string_view>

#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using traces::InputError;

unsigned parse_rank(std::string_view text, const DryRunArguments& arguments) {
  unsigned rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || end != text.data() + text.size() || rank >= arguments.world_size)
    throw InputError(
        {"--ranks", "",
         "ranks below " + std::to_string(arguments.world_size) + ", such as all, 0,7 or 0-3",
         std::string(text)});
  return rank;
}

/// `3`, or `4-7`.
void add_range(std::string_view text, const DryRunArguments& arguments, std::set<unsigned>& ranks) {
  const std::size_t dash = text.find('-');
  const unsigned first = parse_rank(text.substr(0, dash), arguments);
  const unsigned last =
      dash == std::string_view::npos ? first : parse_rank(text.substr(dash + 1), arguments);
  for (unsigned rank = first; rank <= last; ++rank) ranks.insert(rank);
}

/// A program that can't be run, or that somebody ended: Ctrl-C means all ranks.
bool ends_job(int status) {
  return status == program_not_found || status == program_not_runnable ||
         status == ended_by_signal + SIGINT || status == ended_by_signal + SIGTERM;
}

struct RankRow {
  unsigned rank = 0;
  int status = 0;
  /// The process that reserves most.
  const DryRunProcess* process = nullptr;
  std::uint64_t reserved() const {
    return process == nullptr ? 0 : process->findings.worst()->metric("peak_reserved").count;
  }
};

const DryRunProcess* worst_of_rank(const DryRunOutcome& outcome, unsigned rank) {
  const DryRunProcess* worst = nullptr;
  for (const DryRunProcess& process : outcome.processes) {
    const auto& python = process.notes.python;
    if (!python || python->rank != std::to_string(rank) || process.findings.worst() == nullptr)
      continue;
    const auto reserved = [](const DryRunProcess& of) {
      return of.findings.worst()->metric("peak_reserved");
    };
    if (worst == nullptr || reserved(process) > reserved(*worst)) worst = &process;
  }
  return worst;
}

std::vector<std::string> cells_of(const RankRow& row) {
  const std::string rank = std::to_string(row.rank);
  const std::string status = std::to_string(row.status);
  if (row.process == nullptr) return {rank, "-", "-", "-", status};
  const DeviceFindings& device = *row.process->findings.worst();
  return {rank, format_bytes(device.metric("peak_reserved")),
          format_bytes(device.metric("peak_allocated")), device.failures > 0 ? "yes" : "no",
          status};
}

}  // namespace

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

JobEnd run_job(const PreloadedProgram& program, const std::vector<unsigned>& ranks,
               const DryRunArguments& arguments, const NumberedFolder& folder) {
  if (ranks.empty()) {
    const ProgramEnd end = run_preloaded(program);
    return {end.process, end.status, {}};
  }
  JobEnd job;
  for (const unsigned rank : ranks) {
    PreloadedProgram as_rank = program;
    for (auto& variable : rank_variables(rank, arguments))
      as_rank.variables.push_back(std::move(variable));
    const ProgramEnd end = run_preloaded(as_rank);
    // In a job each rank compiles, as none of them is before the others.
    std::filesystem::remove_all(place_of_compiled_code(folder.path()));
    if (job.ranks.empty()) job.process = end.process;
    if (job.status == 0) job.status = end.status;
    job.ranks.push_back({rank, end.status});
    if (ends_job(end.status)) break;
  }
  return job;
}

std::string rank_table(const DryRunOutcome& outcome) {
  if (outcome.ranks.size() < 2) return "";
  std::vector<RankRow> rows;
  for (const RankEnd& end : outcome.ranks)
    rows.push_back({end.rank, end.status, worst_of_rank(outcome, end.rank)});
  std::ranges::stable_sort(rows, std::greater<>(), &RankRow::reserved);
  Table table(
      {{"rank"}, {"peak reserved"}, {"peak allocated"}, {"out of memory"}, {"exit status"}});
  for (const RankRow& row : rows) table.add(cells_of(row));
  return table.text();
}

}  // namespace vramlab::tools
