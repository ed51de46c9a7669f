// What a program that knows the library can call: how it registers to be asked for memory.
#include "tools/preload/exports/front.h"

namespace vramlab::preload {
namespace {

bool add_free_memory_callback(CUdevice device, int (*callback)(void*), void* argument) {
  const ProgramCall call;
  if (call.calls() == nullptr || callback == nullptr) return false;
  return call.calls()->add_free_memory_callback(device, [callback, argument] {
    const ProgramsTurn turn;
    return callback(argument) != 0;
  });
}

}  // namespace
}  // namespace vramlab::preload

/// Asked when no cached block of the device fits a request, before the driver is; not 0 says that
/// it freed something. It must leave the context current that it finds. 0, or 1 where the library
/// caches nothing in this process.
extern "C" [[gnu::visibility("default")]] int vramlab_add_free_memory_callback(
    int device, int (*callback)(void*), void* argument) {
  return vramlab::preload::add_free_memory_callback(device, callback, argument) ? 0 : 1;
}
