// The options that a replay runs under: read, or refused with a reason that names the nearest
// option there is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "allocator/options/settings.h"
#include "allocator/words/reference_version.h"

namespace vramlab::replay {

/// The option of this version whose name is most like this one.
std::string_view nearest_option(std::string_view name, const ReferenceVersion& version);

/// Why this version takes no such string; nothing where it does.
std::optional<std::string> refusal_of(const std::string& options, const ReferenceVersion& version);

/// The option string as settings. Throws InputError where it is refused; `where` is for that.
Settings settings_of(const std::string& options, const ReferenceVersion& version,
                     const std::string& where);

}  // namespace vramlab::replay
