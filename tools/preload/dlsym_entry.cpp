// The dlsym that the process finds first. For everything but the driver's functions it is a jump,
// so the C library sees the caller itself: what RTLD_NEXT and RTLD_DEFAULT find depends on who
// calls. A jump cannot be asked of every compiler, so these lines are assembly.
//
// choose_dlsym gets the arguments and the caller's address, and says whom to jump to.
#if !defined(__x86_64__)
#error "the preload's dlsym is written for x86-64"
#endif

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
