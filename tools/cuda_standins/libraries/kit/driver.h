// The functions of the stand-in driver that the libraries call. They are weak, so that a library
// can be loaded where no driver is: then it answers, and puts its work nowhere.
#pragma once

#include "streams/cuda_interface/functions.h"

extern "C" {
[[gnu::weak]] void vramlab_dry_run_note(const char* kind, const char* subject);
[[gnu::weak]] void vramlab_dry_run_work(void* stream);
[[gnu::weak]] void vramlab_dry_run_work_at(void* stream, unsigned long long at,
                                           unsigned long long bytes);
[[gnu::weak]] void vramlab_dry_run_remember(unsigned long long at, const void* values,
                                            unsigned long long bytes);
[[gnu::weak]] int vramlab_dry_run_read_memory(void* to, unsigned long long from,
                                              unsigned long long bytes);
[[gnu::weak]] int vramlab_dry_run_gpu_count();
[[gnu::weak]] void vramlab_dry_run_answer_nvml();
[[gnu::weak]] int vramlab_dry_run_runtime();
}

#define VRAMLAB_CUDA_SYMBOL(symbol, parameters) extern "C" [[gnu::weak]] CUresult symbol parameters;
VRAMLAB_CUDA_SYMBOLS
#undef VRAMLAB_CUDA_SYMBOL
