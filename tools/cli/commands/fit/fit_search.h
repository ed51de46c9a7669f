// FitSearch: the searches of all cells of a grid, one for each point, GPU and option string, over
// runs that they share. It says which runs are wanted next and what they proved; it starts none.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay/fit/largest_value.h"
#include "replay/fit/placeholders.h"
#include "tools/cli/commands/fit/fit_run.h"

namespace vramlab::tools {

struct FitGpu {
  std::string name;
  /// For the allocator.
  Bytes memory;
};

/// A file with placeholders, of which the program gets a copy.
struct FitTemplate {
  std::string path;
  std::size_t text = 0;
};

struct FitQuestion {
  replay::PlaceholderTexts texts;
  /// The program, its arguments and variables: numbers of texts.
  std::vector<std::size_t> words;
  std::vector<std::pair<std::string, std::size_t>> variables;
  std::vector<FitTemplate> templates;
  /// Null if only a grid is asked for.
  const replay::Placeholder* searched = nullptr;
  std::vector<replay::PlaceholderValues> points;
  std::vector<FitGpu> gpus;
  /// At least one; empty for the option string of the environment. After those that were asked for
  /// come those to advise, of which only the promising ones are tried.
  std::vector<std::optional<std::string>> confs;
  std::size_t asked_conf_count = 1;
  /// The other options.
  DryRunArguments base;
};

/// Names a run. One without a limit is for all GPUs of the same properties and all option strings;
/// it is made on the first of them.
struct FitRunKey {
  std::size_t point = 0;
  /// The index of the searched value.
  std::size_t value = 0;
  std::size_t gpu = 0;
  std::size_t conf = 0;
  replay::RunLimit limit = replay::RunLimit::none;
  auto operator<=>(const FitRunKey&) const = default;
};

struct MadeFitRun {
  FitFigures figures;
  /// The figures are those of a run that an earlier command made.
  bool was_kept = false;
};

enum class FitVerdict : std::uint8_t {
  fits,
  /// The program caught failed requests and reached the same peak.
  fits_after_failures,
  out_of_memory,
  went_on_with_less,
  over_limit,
  /// It ended otherwise, not by memory.
  ended_otherwise,
};

/// A point of the grid on a GPU, under an option string.
struct FitCell {
  std::size_t point = 0;
  std::size_t gpu = 0;
  std::size_t conf = 0;
  replay::SearchFacts facts;
  /// By value, of runs with the GPU's memory.
  std::map<std::size_t, FitVerdict> verdicts;
  /// Runs that caught a failure and wait for one without a limit to be compared with.
  std::set<std::size_t> undecided;
  /// Why there is no answer; empty mostly.
  std::string problem;
  /// The last lines that the program printed, for the problem.
  std::string last_words;
  /// The option string is one to advise.
  bool is_advised = false;
  /// The runs that it wants, as far as nothing has come in since.
  std::vector<replay::WantedRun> wishes;
  bool is_stale = true;
  bool is_done = false;

  /// The memory of the GPU that the run leaves; empty if it takes more than there is.
  std::optional<std::uint64_t> headroom(const FitFigures& figures) const;
};

class FitSearch {
 public:
  explicit FitSearch(FitQuestion question);

  /// Runs that were not begun, the most useful first; empty if nothing more is wanted until others
  /// have ended, or at all.
  std::vector<FitRunKey> wanted();
  void begin(const FitRunKey& key) { begun_.insert(key); }
  void add(const FitRunKey& key, MadeFitRun made);

  const FitQuestion& question() const { return question_; }
  /// The cells of the option strings that were asked for come first, then those of the ones to
  /// advise that replays chose.
  const std::vector<FitCell>& cells() const { return cells_; }
  /// Requires: the option string was asked for.
  const FitCell& cell_at(std::size_t point, std::size_t gpu, std::size_t conf) const;
  const std::map<FitRunKey, MadeFitRun>& runs() const { return runs_; }
  /// The allowed values at a point of the grid, rising; one without a name if nothing is searched.
  const std::vector<replay::SearchedValue>& values(std::size_t point) const {
    return values_[point];
  }
  /// Null if there was no such run.
  const FitFigures* limited_run(const FitCell& cell, std::size_t value) const;
  /// Runs without a limit that concern the cell, by value.
  std::map<std::size_t, const FitFigures*> unlimited_runs(const FitCell& cell) const;

  /// Such as `batch=21`, and with the rest of the grid `seq=512, batch=21`.
  std::string value_name(std::size_t point, std::size_t value) const;
  std::string point_name(std::size_t point) const;

  /// The program with all values filled in. `folder` is for copies of templates.
  FitRun run_of(const FitRunKey& key, const std::filesystem::path& folder) const;
  /// All that the run depends on beside files of the program, as a text.
  std::string identity_of(const FitRunKey& key) const;

 private:
  FitCell new_cell(std::size_t point, std::size_t gpu, std::size_t conf) const;
  std::optional<FitCell> promising_cell(std::size_t point, std::size_t gpu) const;
  bool open_promising_cells();
  std::vector<FitRunKey> runs_wished();
  replay::PlaceholderValues values_of_run(const FitRunKey& key) const;
  DryRunArguments arguments_of(const FitRunKey& key) const;
  bool is_same_group(std::size_t gpu, std::size_t other) const;
  std::size_t first_of_group(std::size_t gpu) const;
  /// The cell whose runs the other cells of the point learn from.
  const FitCell& teacher_of(const FitCell& cell) const;
  bool waits_for_teacher(const FitCell& cell) const;
  std::vector<replay::WantedRun> wishes_of(FitCell& cell) const;
  bool all_histories_are_the_same(const FitCell& cell) const;
  void learn(FitCell& cell, const FitRunKey& key, const FitFigures& figures) const;
  void judge(FitCell& cell, std::size_t value, const FitFigures& figures);
  void note_problem(FitCell& cell, const FitRunKey& key, const FitFigures& figures) const;
  int usual_status(const FitCell& cell) const;

  FitQuestion question_;
  std::vector<std::vector<replay::SearchedValue>> values_;
  std::vector<FitCell> cells_;
  std::map<FitRunKey, MadeFitRun> runs_;
  std::set<FitRunKey> begun_;
  /// Points, by their numbers, and GPUs of which something became known.
  std::set<std::pair<std::size_t, std::size_t>> may_have_advice_;
};

}  // namespace vramlab::tools
