#include "tools/cli/kit/explanation_report.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "replay/kinds/block_kinds.h"
#include "streams/device/gpu_models.h"
#include "tools/cli/printers/fragmentation_text.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::Explanation;
using replay::FailureExplanation;
using replay::OutOfMemoryReason;

constexpr std::size_t most_holders = 3;
constexpr std::size_t most_sites = 2;
constexpr const char* unknown_line = "an unknown line";
constexpr const char* modelled_mark = " (modelled)";

void add_answer_line(AnswerText& answer, const std::string& name, const std::string& text) {
  if (!text.empty()) answer.add(name, text);
}

std::string failure_headline(const FailureExplanation& failure) {
  return "out of memory on GPU " + std::to_string(failure.state.device.value) + ": " +
         at_line(failure.asked(), failure.place) + ", event " +
         std::to_string(failure.story.refused.event);
}

std::string missing_text(const OutOfMemoryReason& story) {
  if (story.exceeded_reserve)
    return "addresses: the request exceeds the " + format_bytes(*story.exceeded_reserve) +
           " that an expandable segment reserves (expandable_segments_reserve)";
  const bool would_be_enough = story.is_limited_by_unknown_share;
  if (would_be_enough && story.refused.device_free &&
      *story.refused.device_free < story.refused.rounded)
    return "nothing: the cache would have been enough, but was not released, as during a graph's "
           "capture";
  if (would_be_enough) return "nothing: enough was left, so a memory fraction must have limited it";
  return story.shortfall ? format_bytes(*story.shortfall) : std::string();
}

std::string there_was_text(const FailureExplanation& failure) {
  const replay::StateFigures figures =
      find_fragmentation(failure.state.snapshot, failure.state.rules).total;
  const OutOfMemoryReason& story = failure.story;
  const auto capacity = failure.capacity();
  const std::string text =
      format_bytes(figures.allocated) + " allocated, " + format_bytes(figures.free) + " cached, ";
  if (capacity && capacity == story.allowed)
    return text + format_bytes(*capacity - std::min(*capacity, figures.reserved)) +
           " left of the " + format_bytes(*capacity) + " allowed";
  return text +
         (story.refused.device_free ? format_bytes(*story.refused.device_free)
                                    : "an unknown amount") +
         (capacity ? " left of " + format_bytes(*capacity) : " left on the GPU");
}

/// The free memory that the request could not take, and why; the largest parts.
std::string no_use_text(const FailureExplanation& failure) {
  const OutOfMemoryReason& story = failure.story;
  struct Part {
    Bytes bytes;
    std::string where;
  };
  const Bytes kept_whole = story.kept_by_split_limit + story.passed_over;
  const std::string pieces =
      kept_whole == Bytes{} ? "in pieces of at most " + format_bytes(story.in_lane.largest_free)
                            : "in smaller pieces";
  if (story.is_of_unknown_pool)
    return "the cache of the default pool: the request went to another one, as in a graph's "
           "capture";
  std::vector<Part> parts = {
      {story.in_lane.free - std::min(story.in_lane.free, kept_whole), pieces},
      {story.kept_by_split_limit, "in blocks that max_split_size_mb keeps whole"},
      {story.passed_over, "in expandable segments, while the option is off"},
      {story.free_on_other_streams, "for other streams"},
      {story.free_in_other_half,
       std::string("in the half of the pool for ") +
           (story.lane.kind == allocator::PoolKind::large ? "small" : "large") + " requests"},
      {story.free_in_other_pools, "in other pools"}};
  const Bytes least{std::max<std::uint64_t>(1, failure.asked().count / 100)};
  std::erase_if(parts, [&](const Part& part) { return part.bytes < least; });
  std::ranges::stable_sort(parts, std::greater<>(), &Part::bytes);
  std::string text;
  for (const Part& part : std::span(parts).first(std::min<std::size_t>(3, parts.size())))
    text += (text.empty() ? "" : ", ") + format_bytes(part.bytes) + " " + part.where;
  return text;
}

