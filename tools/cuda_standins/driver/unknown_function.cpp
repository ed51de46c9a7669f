#include "tools/cuda_standins/driver/unknown_function.h"

#include <string>

#include "tools/cuda_standins/notes/notes.h"

namespace vramlab::dry_run {

CUresult answer_unknown(const char* symbol) {
  vramlab_dry_run_note("unknown", (std::string("libcuda.so.1 ") + symbol).c_str());
  return CUDA_ERROR_NOT_SUPPORTED;
}

}  // namespace vramlab::dry_run
