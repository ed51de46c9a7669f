// `vramlab serve`: runs an inference engine without a GPU, and says how it divides the memory.
#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/fit/utilization_search.h"
#include "tools/cli/commands/dry_run/dry_run_attempt.h"
#include "tools/cli/commands/dry_run/dry_run_options.h"
#include "tools/cli/commands/serve/asked_load.h"
#include "tools/cli/commands/serve/engine_server.h"
#include "tools/cli/commands/serve/serve_outcome.h"
#include "tools/cli/commands/serve/server_course.h"
#include "tools/cli/commands/serve/server_socket.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/interrupts.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/shown_text.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using traces::InputError;

constexpr unsigned most_gpus = 64;

struct ServeArguments {
  DryRunArguments run;
  /// The port at which a server answers; 0 where the program's words tell it, or it is none.
  unsigned health_port = 0;
  /// The requests that the server gets: as a text, and as a table.
  std::string load;
  std::string requests;
  unsigned sleep_level = 0;
  std::uint64_t timeout_ns = 1'800'000'000'000;
  bool finds_utilization = false;
  CommonFlags flags;
};

void add_rank_options(CLI::App& command, DryRunArguments& arguments) {
  command.add_option("--rank", arguments.rank,
                     "Run the engine alone as this rank of its tensor-parallel ranks, instead of "
                     "all of them");
  constexpr unsigned most_ranks = 1U << 20;
  command
      .add_option("--world-size", arguments.world_size,
                  "How many ranks the engine has (default: as its words say)")
      ->check(CLI::Range(1U, most_ranks));
}

void add_serve_options(CLI::App& command, ServeArguments& arguments) {
  constexpr unsigned last_port = 65535;
  add_gpu(command, arguments.run.gpu, "The GPU to serve on, with its memory");
  command
      .add_option("--device-memory", arguments.run.device_memory,
                  "Memory of each device for the allocator, such as 22.36GiB (default: that of the "
                  "GPU)")
      ->transform(size_in_bytes())
      ->check(refusal_of_memory);
  command.add_option("--conf", arguments.run.conf,
                     "The option string, as of PYTORCH_CUDA_ALLOC_CONF, which counts without it");
  add_machine_options(command, arguments.run);
  add_rank_options(command, arguments.run);
  command
      .add_option("--health-port", arguments.health_port,
                  "The program is a server that answers /health at this port of the loopback, and "
                  "is ended then (default: that of `vllm serve`)")
      ->check(CLI::Range(1U, last_port));
  command.add_option("--load", arguments.load,
                     "Send these requests to the server once it is healthy, all at once: count, "
                     "tokens of prompt and answer, such as 64x1024+256,1x8000+100");
  command.add_option("--requests", arguments.requests,
                     "Send the requests of a CSV table, whose lines are tokens of prompt and "
                     "answer, such as 1024,256");
  command
      .add_option("--sleep", arguments.sleep_level,
                  "Send the server to sleep at this level, after the requests, and wake it")
      ->check(CLI::Range(1U, 2U));
  command.add_flag(
      "--find-utilization", arguments.finds_utilization,
      "Find the largest --gpu-memory-utilization (SGLang: --mem-fraction-static) that starts, in "
      "hundredths, proven by runs: it stands for {utilization} in the program's words, or is added "
      "to those of a server");
  command
      .add_option("--timeout", arguments.timeout_ns,
                  "The time after which the program is ended (default: 1800s)")
      ->transform(time_in_nanoseconds())
      ->check(refusal_of_nothing);
  command.add_option("--keep-compiled", arguments.run.keep_compiled,
                     "A folder for code that the program compiles (inductor, Triton, extensions), "
                     "so that the next dry run need not; never that of a real run");
  command.add_option("-o,--output", arguments.run.output,
                     "Where the history goes, a snapshot of PyTorch; %p stands for the process, "
                     "%h for the host, %q{RANK} for a variable of its environment");
  command.add_option("--json", arguments.run.json, "Write the answer as a JSON document to a file");
  command.add_flag("--force", arguments.run.may_overwrite, "Overwrite outputs");
  command.add_flag("-q,--quiet", arguments.flags.quiet, "No answer as text");
  command.add_flag("-v,--verbose", arguments.flags.verbose, "Also say what is read");
  command.add_option("PROGRAM", arguments.run.program,
                     "The engine as a script or a server, such as vllm serve, after --");
}

/// The port of a server, which gets one if it has none; 0 for a script.
std::uint16_t port_of_server(const ServeArguments& arguments, std::vector<std::string>& words) {
  if (arguments.health_port != 0) return static_cast<std::uint16_t>(arguments.health_port);
  if (!server_of(words)) return 0;
  if (const auto port = named_port(words)) return *port;
  const std::uint16_t port = free_port();
  append_words({"--host", "127.0.0.1", "--port", std::to_string(port)}, words);
  return port;
}

