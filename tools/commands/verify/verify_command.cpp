// `vramlab verify`: replays recorded histories and says how faithful the replay is.
#include <cstdio>
#include <memory>

#include "allocator/options/settings.h"
#include "replay/follow/verify.h"
#include "tools/commands/verify/fidelity_report.h"
#include "tools/kit/commands.h"
#include "tools/kit/progress_bar.h"
#include "tools/kit/scratch_place.h"
#include "traces/formats/read_snapshot.h"

namespace vramlab::tools {
namespace {

struct VerifyArguments {
  std::vector<std::string> files;
  std::string reference;
  std::string conf;
  bool has_conf = false;
  bool requires_exact = false;
  CommonFlags flags;
};

/// The newest version whose rules differ and whose signs the file shows.
replay::Fidelity verify_file(const std::string& path, const VerifyArguments& arguments) {
  ProgressBar bar(traces::input_name(path),
                  arguments.flags.quiet ? ProgressDisplay::off : ProgressDisplay::automatic);
  traces::OpenTrace trace = traces::open_trace(path, bar.listener());
  traces::SnapshotTables tables;
  replay::HistoryCollector collector(scratch_place());
  traces::read_snapshot(trace, tables, collector);
  const replay::RecordedHistory history = collector.take();
  replay::VerifyConditions conditions = verify_conditions(
      history, tables.texts,
      arguments.reference.empty() ? nullptr
                                  : allocator::find_reference_version(arguments.reference));
  if (arguments.has_conf) {
    auto parsed = parse_settings(conditions.settings.settings, arguments.conf, conditions.version);
    if (parsed.error) throw CLI::ValidationError("--conf", parsed.error->message);
    conditions.settings = {std::move(parsed.settings), {}};
  }
  return verify(history, conditions);
}

ExitStatus verify_files(const VerifyArguments& arguments) {
  start_logging(arguments.flags);
  std::vector<VerifiedFile> verified;
  for (const std::string& file : arguments.files) {
    verified.push_back({file, verify_file(file, arguments)});
    if (!arguments.flags.json)
      std::fputs(fidelity_text(verified.back(), arguments.flags).c_str(), stdout);
  }
  if (arguments.flags.json)
    std::fputs(fidelity_json(verified).c_str(), stdout);
  else if (verified.size() > 1)
    std::fputs(fidelity_totals(verified).c_str(), stdout);
  for (const VerifiedFile& file : verified) {
    const replay::FidelityLabel label = file.fidelity.label();
    if (label == replay::FidelityLabel::different) return ExitStatus::answer_is_no;
    if (arguments.requires_exact && label != replay::FidelityLabel::exact)
      return ExitStatus::answer_is_no;
  }
  return ExitStatus::done;
}

}  // namespace

void add_verify_command(CLI::App& program, CommandAction& action) {
  const auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* command = program.add_subcommand(
      "verify", "Replay recorded histories and say how faithful the replay is");
  command
      ->add_option("FILE", arguments->files,
                   "PyTorch memory snapshots (pickle or JSON; also .gz, .zst; - is standard input)")
      ->required();
  command
      ->add_option("--reference", arguments->reference,
                   "Version of the allocator (default: guessed from the file)")
      ->check([](const std::string& name) {
        return allocator::find_reference_version(name) ? std::string()
                                                       : "there is no version " + name;
      });
  CLI::Option* conf = command->add_option("--conf", arguments->conf,
                                          "Options to replay with, on top of those in the file");
  std::string required;
  command
      ->add_option_function<std::string>(
          "--require",
          [arguments](const std::string& label) { arguments->requires_exact = label == "exact"; },
          "Exit with 1 unless every file is replayed like this: exact")
      ->check(CLI::IsMember({"exact"}));
  add_common_flags(*command, arguments->flags);
  command->footer("Example: vramlab verify snapshot.pickle");
  command->callback([arguments, conf, &action] {
    arguments->has_conf = conf->count() > 0;
    action = [arguments] { return verify_files(*arguments); };
  });
}

}  // namespace vramlab::tools
