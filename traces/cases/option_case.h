// OptionCase: runs of the reference's parser of the options that all accelerators share. Each run
// is a process that starts with the defaults and is given one string after another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allocator/options/settings.h"

namespace vramlab::traces {

struct OptionStep {
  std::string text;
  /// In the reference's words.
  std::optional<std::string> error;
  /// That the limit of cached sizes comes before that of rounding.
  bool warned = false;
  /// What the shared parser sets; all else has its default.
  Settings settings;
};

using OptionRun = std::vector<OptionStep>;

struct OptionCase {
  /// The file.
  std::string name;
  std::vector<OptionRun> runs;
};

}  // namespace vramlab::traces