/// Empty for less than a hundredth of the reserved memory.
std::string stranding_text(const std::vector<replay::StrandingSite>& sites, Bytes reserved) {
  Bytes all;
  for (const replay::StrandingSite& site : sites) all += site.strands;
  if (100 * all.count < reserved.count || all == Bytes{}) return {};
  std::string text = sites.front().place;
  if (sites.size() > 1) text += " (" + format_bytes(sites.front().strands) + ")";
  for (std::size_t i = 1; i < std::min(most_sites, sites.size()); ++i)
    text += ", " + sites[i].place + " (" + format_bytes(sites[i].strands) + ")";
  return format_bytes(all) + " of free memory beside live blocks of " + text +
         (sites.size() > most_sites ? " and others" : "");
}

std::string enough_text(const FailureExplanation& failure, const traces::SnapshotTables& tables) {
  const auto& blocks = failure.story.enough_to_free;
  if (blocks.empty()) return {};
  Bytes held;
  Bytes released;
  for (const replay::Pinner& block : blocks) {
    held += block.size;
    released += block.released_alone;
  }
  const std::string site = call_site_text(failure.state, blocks.front().at, tables);
  return "freeing " + counted(blocks.size(), "block", "blocks") + " (" + format_bytes(held) +
         (site.empty() ? "" : "; " + std::string(blocks.size() > 1 ? "first " : "") + site) +
         ") would have released " + format_bytes(released);
}

/// The options that were tried and do not help.
std::string tried_in_vain_text(const FailureExplanation& failure) {
  if (failure.tried.empty()) return {};
  std::string names;
  for (const replay::TriedOptions& tried : failure.tried)
    names += (names.empty() ? "" : ", ") + tried.added;
  return "none tried lets it pass: " + names +
         (failure.settings_searched > 0
              ? ", nor any of " + std::to_string(failure.settings_searched) + " in a search"
              : "");
}

/// As it is typed in a shell.
std::string setting_text(std::string_view variable, const std::string& options) {
  return options.empty() ? "no options" : std::string(variable) + "=" + options;
}

/// Whether the request alone is larger than the memory of any GPU.
bool is_absurd(const FailureExplanation& failure) {
  return failure.asked() > streams::gpu_models().back().total;
}

std::string tried_text(const FailureExplanation& failure) {
  if (is_absurd(failure))
    return "none can help: no GPU has so much memory; look for the sizes in that line";
  if (!failure.can_a_setting_help())
    return "none can help: " + format_bytes(failure.least_for_any_setting()) +
           " are live with this request, more than " + format_bytes(*failure.capacity());
  if (const replay::TriedOptions* const passing = failure.passing())
    return setting_text(failure.options_variable, passing->options) +
           (!failure.has_later_requests ? " lets it pass"
            : passing->runs_through     ? " lets it and later ones pass"
                                        : " lets it pass, but a later one fails");
  return tried_in_vain_text(failure);
}

std::string least_memory_text(const FailureExplanation& failure) {
  if (!failure.least_memory) return {};
  return format_bytes(*failure.least_memory) + " is enough for this request, " +
         format_bytes(*failure.least_memory - *failure.memory) + " more (found by replaying)";
}

/// A history whose blocks have no places tells requests only.
std::string peak_name(const Explanation& explanation) {
  const bool has_blocks = find_value(explanation.overview.metrics, "peak_allocated") != nullptr;
  return has_blocks ? "allocated" : "requested";
}

/// The first one says what its share is of.
std::string holder_text(const Explanation& explanation, std::size_t index) {
  const replay::HeldGroup& group = explanation.holders[index];
  std::string text = right(format_bytes(group.totals.bytes), 10) + "  " + group.key;
  if (explanation.held == Bytes{}) return text;
  const std::string whole = explanation.failure ? " of the allocated"
                            : explanation.overview.has_history()
                                ? std::string(" of the peak ") + peak_name(explanation)
                                : "";
  return text + "  (" + percent_of(group.totals.bytes.count, explanation.held.count) +
         (index == 0 ? whole : "") + ")";
}

/// The largest estimate for each part of memory.
std::string levers_text(const Explanation& explanation) {
  std::string text;
  for (const auto part :
       {replay::LeverFor::activations, replay::LeverFor::states, replay::LeverFor::shards}) {
    const auto lever = std::ranges::find(explanation.levers, part, &replay::Lever::part);
    if (lever == explanation.levers.end()) continue;
    text += (text.empty() ? "" : ", ") + format_bytes(lever->saves_at_most) + " less with " +
            lever->name;
  }
  return text.empty() ? text : text + " (estimates, at most)";
}

