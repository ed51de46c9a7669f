// `vramlab page`: the page with the program in it, for those who want no command line.
#include <fcntl.h>
#include <spawn.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/shared_files.h"

extern char** environ;

namespace vramlab::tools {
namespace {

struct PageArguments {
  OutputArguments output;
};

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

ExitStatus give_page(const PageArguments& arguments) {
  const auto page = find_page();
  if (!page)
    throw std::runtime_error(
        "this installation has no vramlab.html: it was made where the page could not be built "
        "(bash tools/web/build.sh in a clone builds it)");
  if (!arguments.output.path.empty()) {
    OpenOutput output(arguments.output, {page->string()});
    output.write(shared_file_bytes(*page));
    output.finish();
    return ExitStatus::done;
  }
  print(page->string() + "\n");
  if (!has_display() || !has_opened(page->string()))
    tell("no browser was started: open this file in one, or -o FILE writes it elsewhere\n");
  return ExitStatus::done;
}

void add_options(CLI::App& command, PageArguments& arguments) {
  add_output(command, arguments.output,
             "Write the page to a file, and start no browser (- is standard output)");
  add_force(command, arguments.output);
}

}  // namespace

Command page_command() {
  return {"page", "Open the page that answers without a command line: drop a recording on it",
          "Example: vramlab page -o vramlab.html", with<PageArguments>(add_options, give_page)};
}

}  // namespace vramlab::tools
