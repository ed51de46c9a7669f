// `vramlab verify`: replays recorded histories and reports how faithful the replay is.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "allocator/options/settings.h"
#include "replay/recording/fidelity.h"
#include "replay/recording/recording_summary.h"
#include "replay/replayer/recorded_run.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::DeviceFidelity;
using replay::Inferences;

struct VerifiedFile {
  std::string file;
  /// The versions that write such a file, such as `2.14 or newer`.
  std::string versions;
  replay::Fidelity fidelity;
};

std::string share_text(const replay::Agreement& agreement) {
  return std::to_string(agreement.exact) + " of " + std::to_string(agreement.total);
}

struct Figure {
  const char* key;
  const char* text;
  std::uint64_t value;
};

std::vector<Figure> figures_of(const Inferences& inferred) {
  return {
      {"pool_assumed_segments", "segments whose pool is assumed", inferred.pool_assumed_segments},
      {"pool_assumed_allocs", "allocs whose pool is assumed", inferred.pool_assumed_allocs},
      {"emptied_caches", "emptied caches", inferred.emptied_caches},
      {"ended_pools", "ended pools", inferred.ended_pools},
      {"release_all_or_empty_cache", "release-all or empty_cache",
       inferred.release_all_or_empty_cache},
      {"garbage_collections", "garbage collections", inferred.garbage_collections},
      {"garbage_shaped", "GC-shaped releases, ages unknown", inferred.garbage_shaped},
      {"oversize_releases", "oversize releases", inferred.oversize_releases},
      {"assumed_extents", "block extents assumed", inferred.assumed_extents},
      {"waiting_frees", "frees that waited", inferred.waiting_frees},
      {"awaited_frees", "of them awaited by a refused request", inferred.awaited_frees},
      {"out_of_memory", "out-of-memory entries", inferred.out_of_memory},
      {"out_of_memory_in_private_pools", "of them in private pools",
       inferred.out_of_memory_in_private_pools},
      {"mode_changes", "changes of expandable_segments", inferred.mode_changes},
  };
}

std::string device_text(const DeviceFidelity& device, bool is_verbose) {
  std::string text = "  device " + std::to_string(device.device) + ": " +
                     std::string(fidelity_label_name(device.label)) + "\n";
  for (const std::string& reason : device.reasons)
    text += "    because: " + shown_name(reason) + "\n";
  if (device.event_count == 0) return text;
  const replay::SegmentCallCounts& calls = device.segment_calls;
  text += "    allocs at the recorded address   " + share_text(device.allocs) + "\n";
  text += "    segment calls explained by rules " + std::to_string(calls.explained) + " of " +
          std::to_string(calls.total) + ", " + std::to_string(calls.taken) +
          " releases taken from the recording, " + std::to_string(calls.wrong) + " wrong\n";
  text += "    reserved after each call         " + share_text(device.sums) + "\n";
  text += "    final blocks                     " + share_text(device.final_blocks) + ", in " +
          share_text(device.final_segments) + " segments\n";
  if (device.replayed.total > 0)
    text += "    entries made again by a replay   " + share_text(device.replayed) + "\n";
  std::string inferred;
  for (const Figure& figure : figures_of(device.inferred))
    if (figure.value > 0)
      inferred += (inferred.empty() ? "" : ", ") + std::string(figure.text) + " " +
                  std::to_string(figure.value);
  if (is_verbose && !device.unexplained_events.empty()) {
    text += "    releases taken in the calls that begin at events";
    for (const std::size_t event : device.unexplained_events) text += " " + std::to_string(event);
    text += "\n";
  }
  if (!inferred.empty()) text += "    inferred: " + inferred + "\n";
  if (device.allowed)
    text += "    memory fraction (guessed): allowed " + format_bytes(device.allowed->at_least) +
            " to " + format_bytes(device.allowed->at_most) + ", as garbage collection shows\n";
  if (device.first_difference)
    text += "    first difference, at event " + std::to_string(device.first_difference->event) +
            ": " + shown_name(device.first_difference->text) + "\n";
  return text;
}

