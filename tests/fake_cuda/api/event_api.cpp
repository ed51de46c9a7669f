// Events.
#include "tests/fake_cuda/api/fake_call.h"

using namespace vramlab::fake;
using vramlab::streams::StreamAt;

namespace {

CUresult record(FakeCuda& fake, const CallSite& site, CUevent event, CUstream stream) {
  const auto found = fake.find_stream(stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
  return result_of(fake.timed().record_event({value_of(event)}, std::get<StreamAt>(found), 0));
}

CUresult on_cuEventRecord(const CallSite& site, CUevent event, CUstream stream) {
  const auto body = [=](FakeCuda& fake) { return record(fake, site, event, stream); };
  return fake_call(site, body, event, stream);
}

CUresult on_cuEventRecordWithFlags(const CallSite& site, CUevent event, CUstream stream,
                                   unsigned /*flags*/) {
  return on_cuEventRecord(site, event, stream);
}

CUresult elapsed(const char* name, float* ms, CUevent from, CUevent to) {
  const auto body = [=](FakeCuda& fake) {
    const auto time = fake.timed().elapsed({value_of(from)}, {value_of(to)});
    if (ms == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (result_of(time.status) == CUDA_SUCCESS) *ms = static_cast<float>(time.ns) / 1e6F;
    return result_of(time.status);
  };
  return fake_call({name, context}, body, from, to);
}

}  // namespace

FAKE_CUDA_CALL(cuEventCreate)(CUevent* event, unsigned flags) {
  const auto body = [=](FakeCuda& fake) {
    if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *event = fake.streams().create_event({fake.current().number, flags});
    fake.set_output(value_of(*event));
    return CUDA_SUCCESS;
  };
  return fake_call({"cuEventCreate", context}, body, flags);
}
FAKE_CUDA_CALL(cuEventDestroy_v2)(CUevent event) {
  const auto body = [=](FakeCuda& fake) { return fake.streams().destroy_event(event); };
  return fake_call({"cuEventDestroy_v2", context}, body, event);
}
FAKE_CUDA_TWINS(cuEventRecord, _ptsz, context, (CUevent event, CUstream stream), event, stream)
FAKE_CUDA_TWINS(cuEventRecordWithFlags, _ptsz, context,
                (CUevent event, CUstream stream, unsigned flags), event, stream, flags)
FAKE_CUDA_CALL(cuEventQuery)(CUevent event) {
  const auto body = [=](FakeCuda& fake) {
    return result_of(fake.timed().query_event({value_of(event)}));
  };
  return fake_call({"cuEventQuery", context}, body, event);
}
FAKE_CUDA_CALL(cuEventSynchronize)(CUevent event) {
  const auto body = [=](FakeCuda& fake) {
    return result_of(fake.timed().synchronize_event({value_of(event)}));
  };
  return fake_call({"cuEventSynchronize", context}, body, event);
}
FAKE_CUDA_CALL(cuEventElapsedTime)(float* ms, CUevent from, CUevent to) {
  return elapsed("cuEventElapsedTime", ms, from, to);
}
FAKE_CUDA_CALL(cuEventElapsedTime_v2)(float* ms, CUevent from, CUevent to) {
  return elapsed("cuEventElapsedTime_v2", ms, from, to);
}
FAKE_CUDA_CALL(cuCtxRecordEvent)(CUcontext of, CUevent event) {
  const auto body = [=](FakeCuda& fake) {
    const CUcontext asked = of == nullptr ? fake.contexts().current(FakeCuda::thread().value) : of;
    const Context* const found = fake.contexts().find(asked);
    if (found == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (found->sticky != CUDA_SUCCESS) return found->sticky;
    return result_of(fake.timed().record_device_event({value_of(event)}, found->number, 0));
  };
  return fake_call({"cuCtxRecordEvent", CallNeeds::driver}, body, of, event);
}
