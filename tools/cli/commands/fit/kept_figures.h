// KeptFigures: figures of earlier runs, in files of the user's cache (~/.cache/vramlab/fit). They
// count as long as the files that decided what the program did stay as they were.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/commands/fit/fit_run.h"

namespace vramlab::tools {

/// All that a run depends on beside files: command, options, folder, environment and this program.
/// `more` are the contents of templates and the like.
std::string identity_of_run(const DryRunArguments& arguments, const std::vector<std::string>& more);

class KeptFigures {
 public:
  /// Looks into the folder that XDG_CACHE_HOME names, else into ~/.cache.
  KeptFigures();

  /// Empty if there are none, or a file has changed since.
  std::optional<FitFigures> find(const std::string& identity) const;
  /// Keeps the figures if they can be found again: the files are known, and the run ended by
  /// itself.
  void keep(const std::string& identity, const FitFigures& figures);
  /// Why figures could not be kept; mostly empty.
  const std::string& trouble() const { return trouble_; }

 private:
  std::filesystem::path file_of(const std::string& identity) const;

  std::filesystem::path folder_;
  std::string trouble_;
};

}  // namespace vramlab::tools
