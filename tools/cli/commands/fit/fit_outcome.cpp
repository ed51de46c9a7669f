#include "tools/cli/commands/fit/fit_outcome.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::LargestValue;
using replay::RunLimit;

constexpr std::size_t most_proofs_told = 3;

std::string size_text(std::uint64_t bytes) { return format_bytes(Bytes{bytes}); }

std::string count_text(const FitOutcome& outcome) {
  std::size_t failed = 0;
  std::size_t kept = 0;
  for (const auto& [key, made] : outcome.search->runs()) {
    if (made.figures.failures > 0) ++failed;
    if (made.was_kept) ++kept;
  }
  std::string text = std::to_string(outcome.search->runs().size());
  if (failed > 0) text += ", of which " + std::to_string(failed) + " out of memory";
  if (kept > 0) text += ", " + std::to_string(kept) + " known from before";
  return text + "; " + duration_text(static_cast<std::uint64_t>(outcome.seconds * 1e6));
}

const std::string& searched_name(const FitSearch& search) {
  static const std::string none;
  return search.question().searched == nullptr ? none : search.question().searched->name;
}

/// `batch=21`, without the rest of the grid.
std::string short_name(const FitSearch& search, const FitCell& cell, std::size_t value) {
  return searched_name(search) + "=" + search.values(cell.point)[value].text;
}

/// The least memory that the least value needs; empty if it is not known.
std::optional<std::uint64_t> least_need(const FitCell& cell) {
  const auto need = cell.facts.needs.find(0);
  if (need == cell.facts.needs.end()) return std::nullopt;
  return need->second.count;
}

/// The cell of a grid without a search: the peak, the memory that is left, and the process that has
/// least of it.
std::string fitting_text(const FitCell& cell, const FitFigures& figures) {
  std::string text = "fits, " + size_text(figures.peak_reserved);
  if (const auto headroom = cell.headroom(figures)) text += ", " + size_text(*headroom) + " left";
  return text + (figures.worst_process.empty() ? "" : ", worst " + figures.worst_process);
}

std::string cell_text(const FitSearch& search, const FitCell& cell) {
  const bool is_search = search.question().searched != nullptr;
  const LargestValue answer = largest_value(cell.facts);
  if (!cell.problem.empty()) return "no answer";
  if (answer.fits) {
    const FitFigures& figures = *search.limited_run(cell, *answer.fits);
    if (!is_search) return fitting_text(cell, figures);
    const std::string peak = ", " + size_text(figures.peak_reserved);
    const std::string name = short_name(search, cell, *answer.fits);
    if (!cell.is_done) return name + " or more" + peak;
    return name + (answer.next ? "" : ", the last") + peak;
  }
  if (!cell.is_done) return "not known yet";
  const auto need = least_need(cell);
  return std::string(is_search ? "none fits" : "does not fit") +
         (need ? ", needs " + size_text(*need) : "");
}

std::string conf_name(const FitSearch& search, std::size_t conf) {
  const auto& text = search.question().confs[conf];
  if (!text) return "options of the environment";
  return text->empty() ? "no options" : *text;
}

std::string row_name(const FitSearch& search, const FitCell& cell) {
  std::string name = search.point_name(cell.point);
  if (search.question().asked_conf_count > 1)
    name += (name.empty() ? "" : "  ") + conf_name(search, cell.conf);
  return name;
}

/// The cell among several, such as `seq=512, rtx4090`; empty if there is one.
std::string cell_name(const FitSearch& search, const FitCell& cell) {
  std::string name = search.point_name(cell.point);
  const auto add = [&name](const std::string& more) { name += (name.empty() ? "" : ", ") + more; };
  if (search.question().gpus.size() > 1) add(search.question().gpus[cell.gpu].name);
  if (search.question().asked_conf_count > 1 && !cell.is_advised) add(conf_name(search, cell.conf));
  return name;
}

std::string in_brackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

/// A row of the table: a point of the grid and an option string.
struct GridRow {
  std::size_t point = 0;
  std::size_t conf = 0;
};

const FitCell& cell_at(const FitSearch& search, const GridRow& row, std::size_t gpu) {
  return search.cell_at(row.point, gpu, row.conf);
}

/// The peak on the first GPU; without one that fits, the largest number.
std::uint64_t peak_of(const FitSearch& search, const GridRow& row) {
  const FitCell& cell = cell_at(search, row, 0);
  const LargestValue answer = largest_value(cell.facts);
  return answer.fits ? search.limited_run(cell, *answer.fits)->peak_reserved : UINT64_MAX;
}

