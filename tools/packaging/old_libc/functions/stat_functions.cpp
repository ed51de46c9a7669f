// Functions about files that were inline before glibc 2.33, over the functions that they called.
#include "tools/packaging/old_libc/old_name.h"

// Callers know it as `struct stat`, which is also the name of a function.
struct FileStatus;

// The version of that structure, of which there has been one only.
#if defined(__x86_64__)
static constexpr int stat_version = 1;
#elif defined(__aarch64__)
static constexpr int stat_version = 0;
#endif

extern "C" {

int old_fstat(int version, int file, FileStatus* found);
int old_stat(int version, const char* path, FileStatus* found);
int old_lstat(int version, const char* path, FileStatus* found);
int old_fstatat(int version, int folder, const char* path, FileStatus* found, int flags);
__asm__(".symver old_fstat, __fxstat@" VRAMLAB_OLD_VERSION("GLIBC_2.2.5"));
__asm__(".symver old_stat, __xstat@" VRAMLAB_OLD_VERSION("GLIBC_2.2.5"));
__asm__(".symver old_lstat, __lxstat@" VRAMLAB_OLD_VERSION("GLIBC_2.2.5"));
__asm__(".symver old_fstatat, __fxstatat@" VRAMLAB_OLD_VERSION("GLIBC_2.4"));

#define VRAMLAB_HIDDEN_AS(name) __asm__(name) __attribute__((visibility("hidden")))

int status_of_file(int file, FileStatus* found) VRAMLAB_HIDDEN_AS("fstat");
int status_of_path(const char* path, FileStatus* found) VRAMLAB_HIDDEN_AS("stat");
int status_of_link(const char* path, FileStatus* found) VRAMLAB_HIDDEN_AS("lstat");
int status_below(int folder, const char* path, FileStatus* found, int flags)
    VRAMLAB_HIDDEN_AS("fstatat");

int status_of_file(int file, FileStatus* found) { return old_fstat(stat_version, file, found); }
int status_of_path(const char* path, FileStatus* found) {
  return old_stat(stat_version, path, found);
}
int status_of_link(const char* path, FileStatus* found) {
  return old_lstat(stat_version, path, found);
}
int status_below(int folder, const char* path, FileStatus* found, int flags) {
  return old_fstatat(stat_version, folder, path, found, flags);
}
}

// Offsets are 64 bits wide, so both names are one function.
#define VRAMLAB_SAME(name, as) __asm__(".globl " name "\n.hidden " name "\n.set " name ", " as "\n")
VRAMLAB_SAME("fstat64", "fstat");
VRAMLAB_SAME("stat64", "stat");
VRAMLAB_SAME("lstat64", "lstat");
VRAMLAB_SAME("fstatat64", "fstatat");
