#include "tools/cli/commands/serve/serve_outcome.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/cli/commands/serve/engine_server.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_names = 3;
constexpr const char* unknown = "unknown";

std::optional<Bytes> bytes_of(const EngineFigures& says, const char* name) {
  const auto count = says.count(name);
  return count ? std::optional(Bytes{*count}) : std::nullopt;
}

/// `246,720`.
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string fixed(double number, int places) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", places, number);
  return text;
}

std::string bytes_text(const std::optional<Bytes>& bytes) {
  return bytes ? format_bytes(*bytes) : unknown;
}

/// ` (the engine: 2.31 GiB)`; empty if the engine does not say it.
std::string engines_own(const EngineFigures& says, const char* name) {
  const auto bytes = bytes_of(says, name);
  return bytes ? " (the engine: " + format_bytes(*bytes) + ")" : "";
}

/// The sentence about the phase in which a program failed.
std::string phase_text(const std::string& phase) {
  if (phase == "start") return "while it set up the device";
  if (phase == "weights" || phase == "load") return "while weights were loaded";
  if (phase == "forward" || phase == "profile") return "in the profiling run";
  if (phase == "estimate") return "while the memory of graphs was estimated";
  if (phase == "cache" || phase == "cache_tensors") return "while the KV cache was made";
  if (phase == "graphs" || phase == "capture") return "while CUDA graphs were captured";
  if (phase == "warm_up") return "while it warmed up";
  if (phase == "steps") return "in a step of requests";
  return phase == "engine" ? "while it divided the memory" : "";
}

const DryRunProcess& process_of(const ServeOutcome& outcome, const ServingProcess& process) {
  return outcome.run.processes[process.process];
}

std::string engine_text(const ServeOutcome& outcome) {
  const ServingProcess* const worst = outcome.worst();
  if (worst == nullptr) return "no engine that vramlab knows was seen";
  const auto& python = process_of(outcome, *worst).notes.python;
  return worst->notes.engine + " " + worst->notes.version + " on PyTorch " +
         (python ? python->torch : unknown);
}

std::string state_text(const ServeOutcome& outcome) {
  if (outcome.has_started())
    return outcome.server == ServerState::answered ? "started, and answered its health check"
                                                   : "started";
  if (outcome.was_time_over) return "DID NOT START in the time that it had";
  return "DID NOT START; exit status " + std::to_string(outcome.run.status);
}

/// `, while weights were loaded`; empty if the process failed in no phase.
std::string failed_phase(const DryRunProcess& process) {
  if (!process.notes.python) return "";
  const std::string phase = phase_text(serving_notes(process.notes.python->serving).failed_in);
  return phase.empty() ? "" : ", " + phase;
}

/// The first process that ran out of memory, else the engine's error, else that of another process,
/// which mostly says that the engine failed.
void add_failure(std::string& text, const ServeOutcome& outcome) {
  const DryRunProcess* failed = nullptr;
  for (const DryRunProcess& process : outcome.run.processes) {
    const auto& python = process.notes.python;
    if (!python) continue;
    if (!python->failures.empty()) {
      const NotedFailure& failure = python->failures.front();
      return add_line(text, "OUT OF MEMORY",
                      format_bytes(Bytes{failure.requested_bytes}) + " requested at " +
                          short_place(failure.place) + failed_phase(process));
    }
    const bool says_more = failed == nullptr || failed_phase(*failed).empty();
    if (says_more && (python->error || !failed_phase(process).empty())) failed = &process;
  }
  if (failed == nullptr) return;
  const auto& error = failed->notes.python->error;
  add_line(text, "failed",
           (error ? error->type + " at " + short_place(error->place) : failed->notes.name()) +
               failed_phase(*failed));
}