/// The server's engine; vLLM's for a program that is none, or starts one by itself.
EngineServer engine_of(const Words& words) { return server_of(words).value_or(vllm_server()); }

void add_variables(const Variables& more, DryRunArguments& arguments) {
  arguments.variables.insert(arguments.variables.end(), more.begin(), more.end());
}

/// Each rank has a GPU. A rank that runs alone is one that somebody else launches, to the engine.
void prepare_ranks(DryRunArguments& arguments) {
  const auto server = server_of(arguments.program);
  const unsigned ranks = server ? server->ranks(arguments.program) : 1;
  arguments.gpu_count = std::max(arguments.gpu_count, std::min(ranks, most_gpus));
  if (!arguments.rank) return;
  if (server && server->words_alone.empty())
    throw InputError({"--rank", "", "an engine whose ranks others can launch, such as `vllm serve`",
                      server->command});
  if (arguments.world_size == 0) arguments.world_size = ranks;
  add_variables(engine_of(arguments.program).variables_alone, arguments);
  if (server) append_words(server->words_alone, arguments.program);
}

void prepare_sleep(DryRunArguments& arguments) {
  const auto server = server_of(arguments.program);
  if (server && server->words_to_sleep.empty())
    throw InputError(
        {"--sleep", "", "an engine that is known to sleep, such as `vllm serve`", server->command});
  add_variables(engine_of(arguments.program).variables_to_sleep, arguments);
  if (server) append_words(server->words_to_sleep, arguments.program);
}

/// The requests that were asked for; none without the options. Throws InputError.
AskedLoad asked_load(const ServeArguments& arguments) {
  if (arguments.load.empty() && arguments.requests.empty()) return {};
  if (!arguments.load.empty() && !arguments.requests.empty())
    throw InputError({"serve", "", "--load or --requests", "both"});
  if (arguments.health_port == 0 && !server_of(arguments.run.program))
    throw InputError({"serve", "", "a server, such as `vllm serve`, for --load or --requests",
                      "a script, which makes its own requests"});
  return arguments.load.empty() ? read_load(arguments.requests) : parse_load(arguments.load);
}

/// The engine's figures are told by several processes, each of which has some.
void add_engine_figures(const EngineFigures& more, EngineFigures& engine) {
  for (const auto& [name, value] : more.values.items())
    if (!value.is_null() && !engine.values.contains(name)) engine.values[name] = value;
}

void find_parts(const DryRunArguments& arguments, ServeOutcome& outcome) {
  for (std::size_t i = 0; i < outcome.run.processes.size(); ++i) {
    const DryRunProcess& process = outcome.run.processes[i];
    if (!process.notes.python) continue;
    ServingProcess serving{i, serving_notes(process.notes.python->serving), {}};
    add_engine_figures(serving.notes.says, outcome.engine);
    if (serving.notes.marks.empty() || !process.findings.recording) continue;
    const auto device = serving.notes.says.count("device_bytes");
    const auto memory = arguments.memory() && device ? std::optional(Bytes{*device}) : std::nullopt;
    serving.parts = find_serving_parts(serving.notes, *process.findings.recording, memory);
    if (!process.notes.python->has_ended && outcome.server == ServerState::no_server)
      serving.parts.doubts.push_back(
          process.notes.name() +
          " was killed before it told what it did after the engine was ready");
    outcome.processes.push_back(std::move(serving));
  }
}

/// Costs of the processes that have ended.
void note_costs(ServeOutcome& outcome) {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  outcome.processor_s = seconds(used.ru_utime) + seconds(used.ru_stime);
  outcome.host_bytes = static_cast<std::uint64_t>(used.ru_maxrss) << 10U;
}

void write_json(const DryRunArguments& arguments, const ServeOutcome& outcome) {
  traces::OutputFile output(arguments.json, overwrite_of(arguments));
  output.write(serve_json(outcome, arguments));
  output.finish();
}

void check_serve_outputs(const DryRunArguments& arguments) {
  if (arguments.output.find('%') == std::string::npos)
    check_new_output(arguments.output, overwrite_of(arguments));
  check_new_output(arguments.json, overwrite_of(arguments));
}

/// A run with its answer, whose history lies in the folder of the run.
struct MadeServe {
  std::unique_ptr<Attempt> attempt;
  ServeOutcome outcome;
};

/// The folder in which the hook for Python notes things.
std::filesystem::path folder_of_notes(const PreloadedProgram& program) {
  const auto found =
      std::ranges::find(program.variables, "VRAMLAB_DRY_RUN_NOTES",
                        [](const auto& variable) { return std::string_view(variable.first); });
  return found == program.variables.end() ? "" : found->second;
}

/// The answer has figures alone, so stacks and kinds are for a history that is kept.
void leave_out_what_nobody_sees(DryRunArguments& arguments) {
  if (!arguments.output.empty()) return;
  add_variables({{"VRAMLAB_DRY_RUN_STACKS", "none"}, {"VRAMLAB_DRY_RUN_KINDS", "0"}}, arguments);
}

