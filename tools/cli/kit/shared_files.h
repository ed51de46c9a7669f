// Files that belong to the program and are no part of it. They are found from the folder of the
// program; the samples and the page lie in share/vramlab, beside that of an installed program or in
// the build folder.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>

namespace vramlab::tools {

std::filesystem::path own_folder();

/// The first of these places from there on that exists.
std::optional<std::filesystem::path> first_own_place(
    std::initializer_list<std::filesystem::path> places);

/// The path of a file below share/vramlab; nothing if this installation has none.
std::optional<std::filesystem::path> find_shared_file(const std::filesystem::path& name);

/// The page with the program in it; nothing if this installation has none.
std::optional<std::filesystem::path> find_page();

/// The bytes of a file of ours. Throws InputError if it can't be read.
std::string shared_file_bytes(const std::filesystem::path& path);

}  // namespace vramlab::tools
