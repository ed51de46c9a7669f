// `vramlab streams`: what streams cost. Of a recording: memory that was given back and could not be
// used yet, because work on other streams had to be waited for.
#include <cstdio>
#include <memory>

#include "tools/commands.h"
#include "tools/progress_bar.h"
#include "tools/waiting_report.h"
#include "traces/input_error.h"
#include "traces/read_snapshot.h"

namespace vramlab::tools {
namespace {

struct StreamsCommand {
  std::string file;
  std::string reference;
  std::uint64_t shown = 10;
  CommonFlags flags;
};

/// Takes a program's own events. What its streams do would have to be simulated; until that is
/// there, the first event is refused.
class StreamsOfProgram : public traces::ProgramSink {
 public:
  explicit StreamsOfProgram(std::string file) : file_(std::move(file)) {}
  void program_event(const traces::ProgramEvent&) override {
    throw traces::InputError({file_, "",
                              "a memory snapshot with its history (streams of programs are not "
                              "simulated yet)",
                              "a program's own events"});
  }

 private:
  std::string file_;
};

WaitingOutcome find_outcome(const StreamsCommand& command) {
  ProgressBar bar(traces::input_name(command.file),
                  command.flags.quiet ? ProgressDisplay::off : ProgressDisplay::automatic);
  traces::OpenTrace trace = traces::open_trace(command.file, bar.listener());
  traces::SnapshotTables tables;
  replay::HistoryCollector collector;
  StreamsOfProgram program(trace.file);
  traces::read_trace(trace, tables, {collector, program});
  const allocator::ReferenceVersion* version =
      command.reference.empty() ? nullptr : allocator::find_reference_version(command.reference);
  return {trace.file, find_waiting(trace.file, collector.take(), tables, version), command.shown};
}

ExitStatus show_streams(const StreamsCommand& command) {
  start_logging(command.flags);
  const WaitingOutcome outcome = find_outcome(command);
  std::fputs(command.flags.json ? waiting_json(outcome).c_str() : waiting_text(outcome).c_str(),
             stdout);
  return ExitStatus::done;
}

}  // namespace

void add_streams_command(CLI::App& program, CommandAction& action) {
  const auto arguments = std::make_shared<StreamsCommand>();
  CLI::App* command = program.add_subcommand(
      "streams", "Show what frees that waited for other streams cost in a recording");
  command
      ->add_option("FILE", arguments->file,
                   "A PyTorch memory snapshot (pickle or JSON; also .gz, .zst; - is standard "
                   "input), or a native trace that holds one")
      ->required();
  command
      ->add_option("--reference", arguments->reference,
                   "Version of the allocator (default: guessed from the file)")
      ->check([](const std::string& name) {
        return allocator::find_reference_version(name) ? std::string()
                                                       : "there is no version " + name;
      });
  command->add_option("--top", arguments->shown,
                      "Call sites, streams and releases to show, at most (default: 10; 0 for all)");
  add_common_flags(*command, arguments->flags);
  command->footer("Example: vramlab streams snapshot.pickle");
  command->callback(
      [arguments, &action] { action = [arguments] { return show_streams(*arguments); }; });
}

}  // namespace vramlab::tools