ordered_json agreement_json(const replay::Agreement& agreement) {
  return {{"total", agreement.total}, {"exact", agreement.exact}};
}

ordered_json device_json(const DeviceFidelity& device) {
  ordered_json inferred;
  for (const Figure& figure : figures_of(device.inferred)) inferred[figure.key] = figure.value;
  const auto range_json = [](const auto& allowed) -> ordered_json {
    return {{"at_least", allowed.at_least.count}, {"at_most", allowed.at_most.count}};
  };
  const auto difference_json = [](const auto& difference) -> ordered_json {
    return {{"event", difference.event}, {"text", difference.text}};
  };
  return {{"device", device.device},
          {"label", fidelity_label_name(device.label)},
          {"reasons", device.reasons},
          {"event_count", device.event_count},
          {"starts_empty", device.starts_empty},
          {"allocs", agreement_json(device.allocs)},
          {"segment_calls",
           {{"total", device.segment_calls.total},
            {"explained", device.segment_calls.explained},
            {"taken_from_recording", device.segment_calls.taken},
            {"wrong", device.segment_calls.wrong}}},
          {"reserved_after_calls", agreement_json(device.sums)},
          {"replayed_entries", agreement_json(device.replayed)},
          {"final_segments", agreement_json(device.final_segments)},
          {"final_blocks", agreement_json(device.final_blocks)},
          {"inferred", std::move(inferred)},
          {"allowed_memory", or_null(device.allowed, range_json)},
          {"unexplained_events", device.unexplained_events},
          {"first_difference", or_null(device.first_difference, difference_json)}};
}

std::string guess_text(const VerifiedFile& verified) {
  if (!verified.fidelity.reference_is_guessed) return "";
  if (verified.versions == "unknown") return " (guessed)";
  return ", as the file seems to be written by PyTorch " + verified.versions;
}

/// A file of one rank lists all GPUs of its machine.
bool has_memory_or_history(const DeviceFidelity& device) {
  return device.event_count > 0 || device.final_segments.total > 0;
}

std::string fidelity_text(const VerifiedFile& verified, const CommonFlags& flags) {
  const replay::Fidelity& fidelity = verified.fidelity;
  std::string text =
      shown_name(verified.file) + ": " + std::string(fidelity_label_name(fidelity.label())) + "\n";
  const bool is_plain = fidelity.label() == replay::FidelityLabel::exact && flags.quiet;
  if (is_plain) return text;
  text += "  rules of PyTorch " + fidelity.reference + guess_text(verified) + ", options " +
          (fidelity.options.empty() ? "none" : shown_name(fidelity.options)) + "\n";
  const bool is_any_used = std::ranges::any_of(fidelity.devices, has_memory_or_history);
  for (const DeviceFidelity& device : fidelity.devices)
    if (!is_any_used || has_memory_or_history(device)) text += device_text(device, flags.verbose);
  return text;
}

/// One line over all files.
std::string fidelity_totals(const std::vector<VerifiedFile>& verified) {
  std::size_t exact = 0;
  std::size_t different = 0;
  std::uint64_t explained = 0;
  std::uint64_t taken = 0;
  std::uint64_t wrong = 0;
  replay::Agreement allocs;
  replay::Agreement blocks;
  for (const VerifiedFile& file : verified) {
    if (file.fidelity.label() == replay::FidelityLabel::exact) ++exact;
    if (file.fidelity.label() == replay::FidelityLabel::different) ++different;
    for (const DeviceFidelity& device : file.fidelity.devices) {
      explained += device.segment_calls.explained;
      taken += device.segment_calls.taken;
      wrong += device.segment_calls.wrong;
      allocs.total += device.allocs.total;
      allocs.exact += device.allocs.exact;
      blocks.total += device.final_blocks.total;
      blocks.exact += device.final_blocks.exact;
    }
  }
  return std::to_string(verified.size()) + " files: " + std::to_string(exact) + " exact, " +
         std::to_string(verified.size() - exact - different) +
         " approximate, not replayed or final state only, " + std::to_string(different) +
         " different; allocs " + share_text(allocs) + ", segment calls " +
         std::to_string(explained) + " explained, " + std::to_string(taken) + " taken, " +
         std::to_string(wrong) + " wrong, final blocks " + share_text(blocks) + "\n";
}

