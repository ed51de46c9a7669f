#include "tests/cuda_standins/libraries/library_test.h"

namespace vramlab::dry_run {

Doings& doings() {
  static Doings all;
  return all;
}

}  // namespace vramlab::dry_run

// They come before those of libcuda.so.1, because they are in the program.
extern "C" {
[[gnu::visibility("default")]] void vramlab_dry_run_note(const char* kind, const char* subject);
[[gnu::visibility("default")]] void vramlab_dry_run_work(void* stream);

void vramlab_dry_run_note(const char* kind, const char* subject) {
  vramlab::dry_run::doings().notes.emplace_back(kind, subject);
}
void vramlab_dry_run_work(void* stream) { ++vramlab::dry_run::doings().works[stream]; }
}