/// In the order of the grid; if nothing is searched, the least peak comes first.
std::vector<GridRow> grid_rows(const FitSearch& search) {
  std::vector<GridRow> rows;
  for (std::size_t point = 0; point < search.question().points.size(); ++point)
    for (std::size_t conf = 0; conf < search.question().asked_conf_count; ++conf)
      rows.push_back({point, conf});
  if (search.question().searched == nullptr)
    std::ranges::stable_sort(rows, {}, [&](const GridRow& row) { return peak_of(search, row); });
  return rows;
}

}  // namespace

std::string fit_table(const FitSearch& search) {
  const bool has_names = !row_name(search, search.cells().front()).empty();
  std::vector<Column> columns;
  if (has_names) columns.push_back(left(""));
  for (const FitGpu& gpu : search.question().gpus)
    columns.push_back(left(gpu.name + ", " + format_bytes(gpu.memory)));
  Table table(std::move(columns));
  for (const GridRow& row : grid_rows(search)) {
    std::vector<std::string> cells;
    if (has_names) cells.push_back(row_name(search, cell_at(search, row, 0)));
    for (std::size_t gpu = 0; gpu < search.question().gpus.size(); ++gpu)
      cells.push_back(cell_text(search, cell_at(search, row, gpu)));
    table.add(std::move(cells));
  }
  return table.text();
}

