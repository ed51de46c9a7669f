// Another preload that interposes dlsym. With VRAMLAB_TEST_ASKING=libc it goes to the C library by
// itself, else to the next one in line. Where ASKED_LOG names a file, each answer of the driver's
// resolver is written there.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "streams/cuda_interface/functions.h"
#include "tests/preload/programs/whose.h"

namespace {

using Dlsym = void* (*)(void*, const char*);
using Resolver = PFN_cuGetProcAddress_v12000;

Dlsym libc_dlsym() { return reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5")); }

Dlsym real_dlsym() {
  const char* const way = std::getenv("VRAMLAB_TEST_ASKING");
  if (way != nullptr && std::strcmp(way, "libc") == 0) return libc_dlsym();
  void* volatile next = libc_dlsym()(RTLD_NEXT, "dlsym");
  return reinterpret_cast<Dlsym>(next);
}

Resolver given_resolver = nullptr;

CUresult logged_resolver(const char* name, void** function, int version, cuuint64_t flags,
                         CUdriverProcAddressQueryResult* status) {
  const CUresult result = given_resolver(name, function, version, flags, status);
  const char* const path = std::getenv("ASKED_LOG");
  if (path == nullptr || result != CUDA_SUCCESS) return result;
  if (std::FILE* const log = std::fopen(path, "a")) {
    std::fprintf(log, "%s|%d|%d|%s\n", name, version, static_cast<int>(flags),
                 whose(function == nullptr ? nullptr : *function).c_str());
    std::fclose(log);
  }
  if (std::strcmp(name, "cuGetProcAddress") == 0 && version >= 12000 && *function != nullptr)
    *function = reinterpret_cast<void*>(&logged_resolver);
  return result;
}

}  // namespace

extern "C" void* dlsym(void* handle, const char* name) {
  void* volatile found = real_dlsym()(handle, name);
  if (std::getenv("ASKED_LOG") == nullptr || name == nullptr || found == nullptr ||
      std::strcmp(name, "cuGetProcAddress_v2") != 0)
    return found;
  given_resolver = reinterpret_cast<Resolver>(found);
  return reinterpret_cast<void*>(&logged_resolver);
}
