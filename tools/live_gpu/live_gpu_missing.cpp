// Built without the CUDA Toolkit's headers: there is no LiveGpu.
#include <stdexcept>

#include "tools/live_gpu/live_gpu.h"

namespace vramlab::tools {

std::unique_ptr<LiveGpu> open_live_gpu(int /*index*/) {
  throw std::runtime_error(
      "this vramlab was built without the headers of a CUDA Toolkit, which running live needs");
}

}  // namespace vramlab::tools
