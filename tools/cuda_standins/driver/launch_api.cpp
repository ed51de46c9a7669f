// Launches.
#include <optional>
#include <string>
#include <utility>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/notes/notes.h"

using namespace vramlab::dry_run;

namespace {

/// What programs may read after the kernel, and where it writes.
std::optional<KernelWrite> note_answers(HostValueSource& values, const NamedKernel& kernel,
                                        void** arguments) {
  const KernelAnswer answer =
      answer_of_zeros(kernel.question, arguments, {values.answer(), values.truths()});
  values.set_answer(answer);
  std::optional<KernelWrite> write = write_of(kernel.writer, arguments);
  const auto truths = place_of_truths(kernel.question, arguments);
  if (write && truths) write->bytes = truths->count;
  if (write) values.truths().forget(write->at, write->bytes);
  if (truths) values.truths().set(*truths, answer.is_yes());
  return write;
}

CUresult launch(StandInDriver& driver, const CallSite& site, CUfunction function,
                std::pair<CUstream, void**> how) {
  const NamedKernel* const kernel = driver.kernels().kernel_of(value_of(function));
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  WorkOrder order = driver.plan_launch(kernel->name, how.second);
  order.write = note_answers(driver.host_values(), *kernel, how.second);
  return driver.submit(how.first, site, std::move(order));
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
STAND_IN_CALL(cuLaunchCooperativeKernel)
(CUfunction function, unsigned /*grid_x*/, unsigned /*grid_y*/, unsigned /*grid_z*/,
 unsigned /*block_x*/, unsigned /*block_y*/, unsigned /*block_z*/, unsigned /*shared_bytes*/,
 CUstream stream, void** arguments) {
  return on_cuLaunchKernel({"cuLaunchCooperativeKernel"}, function, stream, arguments);
}
STAND_IN_CALL(cuLaunchCooperativeKernel_ptsz)
(CUfunction function, unsigned /*grid_x*/, unsigned /*grid_y*/, unsigned /*grid_z*/,
 unsigned /*block_x*/, unsigned /*block_y*/, unsigned /*block_z*/, unsigned /*shared_bytes*/,
 CUstream stream, void** arguments) {
  return on_cuLaunchKernel({"cuLaunchCooperativeKernel_ptsz", context, NullStream::per_thread},
                           function, stream, arguments);
}

/// For libraries above the driver, which have kernels without names.
STAND_IN_EXPORT void vramlab_dry_run_work(CUstream stream) {
  const CallSite site{"vramlab_dry_run_work"};
  driver_call(
      site,
      [&](StandInDriver& driver) {
        return driver.submit(stream, site, driver.plan_launch("work of a library", nullptr));
      },
      stream);
}
