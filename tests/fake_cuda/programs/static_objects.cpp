// CUDA is used before main and after it. After the driver is gone, calls say so and nothing else.
#include "tests/fake_cuda/programs/program.h"

using namespace vramlab::fake_programs;

namespace {

/// Made before the driver was first used, so gone after it.
struct Last {
  CUdeviceptr at = 0;
  ~Last() { must(cuMemFree_v2(at) == CUDA_ERROR_DEINITIALIZED, "the driver says that it is gone"); }
};
Last last;

class Early {
 public:
  Early() {
    open_device();
    at_ = take_memory(4096);
    last.at = take_memory(4096);
  }
  ~Early() { give_back_memory(at_); }
  Early(const Early&) = delete;
  Early& operator=(const Early&) = delete;

 private:
  CUdeviceptr at_ = 0;
};

const Early early;

}  // namespace

int main() {
  const CUdeviceptr at = take_memory(1 << 20);
  MUST(launch(find_kernel("fake_fill"), {at, 1000, 9}, nullptr));
  must(holds(at, 1000, 9), "the kernel's words are there");
  give_back_memory(at);
  return end_of_program();
}
