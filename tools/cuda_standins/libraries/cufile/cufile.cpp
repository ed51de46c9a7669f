// cuFile: files are read and written without a byte moved: the device's memory holds nothing.

#include <sys/types.h>

#include <cstddef>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {

/// The layout of CUfileError_t.
struct FileError {
  int error;
  int driver_error;
};

}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

// It is a struct in C, too, and comes back in one register.
VRAMLAB_EXPORT FileError cuFileHandleRegister(void** file, void*) {
  create_object(file);
  return {0, 0};
}
VRAMLAB_EXPORT void cuFileHandleDeregister(void* file) { destroy_object(file); }
VRAMLAB_EXPORT ssize_t cuFileRead(void*, void*, std::size_t bytes, off_t, off_t) {
  return static_cast<ssize_t>(bytes);
}
VRAMLAB_EXPORT ssize_t cuFileWrite(void*, const void*, std::size_t bytes, off_t, off_t) {
  return static_cast<ssize_t>(bytes);
}
VRAMLAB_EXPORT FileError cuFileGetVersion(int* version) {
  put(version, 1130);
  return {0, 0};
}
VRAMLAB_EXPORT long cuFileUseCount() { return 0; }
