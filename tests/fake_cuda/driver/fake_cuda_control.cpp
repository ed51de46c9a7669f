// fake_cuda_control.h, over the driver that is chosen.
#include <pthread.h>

#include <algorithm>
#include <string_view>

#include "tests/fake_cuda/engine/fake_cuda.h"

using namespace vramlab::fake;

#define FAKE_CUDA_CONTROL extern "C" __attribute__((visibility("default")))

FAKE_CUDA_CONTROL void fake_cuda_advance(std::uint64_t ns) {
  the_fake().look([&](FakeCuda& fake) { fake.advance(ns); });
}
FAKE_CUDA_CONTROL std::uint64_t fake_cuda_now() {
  return the_fake().look([](FakeCuda& fake) { return fake.timed().now().ns; });
}
FAKE_CUDA_CONTROL void fake_cuda_set_call_time(std::uint64_t mean_ns) {
  the_fake().look([&](FakeCuda& fake) { fake.set_call_time(mean_ns); });
}

FAKE_CUDA_CONTROL void fake_cuda_handed_out(std::uint64_t at, std::size_t bytes) {
  the_fake().look([&](FakeCuda& fake) { fake.oracle().handed_out(at, bytes); });
}
FAKE_CUDA_CONTROL void fake_cuda_given_back(std::uint64_t at) {
  the_fake().look([&](FakeCuda& fake) { fake.oracle().given_back(at); });
}
FAKE_CUDA_CONTROL std::uint64_t fake_cuda_race_count() {
  return the_fake().look([](FakeCuda& fake) { return fake.oracle().counts().all(); });
}
FAKE_CUDA_CONTROL std::uint64_t fake_cuda_freed_in_use_but_waited() {
  return the_fake().look(
      [](FakeCuda& fake) { return fake.oracle().counts().freed_in_use_but_waited; });
}
FAKE_CUDA_CONTROL void fake_cuda_first_race(char* text, std::size_t room) {
  if (room == 0) return;
  the_fake().look([&](FakeCuda& fake) {
    text[std::string_view(fake.oracle().first()).copy(text, room - 1)] = '\0';
  });
}
FAKE_CUDA_CONTROL int fake_cuda_is_in_use(std::uint64_t at, std::size_t bytes) {
  return the_fake().look(
      [&](FakeCuda& fake) { return fake.oracle().is_in_use(at, bytes) ? 1 : 0; });
}

FAKE_CUDA_CONTROL std::uint64_t fake_cuda_allocation_count() {
  return the_fake().look(
      [](FakeCuda& fake) -> std::uint64_t { return fake.memory().allocations().size(); });
}
FAKE_CUDA_CONTROL std::uint64_t fake_cuda_call_count(const char* symbol) {
  return the_fake().look([&](FakeCuda& fake) { return fake.log().count_of(symbol); });
}
FAKE_CUDA_CONTROL void fake_cuda_set_external(std::uint32_t device, std::uint64_t bytes) {
  the_fake().look([&](FakeCuda& fake) { fake.memory().set_external(device, bytes); });
}

FAKE_CUDA_CONTROL void fake_cuda_fail(const char* function, int result, std::uint64_t skipped,
                                      std::uint64_t count) {
  the_fake().look([&](FakeCuda& fake) {
    fake.faults().add({function, static_cast<CUresult>(result), skipped, count});
  });
}
FAKE_CUDA_CONTROL void fake_cuda_clear_faults() {
  the_fake().look([](FakeCuda& fake) { fake.faults().clear(); });
}
FAKE_CUDA_CONTROL void fake_cuda_set_sticky(int result) {
  the_fake().look([&](FakeCuda& fake) {
    Context* const context =
        fake.contexts().find(fake.contexts().current(FakeCuda::thread().value));
    if (context != nullptr) context->sticky = static_cast<CUresult>(result);
  });
}
FAKE_CUDA_CONTROL void fake_cuda_tear_down() {
  the_fake().look([](FakeCuda& fake) { fake.tear_down(); });
}
FAKE_CUDA_CONTROL void fake_cuda_register_kernel(const char* name, fake_cuda_plan_kernel plan) {
  the_fake().look([&](FakeCuda& fake) { fake.kernel_plans().add(name, plan); });
}