void add_weights(std::string& text, const ServeOutcome& outcome, const ServingProcess& process) {
  add_line(text, "weights",
           bytes_text(process.parts.weights) + engines_own(process.notes.says, "weights_bytes"));
  const auto room = bytes_of(process.notes.says, "room_bytes");
  if (!process.parts.activations && room)
    return add_line(text, "activations",
                    "not profiled: the engine leaves " + format_bytes(*room) + " for them");
  const auto batch = outcome.engine.count("tokens_in_batch");
  add_line(text, "activations",
           bytes_text(process.parts.activations) + " at the profiling run" +
               (batch ? " of " + grouped(*batch) + " tokens" : "") +
               engines_own(process.notes.says, "activations_bytes"));
}

std::string sizes_text(const ServingParts& parts) {
  std::uint64_t graphs = 0;
  std::set<std::string> labels;
  for (const GraphSize& size : parts.sizes) {
    graphs += size.graphs;
    if (!size.label.empty()) labels.insert(size.label);
  }
  std::string text = counted(graphs, "graph", "graphs");
  if (!labels.empty()) text += " of " + counted(labels.size(), "size", "sizes");
  return text;
}

void add_graphs(std::string& text, const ServingProcess& process) {
  const EngineFigures& says = process.notes.says;
  const ServingParts& parts = process.parts;
  if (!parts.graphs && !says.count("graphs_bytes"))
    return add_line(text, "CUDA graphs", process.notes.is_ready ? "none" : unknown);
  add_line(text, "CUDA graphs",
           bytes_text(parts.graphs) + " in their pools, " + sizes_text(parts) +
               engines_own(says, "graphs_bytes"));
  const auto estimate = bytes_of(says, "graphs_estimate_bytes");
  if (estimate && *estimate > Bytes{})
    add_line(text, "", "the engine's own estimate before it: " + format_bytes(*estimate));
  if (parts.beside_graphs && *parts.beside_graphs > Bytes{})
    add_line(text, "",
             format_bytes(*parts.beside_graphs) + " more stay cached beside the pools after it");
}

std::string requests_text(std::optional<std::uint64_t> tokens, const EngineFigures& engine) {
  const auto longest = engine.count("longest_request");
  if (!tokens || !longest || *longest == 0) return "";
  return " = " + grouped(*tokens) + " tokens, " +
         fixed(static_cast<double>(*tokens) / static_cast<double>(*longest), 1) + " requests of " +
         grouped(*longest);
}

void add_cache(std::string& text, const ServeOutcome& outcome, const ServingProcess& process) {
  const ServingParts& parts = process.parts;
  const EngineFigures& says = process.notes.says;
  const auto tokens = [&](const std::optional<Bytes>& bytes) {
    return bytes ? ServingParts::tokens_in(*bytes, says) : std::nullopt;
  };
  const auto own = outcome.engine.count("cache_tokens");
  add_line(text, "KV cache",
           bytes_text(parts.cache) + requests_text(tokens(parts.requested_cache), outcome.engine) +
               (own ? " (the engine: " + grouped(*own) + " tokens)" : ""));
  if (parts.possible_cache)
    add_line(text, "there is room for",
             format_bytes(*parts.possible_cache) +
                 requests_text(tokens(parts.possible_cache), outcome.engine) +
                 ", computed from the parts");
}

void add_rest(std::string& text, const ServingProcess& process) {
  const ServingParts& parts = process.parts;
  add_line(text, "other buffers", bytes_text(parts.buffers));
  add_line(text, "outside PyTorch",
           bytes_text(parts.outside) + " (context and libraries: modelled)");
  if (parts.peak_with_cache)
    add_line(text, "at most",
             format_bytes(*parts.peak_with_cache) + " reserved once the cache was there" +
                 (parts.left ? ", " + format_bytes(*parts.left) + " of the GPU never used" : ""));
}

/// `64 requests of 1,024 + 256 tokens: all answered`.
std::string load_text(const ServedLoad& load) {
  const RequestShape longest = load.asked.longest();
  const std::string lengths =
      grouped(longest.prompt_tokens) + " + " + grouped(longest.answer_tokens) + " tokens: ";
  std::string text = counted(longest.count, "request", "requests") +
                     (load.asked.shapes.size() == 1 ? " of " : " of up to ") + lengths;
  if (load.answered == longest.count) return text + "all answered";
  text += grouped(load.answered) + " answered";
  return load.failure.empty() ? text : text + " (" + load.failure + ")";
}

