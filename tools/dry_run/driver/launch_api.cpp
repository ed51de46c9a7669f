// Modules, functions and launches. Every image is a module, and every module has every kernel.
#include <string>

#include "tools/dry_run/driver/driver_call.h"

using namespace vramlab::dry_run;

namespace {

CUresult load_module(const char* name, CUmodule* module) {
  const auto body = [=](StandInDriver& driver) {
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *module = handle_of<CUmodule>(driver.streams().take_handle());
    return CUDA_SUCCESS;
  };
  return driver_call({name, context}, body);
}

CUresult launch(StandInDriver& driver, const CallSite& site, CUfunction function,
                std::pair<CUstream, void**> how) {
  const std::string* const kernel = driver.kernels().name_of(value_of(function));
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return driver.submit(how.first, site, driver.plan_launch(*kernel, how.second));
}

CUresult on_cuLaunchKernel(const CallSite& site, CUfunction function, CUstream stream,
                           void** arguments) {
  const auto body = [=](StandInDriver& driver) {
    return launch(driver, site, function, {stream, arguments});
  };
  return driver_call(site, body, function, stream);
}

CUresult on_cuLaunchKernelEx(const CallSite& site, const CUlaunchConfig* how, CUfunction function,
                             void** arguments) {
  if (how == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return on_cuLaunchKernel(site, function, how->hStream, arguments);
}

}  // namespace

STAND_IN_CALL(cuModuleLoadData)(CUmodule* module, const void* /*image*/) {
  return load_module("cuModuleLoadData", module);
}
STAND_IN_CALL(cuModuleLoadFatBinary)(CUmodule* module, const void* /*image*/) {
  return load_module("cuModuleLoadFatBinary", module);
}
STAND_IN_CALL(cuModuleUnload)(CUmodule module) {
  const auto body = [](StandInDriver&) { return CUDA_SUCCESS; };
  return driver_call({"cuModuleUnload", context}, body, module);
}
STAND_IN_CALL(cuModuleGetFunction)(CUfunction* function, CUmodule module, const char* name) {
  const auto body = [=](StandInDriver& driver) {
    if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *function = handle_of<CUfunction>(driver.kernels().find(name));
    return CUDA_SUCCESS;
  };
  return driver_call({"cuModuleGetFunction", context}, body, module);
}

STAND_IN_CALL(cuLaunchKernel)
(CUfunction function, unsigned /*grid_x*/, unsigned /*grid_y*/, unsigned /*grid_z*/,
 unsigned /*block_x*/, unsigned /*block_y*/, unsigned /*block_z*/, unsigned /*shared_bytes*/,
 CUstream stream, void** arguments, void** /*extra*/) {
  return on_cuLaunchKernel({"cuLaunchKernel"}, function, stream, arguments);
}
STAND_IN_CALL(cuLaunchKernel_ptsz)
(CUfunction function, unsigned /*grid_x*/, unsigned /*grid_y*/, unsigned /*grid_z*/,
 unsigned /*block_x*/, unsigned /*block_y*/, unsigned /*block_z*/, unsigned /*shared_bytes*/,
 CUstream stream, void** arguments, void** /*extra*/) {
  return on_cuLaunchKernel({"cuLaunchKernel_ptsz", context, NullStream::per_thread}, function,
                           stream, arguments);
}
STAND_IN_CALL(cuLaunchKernelEx)
(const CUlaunchConfig* how, CUfunction function, void** arguments, void** /*extra*/) {
  return on_cuLaunchKernelEx({"cuLaunchKernelEx"}, how, function, arguments);
}
STAND_IN_CALL(cuLaunchKernelEx_ptsz)
(const CUlaunchConfig* how, CUfunction function, void** arguments, void** /*extra*/) {
  return on_cuLaunchKernelEx({"cuLaunchKernelEx_ptsz", context, NullStream::per_thread}, how,
                             function, arguments);
}
