// Which driver the functions call.
#include <pthread.h>

#include "allocator/words/check.h"
#include "tests/fake_cuda/engine/fake_cuda.h"

namespace vramlab::fake {

#ifdef FAKE_CUDA_IS_LIBCUDA

namespace {

FakeCuda* made_from_environment() {
  FakeOptions options;
  options.driver_version = FAKE_CUDA_DRIVER_VERSION;
  options.backing = Backing::host_memory;
  auto* const driver = new FakeCuda(options_from_environment(options));
  pthread_atfork(nullptr, nullptr, [] { the_driver().note_fork(); });
  return driver;
}

}  // namespace

FakeCuda& the_driver() {
  static FakeCuda* const made = made_from_environment();
  return *made;
}

#else

FakeCuda& the_driver() {
  FakeCuda* const driver = chosen_driver();
  check(driver != nullptr, "a test chooses its driver before anything calls it");
  return *driver;
}

#endif

}  // namespace vramlab::fake