/// The steps of a server's load, or of the requests that a script makes.
void add_steps(std::string& text, const ServeOutcome& outcome, const ServingProcess* worst) {
  const auto steps = worst == nullptr ? std::nullopt : worst->notes.says.count("steps");
  if (!outcome.load && !steps) return;
  add_line(text, "load",
           outcome.load ? load_text(*outcome.load) : std::string("the program's own requests"));
  if (!steps) return;
  const auto tokens = worst->notes.says.count("tokens_in_step");
  add_line(text, "",
           counted(*steps, "step", "steps") +
               (tokens ? " of at most " + grouped(*tokens) + " tokens" : "") +
               ", activations beside the cache: " + bytes_text(worst->parts.activations_in_steps));
}

void add_sleep(std::string& text, const ServeOutcome& outcome, const ServingProcess* worst) {
  if (!outcome.sleep) return;
  const std::string level = "level " + std::to_string(outcome.sleep->level);
  const auto asleep = worst == nullptr ? std::nullopt : bytes_of(worst->notes.says, "asleep_bytes");
  if (!asleep || !outcome.sleep->woke_up)
    return add_line(text, "sleep", level + ": the engine did not sleep and wake");
  const EngineFigures& says = worst->notes.says;
  add_line(text, "sleep",
           level + ": " + format_bytes(*asleep) + " of the GPU stay in use, and " +
               bytes_text(bytes_of(says, "asleep_host_bytes")) +
               " of the host's memory are pinned");
  add_line(text, "",
           bytes_text(bytes_of(says, "awake_bytes")) + " are in use when it is awake again");
}

/// The proven answer about the utilization.
void add_utilization(std::string& text, const ServeOutcome& outcome) {
  if (!outcome.utilization) return;
  const ServingProcess* const worst = outcome.worst();
  const std::string name = utilization_option(worst == nullptr ? "" : worst->notes.engine);
  const auto option = [&](const replay::UtilizationRun& run) {
    return name + " " + replay::utilization_text(run.hundredths);
  };
  const replay::UtilizationRun* const largest = outcome.utilization->largest();
  const replay::UtilizationRun* const next = outcome.utilization->next();
  if (largest == nullptr) return add_line(text, "could be", "no utilization starts");
  add_line(text, "could be",
           option(*largest) +
               (largest->cache_tokens ? ": " + grouped(*largest->cache_tokens) + " tokens" : "") +
               (next == nullptr
                    ? ""
                    : "; " + replay::utilization_text(next->hundredths) + " does not start (" +
                          counted(outcome.utilization->runs().size(), "run", "runs") + ")"));
}

std::string limited(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most_names, names.size()); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return text + (names.size() > most_names
                     ? " and " + std::to_string(names.size() - most_names) + " more"
                     : "");
}

std::uint64_t modelled_answers(const ServeOutcome& outcome) {
  std::uint64_t count = 0;
  for (const DryRunProcess& process : outcome.run.processes)
    for (const Note* const note : process.notes.of_kind("modelled")) count += note->count;
  return count;
}

void add_doubts(std::string& text, const ServeOutcome& outcome) {
  for (const ServingProcess& process : outcome.processes)
    if (!process.notes.missing.empty()) {
      add_line(text, "not found",
               limited(process.notes.missing) + ": this version of the engine has other names");
      break;
    }
  for (const ServingProcess& process : outcome.processes)
    for (const std::string& doubt : process.parts.doubts) add_line(text, "doubt", doubt);
  if (const std::uint64_t count = modelled_answers(outcome); count > 0)
    add_line(text, "modelled",
             counted(count, "answer of a library, which a GPU may give otherwise",
                     "answers of libraries, which a GPU may give otherwise"));
  for (const DryRunProcess& process : outcome.run.processes)
    if (process.notes.python)
      for (const std::string& trouble : process.notes.python->troubles)
        add_line(text, "trouble", trouble);
  for (const std::string& trouble : outcome.run.troubles) add_line(text, "trouble", trouble);
}

