// What the reference's error texts mean: recorded cases carry its words, ours are others, so the
// kind of error and the option at fault are compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/types/answers.h"

namespace vramlab::replay {

struct ReferenceSettingsError {
  /// More than one where the reference says the same of different errors.
  std::vector<allocator::SettingsErrorKind> kinds;
  /// Empty where the text does not tell.
  std::string option;
};

/// Empty if the text is none of the reference's.
std::optional<ReferenceSettingsError> understand_settings_error(std::string_view text);

/// A request that failed for another reason than memory.
std::optional<MallocOutcome> understand_malloc_error(std::string_view text);

/// The figures of an out-of-memory message in their order: sizes with units, and the GPU's number.
std::vector<std::string> figures_of_message(std::string_view text);

}  // namespace vramlab::replay
