#include "tools/cli/commands/watch/watch_folder.h"

#include <sys/stat.h>
#include <unistd.h>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "tools/cli/commands/watch/asking.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

namespace fs = std::filesystem;

/// A socket's whole path has at most 107 letters.
constexpr std::size_t longest_base = 80;

std::vector<fs::path> bases() {
  std::vector<fs::path> found;
  // No thread of ours changes the environment.
  const char* const of_user = std::getenv("XDG_RUNTIME_DIR");  // NOLINT(concurrency-mt-unsafe)
  if (of_user != nullptr && *of_user == '/') found.push_back(fs::path(of_user) / "vramlab");
  found.push_back("/tmp/vramlab-" + std::to_string(getuid()));
  std::erase_if(found, [](const fs::path& base) { return base.native().size() > longest_base; });
  return found;
}

bool is_the_users_alone(const fs::path& folder) {
  struct stat found{};
  constexpr mode_t of_others = S_IRWXG | S_IRWXO;
  return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == getuid() &&
         (found.st_mode & of_others) == 0;
}

/// Null if it can't be made there.
std::unique_ptr<NumberedFolder> made_in(const fs::path& base) {
  mkdir(base.c_str(), S_IRWXU);
  if (!is_the_users_alone(base)) return nullptr;
  try {
    return std::make_unique<NumberedFolder>((base / "watch").string());
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<NumberedFolder> new_watch_folder() {
  for (const fs::path& base : bases())
    if (auto made = made_in(base)) return made;
  throw traces::InputError({bases().back().string(), "", "a folder that is this user's alone",
                            "none, and none could be made"});
}

std::optional<fs::path> socket_of(int process) {
  const std::string name = std::to_string(process) + ".sock";
  for (const fs::path& base : bases()) {
    if (!is_the_users_alone(base)) continue;
    std::error_code error;
    for (const fs::directory_entry& run : fs::directory_iterator(base, error))
      if (is_the_users_alone(run.path()) && is_listening(run.path() / name))
        return run.path() / name;
  }
  return std::nullopt;
}

}  // namespace vramlab::tools
