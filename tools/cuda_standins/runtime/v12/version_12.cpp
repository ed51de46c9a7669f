#include "tools/cuda_standins/runtime/version.h"

namespace vramlab::dry_run {

int runtime_version() { return 12090; }
const char* runtime_library() { return "libcudart.so.12"; }

}  // namespace vramlab::dry_run
