// The functions of the stand-in driver that the libraries call. They are weak, so that a library
// can be loaded where there is no driver: then it answers, and puts its work nowhere.
#pragma once

#include <cstddef>

extern "C" {
[[gnu::weak]] void vramlab_dry_run_note(const char* kind, const char* subject);
[[gnu::weak]] void vramlab_dry_run_work(void* stream);
[[gnu::weak]] int cuDriverGetVersion(int* version);
}
