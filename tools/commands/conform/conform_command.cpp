// `vramlab conform`: runs recorded cases on the engine and says which agree.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <thread>

#include "replay/runner/engine_subject.h"
#include "tools/commands/conform/conform_report.h"
#include "tools/kit/commands.h"
#include "traces/files/input_error.h"

namespace vramlab::tools {
namespace {

struct ConformArguments {
  std::vector<std::string> files;
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::string streams = "counted";
  CommonFlags flags;
};

ConformOutcome run_file(const std::string& file, replay::CaseStreams streams) {
  ConformOutcome outcome{file, std::nullopt, ""};
  try {
    outcome.verdict = replay::judge_case(traces::read_recorded_case(file),
                                         {replay::make_engine_subject, streams});
  } catch (const traces::InputError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

/// Runs the files on several threads that share nothing but the number of the next file. What
/// stops one of them is thrown once all have ended.
std::vector<ConformOutcome> run_files(const ConformArguments& arguments) {
  std::vector<ConformOutcome> outcomes(arguments.files.size());
  std::atomic<std::size_t> next_file{0};
  std::vector<std::exception_ptr> failures(std::min(arguments.jobs, arguments.files.size()));
  const replay::CaseStreams streams = arguments.streams == "timed"
                                          ? replay::CaseStreams::virtual_time
                                          : replay::CaseStreams::counters;
  std::vector<std::thread> threads;
  threads.reserve(failures.size());
  for (std::exception_ptr& failure : failures)
    threads.emplace_back([&] {
      try {
        for (std::size_t i = next_file++; i < outcomes.size(); i = next_file++)
          outcomes[i] = run_file(arguments.files[i], streams);
      } catch (...) {
        failure = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return outcomes;
}

void print_text(const std::vector<ConformOutcome>& outcomes, const CommonFlags& flags) {
  for (const ConformOutcome& outcome : outcomes) {
    if (!outcome.verdict || flags.quiet) continue;
    if (outcome.verdict->passed() && !flags.verbose) continue;
    std::fputs(verdict_text(*outcome.verdict).c_str(), stdout);
  }
  std::printf("%s\n", counts_text(count_outcomes(outcomes)).c_str());
}

ExitStatus conform(const ConformArguments& arguments) {
  start_logging(arguments.flags);
  spdlog::debug("files: {}, threads: at most {}", arguments.files.size(), arguments.jobs);
  const std::vector<ConformOutcome> outcomes = run_files(arguments);
  for (const ConformOutcome& outcome : outcomes)
    if (!outcome.verdict) std::fprintf(stderr, "vramlab: %s\n", outcome.error.c_str());
  if (arguments.flags.json)
    std::fputs(outcomes_json(outcomes).c_str(), stdout);
  else
    print_text(outcomes, arguments.flags);

  const ConformCounts counts = count_outcomes(outcomes);
  if (counts.unreadable > 0) return ExitStatus::bad_input;
  return counts.failed > 0 ? ExitStatus::answer_is_no : ExitStatus::done;
}

}  // namespace

void add_conform_command(CLI::App& program, CommandAction& action) {
  const auto arguments = std::make_shared<ConformArguments>();
  CLI::App* command = program.add_subcommand(
      "conform", "Run recorded cases of the reference and say which agree in every answer");
  command
      ->add_option("FILE", arguments->files,
                   "Recorded cases (.json, .json.gz; - is standard input)")
      ->required();
  command->add_option("-j,--jobs", arguments->jobs, "Threads to use (default: one per core)")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--streams", arguments->streams,
                   "What is under the allocator: counted streams, or those of vramlab streams in "
                   "virtual time (timed); the answers are the same")
      ->check(CLI::IsMember({"counted", "timed"}))
      ->capture_default_str();
  add_common_flags(*command, arguments->flags);
  command->footer("Example: vramlab conform tests/conformance/*.json.gz");
  command->callback([arguments, &action] { action = [arguments] { return conform(*arguments); }; });
}

}  // namespace vramlab::tools
