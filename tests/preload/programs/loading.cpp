// A program that gets at the driver while it runs, in scenes. It says whose functions it is given.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "streams/cuda_interface/functions.h"
#include "tests/preload/programs/whose.h"

namespace {

using Resolver4 = PFN_cuGetProcAddress_v11030;
using Resolver5 = PFN_cuGetProcAddress_v12000;
constexpr cuuint64_t per_thread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

void say(const char* what, const void* function) {
  std::printf("%s %s\n", what, whose(function).c_str());
}

void* driver() {
  void* const handle = dlopen("libcuda.so.1", RTLD_NOW);
  if (handle == nullptr) std::printf("no driver\n");
  return handle;
}

template <class Resolver, class... Status>
void ask(Resolver resolver, const char* name, int version, cuuint64_t flags, Status... status) {
  void* function = nullptr;
  const CUresult result = resolver(name, &function, version, flags, status...);
  std::printf("%s %d %d: %d %s\n", name, version, static_cast<int>(flags), static_cast<int>(result),
              whose(function).c_str());
}

int by_dlsym() {
  void* const handle = driver();
  for (const char* const name :
       {"cuMemAlloc_v2", "cuMemHostAlloc", "cuModuleLoadData", "cuInit", "cuMemFreeAsync_ptsz",
        "cuGetProcAddress_v2", "cuGetExportTable", "cublasCreate_v2", "cuMemAlloc_v9"})
    say(name, dlsym(handle, name));
  return 0;
}

int by_resolver() {
  void* const handle = driver();
  const auto four = reinterpret_cast<Resolver4>(dlsym(handle, "cuGetProcAddress"));
  const auto five = reinterpret_cast<Resolver5>(dlsym(handle, "cuGetProcAddress_v2"));
  ask(four, "cuMemAlloc", 3020, 0);
  CUdriverProcAddressQueryResult status{};
  ask(five, "cuMemAlloc", 3020, 0, &status);
  ask(five, "cuMemAlloc", 13000, 0, &status);
  ask(five, "cuMemAlloc", 2000, 0, &status);
  ask(five, "cuMemAlloc", 3020, per_thread, &status);
  ask(five, "cuMemFreeAsync", 11020, 0, &status);
  ask(five, "cuMemFreeAsync", 11020, per_thread, &status);
  ask(five, "cuStreamBeginCapture", 10000, 0, &status);
  ask(five, "cuStreamBeginCapture", 10010, per_thread, &status);
  ask(five, "cuGetProcAddress", 11030, 0, &status);
  ask(five, "cuGetProcAddress", 12000, 0, &status);
  ask(five, "cuInit", 2000, 0, &status);
  ask(five, "cuNoSuchFunction", 13000, 0, &status);
  std::printf("status %d\n", static_cast<int>(status));
  ask(five, "cuMemAlloc", 3020, 0, static_cast<CUdriverProcAddressQueryResult*>(nullptr));
  std::printf("null %d\n", static_cast<int>(five("cuMemAlloc", nullptr, 3020, 0, nullptr)));
  return 0;
}

/// The runtime's way: what the resolver gives for its own name is what everything is asked of.
int by_given_resolver() {
  void* const handle = driver();
  const auto first = reinterpret_cast<Resolver5>(dlsym(handle, "cuGetProcAddress_v2"));
  void* given = nullptr;
  CUdriverProcAddressQueryResult status{};
  first("cuGetProcAddress", &given, 12000, 0, &status);
  ask(reinterpret_cast<Resolver5>(given), "cuMemAlloc", 3020, 0, &status);
  first("cuGetProcAddress", &given, 11030, 0, &status);
  ask(reinterpret_cast<Resolver4>(given), "cuMemAlloc", 3020, 0);
  return 0;
}

/// A program that was built with a CUDA which did not exist when we were.
int newer_version() {
  const auto resolver = reinterpret_cast<Resolver5>(dlsym(driver(), "cuGetProcAddress_v2"));
  CUdriverProcAddressQueryResult status{};
  ask(resolver, "cuMemAlloc", 14000, 0, &status);
  ask(resolver, "cuMemFreeAsync", 14000, per_thread, &status);
  ask(resolver, "cuInit", 14000, 0, &status);
  return 0;
}

int default_handle() {
  say("before", dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"));
  say("global before", dlsym(dlopen(nullptr, RTLD_NOW), "cuMemAlloc_v2"));
  const char* const error = dlerror();
  std::printf("error %s\n", error == nullptr ? "none" : "some");
  dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  say("after", dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"));
  say("global after", dlsym(dlopen(nullptr, RTLD_NOW), "cuMemAlloc_v2"));
  return 0;
}

int other_namespace() {
  void* const other = dlmopen(LM_ID_NEWLM, "libcuda.so.1", RTLD_NOW);
  say("other namespace", other == nullptr ? nullptr : dlsym(other, "cuMemAlloc_v2"));
  say("own namespace", dlsym(driver(), "cuMemAlloc_v2"));
  if (other != nullptr) say("other again", dlsym(other, "cuMemAlloc_v2"));
  return 0;
}

/// A library that brings the driver along, bound to its own libraries first.
int library(const char* path, int flags) {
  void* const handle = dlopen(path, RTLD_NOW | flags);
  if (handle == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  using Scene = void (*)();
  const auto scene = reinterpret_cast<Scene>(dlsym(handle, "scene"));
  scene();
  return 0;
}

/// Without a driver: a program that was linked to one through weak names.
extern "C" CUresult cuMemAlloc_v2(CUdeviceptr* at, std::size_t bytes) __attribute__((weak));

int weak_name() {
  if (&::cuMemAlloc_v2 == nullptr) {
    std::printf("weak nobody\n");
    return 0;
  }
  CUdeviceptr at = 7;
  const CUresult result = cuMemAlloc_v2(&at, 16);
  std::printf("weak %d %llu\n", static_cast<int>(result), at);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string scene = count > 1 ? words[1] : "";
  if (scene == "dlsym") return by_dlsym();
  if (scene == "resolver") return by_resolver();
  if (scene == "given_resolver") return by_given_resolver();
  if (scene == "newer_version") return newer_version();
  if (scene == "default") return default_handle();
  if (scene == "namespace") return other_namespace();
  if (scene == "deepbind") return library(words[2], RTLD_DEEPBIND);
  if (scene == "library") return library(words[2], 0);
  if (scene == "weak") return weak_name();
  if (scene == "nothing") return 0;
  return 98;
}
