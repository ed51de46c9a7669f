#include "tools/commands/advise/advise_report.h"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tools/commands/sweep/sweep_outcome.h"
#include "tools/printers/json_text.h"
#include "tools/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using allocator::Bytes;
using nlohmann::ordered_json;
using replay::Advice;
using replay::SweepRow;
using replay::Trust;

Bytes peak_of(const SweepRow& row) {
  return {static_cast<std::uint64_t>(value_of(row.worst().metrics, "peak_reserved"))};
}

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  const double share =
      whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return " (" + percent_text(share) + ")";
}

/// `4.69 GiB (27.1 %) less than with no options`. Requires: the other one was not refused.
std::string saving_text(const SweepRow& best, const SweepRow& other, const std::string& name) {
  if (other.worst().failed)
    return "with " + name + " it runs out of memory at event " +
           std::to_string(other.worst().failed->event);
  const Bytes before = peak_of(other);
  const Bytes now = peak_of(best);
  if (now == before) return "as much as with " + name;
  const Bytes change = now < before ? before - now : now - before;
  return format_bytes(change) + percent_of(change.count, before.count) +
         (now < before ? " less than with " : " more than with ") + name;
}

std::string calls_text(const SweepRow& row) {
  return std::to_string(device_calls_of(row.worst().metrics)) + " device calls, about " +
         nanoseconds_text(
             static_cast<std::uint64_t>(value_of(row.worst().metrics, "device_time"))) +
         " of host time";
}

const char* trust_word(Trust trust) {
  switch (trust) {
    case Trust::exact:
      return "exact";
    case Trust::modelled:
      return "modelled";
    case Trust::guessed:
      return "guessed";
  }
  return "";
}

std::string trust_text(Trust trust) {
  switch (trust) {
    case Trust::exact:
      return "exact: the allocator's own answers to these requests";
    case Trust::modelled:
      return "modelled: simulated streams decide when memory used by other streams is free again";
    case Trust::guessed:
      return "guessed: see the notes";
  }
  return "";
}

std::string headline(const AdviseOutcome& outcome) {
  const Advice& advice = outcome.advice;
  if (advice.best.worst().failed)
    return "No setting that was tried runs on this device. The one that gets furthest, " +
           conf_text(advice.best) + ", runs " + remark_text(advice.best) + ".\n";
  if (advice.nothing_helps())
    return "No setting helps: the defaults are best, with " + format_bytes(peak_of(advice.best)) +
           " reserved at the peak.\n";
  return "Use this setting:\n  export PYTORCH_CUDA_ALLOC_CONF=" + advice.best.conf + "\n";
}

std::vector<std::string> savings_of(const Advice& advice) {
  std::vector<std::string> savings;
  const SweepRow& recorded = advice.recorded;
  if (!recorded.conf.empty() && recorded.conf != advice.best.conf && !recorded.was_refused())
    savings.push_back(saving_text(advice.best, recorded, "the recorded " + recorded.conf));
  if (!advice.nothing_helps() && !advice.usual.was_refused())
    savings.push_back(saving_text(advice.best, advice.usual, "no options"));
  return savings;
}

ordered_json optional_row(const std::optional<SweepRow>& row) {
  return row ? sweep_row_json(*row) : ordered_json(nullptr);
}

ordered_json saved_json(const SweepRow& best, const SweepRow& other) {
  if (best.was_refused() || other.was_refused() || best.worst().failed || other.worst().failed)
    return nullptr;
  return value_of(other.worst().metrics, "peak_reserved") -
         value_of(best.worst().metrics, "peak_reserved");
}

}  // namespace

std::vector<std::string> advise_reasons(const AdviseOutcome& outcome) {
  const Advice& advice = outcome.advice;
  const bool fails = advice.best.worst().failed.has_value();
  if (!fails && !advice.nothing_helps()) return {};
  std::vector<std::string> reasons;
  if (advice.live && outcome.memory && advice.live->rounded > *outcome.memory)
    reasons.push_back("live memory alone does not fit: its peak is " +
                      format_bytes(advice.live->rounded) + ", and the device has " +
                      format_bytes(*outcome.memory));
  else if (advice.live && !fails)
    reasons.push_back(format_bytes(advice.live->rounded) + " of the " +
                      format_bytes(peak_of(advice.best)) +
                      " is live memory, which no setting can reduce");
  reasons.insert(reasons.end(), outcome.pinners.begin(), outcome.pinners.end());
  return reasons;
}

std::string advise_text(const AdviseOutcome& outcome) {
  const Advice& advice = outcome.advice;
  std::string text = outcome.file + "; version " + outcome.reference +
                     (outcome.conditions.empty() ? "" : "; " + outcome.conditions) + "\n" +
                     headline(outcome);
  add_line(text, "peak reserved", format_bytes(peak_of(advice.best)));
  for (const std::string& saving : savings_of(advice)) add_line(text, "", saving);
  add_line(text, "costs", calls_text(advice.best));
  if (!advice.nothing_helps() && !advice.usual.was_refused())
    add_line(text, "", "instead of " + calls_text(advice.usual) + " with no options");
  add_line(text, "certainty", trust_text(outcome.trust));
  add_line(text, "", "time in device calls is modelled (" + outcome.costs_origin + ")");
  if (advice.runner_up) {
    const std::string remark = remark_text(*advice.runner_up);
    add_line(text, "next best",
             conf_text(*advice.runner_up) + " with " + format_bytes(peak_of(*advice.runner_up)) +
                 (remark.empty() ? "" : ", " + remark));
  }
  for (const std::string& reason : advise_reasons(outcome)) add_line(text, "why", reason);
  add_line(text, "tried",
           std::to_string(advice.runs) + " of " + std::to_string(advice.grid_size) +
               " settings; the others cannot win or are unlikely to");
  for (const std::string& note : outcome.notes) add_line(text, "note", note);
  return text;
}

std::string advise_json(const AdviseOutcome& outcome) {
  const Advice& advice = outcome.advice;
  ordered_json json = {{"schema_version", 1},
                       {"file", outcome.file},
                       {"reference", outcome.reference},
                       {"conditions", outcome.conditions},
                       {"conf", advice.best.conf},
                       {"nothing_helps", advice.nothing_helps()},
                       {"trust", trust_word(outcome.trust)},
                       {"costs_origin", outcome.costs_origin}};
  json["saves_against_no_options"] = saved_json(advice.best, advice.usual);
  json["saves_against_recorded"] = saved_json(advice.best, advice.recorded);
  json["live_requested_bytes"] =
      advice.live ? ordered_json(advice.live->requested.count) : ordered_json(nullptr);
  json["live_rounded_bytes"] =
      advice.live ? ordered_json(advice.live->rounded.count) : ordered_json(nullptr);
  json["runs"] = advice.runs;
  json["grid_settings"] = advice.grid_size;
  json["reasons"] = advise_reasons(outcome);
  json["notes"] = outcome.notes;
  json["best"] = sweep_row_json(advice.best);
  json["runner_up"] = optional_row(advice.runner_up);
  json["no_options"] = sweep_row_json(advice.usual);
  json["recorded"] = sweep_row_json(advice.recorded);
  return json_text(json);
}

}  // namespace vramlab::tools