MadeServe run_once(const ServeArguments& asked, const AskedLoad& load, DryRunArguments arguments) {
  const std::uint16_t port = port_of_server(asked, arguments.program);
  ServerCourse course(
      {port, asked.timeout_ns, load, asked.sleep_level, engine_of(arguments.program)});
  prepare_ranks(arguments);
  leave_out_what_nobody_sees(arguments);
  if (asked.sleep_level > 0) prepare_sleep(arguments);
  if (port != 0) arguments.variables.emplace_back("VRAMLAB_DRY_RUN_SERVER", "1");
  if (course.has_load()) arguments.variables.emplace_back("VRAMLAB_DRY_RUN_LOAD", "1");
  arguments.variables.emplace_back("VRAMLAB_DRY_RUN_PHASES", "1");
  for (const EngineServer& server : engine_servers()) add_variables(server.variables, arguments);
  MadeServe made;
  made.attempt = std::make_unique<Attempt>(attempt(arguments, [&](PreloadedProgram program) {
    program.is_over = [&] { return course.is_over(folder_of_notes(program)); };
    return run_preloaded(program);
  }));
  RemovalOnInterrupt removal;
  removal.begin({made.attempt->folder->path().string()});
  made.outcome.run = outcome_of(*made.attempt);
  made.outcome.server = course.server();
  made.outcome.was_time_over = course.was_time_over();
  made.outcome.load = course.load();
  made.outcome.sleep = course.sleep();
  find_parts(arguments, made.outcome);
  return made;
}

/// The words with a place for the utilization. Throws InputError.
std::vector<std::string> words_to_search(std::vector<std::string> words) {
  if (replay::has_utilization(words)) return words;
  const auto server = server_of(words);
  if (!server)
    throw InputError(
        {"--find-utilization", "", "{utilization} in the words of the program", "none"});
  words.push_back(server->utilization);
  words.emplace_back(replay::utilization_placeholder);
  return words;
}

/// The run with the largest utilization that starts, else the first one.
MadeServe run_with_utilizations(const ServeArguments& asked, const AskedLoad& load,
                                const DryRunArguments& arguments) {
  replay::UtilizationSearch search;
  MadeServe best;
  const std::vector<std::string> words = words_to_search(arguments.program);
  while (const auto wanted = search.wanted()) {
    DryRunArguments with = arguments;
    with.program = replay::words_with_utilization(words, *wanted);
    MadeServe made = run_once(asked, load, with);
    const int status = made.outcome.run.status;
    if (ends_job(status) && made.outcome.server != ServerState::answered) return made;
    const EngineFigures& engine = made.outcome.engine;
    const bool has_started = made.outcome.has_served();
    search.add({*wanted, has_started, engine.count("cache_tokens")}, engine.count("device_bytes"),
               engine.count("free_bytes"));
    const replay::UtilizationRun* const largest = search.largest();
    if (!best.attempt || (largest != nullptr && largest->hundredths == *wanted))
      best = std::move(made);
  }
  best.outcome.utilization = std::move(search);
  return best;
}

ExitStatus serve(const ServeArguments& asked) {
  const DryRunArguments& arguments = asked.run;
  if (arguments.program.empty())
    throw InputError({"serve", "", "-- and the program of an inference engine", "none"});
  if (arguments.gpu.empty())
    throw InputError({"serve", "", "--gpu, the GPU to serve on (--list-gpus)", "none"});
  if (asked.finds_utilization && !arguments.output.empty())
    throw InputError({"--find-utilization", "", "no --output, as there are several runs", "one"});
  if (asked.sleep_level > 0 && asked.health_port == 0 && !server_of(arguments.program))
    throw InputError({"--sleep", "", "a server, such as `vllm serve`", "a script"});
  check_serve_outputs(arguments);
  const AskedLoad load = asked_load(asked);
  MadeServe made = asked.finds_utilization ? run_with_utilizations(asked, load, arguments)
                                           : run_once(asked, load, arguments);
  const int status = made.outcome.run.status;
  if (status == program_not_found || status == program_not_runnable)
    return static_cast<ExitStatus>(status);
  note_costs(made.outcome);
  if (!asked.flags.quiet) tell(serve_text(made.outcome, made.attempt->arguments));
  if (!arguments.json.empty()) write_json(made.attempt->arguments, made.outcome);
  return made.outcome.has_served() ? ExitStatus::done : ExitStatus::answer_is_no;
}

}  // namespace

Command serve_command() {
  return {"serve",
          "Run an inference engine without a GPU: how many tokens of KV cache, and do graphs fit?",
          "Example: vramlab serve --gpu a100-40gb -- vllm serve ./model --load-format dummy",
          with<ServeArguments>(add_serve_options, serve)};
}

}  // namespace vramlab::tools
