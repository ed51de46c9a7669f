// The options that a replay runs under: read, or refused with a reason that names a version that
// has the option, or the nearest option there is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "allocator/options/settings.h"
#include "allocator/types/reference_version.h"

namespace vramlab::replay {

/// What helps with an option that this version does not have: the oldest version that has it, or
/// else the name that is most like this one. Such as `the nearest is backend`.
std::string hint_about(std::string_view option, const ReferenceVersion& version);

/// Why this version takes no such string; nothing where it does.
std::optional<std::string> refusal_of(const std::string& options, const ReferenceVersion& version);

/// The option string as settings. Throws InputError where it is refused; `where` is for that.
Settings settings_of(const std::string& options, const ReferenceVersion& version,
                     const std::string& where);

}  // namespace vramlab::replay