/// After the first, those of a hundredth and more.
void add_holders(AnswerText& answer, const Explanation& explanation) {
  const auto is_small = [&](const replay::HeldGroup& group) {
    return 100 * group.totals.bytes.count < explanation.held.count;
  };
  for (std::size_t i = 0; i < std::min(most_holders, explanation.holders.size()); ++i)
    if (i == 0 || !is_small(explanation.holders[i]))
      add_answer_line(answer, i == 0 ? "holds most" : "", holder_text(explanation, i));
}

std::string failures_text(const Explanation& explanation) {
  const std::uint64_t count = explanation.overview.failures;
  if (count < 2) return {};
  return std::to_string(count) + " in all, at " + failed_events_text(explanation.overview) +
         (explanation.is_replayed ? "" : " (--at EVENT explains another)");
}

std::string reserved_before_text(const Explanation& explanation) {
  if (!explanation.late_start) return {};
  const replay::LateStart& late = *explanation.late_start;
  return format_bytes(late.reserved) + " of " + format_bytes(late.peak_reserved) +
         " were reserved before the recording began" +
         (explanation.began_late() ? ", so settings cannot be judged" : "");
}

std::string certainty_text(const Explanation& explanation) {
  if (!explanation.trust)
    return explanation.no_replay.empty() ? std::string() : "not replayed: " + explanation.no_replay;
  const auto& reasons = explanation.overview.reasons;
  if (*explanation.trust == replay::Trust::guessed)
    return "guessed: following the recording was not exact" +
           (reasons.empty() ? std::string() : ": " + reasons.front());
  if (*explanation.trust == replay::Trust::modelled && explanation.keeps_start)
    return std::string("modelled: ") + same_start_text;
  if (*explanation.trust == replay::Trust::modelled)
    return "modelled: simulated streams decide when memory of other streams is free again";
  if (explanation.depends_from) return exact_until_text(*explanation.depends_from);
  if (explanation.late_start) return "exact from the first recorded event on";
  return explanation.is_replayed ? "exact: the allocator's own answers to these requests"
                                 : "exact: the recording replays as it was";
}

/// To be added to a command.
std::string behind(const std::string& conditions) {
  return conditions.empty() ? conditions : " " + conditions;
}

/// A file as a shell takes it.
std::string shell_word(const std::string& file) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";
  if (file == "standard input") return "FILE";
  if (file.find_first_not_of(plain) == std::string::npos)
    return file.starts_with('-') ? "./" + file : file;
  std::string word = "'";
  for (const char letter : file) word += letter == '\'' ? "'\\''" : std::string(1, letter);
  return word + "'";
}

void add_next(AnswerText& answer, const Explanation& explanation, const GivenConditions& given) {
  const std::string file = shell_word(explanation.file);
  std::string name = "ask next";
  const auto add = [&](const std::string& command) {
    answer.lines.push_back({std::exchange(name, {}), command, true});
  };
  const std::string all = behind(given.text());
  if (explanation.failure) {
    if (!explanation.is_replayed)
      add("vramlab snapshot " + file + " --at " +
          std::to_string(explanation.failure->story.refused.event) + all);
    return add("vramlab report " + file + all);
  }
  if (!explanation.is_program && (!explanation.overview.has_history() || explanation.began_late()))
    return answer.add(
        name, "record before the first allocation: torch.cuda.memory._record_memory_history()");
  if (explanation.trust) add("vramlab advise " + file + behind(given.but_options));
  add(all.empty() ? "vramlab top " + file : "vramlab snapshot " + file + " --at peak" + all);
}

std::string gpus_text(const Explanation& explanation) {
  if (!explanation.smallest_gpu) return {};
  const replay::SmallestGpu& smallest = *explanation.smallest_gpu;
  const std::string text = smallest_gpu_text(smallest);
  if (!explanation.failure || smallest.gpu == nullptr) return text + without_code_text(smallest);
  return text +
         (!explanation.failure->has_later_requests ? "; what follows is unknown"
          : smallest.runs_through                  ? "; later requests fit"
                                                   : "; a later request fails") +
         without_code_text(smallest);
}

