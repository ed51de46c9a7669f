#include "tests/layout/room_rules.h"
#include "tests/support/processes/places.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace vramlab::tests {
namespace {

std::string_view folder_above(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

/// allocator, streams and so on; the rooms of what tests share are a folder of their own.
std::string_view house_part(std::string_view path) {
  constexpr std::string_view support = "tests/support";
  if (path.starts_with(support)) return support;
  return path.substr(0, path.find('/'));
}

/// tests/ has rooms where it mirrors those of others, and in tests/support/.
bool has_rooms(std::string_view path) { return house_part(path) != "tests"; }

/// `room` is the one whose row counts for the file.
void check_includes(const SourceFile& file, std::string_view room,
                    std::vector<std::string>& broken) {
  const std::string_view own = folder_above(file.path);
  const std::set<std::string_view>& allowed = allowed_rooms.at(room);
  for (const Include& include : file.includes) {
    const std::string_view other = folder_above(include.target);
    if (other == own || house_part(include.target) != house_part(file.path)) continue;
    if (!allowed.contains(other))
      broken.push_back(says_include(file, include) + std::string(own) + " may not know " +
                       std::string(other));
  }
}

bool is_value_header(std::string_view path) {
  return path.ends_with(".h") && allocator_value_rooms.contains(folder_above(path)) &&
         !no_value_headers.contains(path);
}

/// Takes away, again and again, the rooms that may include none that is left. What stays lies on a
/// circle or leads to one.
RoomArrows without_lowest_rooms(RoomArrows arrows) {
  for (bool removed = true; removed;) {
    std::set<std::string_view> lowest;
    for (const auto& [room, others] : arrows)
      if (others.empty()) lowest.insert(room);
    removed = !lowest.empty();
    for (const std::string_view room : lowest) arrows.erase(room);
    for (auto& [room, others] : arrows)
      std::erase_if(others, [&](std::string_view other) { return lowest.contains(other); });
  }
  return arrows;
}

bool is_allowed_in_cmake(const std::string& path, const std::string& source) {
  const auto row = sources_named_in_cmake.find(path);
  return row != sources_named_in_cmake.end() && row->second.contains(source);
}

}  // namespace

std::string_view room_of(std::string_view path) {
  std::string_view folder = folder_above(path);
  while (!folder.empty() && !allowed_rooms.contains(folder)) folder = folder_above(folder);
  return folder;
}

std::vector<std::string> broken_rooms(const std::vector<SourceFile>& files) {
  std::vector<std::string> broken;
  for (const SourceFile& file : files) {
    if (!has_rooms(file.path)) continue;
    const std::string_view room = room_of(file.path);
    // All folders of tools/ are below it, so its row is for its own files alone.
    if (room.empty() || (room == "tools" && folder_above(file.path) != room))
      broken.push_back(file.path + " is in no room: give it one of tests/layout/room_tables.h");
    else
      check_includes(file, room, broken);
  }
  return broken;
}

std::vector<std::string> broken_value_rooms(const std::vector<SourceFile>& files) {
  std::vector<std::string> broken;
  for (const SourceFile& file : files) {
    const bool is_trace = house_part(file.path) == "traces";
    if (!is_trace && !is_value_header(file.path)) continue;
    for (const Include& include : file.includes) {
      if (include.form == IncludeForm::angled || is_value_header(include.target)) continue;
      if (house_part(include.target) != "allocator") continue;
      broken.push_back(says_include(file, include) +
                       (is_trace ? "traces/ sees only the value headers of allocator/"
                                 : "a value header includes only value headers"));
    }
  }
  return broken;
}

std::vector<std::string> tests_out_of_place(const std::vector<SourceFile>& files) {
  static const std::regex mirror("tests/((allocator|streams|traces|replay|tools)(/.*)?)/[^/]+");
  std::vector<std::string> broken;
  for (const SourceFile& file : files) {
    std::smatch match;
    if (!std::regex_match(file.path, match, mirror)) continue;
    if (!allowed_rooms.contains(match[1].str()))
      broken.push_back(file.path + " mirrors no room: there is no " + match[1].str());
  }
  return broken;
}

std::vector<std::string> overfull_rooms(const std::vector<SourceFile>& files) {
  std::map<std::string_view, std::size_t> counts;
  for (const SourceFile& file : files) ++counts[folder_above(file.path)];
  std::vector<std::string> broken;
  for (const auto& [folder, count] : counts)
    if (count > most_files_of_a_room)
      broken.push_back(std::string(folder) + " has " + std::to_string(count) +
                       " files and asks to be two rooms: the most is " +
                       std::to_string(most_files_of_a_room));
  return broken;
}

std::vector<std::string> circles_of_rooms(const RoomArrows& arrows) {
  std::vector<std::string> broken;
  for (const auto& [room, others] : arrows)
    for (const std::string_view other : others)
      if (!arrows.contains(other))
        broken.push_back(std::string(room) + " may include " + std::string(other) +
                         ", which is no room");
  if (!broken.empty()) return broken;
  for (const auto& [room, others] : without_lowest_rooms(arrows))
    broken.push_back(std::string(room) + " is on a circle of rooms, or above one");
  return broken;
}

std::vector<std::string> sources_in_lists(const std::vector<BuildFile>& files) {
  static const std::regex source(R"((?:^|[^\w*}])(\w+\.(?:cpp|cu))\b)");
  std::vector<std::string> broken;
  for (const BuildFile& file : files) {
    std::istringstream lines(file.text);
    for (std::string line; std::getline(lines, line);) {
      const std::string code = line.substr(0, line.find('#'));
      for (std::sregex_iterator found(code.begin(), code.end(), source), end; found != end; ++found)
        if (const std::string name = (*found)[1]; !is_allowed_in_cmake(file.path, name))
          broken.push_back(file.path + " names " + name +
                           ": libraries and programs are made of rooms");
    }
  }
  return broken;
}

std::vector<std::string> idle_exceptions(const std::vector<BuildFile>& files) {
  std::vector<std::string> broken;
  for (const BuildFile& file : files) {
    const auto row = sources_named_in_cmake.find(file.path);
    if (row == sources_named_in_cmake.end()) continue;
    for (const std::string_view source : row->second)
      if (file.text.find(source) == std::string::npos)
        broken.push_back(file.path + " no longer names " + std::string(source) +
                         ", so tests/layout/room_tables.h need not allow it");
  }
  return broken;
}

std::vector<BuildFile> read_build_files(const std::filesystem::path& root) {
  std::vector<BuildFile> files;
  const auto add = [&](const std::filesystem::path& path) {
    files.push_back({path.lexically_relative(root).generic_string(), support::content_of(path)});
  };
  add(root / "CMakeLists.txt");
  for (const char* const folder :
       {"cmake", "allocator", "streams", "traces", "replay", "tools", "tests"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
      if (entry.path().filename() == "CMakeLists.txt" || entry.path().extension() == ".cmake")
        add(entry.path());
  return files;
}

std::vector<FolderReadme> read_room_readmes(const std::filesystem::path& root) {
  std::vector<FolderReadme> readmes;
  for (const auto& [room, others] : allowed_rooms) {
    if (room.starts_with("tools/cli/commands/") || !std::filesystem::exists(root / room)) continue;
    const std::filesystem::path path = root / room / "README.md";
    const std::string text = support::content_of(path);
    readmes.push_back(
        {std::string(room), static_cast<std::size_t>(std::ranges::count(text, '\n'))});
  }
  return readmes;
}

}  // namespace vramlab::tests