ordered_json file_json(const VerifiedFile& file) {
  return {{"file", file.file},
          {"label", fidelity_label_name(file.fidelity.label())},
          {"reference", file.fidelity.reference},
          {"reference_is_guessed", file.fidelity.reference_is_guessed},
          {"file_version", file.versions},
          {"options", file.fidelity.options},
          {"devices", json_list(file.fidelity.devices, device_json)}};
}

std::string fidelity_json(const std::vector<VerifiedFile>& verified) {
  return json_text({{"schema_version", 2}, {"files", json_list(verified, file_json)}});
}

struct VerifyArguments {
  std::vector<std::string> files;
  std::string reference;
  std::optional<std::string> conf;
  bool requires_exact = false;
  CommonFlags flags;
};

VerifiedFile verify_file(const std::string& path, const VerifyArguments& arguments) {
  ProgressBar bar(path, arguments.flags);
  const ReferenceVersion* const version =
      arguments.reference.empty() ? nullptr
                                  : allocator::find_reference_version(arguments.reference);
  const std::unique_ptr<replay::Recording> recording = open_recording(
      path, bar.listener(), {version, {}, replay::Passes::one, replay::Summarizes::yes});
  refuse_program(*recording, "a replay to be compared with it");
  if (arguments.conf) {
    const replay::VerifyConditions& rules = recording->rules();
    auto parsed = parse_settings(rules.settings.settings, *arguments.conf, rules.version);
    if (parsed.error) throw std::runtime_error("--conf: " + parsed.error->message);
    recording->take_settings(parsed.settings);
  }
  return {path, recording->summary().version.versions, replay::verify(*recording)};
}

ExitStatus verify_files(const VerifyArguments& arguments) {
  std::vector<VerifiedFile> verified;
  for (const std::string& file : arguments.files) {
    verified.push_back(verify_file(file, arguments));
    if (!arguments.flags.json) print(fidelity_text(verified.back(), arguments.flags));
  }
  if (arguments.flags.json)
    print(fidelity_json(verified));
  else if (verified.size() > 1)
    print(fidelity_totals(verified));
  for (const VerifiedFile& file : verified) {
    const replay::FidelityLabel label = file.fidelity.label();
    if (label == replay::FidelityLabel::different) return ExitStatus::answer_is_no;
    if (arguments.requires_exact && label != replay::FidelityLabel::exact)
      return ExitStatus::answer_is_no;
  }
  return ExitStatus::done;
}

void add_options(CLI::App& command, VerifyArguments& arguments) {
  add_file(command, arguments.files,
           "PyTorch memory snapshots (pickle or JSON; also .gz, .zst; - is standard input)");
  add_reference(command, arguments.reference, "default: guessed from the file");
  command.add_option("--conf", arguments.conf,
                     "Options to replay with, on top of those in the file");
  command
      .add_option_function<std::string>(
          "--require",
          [&arguments](const std::string& label) { arguments.requires_exact = label == "exact"; },
          "Exit with 1 unless every file is replayed like this: exact")
      ->check(CLI::IsMember({"exact"}));
  add_common_flags(command, arguments.flags);
}

}  // namespace

Command verify_command() {
  return {"verify", "Replay recorded histories and show how faithful the replay is",
          "Example: vramlab verify snapshot.pickle",
          with<VerifyArguments>(add_options, verify_files)};
}

}  // namespace vramlab::tools