std::string peak_headline(const Explanation& explanation) {
  const replay::DeviceOverview& overview = explanation.overview;
  const std::string gpu = " on GPU " + std::to_string(overview.device);
  if (!overview.has_history())
    return "no request is recorded" + gpu + ": at the end " +
           format_bytes(overview.metric("end_allocated")) + " allocated, " +
           format_bytes(overview.metric("end_reserved")) + " reserved";
  const std::string peak = "peak_" + peak_name(explanation);
  const Bytes reserved = overview.metric("peak_reserved");
  const std::string failed = overview.failures == 0
                                 ? "no request failed" + gpu
                                 : counted(overview.failures, "request", "requests") + " failed" +
                                       gpu + ", which cannot be explained";
  return failed + ": peak " + peak_name(explanation) + " " + format_bytes(overview.metric(peak)) +
         (reserved > Bytes{} ? ", peak reserved " + format_bytes(reserved) : std::string());
}

/// The memory that lay idle, and when: the peak of reserved memory is another moment than that of
/// allocated memory.
std::string idle_text(const Explanation& explanation) {
  const replay::StateFigures& figures = explanation.figures;
  if (!explanation.state || figures.reserved == Bytes{}) return {};
  const auto& moment = explanation.state->moment;
  return format_bytes(figures.free) + " of " + format_bytes(figures.reserved) + " reserved (" +
         percent_of(figures.free.count, figures.reserved.count) + ")" +
         (explanation.overview.has_history() && moment
              ? " when most was reserved, event " + std::to_string(moment->event)
          : explanation.overview.has_history() ? " when most was reserved, before the first event"
                                               : " at the end");
}

std::string options_in_force(const Explanation& explanation) {
  if (explanation.options.empty()) return "no options";
  return (explanation.has_asked_options ? "" : "the recorded ") + explanation.options;
}

std::string setting_found_text(const Explanation& explanation, const GivenConditions& given) {
  if (explanation.is_too_long)
    return "not sought in so long a history: vramlab advise " + shell_word(explanation.file) +
           behind(given.but_options);
  if (!explanation.advice) return {};
  const std::string text = found_advice_text(*explanation.advice, options_in_force(explanation));
  const bool is_model = explanation.late_start && !text.ends_with(modelled_mark);
  return is_model ? text + modelled_mark : text;
}

/// A failure for which no setting was tried, as the history is too long.
std::string not_tried_text(const Explanation& explanation, const GivenConditions& given) {
  if (!explanation.is_too_long) return {};
  return "none was tried in so long a history: vramlab replay " + shell_word(explanation.file) +
         behind(given.but_options) + " --conf expandable_segments:True";
}

AnswerText answer_without_failure(const Explanation& explanation, const GivenConditions& given) {
  AnswerText answer;
  answer.headline = peak_headline(explanation);
  add_answer_line(answer, "began late", reserved_before_text(explanation));
  add_holders(answer, explanation);
  add_answer_line(answer, "kinds", kinds_text(explanation.kinds, explanation.held));
  add_answer_line(answer, "free", idle_text(explanation));
  add_answer_line(answer, "stranded",
                  stranding_text(explanation.stranding, explanation.figures.reserved));
  if (!explanation.began_late())
    add_answer_line(answer, "setting", setting_found_text(explanation, given));
  add_answer_line(answer, "levers", levers_text(explanation));
  add_answer_line(answer, "smallest GPU", gpus_text(explanation));
  return answer;
}

AnswerText answer_to_failure(const Explanation& explanation, const traces::SnapshotTables& tables,
                             const GivenConditions& given) {
  AnswerText answer;
  answer.headline = failure_headline(*explanation.failure);
  add_answer_line(answer, "there was", there_was_text(*explanation.failure));
  add_answer_line(answer, "missing", missing_text(explanation.failure->story));
  add_answer_line(answer, "of no use", no_use_text(*explanation.failure));
  add_holders(answer, explanation);
  add_answer_line(answer, "kinds", kinds_text(explanation.kinds, explanation.held));
  add_answer_line(answer, "stranded",
                  stranding_text(explanation.stranding, explanation.figures.reserved));
  add_answer_line(answer, "to free", enough_text(*explanation.failure, tables));
  const std::string tried = tried_text(*explanation.failure);
  add_answer_line(answer, "setting", tried.empty() ? not_tried_text(explanation, given) : tried);
  add_answer_line(answer, "levers", levers_text(explanation));
  add_answer_line(answer, "memory", least_memory_text(*explanation.failure));
  add_answer_line(answer, "smallest GPU", gpus_text(explanation));
  add_answer_line(answer, "failures", failures_text(explanation));
  return answer;
}

