// Files that belong to the program and are no part of it: the samples and the page. They lie in
// share/vramlab, beside the folder of an installed program or in the build folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vramlab::tools {

/// The path of a file below share/vramlab; nothing if this installation has none.
std::optional<std::filesystem::path> find_shared_file(const std::filesystem::path& name);

/// The page with the program in it; nothing if this installation has none.
std::optional<std::filesystem::path> find_page();

/// The bytes of a file of ours. Throws InputError if it can't be read.
std::string shared_file_bytes(const std::filesystem::path& path);

}  // namespace vramlab::tools
