// Node.js runs the program, so the system's answer would be the folder of Node.js. begin.js tells
// ours.
#include <cstdlib>

#include "tools/cli/kit/shared_files.h"

namespace vramlab::tools {

std::filesystem::path own_folder() {
  const char* const told = std::getenv("VRAMLAB_PROGRAM_FOLDER");
  return told == nullptr ? "." : told;
}

}  // namespace vramlab::tools
