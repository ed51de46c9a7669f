// Errors in the words of the reference, as recorded cases have them. Our words are others, so the
// kind of error and the option at fault are compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/options/settings.h"
#include "allocator/pinned/host_pools.h"
#include "allocator/types/answers.h"

namespace vramlab::replay {

struct ReferenceSettingsError {
  /// Several where the reference has the same text for different errors.
  std::vector<allocator::SettingsErrorKind> kinds;
  /// Empty where the text does not tell.
  std::string option;
};

/// Empty if the text is none of the reference's.
std::optional<ReferenceSettingsError> understand_settings_error(std::string_view text);

/// The outcome of a request that failed for another reason than memory.
std::optional<MallocOutcome> understand_malloc_error(std::string_view text);

/// The words of the reference for an error of pinned memory.
std::string reference_text(allocator::HostErrorKind kind);

/// The figures of an out-of-memory message in their order: sizes with units, and the GPU's number.
std::vector<std::string> figures_of_message(std::string_view text);

}  // namespace vramlab::replay
