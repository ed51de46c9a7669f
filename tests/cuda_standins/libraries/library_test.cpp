#include "tests/cuda_standins/libraries/library_test.h"

#include <mutex>

namespace vramlab::dry_run {
namespace {

/// Ranks that are threads take notes and put work at once.
std::mutex doings_lock;

}  // namespace

Doings& doings() {
  static Doings all;
  return all;
}

}  // namespace vramlab::dry_run

// They come before those of libcuda.so.1, because they are in the program.
extern "C" {
[[gnu::visibility("default")]] void vramlab_dry_run_note(const char* kind, const char* subject);
[[gnu::visibility("default")]] void vramlab_dry_run_work(void* stream);
[[gnu::visibility("default")]] void vramlab_dry_run_work_at(void* stream, unsigned long long at,
                                                            unsigned long long bytes);

void vramlab_dry_run_note(const char* kind, const char* subject) {
  const std::lock_guard guard(vramlab::dry_run::doings_lock);
  vramlab::dry_run::doings().notes.emplace_back(kind, subject);
}
void vramlab_dry_run_work(void* stream) {
  const std::lock_guard guard(vramlab::dry_run::doings_lock);
  ++vramlab::dry_run::doings().works[stream];
}
void vramlab_dry_run_work_at(void* stream, unsigned long long /*at*/,
                             unsigned long long /*bytes*/) {
  vramlab_dry_run_work(stream);
}
}
