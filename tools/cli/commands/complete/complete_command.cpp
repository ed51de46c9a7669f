// `vramlab complete`: what shells ask for the next word (tools/packaging/completions).
#include <string>
#include <vector>

#include "tools/cli/commands/complete/candidates.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"

namespace vramlab::tools {
namespace {

struct CompleteArguments {
  const CLI::App* program = nullptr;
  std::vector<std::string> words;
};

/// One candidate a line, with its sentence behind a tab; `:files` where names of files follow.
ExitStatus complete(const CompleteArguments& arguments) {
  const Candidates found = candidates_after(*arguments.program, arguments.words);
  std::string text = found.are_files ? ":files\n" : "";
  for (const Candidate& word : found.words) text += word.text + "\t" + word.sentence + "\n";
  print(text);
  return ExitStatus::done;
}

void add_options(CLI::App& command, CompleteArguments& arguments) {
  arguments.program = command.get_parent();
  command
      .add_option("WORD", arguments.words,
                  "The words after vramlab, the last one as far as it is typed, after --")
      ->required();
}

}  // namespace

Command complete_command() {
  return {"complete", "Print what may follow on a command line, for the completions of shells",
          "Example: vramlab complete -- replay --conf expand",
          with<CompleteArguments>(add_options, complete)};
}

}  // namespace vramlab::tools
