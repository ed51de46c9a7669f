#include "tools/cuda_standins/notes/first_work.h"

#include <array>
#include <atomic>

#include "tools/cuda_standins/notes/notes.h"

namespace vramlab::dry_run {
namespace {

std::atomic<vramlab_dry_run_first_work> hears;
/// A bit for each of at most 64 devices, of kernels and of libraries.
std::array<std::atomic<std::uint64_t>, 2> was_told;

}  // namespace

void tell_first_work(std::uint32_t device, streams::WorkSoFar work) {
  const bool of_library = work == streams::WorkSoFar::libraries;
  std::atomic<std::uint64_t>& told = was_told[of_library ? 1 : 0];
  const std::uint64_t bit = std::uint64_t{1} << device;
  if ((told.load(std::memory_order_relaxed) & bit) != 0) return;
  const vramlab_dry_run_first_work tell = hears.load(std::memory_order_acquire);
  if (tell == nullptr || (told.fetch_or(bit) & bit) != 0) return;
  tell(device, of_library ? 1 : 0);
}

}  // namespace vramlab::dry_run

extern "C" __attribute__((visibility("default"))) void vramlab_dry_run_set_first_work(
    vramlab_dry_run_first_work tell) {
  vramlab::dry_run::hears.store(tell, std::memory_order_release);
}
