// Events.
#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"
#include "tools/cuda_standins/notes/notes.h"

using namespace vramlab::dry_run;
using vramlab::streams::StreamAt;

namespace {

CUresult record(StandInDriver& driver, const CallSite& site, CUevent event, CUstream stream) {
  const auto found = driver.find_stream(stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
  driver.keep_up(std::get<StreamAt>(found));
  return result_of(driver.timed().record_event({value_of(event)}, std::get<StreamAt>(found), 0));
}

CUresult on_cuEventRecord(const CallSite& site, CUevent event, CUstream stream) {
  const auto body = [=](StandInDriver& driver) { return record(driver, site, event, stream); };
  return driver_call(site, body, event, stream);
}

CUresult record_in_graph(StandInDriver& driver, const CallSite& site, CUevent event,
                         CUstream stream) {
  const auto found = driver.find_stream(stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
  return result_of(
      driver.timed().record_event_in_graph({value_of(event)}, std::get<StreamAt>(found), 0));
}

CUresult on_cuEventRecordWithFlags(const CallSite& site, CUevent event, CUstream stream,
                                   unsigned flags) {
  if (flags == CU_EVENT_RECORD_DEFAULT) return on_cuEventRecord(site, event, stream);
  const auto body = [=](StandInDriver& driver) {
    if (flags != CU_EVENT_RECORD_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    return record_in_graph(driver, site, event, stream);
  };
  return driver_call(site, body, event, stream, flags);
}

CUresult elapsed(const char* name, float* ms, CUevent from, CUevent to) {
  const auto body = [=](StandInDriver& driver) {
    const auto time = driver.timed().elapsed({value_of(from)}, {value_of(to)});
    if (ms == nullptr) return CUDA_ERROR_INVALID_VALUE;
    // The clock of a GPU moves between two events, so that programs divide by the time.
    constexpr std::int64_t shortest_ns = 500;
    const bool is_none = time.ns == 0 && value_of(from) != value_of(to);
    if (result_of(time.status) == CUDA_SUCCESS)
      *ms = static_cast<float>(is_none ? shortest_ns : time.ns) / 1e6F;
    return result_of(time.status);
  };
  const CUresult result = driver_call({name, context}, body, from, to);
  if (result == CUDA_SUCCESS) vramlab_dry_run_note("beside_peak", "time between events");
  return result;
}

}  // namespace

STAND_IN_CALL(cuEventCreate)(CUevent* event, unsigned flags) {
  const auto body = [=](StandInDriver& driver) {
    if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *event = driver.streams().create_event({driver.current().number, flags});
    driver.set_output(value_of(*event));
    return CUDA_SUCCESS;
  };
  return driver_call({"cuEventCreate", context}, body, flags);
}
STAND_IN_CALL(cuEventDestroy)(CUevent event) {
  const auto body = [=](StandInDriver& driver) { return driver.streams().destroy_event(event); };
  return driver_call({"cuEventDestroy", context}, body, event);
}
STAND_IN_CALL(cuEventDestroy_v2)(CUevent event) {
  const auto body = [=](StandInDriver& driver) { return driver.streams().destroy_event(event); };
  return driver_call({"cuEventDestroy_v2", context}, body, event);
}
STAND_IN_TWINS(cuEventRecord, _ptsz, context, (CUevent event, CUstream stream), event, stream)
STAND_IN_TWINS(cuEventRecordWithFlags, _ptsz, context,
               (CUevent event, CUstream stream, unsigned flags), event, stream, flags)
STAND_IN_CALL(cuEventQuery)(CUevent event) {
  const auto body = [=](StandInDriver& driver) {
    return driver.asked(result_of(driver.timed().query_event({value_of(event)})));
  };
  return driver_call({"cuEventQuery", context}, body, event);
}
STAND_IN_CALL(cuEventSynchronize)(CUevent event) {
  const auto body = [=](StandInDriver& driver) {
    return result_of(driver.timed().synchronize_event({value_of(event)}));
  };
  return driver_call({"cuEventSynchronize", context}, body, event);
}
STAND_IN_CALL(cuEventElapsedTime)(float* ms, CUevent from, CUevent to) {
  return elapsed("cuEventElapsedTime", ms, from, to);
}
STAND_IN_CALL(cuEventElapsedTime_v2)(float* ms, CUevent from, CUevent to) {
  return elapsed("cuEventElapsedTime_v2", ms, from, to);
}
STAND_IN_CALL(cuCtxRecordEvent)(CUcontext of, CUevent event) {
  const auto body = [=](StandInDriver& driver) {
    const CUcontext asked =
        of == nullptr ? driver.contexts().current(StandInDriver::thread().value) : of;
    const Context* const found = driver.contexts().find(asked);
    if (found == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (found->sticky != CUDA_SUCCESS) return found->sticky;
    return result_of(driver.timed().record_device_event({value_of(event)}, found->number, 0));
  };
  return driver_call({"cuCtxRecordEvent", CallNeeds::initialised}, body, of, event);
}

// Events of other processes count as complete, since no other process can be asked.
STAND_IN_CALL(cuIpcGetEventHandle)(CUipcEventHandle* handle, CUevent event) {
  const auto body = [=](StandInDriver& driver) {
    if (driver.streams().facts_of(event) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *handle = {};
    return CUDA_SUCCESS;
  };
  return driver_call({"cuIpcGetEventHandle", context}, body, event);
}
STAND_IN_CALL(cuIpcOpenEventHandle)(CUevent* event, CUipcEventHandle /*handle*/) {
  const auto body = [=](StandInDriver& driver) {
    if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *event = driver.streams().create_event({driver.current().number, CU_EVENT_DISABLE_TIMING});
    return CUDA_SUCCESS;
  };
  return driver_call({"cuIpcOpenEventHandle", context}, body);
}
