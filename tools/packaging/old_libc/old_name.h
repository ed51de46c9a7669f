// A function under the version that it had before glibc 2.32.
#pragma once

/// Defines NAME for this library or program alone; it goes on to TARGET at VERSION. In assembly,
/// because the arguments then need not be known.
#define VRAMLAB_OLD_NAME(name, target, version)                                                    \
  __asm__(".pushsection .text.vramlab_" #name                                                      \
          ",\"ax\",@progbits\n"                                                                    \
          ".globl " #name "\n.hidden " #name "\n.type " #name ",@function\n" #name                 \
          ":\n  endbr64\n  jmp *vramlab_old_" #name "@GOTPCREL(%rip)\n.size " #name ", . - " #name \
          "\n.symver vramlab_old_" #name "," #target "@" version                                   \
          "\n"                                                                                     \
          ".popsection\n")