ordered_json utilization_json(const replay::UtilizationSearch& search) {
  const auto share = [](const replay::UtilizationRun* run) {
    return run == nullptr ? ordered_json() : ordered_json(run->hundredths / 100.0);
  };
  return {{"largest", share(search.largest())},
          {"next", share(search.next())},
          {"runs", json_list(search.runs(), [&](const replay::UtilizationRun& run) {
             return ordered_json{{"utilization", share(&run)},
                                 {"has_started", run.has_started},
                                 {"cache_tokens", or_null(run.cache_tokens)}};
           })}};
}

ordered_json load_json(const ServedLoad& load) {
  return {{"requests", load.asked.requests()},
          {"answered", load.answered},
          {"failure", text_or_null(load.failure)},
          {"shapes", json_list(load.asked.shapes, [](const RequestShape& shape) {
             return ordered_json{{"count", shape.count},
                                 {"prompt_tokens", shape.prompt_tokens},
                                 {"answer_tokens", shape.answer_tokens}};
           })}};
}

ordered_json sleep_json(const Sleep& sleep) {
  return {{"level", sleep.level}, {"woke_up", sleep.woke_up}};
}

ordered_json size_json(const GraphSize& size) {
  return {{"size", text_or_null(size.label)}, {"graphs", size.graphs}, {"bytes", size.bytes.count}};
}

/// The same names in every document.
ordered_json engine_json(const EngineFigures& says) {
  ordered_json json;
  for (const char* const name : {"device_bytes",
                                 "free_bytes",
                                 "requested_bytes",
                                 "weights_bytes",
                                 "activations_bytes",
                                 "room_bytes",
                                 "graphs_estimate_bytes",
                                 "graphs_bytes",
                                 "cache_budget_bytes",
                                 "cache_bytes",
                                 "cache_blocks",
                                 "block_tokens",
                                 "cache_tokens",
                                 "longest_request",
                                 "tokens_in_batch",
                                 "requests_in_batch",
                                 "rank",
                                 "ranks",
                                 "steps",
                                 "tokens_in_step",
                                 "asleep_bytes",
                                 "asleep_host_bytes",
                                 "awake_bytes"})
    json[name] = or_null(says.count(name));
  for (const char* const name : {"utilization", "most_requests"})
    json[name] = or_null(says.number(name));
  json["graphs_mode"] = text_or_null(says.text("graphs_mode"));
  return json;
}

ordered_json parts_json(const ServingParts& parts, const EngineFigures& says) {
  const auto tokens = [&](const std::optional<Bytes>& bytes) {
    return or_null(bytes ? ServingParts::tokens_in(*bytes, says) : std::nullopt);
  };
  return {{"weights", or_null(parts.weights)},
          {"activations", or_null(parts.activations)},
          {"graphs", or_null(parts.graphs)},
          {"beside_graphs", or_null(parts.beside_graphs)},
          {"cache", or_null(parts.cache)},
          {"cache_tokens", tokens(parts.requested_cache)},
          {"buffers", or_null(parts.buffers)},
          {"outside", or_null(parts.outside)},
          {"activations_in_steps", or_null(parts.activations_in_steps)},
          {"peak_with_cache", or_null(parts.peak_with_cache)},
          {"left", or_null(parts.left)},
          {"possible_cache", or_null(parts.possible_cache)},
          {"possible_cache_tokens", tokens(parts.possible_cache)}};
}

}  // namespace