ordered_json tried_json(const replay::TriedOptions& tried) {
  return {{"added_options", tried.added},
          {"options", tried.options},
          {"passes", tried.passes},
          {"runs_through", tried.runs_through}};
}

ordered_json holder_json(const replay::HeldGroup& group) {
  return {{"call_site", group.key},
          {"bytes", group.totals.bytes.count},
          {"blocks", group.totals.blocks}};
}

ordered_json kind_json(const replay::HeldGroup& group) {
  return {
      {"kind", group.key}, {"bytes", group.totals.bytes.count}, {"blocks", group.totals.blocks}};
}

ordered_json lever_json(const replay::Lever& lever) {
  return {{"name", lever.name},
          {"saves_at_most_bytes", lever.saves_at_most.count},
          {"rule", lever.rule}};
}

ordered_json site_json(const replay::StrandingSite& site) {
  return {
      {"call_site", site.place}, {"stranded_bytes", site.strands.count}, {"blocks", site.blocks}};
}

constexpr std::size_t most_answer_lines = 14;
/// The text of a line, broken where it is too long.
std::vector<std::string> rows_of(const AnswerLine& line) {
  if (line.is_command) return {line.text};
  return broken_lines(line.text, widest_line - line_name_width - 3);
}

/// How early a line is left out where there are too many; 0 for never.
int dispensable_rank(const AnswerLine& line) {
  constexpr std::array<std::string_view, 5> dispensable = {"of no use", "stranded", "to free",
                                                           "levers", ""};
  const auto* const found = std::ranges::find(dispensable, line.name);
  return found == dispensable.end() ? 0 : static_cast<int>(found - dispensable.begin()) + 1;
}

/// The lines of an answer that are shown: of equally dispensable ones the last goes first.
std::vector<AnswerLine> shown_lines_of(std::vector<AnswerLine> lines) {
  const auto row_count = [&] {
    std::size_t count = 1;
    for (const AnswerLine& line : lines) count += rows_of(line).size();
    return count;
  };
  while (row_count() > most_answer_lines) {
    const auto victim = std::max_element(lines.rbegin(), lines.rend(),
                                         [](const AnswerLine& a, const AnswerLine& b) {
                                           return dispensable_rank(a) < dispensable_rank(b);
                                         });
    if (victim == lines.rend() || dispensable_rank(*victim) == 0) break;
    lines.erase(std::next(victim).base());
  }
  return lines;
}

const char* trust_name(replay::Trust trust) {
  if (trust == replay::Trust::exact) return "exact";
  return trust == replay::Trust::modelled ? "modelled" : "guessed";
}

}  // namespace

std::string AnswerText::text() const { return headline + "\n" + lines_text(shown_lines_of(lines)); }

std::string lines_text(const std::vector<AnswerLine>& lines) {
  std::string text;
  for (const AnswerLine& line : lines) {
    std::string name = line.name;
    for (const std::string& row : rows_of(line)) add_line(text, std::exchange(name, {}), row);
  }
  return text;
}

std::string AnswerText::markdown() const {
  Table table({left(""), left("")});
  for (const AnswerLine& line : lines) {
    const std::string text =
        line.text.substr(std::min(line.text.find_first_not_of(' '), line.text.size()));
    table.add({markdown_cell(line.name), markdown_cell(text)});
  }
  return "**" + markdown_cell(headline) + "**\n\n" + table.markdown();
}

std::string at_line(Bytes asked, const std::string& line) {
  return format_bytes(asked) + " requested at " + (line.empty() ? unknown_line : line);
}

std::string exact_until_text(std::uint64_t event) {
  return "exact up to event " + std::to_string(event) +
         "; what follows depends on what the program does";
}

