#include "tools/cli/kit/shared_files.h"

namespace vramlab::tools {

std::filesystem::path own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

}  // namespace vramlab::tools
