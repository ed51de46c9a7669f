// A library whose constructor allocates, while another thread allocates too. The constructor has
// the loader's lock, so the other thread cannot ask the loader anything before it is over.
#include <atomic>
#include <cstdio>
#include <thread>

#include "streams/cuda_interface/prototypes.h"

namespace {

void allocate_and_free() {
  CUdeviceptr at = 0;
  if (cuMemAlloc_v2(&at, 4096) == CUDA_SUCCESS) cuMemFree_v2(at);
}

class Constructed {
 public:
  Constructed() {
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context_, 0);
    cuCtxSetCurrent(context_);
    // The loader has answered the library's one question then: the other thread meets the loader's
    // lock only where its stack is named.
    allocate_and_free();
    other_ = std::thread([this] {
      cuCtxSetCurrent(context_);
      has_begun_ = true;
      for (int i = 0; i < 100; ++i) allocate_and_free();
    });
    while (!has_begun_) std::this_thread::yield();
    for (int i = 0; i < 100; ++i) {
      allocate_and_free();
      std::this_thread::yield();
    }
  }
  void end() { other_.join(); }

 private:
  CUcontext context_ = nullptr;
  std::atomic<bool> has_begun_ = false;
  std::thread other_;
};
Constructed constructed;

}  // namespace

extern "C" void scene() {
  constructed.end();
  std::printf("both ended\n");
}
