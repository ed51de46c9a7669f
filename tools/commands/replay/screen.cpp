#include "tools/commands/replay/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace vramlab::tools {

std::size_t screen_columns() {
  constexpr std::size_t usual_columns = 80;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_columns;
  return size.ws_col;
}

std::string locale_of_environment() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    // The program has one thread when this is asked.
    if (const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
        value != nullptr && *value != '\0')
      return value;
  return {};
}

}  // namespace vramlab::tools