std::string kinds_text(const std::vector<replay::HeldGroup>& kinds, Bytes held) {
  if (kinds.size() == 1 &&
      kinds.front().key == replay::shown_name_of(traces::MemoryKind::not_labelled))
    return "";
  std::string text;
  for (const replay::HeldGroup& group : kinds) {
    const Bytes bytes = group.totals.bytes;
    if (100 * bytes.count < held.count) continue;
    text += (text.empty() ? "" : ", ") + format_bytes(bytes) + " " + group.key + " (" +
            percent_of(bytes.count, held.count) + ")";
  }
  return text;
}

std::string smallest_gpu_text(const replay::SmallestGpu& smallest) {
  if (smallest.gpu == nullptr) return "none of the list is large enough";
  std::string text = std::string(smallest.gpu->name) + " (" +
                     format_bytes(smallest.gpu->available()) + " for the allocator)";
  if (smallest.larger_count > 0) text += " or " + std::to_string(smallest.larger_count) + " larger";
  return text;
}

std::string without_code_text(const replay::SmallestGpu& smallest) {
  return smallest.without_code == nullptr
             ? ""
             : "; " + std::string(smallest.without_code->name) +
                   " has the memory, but this PyTorch has no kernels for it";
}

std::string found_advice_text(const replay::FoundAdvice& advice, const std::string& recorded) {
  const bool is_equal = advice.peak_reserved == advice.recorded_peak_reserved;
  if (is_equal && advice.conf.empty() && recorded != "no options")
    return "no setting helps: no options reserve as much as " + recorded;
  if (advice.saved() == Bytes{}) {
    const std::string kept = recorded == "no options" ? "the defaults" : recorded;
    return "no setting helps: " + kept + (kept.ends_with('s') ? " are best" : " is best");
  }
  return (advice.conf.empty() ? "no options reserve " : advice.conf + " reserves ") +
         format_bytes(advice.saved()) + " (" +
         percent_of(advice.saved().count, advice.recorded_peak_reserved.count) +
         ") less at the peak" + (advice.trust == replay::Trust::exact ? "" : modelled_mark);
}

ordered_json answer_line_json(const AnswerLine& line) {
  return {{"name", line.name}, {"text", line.text}};
}

AnswerText answer_of(const FailureExplanation& failure, const traces::SnapshotTables& tables) {
  AnswerText answer;
  answer.headline = failure_headline(failure);
  add_answer_line(answer, "there was", there_was_text(failure));
  add_answer_line(answer, "missing", missing_text(failure.story));
  add_answer_line(answer, "of no use", no_use_text(failure));
  const Bytes reserved =
      find_fragmentation(failure.state.snapshot, failure.state.rules).total.reserved;
  add_answer_line(answer, "stranded",
                  stranding_text(stranding_sites(failure.state, tables), reserved));
  add_answer_line(answer, "to free", enough_text(failure, tables));
  add_answer_line(answer, "setting", tried_text(failure));
  add_answer_line(answer, "memory", least_memory_text(failure));
  return answer;
}

AnswerText answer_of(const Explanation& explanation, const traces::SnapshotTables& tables,
                     const GivenConditions& given) {
  AnswerText answer = explanation.failure ? answer_to_failure(explanation, tables, given)
                                          : answer_without_failure(explanation, given);
  add_answer_line(answer, "options", explanation.options_doubt);
  add_answer_line(answer, "certainty", certainty_text(explanation));
  add_next(answer, explanation, given);
  return answer;
}

