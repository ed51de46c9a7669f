// Moments on the command line, the same for every command.
#pragma once

#include <optional>
#include <string>

#include "replay/figures/moment.h"
#include "tools/kit/arguments.h"

namespace vramlab::tools {

/// `peak`, `oom`, `end`, an event's number, or a time such as `12.5ms` or `time:3s`. Nothing where
/// it is none of them.
std::optional<replay::Moment> moment_of(const std::string& text);

/// As it was given, a time without `time:`.
std::string shown_moment(const std::string& text);

/// Adds an option that takes a moment.
CLI::Option* add_moment(CLI::App& command, const std::string& name, std::string& text,
                        const std::string& description);

}  // namespace vramlab::tools