namespace {

/// How a run with the GPU's memory ended, such as `runs out of memory at train.py:48 main`.
std::string end_text(FitVerdict verdict, const FitFigures& figures) {
  const std::string who = figures.failed_process.empty() ? "" : " as " + figures.failed_process;
  const std::string at = figures.failed_at.empty() ? "" : " at " + figures.failed_at;
  switch (verdict) {
    case FitVerdict::fits:
      return "runs through";
    case FitVerdict::fits_after_failures:
      return "runs through, with " +
             counted(figures.failures, "failed request", "failed requests") + at +
             " that the program catches";
    case FitVerdict::out_of_memory:
      return "runs out of memory" + at + who;
    case FitVerdict::went_on_with_less:
      return "catches its out-of-memory" + at + " and goes on with less";
    case FitVerdict::over_limit:
      return "is over a limit, " + figures.broken_limit;
    case FitVerdict::ended_otherwise:
      return "ends with " +
             (figures.error.empty() ? "status " + std::to_string(figures.status) : figures.error) +
             ", not out of memory";
  }
  return "";
}

std::string run_text(const FitSearch& search, const FitCell& cell, std::size_t value) {
  const std::string name =
      search.question().searched == nullptr ? "it" : short_name(search, cell, value);
  return name + " " + end_text(cell.verdicts.at(value), *search.limited_run(cell, value));
}

std::string proof_text(const FitSearch& search, const FitCell& cell) {
  const LargestValue answer = largest_value(cell.facts);
  std::string text;
  if (answer.fits && search.question().searched != nullptr)
    text = run_text(search, cell, *answer.fits);
  if (answer.next) text += (text.empty() ? "" : ", ") + run_text(search, cell, *answer.next);
  return text.empty() ? text : text + in_brackets(cell_name(search, cell));
}

/// Cells whose proof is about something else than memory are told, the others as an example.
void add_proofs(std::string& text, const FitSearch& search) {
  std::size_t told = 0;
  std::size_t left_out = 0;
  for (const FitCell& cell : search.cells()) {
    if (!cell.problem.empty() || !cell.is_done || cell.is_advised) continue;
    const std::string proof = proof_text(search, cell);
    if (proof.empty()) continue;
    const LargestValue answer = largest_value(cell.facts);
    const bool is_usual =
        (!answer.fits || cell.verdicts.at(*answer.fits) == FitVerdict::fits) &&
        (!answer.next || cell.verdicts.at(*answer.next) == FitVerdict::out_of_memory);
    if (is_usual && told >= most_proofs_told) {
      ++left_out;
      continue;
    }
    add_line(text, told++ == 0 ? "proven" : "", proof);
  }
  if (left_out > 0)
    add_line(text, "", "and " + std::to_string(left_out) + " more, each by two runs (--json)");
}

/// Whether more fits than in the cells of the options that were asked for.
bool fits_more(const FitSearch& search, const FitCell& advised) {
  std::optional<std::size_t> most;
  for (std::size_t conf = 0; conf < search.question().asked_conf_count; ++conf)
    most =
        std::max(most, largest_value(search.cell_at(advised.point, advised.gpu, conf).facts).fits);
  return advised.problem.empty() && largest_value(advised.facts).fits > most;
}

/// The option strings with which more fits, each proven by runs.
void add_advice(std::string& text, const FitSearch& search) {
  const std::size_t candidates =
      search.question().confs.size() - search.question().asked_conf_count;
  if (candidates == 0) return;
  bool is_told = false;
  for (const FitCell& cell : search.cells()) {
    if (!cell.is_advised || !fits_more(search, cell)) continue;
    const std::string name = cell_name(search, cell);
    add_line(text, std::exchange(is_told, true) ? "" : "with",
             conf_name(search, cell.conf) + (name.empty() ? "" : " (" + name + ")") + ": " +
                 cell_text(search, cell));
    if (const std::string proof = proof_text(search, cell); !proof.empty())
      add_line(text, "", proof);
  }
  const bool all_are_done = std::ranges::all_of(search.cells(), &FitCell::is_done);
  if (!is_told && all_are_done && something_fits(search))
    add_line(text, "with",
             "no other option string fits more, by replays under " + std::to_string(candidates));
}

void add_failures_below(std::string& text, const FitSearch& search) {
  for (const FitCell& cell : search.cells()) {
    const LargestValue answer = largest_value(cell.facts);
    if (answer.failed_below.empty() || !cell.problem.empty() || cell.is_advised) continue;
    std::string names;
    for (const std::size_t value : answer.failed_below)
      names += (names.empty() ? "" : ", ") + search.values(cell.point)[value].text;
    add_line(text, "not below",
             searched_name(search) + "=" + names + " did not fit, " +
                 short_name(search, cell, *answer.fits) + " does" +
                 in_brackets(cell_name(search, cell)));
  }
}

/// Two runs: how much each step of the value adds, and what does not depend on it.
struct Growth {
  double bytes_for_one = 0;
  double constant_bytes = 0;
  struct Kind {
    std::string name;
    double bytes_for_one = 0;
  };
  /// The kinds that grow, most first.
  std::vector<Kind> kinds;
};

/// Runs that reached their peaks, by value.
using PeakRuns = std::map<std::size_t, const FitFigures*>;

PeakRuns peak_runs(const FitSearch& search, const FitCell& cell) {
  PeakRuns runs;
  for (const auto& [value, figures] : search.unlimited_runs(cell))
    if (figures->failures == 0 && figures->used_memory()) runs[value] = figures;
  for (const auto& [value, verdict] : cell.verdicts)
    if (verdict == FitVerdict::fits) runs[value] = search.limited_run(cell, value);
  return runs;
}

std::map<std::string, double> bytes_by_kind(const FitFigures& figures) {
  std::map<std::string, double> bytes;
  if (figures.is_held_by_kind)
    for (const FitFigures::Held& held : figures.held)
      bytes[held.name] = static_cast<double>(held.bytes);
  return bytes;
}

/// Whether a kind holds clearly more at the peak of the smaller value: then that peak is another
/// one, such as the optimizer's step.
bool is_another_peak(const FitFigures& smaller, const FitFigures& larger) {
  constexpr double clear_share = 0.01;
  std::map<std::string, double> at_larger = bytes_by_kind(larger);
  return std::ranges::any_of(bytes_by_kind(smaller), [&](const auto& held) {
    return held.second - at_larger[held.first] >
           clear_share * static_cast<double>(smaller.peak_allocated);
  });
}

std::vector<Growth::Kind> growing_kinds(const FitFigures& from, const FitFigures& to, double span) {
  std::vector<Growth::Kind> kinds;
  std::map<std::string, double> before = bytes_by_kind(from);
  for (const auto& [name, bytes] : bytes_by_kind(to))
    if (name != rest_of_holders && bytes > before[name])
      kinds.push_back({name, (bytes - before[name]) / span});
  std::ranges::stable_sort(kinds, std::greater<>(), &Growth::Kind::bytes_for_one);
  return kinds;
}

/// From the largest value that is known, and the smallest one with the same peak. Without one,
/// kinds cannot be compared.
std::optional<Growth> growth_of(const FitSearch& search, const FitCell& cell) {
  const PeakRuns runs = peak_runs(search, cell);
  if (runs.size() < 2 || search.question().searched == nullptr) return std::nullopt;
  const auto last = std::prev(runs.end());
  auto first = std::find_if(runs.begin(), last, [&](const auto& run) {
    return !is_another_peak(*run.second, *last->second);
  });
  const bool is_same_peak = first != last;
  if (!is_same_peak) first = runs.begin();
  const double from = cell.facts.values[first->first];
  const double span = cell.facts.values[last->first] - from;
  const auto at_first = static_cast<double>(first->second->peak_allocated);
  const double each = (static_cast<double>(last->second->peak_allocated) - at_first) / span;
  Growth growth{each, at_first - each * from, {}};
  if (is_same_peak) growth.kinds = growing_kinds(*first->second, *last->second, span);
  return growth;
}

constexpr std::size_t most_growing_kinds = 3;

/// Such as `, of which 0.90 GiB activations`; kinds below a twentieth are left out.
std::string kinds_of_growth_text(const Growth& growth) {
  constexpr double least_share = 0.05;
  std::string text;
  std::size_t told = 0;
  for (const Growth::Kind& kind : growth.kinds) {
    if (kind.bytes_for_one < least_share * growth.bytes_for_one || told == most_growing_kinds)
      break;
    text += (told++ == 0 ? ", of which " : ", ") +
            size_text(static_cast<std::uint64_t>(kind.bytes_for_one)) + " " + kind.name;
  }
  return text;
}

void add_growth(std::string& text, const FitSearch& search) {
  if (search.question().searched == nullptr) return;
  std::set<std::size_t> told;
  for (const FitCell& cell : search.cells()) {
    const auto growth = growth_of(search, cell);
    if (!growth || growth->bytes_for_one <= 0 || !told.insert(cell.point).second) continue;
    const auto bytes = [](double amount) {
      return size_text(static_cast<std::uint64_t>(std::max(amount, 0.0)));
    };
    add_line(
        text, told.size() == 1 ? "what grows" : "",
        bytes(growth->bytes_for_one) + " for each 1 of " + searched_name(search) +
            kinds_of_growth_text(*growth) +
            (growth->constant_bytes > 0
                 ? "; " + bytes(growth->constant_bytes) + " do not depend on it"
                 : "") +
            in_brackets(search.question().points.size() > 1 ? search.point_name(cell.point) : ""));
    if (told.size() == most_proofs_told) return;
  }
}

void add_problems(std::string& text, const FitSearch& search) {
  std::set<std::string> told;
  for (const FitCell& cell : search.cells()) {
    if (cell.problem.empty() || cell.is_advised || !told.insert(cell.problem).second) continue;
    add_line(text, "no answer", cell.problem);
    for (std::size_t begin = 0; begin < cell.last_words.size();) {
      const std::size_t end = std::min(cell.last_words.find('\n', begin), cell.last_words.size());
      add_line(text, "", "| " + cell.last_words.substr(begin, end - begin));
      begin = end + 1;
    }
  }
}

void add_left_out(std::string& text, const FitSearch& search) {
  if (search.question().searched == nullptr) return;
  const std::size_t all = search.question().searched->values.size();
  for (std::size_t point = 0; point < search.question().points.size(); ++point)
    if (const std::size_t allowed = search.values(point).size(); allowed < all)
      add_line(text, "left out",
               counted(all - allowed, "value", "values") + " of " + searched_name(search) +
                   " for which a derived one is no integer" +
                   in_brackets(search.point_name(point)));
}

std::string certainty_text(const FitSearch& search) {
  std::uint64_t modelled = 0;
  for (const auto& [key, made] : search.runs())
    modelled = std::max(modelled, made.figures.modelled);
  return modelled == 0
             ? "each run is a whole dry run; nothing was asked that a GPU answers otherwise"
             : "each run is a whole dry run; some answers of CUDA's libraries are modelled "
               "(vramlab dry-run --explain)";
}

std::string command_text(const FitOutcome& outcome) {
  std::string text;
  for (const std::string& word : outcome.command) text += (text.empty() ? "" : " ") + word;
  for (const auto& [key, made] : outcome.search->runs())
    if (!made.figures.torch.empty()) return text + "; PyTorch " + made.figures.torch;
  return text;
}

std::string fit_text(const FitOutcome& outcome) {
  const FitSearch& search = *outcome.search;
  std::string text = "vramlab fit: " + shown_name(command_text(outcome)) + "\n" + fit_table(search);
  if (outcome.was_interrupted) add_line(text, "interrupted", "the runs up to then are told");
  add_problems(text, search);
  add_proofs(text, search);
  add_advice(text, search);
  add_failures_below(text, search);
  add_growth(text, search);
  add_left_out(text, search);
  if (something_fits(search)) add_line(text, "certainty", certainty_text(search));
  for (const auto& [key, name] : outcome.histories) add_line(text, "history", name);
  add_line(text, "runs", count_text(outcome));
  if (!outcome.own_processes_because.empty())
    add_line(text, "", "each imports anew: " + outcome.own_processes_because);
  if (!outcome.cache_trouble.empty()) add_line(text, "not kept", outcome.cache_trouble);
  if (!outcome.history_trouble.empty()) add_line(text, "no history", outcome.history_trouble);
  if (!outcome.report_trouble.empty()) add_line(text, "no report", outcome.report_trouble);
  return text;
}

// ---- For programs -------------------------------------------------------------------------------

constexpr const char* verdict_words[] = {"fits",          "fits after failures",
                                         "out of memory", "went on with less",
                                         "over a limit",  "ended otherwise"};

std::string verdict_word(FitVerdict verdict) {
  return verdict_words[static_cast<std::size_t>(verdict)];
}

ordered_json point_json(const FitSearch& search, std::size_t point) {
  ordered_json values = ordered_json::object();
  for (const auto& [name, value] : search.question().points[point]) values[name] = value;
  return values;
}

ordered_json failure_json_of(const FitFigures& figures) {
  if (figures.failures == 0) return nullptr;
  return {{"requested_bytes", figures.failed_bytes},
          {"place", text_or_null(figures.failed_at)},
          {"process", text_or_null(figures.failed_process)}};
}

ordered_json proof_json(const FitOutcome& outcome, const FitCell& cell,
                        const std::optional<std::size_t>& value) {
  if (!value || !cell.verdicts.contains(*value)) return nullptr;
  const FitSearch& search = *outcome.search;
  const FitFigures& figures = *search.limited_run(cell, *value);
  const auto history =
      outcome.histories.find({cell.point, *value, cell.gpu, cell.conf, RunLimit::memory_of_gpu});
  return {{"value", text_or_null(search.values(cell.point)[*value].text)},
          {"end", verdict_word(cell.verdicts.at(*value))},
          {"exit_status", figures.status},
          {"error", text_or_null(figures.error)},
          {"peak_reserved_bytes", figures.peak_reserved},
          {"peak_allocated_bytes", figures.peak_allocated},
          {"worst_process", text_or_null(figures.worst_process)},
          {"out_of_memory", failure_json_of(figures)},
          {"history",
           history == outcome.histories.end() ? ordered_json() : ordered_json(history->second)}};
}

ordered_json growth_json(const Growth& growth) {
  return {{"bytes_for_one", growth.bytes_for_one},
          {"constant_bytes", growth.constant_bytes},
          {"kinds", json_list(growth.kinds, [](const Growth::Kind& kind) {
             return ordered_json{{"kind", kind.name}, {"bytes_for_one", kind.bytes_for_one}};
           })}};
}

ordered_json row_json(const FitOutcome& outcome, const FitCell& cell) {
  const FitSearch& search = *outcome.search;
  const LargestValue answer = largest_value(cell.facts);
  ordered_json below = ordered_json::array();
  for (const std::size_t value : answer.failed_below)
    below.push_back(search.values(cell.point)[value].text);
  std::optional<std::uint64_t> headroom;
  if (answer.fits) headroom = cell.headroom(*search.limited_run(cell, *answer.fits));
  return {{"placeholders", point_json(search, cell.point)},
          {"gpu", search.question().gpus[cell.gpu].name},
          {"memory_bytes", cell.facts.memory.count},
          {"conf", or_null(search.question().confs[cell.conf])},
          {"is_advised", cell.is_advised},
          {"is_answered", cell.is_done && cell.problem.empty()},
          {"problem", text_or_null(cell.problem)},
          {"largest", proof_json(outcome, cell, answer.fits)},
          {"next", proof_json(outcome, cell, answer.next)},
          {"failed_below", below},
          {"headroom_bytes", or_null(headroom)},
          {"least_need_bytes", or_null(least_need(cell))},
          {"growth", or_null(growth_of(search, cell), growth_json)}};
}

ordered_json run_json(const FitSearch& search, const FitRunKey& key, const MadeFitRun& made) {
  const FitFigures& figures = made.figures;
  const bool has_limit = key.limit == RunLimit::memory_of_gpu;
  return {{"placeholders", point_json(search, key.point)},
          {"value", text_or_null(search.values(key.point)[key.value].text)},
          {"gpu", search.question().gpus[key.gpu].name},
          {"memory_bytes",
           has_limit ? ordered_json(search.question().gpus[key.gpu].memory.count) : ordered_json()},
          {"conf", or_null(search.question().confs[key.conf])},
          {"exit_status", figures.status},
          {"failed_requests", figures.failures},
          {"peak_reserved_bytes", figures.peak_reserved},
          {"peak_allocated_bytes", figures.peak_allocated},
          {"held_by", figures.held.empty()      ? ordered_json()
                      : figures.is_held_by_kind ? ordered_json("kind")
                                                : ordered_json("line")},
          {"held", json_list(figures.held,
                             [](const FitFigures::Held& held) {
                               return ordered_json{{"name", held.name}, {"bytes", held.bytes}};
                             })},
          {"processor_seconds", figures.processor_s},
          {"host_bytes", figures.host_bytes},
          {"was_kept", made.was_kept}};
}

std::string fit_json(const FitOutcome& outcome) {
  const FitSearch& search = *outcome.search;
  ordered_json rows = ordered_json::array();
  for (const FitCell& cell : search.cells()) rows.push_back(row_json(outcome, cell));
  ordered_json runs = ordered_json::array();
  for (const auto& [key, made] : search.runs()) runs.push_back(run_json(search, key, made));
  return json_text({{"schema_version", 1},
                    {"command", outcome.command},
                    {"searched", text_or_null(searched_name(search))},
                    {"rows", rows},
                    {"runs", runs},
                    {"seconds", outcome.seconds},
                    {"was_interrupted", outcome.was_interrupted}});
}

Table row_table(const FitSearch& search, std::string (*shown)(const std::string&)) {
  std::vector<Column> columns;
  for (const replay::Placeholder& placeholder : search.question().texts.placeholders())
    if (&placeholder != search.question().searched) columns.push_back(left(placeholder.name));
  columns.push_back(left("gpu"));
  columns.push_back({"memory_bytes"});
  columns.push_back(left("conf"));
  columns.push_back({search.question().searched == nullptr ? "fits" : searched_name(search)});
  columns.push_back({"peak_reserved_bytes"});
  columns.push_back({"headroom_bytes"});
  columns.push_back(left("next_ends"));
  columns.push_back(left("problem"));
  Table table(std::move(columns));
  for (const FitCell& cell : search.cells()) {
    const LargestValue answer = largest_value(cell.facts);
    std::vector<std::string> cells;
    for (const replay::Placeholder& placeholder : search.question().texts.placeholders())
      if (&placeholder != search.question().searched)
        cells.push_back(shown(search.question().points[cell.point].at(placeholder.name)));
    cells.push_back(search.question().gpus[cell.gpu].name);
    cells.push_back(std::to_string(cell.facts.memory.count));
    cells.push_back(shown(search.question().confs[cell.conf].value_or("")));
    const FitFigures* const best = answer.fits ? search.limited_run(cell, *answer.fits) : nullptr;
    const bool is_search = search.question().searched != nullptr;
    cells.push_back(best == nullptr ? (is_search ? "" : "no")
                    : is_search     ? search.values(cell.point)[*answer.fits].text
                                    : "yes");
    cells.push_back(best == nullptr ? "" : std::to_string(best->peak_reserved));
    const auto headroom = best == nullptr ? std::nullopt : cell.headroom(*best);
    cells.push_back(headroom ? std::to_string(*headroom) : "");
    cells.push_back(answer.next && cell.verdicts.contains(*answer.next)
                        ? verdict_word(cell.verdicts.at(*answer.next))
                        : "");
    cells.push_back(shown(cell.problem));
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace

bool something_fits(const FitSearch& search) {
  return std::ranges::any_of(search.cells(), [](const FitCell& cell) {
    return cell.problem.empty() && largest_value(cell.facts).fits.has_value();
  });
}

bool has_problem(const FitSearch& search) {
  return std::ranges::any_of(search.cells(), [](const FitCell& cell) {
    return !cell.problem.empty() && !cell.is_advised;
  });
}

std::string fit_printed(const FitOutcome& outcome, const std::string& format) {
  if (format == "json") return fit_json(outcome);
  if (format == "csv")
    return row_table(*outcome.search, [](const std::string& text) { return text; }).csv();
  if (format == "markdown") return row_table(*outcome.search, markdown_cell).markdown();
  return fit_text(outcome);
}

}  // namespace vramlab::tools
