// Streams, and work of the host on them.
#include "tools/cuda_standins/driver/driver_call.h"

using namespace vramlab::dry_run;
using vramlab::streams::StreamAt;
using vramlab::streams::WorkKind;

namespace {

/// `use` gets the simulator's stream where the handle is one.
template <class Use>
CUresult with_stream(StandInDriver& driver, const CallSite& site, CUstream stream, const Use& use) {
  const auto found = driver.find_stream(stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
  return use(std::get<StreamAt>(found));
}

CUresult create_stream(const char* name, CUstream* stream, unsigned flags, int priority) {
  const auto body = [=](StandInDriver& driver) {
    if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    *stream = driver.streams().create_stream({driver.current().number, flags, priority});
    driver.set_output(value_of(*stream));
    return CUDA_SUCCESS;
  };
  return driver_call({name, context}, body, flags, static_cast<std::uint64_t>(priority));
}

CUresult destroy_stream(const char* name, CUstream stream) {
  const auto body = [=](StandInDriver& driver) { return driver.streams().destroy_stream(stream); };
  return driver_call({name, context}, body, stream);
}

CUresult on_cuStreamQuery(const CallSite& site, CUstream stream) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      return driver.asked(result_of(driver.timed().query_stream(at)));
    });
  };
  return driver_call(site, body, stream);
}

CUresult on_cuStreamSynchronize(const CallSite& site, CUstream stream) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      return result_of(driver.timed().synchronize_stream(at));
    });
  };
  return driver_call(site, body, stream);
}

CUresult on_cuStreamWaitEvent(const CallSite& site, CUstream stream, CUevent event,
                              unsigned /*flags*/) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      driver.keep_up(at);
      return result_of(driver.timed().wait_for_event(at, {value_of(event)}, 0));
    });
  };
  return driver_call(site, body, stream, event);
}

StreamFacts facts_at(StandInDriver& driver, StreamAt at) {
  const StreamFacts* const facts = driver.streams().facts_of(handle_of<CUstream>(at.stream.value));
  return facts == nullptr ? StreamFacts{.context = at.device} : *facts;
}

CUresult on_cuStreamGetFlags(const CallSite& site, CUstream stream, unsigned* flags) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      return give(driver, flags, facts_at(driver, at).flags);
    });
  };
  return driver_call(site, body, stream);
}

CUresult on_cuStreamGetPriority(const CallSite& site, CUstream stream, int* priority) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      return give(driver, priority, facts_at(driver, at).priority);
    });
  };
  return driver_call(site, body, stream);
}

CUresult on_cuStreamGetId(const CallSite& site, CUstream stream, unsigned long long* id) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      return give(driver, id, at.stream.value ^ std::uint64_t{at.device} << 48);
    });
  };
  return driver_call(site, body, stream);
}

CUresult on_cuStreamGetCtx(const CallSite& site, CUstream stream, CUcontext* of) {
  const auto body = [=](StandInDriver& driver) {
    return with_stream(driver, site, stream, [&](StreamAt at) {
      const Context* const found = driver.contexts().find_number(at.device);
      if (of == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
      *of = handle_of<CUcontext>(found->handle);
      return CUDA_SUCCESS;
    });
  };
  return driver_call(site, body, stream);
}

CUresult submit_host_work(StandInDriver& driver, const CallSite& site, CUstream stream,
                          std::function<void()> function) {
  WorkOrder order;
  order.work.kind = WorkKind::host_function;
  order.body = std::move(function);
  return driver.submit(stream, site, std::move(order));
}

CUresult on_cuLaunchHostFunc(const CallSite& site, CUstream stream, CUhostFn function,
                             void* argument) {
  const auto body = [=](StandInDriver& driver) {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return submit_host_work(driver, site, stream, [=] { function(argument); });
  };
  return driver_call(site, body, stream, argument);
}

CUresult on_cuStreamAddCallback(const CallSite& site, CUstream stream, CUstreamCallback function,
                                void* argument, unsigned /*flags*/) {
  const auto body = [=](StandInDriver& driver) {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return submit_host_work(driver, site, stream,
                            [=] { function(stream, CUDA_SUCCESS, argument); });
  };
  return driver_call(site, body, stream, argument);
}

}  // namespace

STAND_IN_CALL(cuStreamCreate)(CUstream* stream, unsigned flags) {
  return create_stream("cuStreamCreate", stream, flags, 0);
}
STAND_IN_CALL(cuStreamCreateWithPriority)(CUstream* stream, unsigned flags, int priority) {
  return create_stream("cuStreamCreateWithPriority", stream, flags, priority);
}
STAND_IN_CALL(cuStreamDestroy)(CUstream stream) {
  return destroy_stream("cuStreamDestroy", stream);
}
STAND_IN_CALL(cuStreamDestroy_v2)(CUstream stream) {
  return destroy_stream("cuStreamDestroy_v2", stream);
}
STAND_IN_TWINS(cuStreamQuery, _ptsz, context, (CUstream stream), stream)
STAND_IN_TWINS(cuStreamSynchronize, _ptsz, context, (CUstream stream), stream)
STAND_IN_TWINS(cuStreamWaitEvent, _ptsz, context, (CUstream stream, CUevent event, unsigned flags),
               stream, event, flags)
STAND_IN_TWINS(cuStreamGetFlags, _ptsz, context, (CUstream stream, unsigned* flags), stream, flags)
STAND_IN_TWINS(cuStreamGetPriority, _ptsz, context, (CUstream stream, int* priority), stream,
               priority)
STAND_IN_TWINS(cuStreamGetId, _ptsz, context, (CUstream stream, unsigned long long* id), stream, id)
STAND_IN_TWINS(cuStreamGetCtx, _ptsz, context, (CUstream stream, CUcontext* of), stream, of)
STAND_IN_TWINS(cuLaunchHostFunc, _ptsz, context,
               (CUstream stream, CUhostFn function, void* argument), stream, function, argument)
STAND_IN_TWINS(cuStreamAddCallback, _ptsz, context,
               (CUstream stream, CUstreamCallback function, void* argument, unsigned flags), stream,
               function, argument, flags)
