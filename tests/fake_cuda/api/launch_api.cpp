// Modules, functions and launches. Every image is a module, and every module has every kernel.
#include <algorithm>
#include <cstring>
#include <memory>

#include "tests/fake_cuda/api/fake_call.h"

using namespace vramlab::fake;

namespace {

CUresult load_module(const char* name, CUmodule* module) {
  const auto body = [=](FakeCuda& fake) {
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *module = handle_of<CUmodule>(fake.streams().take_handle());
    return CUDA_SUCCESS;
  };
  return fake_call({name, context}, body);
}

WorkOrder order_of(FakeCuda& fake, const fake_cuda_kernel& kernel) {
  WorkOrder order;
  order.work.duration = {kernel.duration_ns};
  const std::uint32_t count = std::min<std::uint32_t>(kernel.use_count, FAKE_CUDA_MOST_USES);
  for (std::uint32_t use = 0; use < count; ++use)
    order.uses.push_back({kernel.uses[use].at, kernel.uses[use].bytes,
                          kernel.uses[use].writes != 0 ? UseMode::writes : UseMode::reads});
  const std::uint32_t owner = fake.current().number;
  const bool runs = kernel.run != nullptr && fake.memory().is_backed();
  if (runs || kernel.fault != 0)
    order.body = [&fake, kernel, owner, runs] {
      if (runs) kernel.run(kernel.storage);
      Context* const context_of_it = fake.contexts().find_number(owner);
      if (kernel.fault != 0 && context_of_it != nullptr)
        context_of_it->sticky = static_cast<CUresult>(kernel.fault);
    };
  return order;
}

CUresult launch(FakeCuda& fake, const CallSite& site, CUfunction function,
                std::pair<CUstream, void**> how) {
  const fake_cuda_plan_kernel plan = fake.kernels().plan_of(value_of(function));
  if (plan == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  fake_cuda_kernel kernel{};
  plan(how.second, &kernel);
  return fake.submit(how.first, site, order_of(fake, kernel));
}

CUresult on_cuLaunchKernel(const CallSite& site, CUfunction function, CUstream stream,
                           void** arguments) {
  const auto body = [=](FakeCuda& fake) {
    return launch(fake, site, function, {stream, arguments});
  };
  return fake_call(site, body, function, stream);
}

CUresult on_cuLaunchKernelEx(const CallSite& site, const CUlaunchConfig* how, CUfunction function,
                             void** arguments) {
  if (how == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return on_cuLaunchKernel(site, function, how->hStream, arguments);
}

}  // namespace

FAKE_CUDA_CALL(cuModuleLoadData)(CUmodule* module, const void* /*image*/) {
  return load_module("cuModuleLoadData", module);
}
FAKE_CUDA_CALL(cuModuleLoadFatBinary)(CUmodule* module, const void* /*image*/) {
  return load_module("cuModuleLoadFatBinary", module);
}
FAKE_CUDA_CALL(cuModuleUnload)(CUmodule module) {
  const auto body = [](FakeCuda&) { return CUDA_SUCCESS; };
  return fake_call({"cuModuleUnload", context}, body, module);
}
FAKE_CUDA_CALL(cuModuleGetFunction)(CUfunction* function, CUmodule module, const char* name) {
  const auto body = [=](FakeCuda& fake) {
    if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *function = handle_of<CUfunction>(fake.kernels().find(name));
    return CUDA_SUCCESS;
  };
  return fake_call({"cuModuleGetFunction", context}, body, module);
}

FAKE_CUDA_CALL(cuLaunchKernel)
(CUfunction function, unsigned /*grid_x*/, unsigned /*grid_y*/, unsigned /*grid_z*/,
 unsigned /*block_x*/, unsigned /*block_y*/, unsigned /*block_z*/, unsigned /*shared_bytes*/,
 CUstream stream, void** arguments, void** /*extra*/) {
  return on_cuLaunchKernel({"cuLaunchKernel"}, function, stream, arguments);
}
FAKE_CUDA_CALL(cuLaunchKernel_ptsz)
(CUfunction function, unsigned /*grid_x*/, unsigned /*grid_y*/, unsigned /*grid_z*/,
 unsigned /*block_x*/, unsigned /*block_y*/, unsigned /*block_z*/, unsigned /*shared_bytes*/,
 CUstream stream, void** arguments, void** /*extra*/) {
  return on_cuLaunchKernel({"cuLaunchKernel_ptsz", context, NullStream::per_thread}, function,
                           stream, arguments);
}
FAKE_CUDA_CALL(cuLaunchKernelEx)
(const CUlaunchConfig* how, CUfunction function, void** arguments, void** /*extra*/) {
  return on_cuLaunchKernelEx({"cuLaunchKernelEx"}, how, function, arguments);
}
FAKE_CUDA_CALL(cuLaunchKernelEx_ptsz)
(const CUlaunchConfig* how, CUfunction function, void** arguments, void** /*extra*/) {
  return on_cuLaunchKernelEx({"cuLaunchKernelEx_ptsz", context, NullStream::per_thread}, how,
                             function, arguments);
}
