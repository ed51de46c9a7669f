#include "tests/fake_cuda/engine/fake_kernels.h"

#include <cstring>

namespace vramlab::fake {
namespace {

template <class Value>
Value argument(void** arguments, std::size_t place) {
  Value value{};
  std::memcpy(&value, arguments[place], sizeof value);
  return value;
}

template <class Value>
Value kept(const void* storage, std::size_t place) {
  Value value{};
  std::memcpy(&value, static_cast<const char*>(storage) + place, sizeof value);
  return value;
}

void plan_use(void** arguments, fake_cuda_kernel* kernel) {
  kernel->duration_ns = argument<std::uint64_t>(arguments, 0);
  const auto uses = argument<const fake_cuda_use*>(arguments, 1);
  kernel->use_count = argument<std::uint32_t>(arguments, 2);
  for (std::uint32_t use = 0; use < kernel->use_count && use < FAKE_CUDA_MOST_USES; ++use)
    kernel->uses[use] = uses[use];
}

/// (pointer, words, value, duration)
struct Fill {
  std::uint64_t at;
  std::uint64_t words;
  std::uint32_t value;
};

void run_fill(const void* storage) {
  const auto fill = kept<Fill>(storage, 0);
  auto* const words = reinterpret_cast<std::uint32_t*>(fill.at);
  for (std::uint64_t word = 0; word < fill.words; ++word) words[word] = fill.value;
}

void plan_fill(void** arguments, fake_cuda_kernel* kernel) {
  const Fill fill{argument<std::uint64_t>(arguments, 0), argument<std::uint64_t>(arguments, 1),
                  argument<std::uint32_t>(arguments, 2)};
  kernel->duration_ns = argument<std::uint64_t>(arguments, 3);
  kernel->use_count = 1;
  kernel->uses[0] = {fill.at, fill.words * 4, 1};
  std::memcpy(kernel->storage, &fill, sizeof fill);
  kernel->run = run_fill;
}

/// (to, from, words, duration): to[i] += from[i]
struct Sum {
  std::uint64_t to;
  std::uint64_t from;
  std::uint64_t words;
};

void run_add(const void* storage) {
  const auto sum = kept<Sum>(storage, 0);
  auto* const to = reinterpret_cast<std::uint32_t*>(sum.to);
  const auto* const from = reinterpret_cast<const std::uint32_t*>(sum.from);
  for (std::uint64_t word = 0; word < sum.words; ++word) to[word] += from[word];
}

void plan_add(void** arguments, fake_cuda_kernel* kernel) {
  const Sum sum{argument<std::uint64_t>(arguments, 0), argument<std::uint64_t>(arguments, 1),
                argument<std::uint64_t>(arguments, 2)};
  kernel->duration_ns = argument<std::uint64_t>(arguments, 3);
  kernel->use_count = 2;
  kernel->uses[0] = {sum.to, sum.words * 4, 1};
  kernel->uses[1] = {sum.from, sum.words * 4, 0};
  std::memcpy(kernel->storage, &sum, sizeof sum);
  kernel->run = run_add;
}

void plan_fault(void** arguments, fake_cuda_kernel* kernel) {
  kernel->duration_ns = argument<std::uint64_t>(arguments, 0);
  kernel->fault = argument<std::int32_t>(arguments, 1);
}

void plan_unknown(void** /*arguments*/, fake_cuda_kernel* kernel) { kernel->duration_ns = 1000; }

}  // namespace

FakeKernels::FakeKernels() {
  add("fake_use", plan_use);
  add("fake_fill", plan_fill);
  add("fake_add", plan_add);
  add("fake_fault", plan_fault);
}

void FakeKernels::add(const std::string& name, fake_cuda_plan_kernel plan) { plans_[name] = plan; }

fake_cuda_plan_kernel FakeKernels::plan_of(const std::string& name) const {
  const auto found = plans_.find(name);
  return found == plans_.end() ? plan_unknown : found->second;
}

}  // namespace vramlab::fake
