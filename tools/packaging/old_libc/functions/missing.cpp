// Names that the compiler's libraries ask for and glibc 2.31 does not have at all.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

#include "tools/packaging/old_libc/old_name.h"

extern "C" {

// Says that a second thread may exist, which costs a single thread no more than an atomic
// operation.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

// A random number, from 2.36 on.
__attribute__((visibility("hidden"))) std::uint32_t vramlab_random_number() {
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) std::abort();
  return number;
}
}

__asm__(".globl arc4random\n.hidden arc4random\n.set arc4random, vramlab_random_number\n");

// Numbers in text, which from 2.38 on may also be written in binary.
VRAMLAB_OLD_NAME(__isoc23_strtol, strtol, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(__isoc23_strtoll, strtoll, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(__isoc23_strtoul, strtoul, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(__isoc23_strtoull, strtoull, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(__isoc23_sscanf, __isoc99_sscanf, "GLIBC_2.7");
