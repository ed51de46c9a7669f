#include "tools/kit/scratch_place.h"

#include <cstdlib>

namespace vramlab::tools {

traces::ScratchPlace scratch_place() {
  // No thread of ours changes the environment.
  const char* folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return {folder == nullptr || *folder == '\0' ? "/tmp" : folder};
}

}  // namespace vramlab::tools
