// The functions of contexts: primary ones, others, green ones, and peers.
// functions.h says what the columns are.
#pragma once

// clang-format off
#define VRAMLAB_CUDA_CONTEXT_FUNCTIONS(One, Two)                                             \
  One(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000,                              \
      (CUcontext* made, CUdevice device))                                                    \
  One(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, 7000, (CUdevice device))         \
  One(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000, (CUdevice device))     \
  One(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset, 7000, (CUdevice device))             \
  One(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 11000, (CUdevice device))         \
  One(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, 11000,                      \
      (CUdevice device, unsigned flags))                                                     \
  One(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000,                          \
      (CUdevice device, unsigned* flags, int* active))                                       \
  One(cuCtxCreate, cuCtxCreate_v2, 3020, (CUcontext* made, unsigned flags, CUdevice device)) \
  One(cuCtxCreate, cuCtxCreate_v3, 11040,                                                    \
      (CUcontext* made, CUexecAffinityParam* parameters, int count, unsigned flags,          \
       CUdevice device))                                                                     \
  One(cuCtxCreate, cuCtxCreate_v4, 12050,                                                    \
      (CUcontext* made, CUctxCreateParams* parameters, unsigned flags, CUdevice device))     \
  One(cuCtxDestroy, cuCtxDestroy, 2000, (CUcontext gone))                                    \
  One(cuCtxDestroy, cuCtxDestroy_v2, 4000, (CUcontext gone))                                 \
  One(cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, (CUcontext pushed))                       \
  One(cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, (CUcontext* popped))                        \
  One(cuCtxSetCurrent, cuCtxSetCurrent, 4000, (CUcontext now))                               \
  One(cuCtxGetCurrent, cuCtxGetCurrent, 4000, (CUcontext* now))                              \
  One(cuCtxGetDevice, cuCtxGetDevice, 2000, (CUdevice* device))                              \
  One(cuCtxGetFlags, cuCtxGetFlags, 7000, (unsigned* flags))                                 \
  One(cuCtxGetId, cuCtxGetId, 12000, (CUcontext of, unsigned long long* id))                 \
  One(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020, (CUcontext of, unsigned* version))       \
  One(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050,                        \
      (int* least, int* greatest))                                                           \
  One(cuCtxSynchronize, cuCtxSynchronize, 2000, ())                                          \
  One(cuCtxSynchronize, cuCtxSynchronize_v2, 13000, (CUcontext of))                          \
  One(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000, (CUcontext peer, unsigned flags))  \
  One(cuCtxDisablePeerAccess, cuCtxDisablePeerAccess, 4000, (CUcontext peer))                \
  One(cuCtxRecordEvent, cuCtxRecordEvent, 12050, (CUcontext of, CUevent event))              \
  One(cuGreenCtxCreate, cuGreenCtxCreate, 12040,                                             \
      (CUgreenCtx* made, CUdevResourceDesc resources, CUdevice device, unsigned flags))      \
  One(cuGreenCtxDestroy, cuGreenCtxDestroy, 12040, (CUgreenCtx gone))                        \
  One(cuCtxFromGreenCtx, cuCtxFromGreenCtx, 12040, (CUcontext* made, CUgreenCtx green))      \
  One(cuGreenCtxStreamCreate, cuGreenCtxStreamCreate, 12050,                                 \
      (CUstream* stream, CUgreenCtx green, unsigned flags, int priority))
// clang-format on
