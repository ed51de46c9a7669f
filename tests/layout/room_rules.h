// The rules of rooms as functions over values: where a file may lie, which room may include which,
// how many files a room holds, and that CMake names no sources.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/layout/layout_rules.h"
#include "tests/layout/room_tables.h"

namespace vramlab::tests {

/// The folder that a file is in, as the table knows it; of a folder without a row the nearest one
/// above that has one. Empty where there is none.
std::string_view room_of(std::string_view path);

/// Each returns the broken rules as sentences, none if all hold.
std::vector<std::string> broken_rooms(const std::vector<SourceFile>& files);
std::vector<std::string> broken_value_rooms(const std::vector<SourceFile>& files);
std::vector<std::string> tests_out_of_place(const std::vector<SourceFile>& files);
std::vector<std::string> overfull_rooms(const std::vector<SourceFile>& files);
std::vector<std::string> circles_of_rooms(const RoomArrows& arrows);

/// A file of CMake's language.
struct BuildFile {
  std::string path;
  std::string text;
};
std::vector<std::string> sources_in_lists(const std::vector<BuildFile>& files);
/// What may be named in a file of these and is not.
std::vector<std::string> idle_exceptions(const std::vector<BuildFile>& files);

std::vector<BuildFile> read_build_files(const std::filesystem::path& root);
/// The README of each room that is built; single commands share that of tools/cli/commands.
std::vector<FolderReadme> read_room_readmes(const std::filesystem::path& root);

}  // namespace vramlab::tests
