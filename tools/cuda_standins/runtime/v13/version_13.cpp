#include "tools/cuda_standins/runtime/version.h"

namespace vramlab::dry_run {

int runtime_version() { return 13000; }
const char* runtime_library() { return "libcudart.so.13"; }

}  // namespace vramlab::dry_run
