// The device files of NVIDIA's kernel module, as far as programs ask whether they are there: JAX
// does before it looks for a GPU. The library is loaded ahead of the C library, so programs call
// these. Nothing can be opened.
//
// The functions are declared here and not by the C library's headers, whose structures have
// different names by its version.
#include <dlfcn.h>

#include <cstring>

namespace {

int gpu_count() {
  static const auto count =
      reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "vramlab_dry_run_gpu_count"));
  return count == nullptr ? 0 : count();
}

bool is_number_of_a_gpu(const char* text) {
  constexpr int most = 1000;
  int number = 0;
  if (*text == '\0') return false;
  for (; *text >= '0' && *text <= '9' && number < most; ++text)
    number = 10 * number + (*text - '0');
  return *text == '\0' && number < gpu_count();
}

/// A device that every system has, in place of one of NVIDIA's.
const char* there(const char* path) {
  constexpr char nvidia[] = "/dev/nvidia";
  constexpr std::size_t length = sizeof nvidia - 1;
  if (path == nullptr || std::strncmp(path, nvidia, length) != 0) return path;
  const char* const which = path + length;
  const bool is_ours = std::strcmp(which, "ctl") == 0 || std::strcmp(which, "-uvm") == 0 ||
                       is_number_of_a_gpu(which);
  return is_ours ? "/dev/null" : path;
}

template <class Function>
Function next_of(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define PROCESS_EXPORT extern "C" __attribute__((visibility("default")))

// NOLINTBEGIN(readability-identifier-naming): the C library's names.
#define ASK_NEXT(name, types, ...)                       \
  static const auto next = next_of<int(*) types>(#name); \
  return next == nullptr ? -1 : next(__VA_ARGS__)

PROCESS_EXPORT int stat(const char* path, void* into) {
  ASK_NEXT(stat, (const char*, void*), there(path), into);
}
PROCESS_EXPORT int stat64(const char* path, void* into) {
  ASK_NEXT(stat64, (const char*, void*), there(path), into);
}
PROCESS_EXPORT int lstat(const char* path, void* into) {
  ASK_NEXT(lstat, (const char*, void*), there(path), into);
}
PROCESS_EXPORT int lstat64(const char* path, void* into) {
  ASK_NEXT(lstat64, (const char*, void*), there(path), into);
}
PROCESS_EXPORT int fstatat(int folder, const char* path, void* into, int flags) {
  ASK_NEXT(fstatat, (int, const char*, void*, int), folder, there(path), into, flags);
}
PROCESS_EXPORT int fstatat64(int folder, const char* path, void* into, int flags) {
  ASK_NEXT(fstatat64, (int, const char*, void*, int), folder, there(path), into, flags);
}
PROCESS_EXPORT int statx(int folder, const char* path, int flags, unsigned mask, void* into) {
  ASK_NEXT(statx, (int, const char*, int, unsigned, void*), folder, there(path), flags, mask, into);
}
/// C libraries before 2.33 have these.
PROCESS_EXPORT int __xstat(int version, const char* path, void* into) {
  ASK_NEXT(__xstat, (int, const char*, void*), version, there(path), into);
}
PROCESS_EXPORT int __xstat64(int version, const char* path, void* into) {
  ASK_NEXT(__xstat64, (int, const char*, void*), version, there(path), into);
}
PROCESS_EXPORT int access(const char* path, int mode) {
  ASK_NEXT(access, (const char*, int), there(path), mode);
}
PROCESS_EXPORT int faccessat(int folder, const char* path, int mode, int flags) {
  ASK_NEXT(faccessat, (int, const char*, int, int), folder, there(path), mode, flags);
}
// NOLINTEND(readability-identifier-naming)
