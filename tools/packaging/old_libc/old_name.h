// A function under the version that it had before glibc 2.32.
#pragma once

/// The version of a function whose version on x86-64 this is. The C library came to 64-bit ARM
/// as 2.17, so all that is older has that version there.
#if defined(__x86_64__)
#define VRAMLAB_OLD_VERSION(version) version
#elif defined(__aarch64__)
#define VRAMLAB_OLD_VERSION(version) "GLIBC_2.17"
#endif

/// The way on to a function whose place the linker leaves in a table.
#if defined(__x86_64__)
#define VRAMLAB_JUMP_TO(function) "  endbr64\n  jmp *" #function "@GOTPCREL(%rip)\n"
#elif defined(__aarch64__)
// "hint #34" is a landing place for indirect calls, where the processor asks for one.
#define VRAMLAB_JUMP_TO(function)                                                     \
  "  hint #34\n  adrp x16, :got:" #function "\n  ldr x16, [x16, :got_lo12:" #function \
  "]\n"                                                                               \
  "  br x16\n"
#endif

/// Defines NAME for this library or program alone; it goes on to TARGET at VERSION. In assembly,
/// because the arguments then need not be known.
#define VRAMLAB_OLD_NAME(name, target, version) \
  __asm__(".pushsection .text.vramlab_" #name                                                     \
          ",\"ax\",%progbits\n"                                                                   \
          ".globl " #name "\n.hidden " #name "\n.type " #name ",%function\n" #name                \
          ":\n" VRAMLAB_JUMP_TO(vramlab_old_##name) ".size " #name ", . - " #name                 \
          "\n.symver vramlab_old_" #name "," #target "@" VRAMLAB_OLD_VERSION(version)             \
          "\n"                                                                                    \
          ".popsection\n")
