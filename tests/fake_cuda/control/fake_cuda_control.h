/* Functions by which test programs instruct the fake driver and ask it, beside CUDA: C functions
 * of the fake libcuda.so.1, and of the static library under the same names. None is a call of the
 * driver: none is counted or logged, and no time passes but in fake_cuda_advance.
 */
#ifndef VRAMLAB_FAKE_CUDA_CONTROL_H
#define VRAMLAB_FAKE_CUDA_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Time. */
void fake_cuda_advance(uint64_t ns);
uint64_t fake_cuda_now(void);
void fake_cuda_set_call_time(uint64_t mean_ns);

/* The race oracle. Say `handed_out` right after memory came from cuMemAlloc or a cache, and
 * `given_back` right before it goes back there. */
void fake_cuda_handed_out(uint64_t at, size_t bytes);
void fake_cuda_given_back(uint64_t at);
/* How many races were found; memory freed by a call that waits for its work is none. */
uint64_t fake_cuda_race_count(void);
uint64_t fake_cuda_freed_in_use_but_waited(void);
/* The first of them in a sentence, cut to fit; empty where there was none. */
void fake_cuda_first_race(char* text, size_t room);
/* 1 where work that has not ended yet uses some of it. */
int fake_cuda_is_in_use(uint64_t at, size_t bytes);

/* The state of the driver. */
uint64_t fake_cuda_allocation_count(void);
uint64_t fake_cuda_call_count(const char* symbol);
void fake_cuda_set_external(uint32_t device, uint64_t bytes);

/* Faults. `function` is a symbol such as cuMemAlloc_v2; both stream variants go by the name
 * without a suffix. */
void fake_cuda_fail(const char* function, int result, uint64_t skipped, uint64_t count);
void fake_cuda_clear_faults(void);
/* Every later call in the calling thread's current context answers this. */
void fake_cuda_set_sticky(int result);
/* Every later call answers CUDA_ERROR_DEINITIALIZED. */
void fake_cuda_tear_down(void);

/* Kernels. cuModuleGetFunction finds these by name in every module:
 *   fake_use   (uint64_t duration_ns, const fake_cuda_use* uses, uint32_t count)
 *   fake_fill  (CUdeviceptr to, uint64_t words, uint32_t value, uint64_t duration_ns)
 *   fake_add   (CUdeviceptr to, CUdeviceptr from, uint64_t words, uint64_t duration_ns)
 *   fake_fault (uint64_t duration_ns, int32_t result)
 * and those that a program registers. Any other name is a kernel of one microsecond that touches
 * nothing. */
typedef struct {
  uint64_t at;
  uint64_t bytes;
  int writes;
} fake_cuda_use;

#define FAKE_CUDA_MOST_USES 16

typedef struct {
  uint64_t duration_ns;
  uint32_t use_count;
  fake_cuda_use uses[FAKE_CUDA_MOST_USES];
  /* The error that the context is lost with when the kernel ends; 0 for nothing. */
  int32_t fault;
  /* Run with `storage` when the kernel ends, where device memory has bytes behind it. It calls no
   * CUDA. */
  void (*run)(const void* storage);
  char storage[64];
} fake_cuda_kernel;

/* Reads the arguments (as of cuLaunchKernel's kernelParams) and fills what is zero. */
typedef void (*fake_cuda_plan_kernel)(void** arguments, fake_cuda_kernel* kernel);
void fake_cuda_register_kernel(const char* name, fake_cuda_plan_kernel plan);

#ifdef __cplusplus
}
#endif

#endif
