// The driver itself: its start, its version, its functions by name, its errors and its log.
#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_functions.h"
#include "tools/cuda_standins/notes/notes.h"

using namespace vramlab::dry_run;

namespace {

/// Ends the driver at exit, as the real one ends: functions that run later find it gone.
void tear_down_at_exit() {
#ifdef STAND_IN_IS_LIBCUDA
  std::atexit([] { the_driver().look([](StandInDriver& driver) { driver.tear_down(); }); });
#endif
}

/// The name of the program or the library that has this code.
std::string file_of(const void* code) {
  Dl_info found{};
  if (dladdr(code, &found) == 0 || found.dli_fname == nullptr) return "code without a file";
  const std::string path = found.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

/// Compilers ask whether there is a driver of their kind, and do their work without it.
bool is_compiler(const std::string& file) {
  return file.starts_with("libnvJitLink.") || file.starts_with("libnvrtc.");
}

/// The reason that the watch over loaded files tells for one of them; empty if it has none.
std::string reason_told_for(const void* file) {
  const std::string reasons = std::string("\n") + vramlab_dry_run_linked_runtimes;
  std::array<char, 32> place{};
  std::snprintf(place.data(), place.size(), "\n%p ", file);
  const std::size_t line = reasons.rfind(place.data());
  if (line == std::string::npos) return "";
  const std::size_t begin = line + std::string_view(place.data()).size();
  return reasons.substr(begin, reasons.find('\n', begin) - begin);
}

/// The reason why the runtime that has this code does not run on a stand-in.
std::string reason_of_linked_runtime(const void* code) {
  if (*vramlab_dry_run_linked_runtimes == '\0')
    return "libvramlab_linked_runtime.so.1 is not loaded";
  Dl_info found{};
  void* file = nullptr;
  if (dladdr1(code, &found, &file, RTLD_DL_LINKMAP) == 0) return "it is code without a file";
  if (const std::string reason = reason_told_for(file); !reason.empty()) return reason;
  if (const std::string reason = reason_told_for(nullptr); !reason.empty()) return reason;
  return "it does not name its functions: keep its symbols, or link with -cudart shared";
}

/// The function of a name, as of a version, for one meaning of stream 0.
struct Query {
  const char* symbol;
  void** function;
  int version;
  cuuint64_t flags;
};

CUresult answer_query(StandInDriver& driver, const Query& query,
                      CUdriverProcAddressQueryResult* status) {
  const int driver_version = driver.options().driver_version;
  if (query.symbol == nullptr || query.function == nullptr || query.flags > 2 ||
      query.version > driver_version)
    return CUDA_ERROR_INVALID_VALUE;
  driver.set_text(query.symbol);
  const StreamVariant variant = query.flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                    ? StreamVariant::per_thread
                                    : StreamVariant::plain;
  const FoundProc found = find_proc({query.symbol, query.version, variant}, driver_version);
  *query.function = found.address;
  if (status != nullptr) *status = static_cast<CUdriverProcAddressQueryResult>(found.status);
  return CUDA_SUCCESS;
}

struct ErrorName {
  CUresult result;
  const char* name;
};

#define STAND_IN_ERROR(name) {name, #name}
constexpr ErrorName error_names[] = {STAND_IN_ERROR(CUDA_SUCCESS),
                                     STAND_IN_ERROR(CUDA_ERROR_INVALID_VALUE),
                                     STAND_IN_ERROR(CUDA_ERROR_OUT_OF_MEMORY),
                                     STAND_IN_ERROR(CUDA_ERROR_NOT_INITIALIZED),
                                     STAND_IN_ERROR(CUDA_ERROR_DEINITIALIZED),
                                     STAND_IN_ERROR(CUDA_ERROR_NO_DEVICE),
                                     STAND_IN_ERROR(CUDA_ERROR_INVALID_DEVICE),
                                     STAND_IN_ERROR(CUDA_ERROR_INVALID_CONTEXT),
                                     STAND_IN_ERROR(CUDA_ERROR_FILE_NOT_FOUND),
                                     STAND_IN_ERROR(CUDA_ERROR_INVALID_HANDLE),
                                     STAND_IN_ERROR(CUDA_ERROR_ILLEGAL_STATE),
                                     STAND_IN_ERROR(CUDA_ERROR_NOT_FOUND),
                                     STAND_IN_ERROR(CUDA_ERROR_NOT_READY),
                                     STAND_IN_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS),
                                     STAND_IN_ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
                                     STAND_IN_ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
                                     STAND_IN_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED),
                                     STAND_IN_ERROR(CUDA_ERROR_LAUNCH_FAILED),
                                     STAND_IN_ERROR(CUDA_ERROR_NOT_SUPPORTED),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_MERGE),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_ISOLATION),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
                                     STAND_IN_ERROR(CUDA_ERROR_CAPTURED_EVENT),
                                     STAND_IN_ERROR(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD),
                                     STAND_IN_ERROR(CUDA_ERROR_UNKNOWN)};
