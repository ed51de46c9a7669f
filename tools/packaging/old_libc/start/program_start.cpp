// The start of a program under its old version. Up to glibc 2.33 a program brings along the
// function that runs its constructors; newer start files leave that to the C library.
#include "tools/packaging/old_libc/old_name.h"

using Initializer = void (*)(int, char**, char**);
using Main = int (*)(int, char**, char**);

extern "C" {
// Made by the linker: the program's constructors.
extern __attribute__((visibility("hidden"))) const Initializer __preinit_array_start[];
extern __attribute__((visibility("hidden"))) const Initializer __preinit_array_end[];
extern __attribute__((visibility("hidden"))) const Initializer __init_array_start[];
extern __attribute__((visibility("hidden"))) const Initializer __init_array_end[];

int vramlab_old_libc_start_main(Main main, int argc, char** argv, void (*init)(int, char**, char**),
                                void (*fini)(), void (*rtld_fini)(), void* stack_end);
__asm__(
    ".symver vramlab_old_libc_start_main, __libc_start_main@" VRAMLAB_OLD_VERSION("GLIBC_2.2.5"));
}

namespace {

void run_constructors(int argc, char** argv, char** environment) {
  for (const Initializer* at = __preinit_array_start; at != __preinit_array_end; ++at)
    (*at)(argc, argv, environment);
  for (const Initializer* at = __init_array_start; at != __init_array_end; ++at)
    (*at)(argc, argv, environment);
}

}  // namespace

extern "C" __attribute__((visibility("hidden"))) int __libc_start_main(
    Main main, int argc, char** argv, void (*)(int, char**, char**), void (*)(),
    void (*rtld_fini)(), void* stack_end) {
  return vramlab_old_libc_start_main(main, argc, argv, run_constructors, nullptr, rtld_fini,
                                     stack_end);
}
