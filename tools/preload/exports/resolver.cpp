// Look-ups by name, which give a program our functions in place of the driver's: dlsym, and the
// driver's own cuGetProcAddress, by which the CUDA runtime gets everything.
//
// The real resolver is asked first, and only its answers are replaced. A look-up calls nothing else
// in the driver and sets nothing up.
#include <dlfcn.h>
#include <optional>

#include "tools/preload/driver/driver_library.h"
#include "tools/preload/exports/front.h"
#include "tools/preload/ground/preload_mode.h"

namespace vramlab::preload {
namespace {

/// Our function of this symbol.
void* replacement(Hook hook) {
  switch (hook) {
#define VRAMLAB_HOOK(symbol, ...) \
  case Hook::symbol:              \
    return reinterpret_cast<void*>(&::symbol);
    VRAMLAB_HOOKS
#undef VRAMLAB_HOOK
  }
  return nullptr;
}

bool is_wanted(Hook hook) {
  if (process_mode() == PreloadMode::off) return false;
  const bool is_recorded = process_mode() == PreloadMode::record;
  switch (row_of(hook).use) {
    case HookUse::recorded:
      return is_recorded;
    case HookUse::room:
      return !is_recorded;
    default:
      return true;
  }
}

/// Our function in place of the driver's, or the given one.
void* substitute(Hook hook, void* given) {
  if (!is_wanted(hook) || !is_of_driver(given)) return given;
  keep_driver_function(hook, given);
  note_given(hook);
  return replacement(hook);
}

/// Takes the place of the real dlsym for the driver's names in a library that the caller names.
/// Such a look-up does not mind another caller.
void* substituting_dlsym(void* handle, const char* name) {
  void* const found = dlsym_chain().next(handle, name);
  const auto hook = hook_of_symbol(name);
  if (found == nullptr || !hook) return found;
  // Without a driver, only our library has this name.
  if (found == replacement(*hook) && !driver_is_loaded()) return symbol_after_us(name);
  return substitute(*hook, found);
}

/// RTLD_DEFAULT finds our own export first. Without a driver it must find nothing.
void* dlsym_after_us(void* /*handle*/, const char* name) { return symbol_after_us(name); }

DlsymFunction dlsym_for(void* handle, const char* name, const void* caller, DlsymFunction next) {
  if (process_mode() == PreloadMode::off) return next;
  // A library that asks for the next one after itself wraps the driver, and must not be led back to
  // us.
  if (handle == RTLD_NEXT) return next;
  // The driver's own look-ups stay as they are.
  if (is_of_driver(caller)) return next;
  if (handle != RTLD_DEFAULT) return substituting_dlsym;
  return hook_of_symbol(name) && !driver_is_loaded() ? dlsym_after_us : next;
}

/// A version that we do not know may have another function under the same name.
bool is_same_as_known(void* given, const DriverQuery& query, cuuint64_t flags) {
  if (query.version <= newest_known_cuda) return true;
  void* known = nullptr;
  CUdriverProcAddressQueryResult status{};
  return call_driver<Hook::cuGetProcAddress_v2>(query.name.data(), &known, newest_known_cuda, flags,
                                                &status) == CUDA_SUCCESS &&
         known == given;
}

/// Called after the driver's resolver found a function.
void replace_answer(const char* name, void** function, int version, cuuint64_t flags) {
  if (!is_driver_name(name) || function == nullptr || *function == nullptr) return;
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const DriverQuery query{name, version,
                          per_thread ? DefaultStream::per_thread : DefaultStream::legacy};
  const auto hook = hook_of_query(query);
  if (hook && is_same_as_known(*function, query, flags)) *function = substitute(*hook, *function);
}

}  // namespace
}  // namespace vramlab::preload

using vramlab::preload::call_driver;
using vramlab::preload::Hook;

// The driver's names.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

/// Called by dlsym itself, below.
__attribute__((visibility("hidden"), used)) vramlab::preload::DlsymFunction vramlab_choose_dlsym(
    void* handle, const char* name, const void* caller) {
  const auto chain = vramlab::preload::dlsym_chain();
  // An interposer behind us that asks for its own real dlsym.
  const bool turns_back =
      chain.next != chain.libc &&
      vramlab::preload::in_same_library(caller, reinterpret_cast<const void*>(chain.next));
  const auto next = turns_back ? chain.libc : chain.next;
  if (!vramlab::preload::is_driver_name(name)) return next;
  return vramlab::preload::dlsym_for(handle, name, caller, next);
}

CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  const CUresult result = call_driver<Hook::cuGetProcAddress>(name, function, version, flags);
  if (result == CUDA_SUCCESS) vramlab::preload::replace_answer(name, function, version, flags);
  return result;
}

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  const CUresult result =
      call_driver<Hook::cuGetProcAddress_v2>(name, function, version, flags, status);
  if (result == CUDA_SUCCESS) vramlab::preload::replace_answer(name, function, version, flags);
  return result;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

// The dlsym that the process finds first. For everything but the driver's functions it is a jump,
// so the C library sees the caller itself: what RTLD_NEXT and RTLD_DEFAULT find depends on who
// calls. A jump cannot be asked of every compiler, so these lines are assembly.
//
// choose_dlsym gets the arguments and the caller's address, and says whom to jump to.

#if defined(__x86_64__)
asm(R"(
  .text
  .globl dlsym
  .type dlsym, @function
  .p2align 4
dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  movq 24(%rsp), %rdx
  call vramlab_choose_dlsym
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#elif defined(__aarch64__)
// "hint #34" is a landing place for indirect calls, where the processor asks for one.
asm(R"(
  .text
  .globl dlsym
  .type dlsym, %function
  .p2align 4
dlsym:
  .cfi_startproc
  hint #34
  stp x29, x30, [sp, #-32]!
  .cfi_def_cfa_offset 32
  .cfi_offset 29, -32
  .cfi_offset 30, -24
  mov x29, sp
  stp x0, x1, [sp, #16]
  mov x2, x30
  bl vramlab_choose_dlsym
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  .cfi_restore 29
  .cfi_restore 30
  .cfi_def_cfa_offset 0
  br x16
  .cfi_endproc
  .size dlsym, .-dlsym
)");
#else
#error "the preload's dlsym is written for x86-64 and 64-bit ARM"
#endif
