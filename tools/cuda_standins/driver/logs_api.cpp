// The driver's log of errors. It stays empty here: a program learns of an error by the call that
// returns it.
#include <cstddef>
#include <cstdio>

#include "tools/cuda_standins/driver/driver_call.h"

using namespace vramlab::dry_run;

STAND_IN_CALL(cuLogsRegisterCallback)(void* callback, void*, void** handle) {
  const auto body = [=](StandInDriver&) {
    if (callback == nullptr || handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *handle = callback;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuLogsRegisterCallback", nothing}, body);
}

STAND_IN_CALL(cuLogsUnregisterCallback)(void* handle) {
  const auto body = [=](StandInDriver&) { return refuse_unless(handle != nullptr); };
  return driver_call({"cuLogsUnregisterCallback", nothing}, body);
}

STAND_IN_CALL(cuLogsCurrent)(unsigned* iterator, unsigned flags) {
  const auto body = [=](StandInDriver& driver) {
    return flags != 0 ? CUDA_ERROR_INVALID_VALUE : give(driver, iterator, 0);
  };
  return driver_call({"cuLogsCurrent", nothing}, body);
}

STAND_IN_CALL(cuLogsDumpToFile)(unsigned*, const char* path, unsigned flags) {
  const auto body = [=](StandInDriver&) {
    if (path == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return std::fclose(file) == 0 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
  };
  return driver_call({"cuLogsDumpToFile", nothing}, body);
}

STAND_IN_CALL(cuLogsDumpToMemory)(unsigned*, char* buffer, std::size_t* size, unsigned flags) {
  const auto body = [=](StandInDriver&) {
    const bool has_room = buffer != nullptr && size != nullptr && *size > 0;
    if (!has_room || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    *buffer = '\0';
    *size = 0;
    return CUDA_SUCCESS;
  };
  return driver_call({"cuLogsDumpToMemory", nothing}, body);
}
