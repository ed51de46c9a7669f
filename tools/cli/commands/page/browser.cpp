#include "tools/cli/commands/page/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <cstdlib>

extern char** environ;

namespace vramlab::tools {
namespace {

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
  return false;
}

/// Starts the browser of the desktop, which outlives this program. Its own words are dropped.
bool has_opened(std::string path) {
  std::string opener = "xdg-open";
  char* words[] = {opener.data(), path.data(), nullptr};
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  constexpr int standard_streams = 3;
  for (int stream = 0; stream < standard_streams; ++stream)
    posix_spawn_file_actions_addopen(&streams, stream, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t own_group;
  posix_spawnattr_init(&own_group);
  posix_spawnattr_setflags(&own_group, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], &streams, &own_group, words, environ);
  posix_spawnattr_destroy(&own_group);
  posix_spawn_file_actions_destroy(&streams);
  return error == 0;
}

}  // namespace

bool has_opened_in_browser(const std::string& path) { return has_display() && has_opened(path); }

}  // namespace vramlab::tools