ordered_json out_of_memory_json(const FailureExplanation& failure,
                                const traces::SnapshotTables& tables) {
  const OutOfMemoryReason& story = failure.story;
  const auto of_block = [&](const auto& block) {
    return pinner_json(failure.state, block, tables);
  };
  return {{"device", failure.state.device.value},
          {"event", story.refused.event},
          {"call_site", text_or_null(failure.place)},
          {"stack", text_or_null(replay::stack_text(failure.stack, tables))},
          {"requested_bytes", failure.asked().count},
          {"rounded_bytes", story.refused.rounded.count},
          {"stream", story.refused.stream.value},
          {"pool_kind", pool_kind_name(story.lane.kind)},
          {"pool_id", {story.lane.pool.graph, story.lane.pool.user}},
          {"device_request_bytes", story.device_size.count},
          {"free_in_lane_bytes", story.in_lane.free.count},
          {"largest_free_in_lane_bytes", story.in_lane.largest_free.count},
          {"kept_by_split_limit_bytes", story.kept_by_split_limit.count},
          {"passed_over_bytes", story.passed_over.count},
          {"is_of_unknown_pool", story.is_of_unknown_pool},
          {"free_on_other_streams_bytes", story.free_on_other_streams.count},
          {"free_in_other_half_bytes", story.free_in_other_half.count},
          {"free_in_other_pools_bytes", story.free_in_other_pools.count},
          {"device_free_bytes", or_null(story.refused.device_free)},
          {"allowed_bytes", or_null(story.allowed)},
          {"capacity_bytes", or_null(failure.capacity())},
          {"exceeded_reserve_bytes", or_null(story.exceeded_reserve)},
          {"shortfall_bytes", or_null(story.shortfall)},
          {"enough_to_free", json_list(story.enough_to_free, of_block)},
          {"least_memory_bytes", or_null(failure.least_memory)},
          {"least_for_any_setting_bytes", failure.least_for_any_setting().count},
          {"tried", json_list(failure.tried, tried_json)},
          {"text", answer_of(failure, tables).text()}};
}

ordered_json smallest_gpu_json(const replay::SmallestGpu& smallest) {
  const streams::GpuModel* const gpu = smallest.gpu;
  const auto name_of = [](const streams::GpuModel* model) {
    return model == nullptr ? ordered_json() : ordered_json(model->name);
  };
  return {
      {"name", name_of(gpu)},
      {"available_bytes", gpu == nullptr ? ordered_json() : ordered_json(gpu->available().count)},
      {"larger_gpus", smallest.larger_count},
      {"without_code", name_of(smallest.without_code)}};
}

ordered_json found_advice_json(const replay::FoundAdvice& advice) {
  return {{"conf", advice.conf},
          {"peak_reserved", advice.peak_reserved.count},
          {"recorded_peak_reserved", advice.recorded_peak_reserved.count},
          {"trust", trust_name(advice.trust)}};
}

ordered_json explanation_json(const Explanation& explanation, const traces::SnapshotTables& tables,
                              const GivenConditions& given) {
  const AnswerText answer = answer_of(explanation, tables, given);
  const auto of_failure = [&](const FailureExplanation& failure) {
    return out_of_memory_json(failure, tables);
  };
  const auto& figures = explanation.figures;
  return {
      {"file", explanation.file},
      {"device", explanation.overview.device},
      {"headline", answer.headline},
      {"text", answer.text()},
      {"lines", json_list(answer.lines, answer_line_json)},
      {"metrics", metrics_json(explanation.overview.metrics)},
      {"event", explanation.state && explanation.state->moment
                    ? ordered_json(explanation.state->moment->event)
                    : ordered_json()},
      {"state", explanation.state ? metrics_json(state_metrics(figures)) : ordered_json()},
      {"reserved_before_bytes",
       explanation.late_start ? explanation.late_start->reserved.count : 0},
      {"failures", explanation.overview.failures},
      {"out_of_memory", or_null(explanation.failure, of_failure)},
      {"holders", json_list(explanation.holders, holder_json)},
      {"held_bytes", explanation.held.count},
      {"kinds", json_list(explanation.kinds, kind_json)},
      {"levers", json_list(explanation.levers, lever_json)},
      {"stranding", json_list(explanation.stranding, site_json)},
      {"advice", or_null(explanation.advice, found_advice_json)},
      {"smallest_gpu", or_null(explanation.smallest_gpu, smallest_gpu_json)},
      {"trust", explanation.trust ? ordered_json(trust_name(*explanation.trust)) : ordered_json()},
      {"doubts", explanation.doubts}};
}

replay::SettingsRunner settings_runner() {
  return [](const replay::Replayer& replayer, const std::vector<replay::AskedSetting>& settings,
            const replay::ReplayConditions& conditions) {
    return run_settings({&replayer}, settings, conditions, usual_thread_count());
  };
}

replay::ReplayEffort replay_effort() { return {1'000'000, scratch_place()}; }

}  // namespace vramlab::tools
