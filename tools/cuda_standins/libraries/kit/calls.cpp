#include "tools/cuda_standins/libraries/kit/calls.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "tools/cuda_standins/libraries/kit/driver.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {
namespace {

/// The file name of the library that this is compiled into, for instance libcublas.so.12; several
/// libraries share this code.
const char* library_name() {
  Dl_info found;
  if (dladdr(reinterpret_cast<const void*>(&library_name), &found) == 0) return "?";
  const char* const slash = std::strrchr(found.dli_fname, '/');
  return slash == nullptr ? found.dli_fname : slash + 1;
}

}  // namespace

void put_work(void* stream) {
  if (vramlab_dry_run_work != nullptr) vramlab_dry_run_work(stream);
}

void put_work_of(void* handle) {
  if (const Object* const object = object_of(handle)) put_work(object->stream);
}

void note_modelled(const char* subject) {
  if (vramlab_dry_run_note != nullptr) vramlab_dry_run_note("modelled", subject);
}

void note_beside_peak(const char* subject) {
  if (vramlab_dry_run_note != nullptr) vramlab_dry_run_note("beside_peak", subject);
}

void note_unknown(const char* function) {
  if (vramlab_dry_run_note == nullptr) return;
  char subject[256];
  std::snprintf(subject, sizeof(subject), "%s %s", library_name(), function);
  vramlab_dry_run_note("unknown", subject);
}

int cuda_version() {
  const int runtime = vramlab_dry_run_runtime == nullptr ? 0 : vramlab_dry_run_runtime();
  return runtime == 0 ? driver_cuda_version() : runtime;
}

int driver_cuda_version() {
  int version = 0;
  if (cuDriverGetVersion != nullptr) cuDriverGetVersion(&version);
  return version;
}

int device_attribute(int attribute) {
  int device = 0;
  int value = 0;
  if (cuCtxGetDevice != nullptr && cuCtxGetDevice(&device) != 0) device = 0;
  if (cuDeviceGetAttribute == nullptr ||
      cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(attribute), device) !=
          CUDA_SUCCESS)
    return 0;
  return value;
}

int compute_capability() {
  constexpr int major = 75;
  constexpr int minor = 76;
  return device_attribute(major) * 10 + device_attribute(minor);
}

int part_of_version(int property) {
  const int version = cuda_version();
  if (property == 0) return version / 1000;
  return property == 1 ? version % 1000 / 10 : 0;
}

}  // namespace vramlab::dry_run