const ServingProcess* ServeOutcome::worst() const {
  const ServingProcess* worst = nullptr;
  const auto reserved = [this](const ServingProcess& process) {
    const auto* const device = run.processes[process.process].findings.worst();
    return device == nullptr ? Bytes{} : Bytes{device->metric("peak_reserved")};
  };
  for (const ServingProcess& process : processes)
    if (worst == nullptr || reserved(process) > reserved(*worst)) worst = &process;
  return worst;
}

bool ServeOutcome::has_started() const {
  const bool are_ready =
      !processes.empty() && std::ranges::all_of(processes, [](const ServingProcess& process) {
        return process.notes.is_ready;
      });
  return are_ready && server != ServerState::silent &&
         (server == ServerState::answered || run.status == 0);
}

bool ServeOutcome::has_served() const {
  return has_started() && (!load || load->answered == load->asked.requests()) &&
         (!sleep || sleep->woke_up);
}

std::string serve_text(const ServeOutcome& outcome, const DryRunArguments& arguments) {
  std::string text = "vramlab serve: " + shown_name(engine_text(outcome)) + "; " +
                     gpu_text(arguments) + "; " + state_text(outcome) + "\n";
  if (!outcome.has_served()) add_failure(text, outcome);
  if (const ServingProcess* const worst = outcome.worst()) {
    if (outcome.processes.size() > 1)
      add_line(text, "of processes",
               std::to_string(outcome.processes.size()) + " use a GPU; below is " +
                   process_of(outcome, *worst).notes.name() + ", which reserves most");
    add_weights(text, outcome, *worst);
    add_graphs(text, *worst);
    add_rest(text, *worst);
    add_cache(text, outcome, *worst);
  }
  add_steps(text, outcome, outcome.worst());
  add_sleep(text, outcome, outcome.worst());
  add_utilization(text, outcome);
  add_doubts(text, outcome);
  add_line(text, "took",
           fixed(outcome.processor_s, 0) + " s of processor time, " +
               format_bytes(Bytes{outcome.host_bytes}) + " of the host's memory");
  for (const DryRunProcess& process : outcome.run.processes)
    if (!process.history.empty()) add_line(text, "history", process.history);
  return text;
}

std::string serve_json(const ServeOutcome& outcome, const DryRunArguments& arguments) {
  const auto process_json = [&](const ServingProcess& process) {
    const DryRunProcess& run = process_of(outcome, process);
    return ordered_json{
        {"process", run.notes.process},
        {"engine", process.notes.engine},
        {"version", text_or_null(process.notes.version)},
        {"torch", run.notes.python ? text_or_null(run.notes.python->torch) : ordered_json()},
        {"is_ready", process.notes.is_ready},
        {"failed_in", text_or_null(process.notes.failed_in)},
        {"parts", parts_json(process.parts, process.notes.says)},
        {"graph_sizes", json_list(process.parts.sizes, size_json)},
        {"engine_says", engine_json(process.notes.says)},
        {"not_found", process.notes.missing},
        {"doubts", process.parts.doubts}};
  };
  return json_text({{"schema_version", 1},
                    {"program", arguments.program},
                    {"gpu", arguments.gpu.empty() ? usual_gpu : arguments.gpu},
                    {"gpus", arguments.gpu_count},
                    {"device_memory", or_null(arguments.memory())},
                    {"has_started", outcome.has_started()},
                    {"is_server", outcome.server != ServerState::no_server},
                    {"answered", outcome.server == ServerState::answered},
                    {"exit_status", outcome.run.status},
                    {"out_of_memory", outcome.run.ran_out_of_memory()},
                    {"processes", json_list(outcome.processes, process_json)},
                    {"engine_says", engine_json(outcome.engine)},
                    {"load", or_null(outcome.load, load_json)},
                    {"sleep", or_null(outcome.sleep, sleep_json)},
                    {"utilization", or_null(outcome.utilization, utilization_json)},
                    {"modelled_answers", modelled_answers(outcome)},
                    {"processor_seconds", outcome.processor_s},
                    {"host_bytes", outcome.host_bytes},
                    {"troubles", outcome.run.troubles}});
}

}  // namespace vramlab::tools
