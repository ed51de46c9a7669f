// The folders in which running programs can be asked about their memory: sockets that only the user
// can reach. tools/python/vramlab/torch/run_folder.py looks in the same places.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "tools/cli/kit/numbered_folder.h"

namespace vramlab::tools {

/// A folder for the programs of one command. Throws InputError if none that is the user's alone can
/// be made.
std::unique_ptr<NumberedFolder> new_watch_folder();

/// The socket on which a process listens, in any folder of the user's.
std::optional<std::filesystem::path> socket_of(int process);

}  // namespace vramlab::tools
