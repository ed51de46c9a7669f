// Which driver the functions call.
#include <pthread.h>

#include "allocator/types/check.h"
#include "tests/fake_cuda/engine/fake_cuda.h"

namespace vramlab::fake {

#ifdef STAND_IN_IS_LIBCUDA

namespace {

FakeCuda* made_from_environment() {
  FakeOptions options;
  options.driver_version = FAKE_CUDA_DRIVER_VERSION;
  options.backing = Backing::host_memory;
  auto* const driver = new FakeCuda(options_from_environment(options));
  pthread_atfork(nullptr, nullptr, [] { the_fake().note_fork(); });
  return driver;
}

}  // namespace

FakeCuda& the_fake() {
  static FakeCuda* const made = made_from_environment();
  return *made;
}

#else

FakeCuda& the_fake() {
  FakeCuda* const driver = chosen_driver();
  check(driver != nullptr, "a test chooses its driver before anything calls it");
  return *driver;
}

#endif

}  // namespace vramlab::fake

namespace vramlab::dry_run {

StandInDriver& the_driver() { return fake::the_fake(); }

}  // namespace vramlab::dry_run