#undef STAND_IN_ERROR

CUresult name_error(const char* function, CUresult result, const char** text) {
  const auto body = [=](StandInDriver&) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *text = nullptr;
    for (const ErrorName& known : error_names)
      if (known.result == result) *text = known.name;
    return refuse_unless(*text != nullptr);
  };
  return driver_call({function, nothing}, body, result);
}

}  // namespace

STAND_IN_CALL(cuInit)(unsigned flags) {
  const auto body = [=](StandInDriver& driver) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (driver.options().device_count == 0) return CUDA_ERROR_NO_DEVICE;
    if (!driver.is_initialised()) tear_down_at_exit();
    driver.initialise();
    return CUDA_SUCCESS;
  };
  return driver_call({"cuInit", nothing}, body, flags);
}
STAND_IN_CALL(cuDriverGetVersion)(int* version) {
  const auto body = [=](StandInDriver& driver) {
    return give(driver, version, driver.options().driver_version);
  };
  return driver_call({"cuDriverGetVersion", nothing}, body);
}
/// Tables without a public description. CUDA's own runtime asks for them before anything else, also
/// where it is linked into a program or an extension, and does not go on without.
STAND_IN_CALL(cuGetExportTable)(const void** table, const CUuuid* /*id*/) {
  const void* const caller = __builtin_return_address(0);
  if (const std::string file = file_of(caller); !is_compiler(file))
    vramlab_dry_run_note("linked_runtime",
                         (file + " (" + reason_of_linked_runtime(caller) + ")").c_str());
  const auto body = [=](StandInDriver&) {
    if (table != nullptr) *table = nullptr;
    return CUDA_ERROR_NOT_FOUND;
  };
  return driver_call({"cuGetExportTable", nothing}, body);
}

/// This form can only fail when it finds no function.
STAND_IN_CALL(cuGetProcAddress)
(const char* symbol, void** function, int version, cuuint64_t flags) {
  const auto body = [=](StandInDriver& driver) {
    const CUresult result = answer_query(driver, {symbol, function, version, flags}, nullptr);
    if (result != CUDA_SUCCESS) return result;
    return refuse_unless(*function != nullptr, CUDA_ERROR_NOT_FOUND);
  };
  return driver_call({"cuGetProcAddress", CallNeeds::nothing}, body, version, flags);
}
STAND_IN_CALL(cuGetProcAddress_v2)
(const char* symbol, void** function, int version, cuuint64_t flags,
 CUdriverProcAddressQueryResult* status) {
  const auto body = [=](StandInDriver& driver) {
    return answer_query(driver, {symbol, function, version, flags}, status);
  };
  return driver_call({"cuGetProcAddress_v2", CallNeeds::nothing}, body, version, flags);
}

STAND_IN_CALL(cuGetErrorName)(CUresult result, const char** text) {
  return name_error("cuGetErrorName", result, text);
}
STAND_IN_CALL(cuGetErrorString)(CUresult result, const char** text) {
  return name_error("cuGetErrorString", result, text);
}

// The driver's log of errors. It stays empty here: a program learns of an error by the call that
// returns it.

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

// Profilers that a program switches on and off: there is none.

STAND_IN_CALL(cuProfilerStart)() { return accept("cuProfilerStart"); }
STAND_IN_CALL(cuProfilerStop)() { return accept("cuProfilerStop"); }
