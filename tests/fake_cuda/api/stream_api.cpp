// Streams, and work of the host on them.
#include "tests/fake_cuda/api/fake_call.h"

using namespace vramlab::fake;
using vramlab::streams::StreamAt;
using vramlab::streams::WorkKind;

namespace {

/// `use` gets the simulator's stream where the handle is one.
template <class Use>
CUresult with_stream(FakeCuda& fake, const CallSite& site, CUstream stream, const Use& use) {
  const auto found = fake.find_stream(stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
  return use(std::get<StreamAt>(found));
}

CUresult create_stream(const char* name, CUstream* stream, unsigned flags, int priority) {
  const auto body = [=](FakeCuda& fake) {
    if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    *stream = fake.streams().create_stream({fake.current().number, flags, priority});
    fake.set_output(value_of(*stream));
    return CUDA_SUCCESS;
  };
  return fake_call({name, context}, body, flags, static_cast<std::uint64_t>(priority));
}

CUresult destroy_stream(const char* name, CUstream stream) {
  const auto body = [=](FakeCuda& fake) { return fake.streams().destroy_stream(stream); };
  return fake_call({name, context}, body, stream);
}

CUresult on_cuStreamQuery(const CallSite& site, CUstream stream) {
  const auto body = [=](FakeCuda& fake) {
    return with_stream(fake, site, stream,
                       [&](StreamAt at) { return result_of(fake.timed().query_stream(at)); });
  };
  return fake_call(site, body, stream);
}

CUresult on_cuStreamSynchronize(const CallSite& site, CUstream stream) {
  const auto body = [=](FakeCuda& fake) {
    return with_stream(fake, site, stream,
                       [&](StreamAt at) { return result_of(fake.timed().synchronize_stream(at)); });
  };
  return fake_call(site, body, stream);
}

CUresult on_cuStreamWaitEvent(const CallSite& site, CUstream stream, CUevent event,
                              unsigned /*flags*/) {
  const auto body = [=](FakeCuda& fake) {
    return with_stream(fake, site, stream, [&](StreamAt at) {
      return result_of(fake.timed().wait_for_event(at, {value_of(event)}, 0));
    });
  };
  return fake_call(site, body, stream, event);
}

StreamFacts facts_at(FakeCuda& fake, StreamAt at) {
  const StreamFacts* const facts = fake.streams().facts_of(handle_of<CUstream>(at.stream.value));
  return facts == nullptr ? StreamFacts{.context = at.device} : *facts;
}

CUresult on_cuStreamGetFlags(const CallSite& site, CUstream stream, unsigned* flags) {
  const auto body = [=](FakeCuda& fake) {
    return with_stream(fake, site, stream,
                       [&](StreamAt at) { return give(fake, flags, facts_at(fake, at).flags); });
  };
  return fake_call(site, body, stream);
}

CUresult on_cuStreamGetPriority(const CallSite& site, CUstream stream, int* priority) {
  const auto body = [=](FakeCuda& fake) {
    return with_stream(fake, site, stream, [&](StreamAt at) {
      return give(fake, priority, facts_at(fake, at).priority);
    });
  };
  return fake_call(site, body, stream);
}

CUresult on_cuStreamGetId(const CallSite& site, CUstream stream, unsigned long long* id) {
  const auto body = [=](FakeCuda& fake) {
    return with_stream(fake, site, stream, [&](StreamAt at) {
      return give(fake, id, at.stream.value ^ std::uint64_t{at.device} << 48);
    });
  };
  return fake_call(site, body, stream);
}

CUresult on_cuStreamGetCtx(const CallSite& site, CUstream stream, CUcontext* of) {
  const auto body = [=](FakeCuda& fake) {
    return with_stream(fake, site, stream, [&](StreamAt at) {
      const Context* const found = fake.contexts().find_number(at.device);
      if (of == nullptr || found == nullptr) return CUDA_ERROR_INVALID_VALUE;
      *of = handle_of<CUcontext>(found->handle);
      return CUDA_SUCCESS;
    });
  };
  return fake_call(site, body, stream);
}

CUresult submit_host_work(FakeCuda& fake, const CallSite& site, CUstream stream,
                          std::function<void()> function) {
  WorkOrder order;
  order.work.kind = WorkKind::host_function;
  order.body = std::move(function);
  return fake.submit(stream, site, std::move(order));
}

CUresult on_cuLaunchHostFunc(const CallSite& site, CUstream stream, CUhostFn function,
                             void* argument) {
  const auto body = [=](FakeCuda& fake) {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return submit_host_work(fake, site, stream, [=] { function(argument); });
  };
  return fake_call(site, body, stream, argument);
}

CUresult on_cuStreamAddCallback(const CallSite& site, CUstream stream, CUstreamCallback function,
                                void* argument, unsigned /*flags*/) {
  const auto body = [=](FakeCuda& fake) {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return submit_host_work(fake, site, stream, [=] { function(stream, CUDA_SUCCESS, argument); });
  };
  return fake_call(site, body, stream, argument);
}

}  // namespace

FAKE_CUDA_CALL(cuStreamCreate)(CUstream* stream, unsigned flags) {
  return create_stream("cuStreamCreate", stream, flags, 0);
}
FAKE_CUDA_CALL(cuStreamCreateWithPriority)(CUstream* stream, unsigned flags, int priority) {
  return create_stream("cuStreamCreateWithPriority", stream, flags, priority);
}
FAKE_CUDA_CALL(cuStreamDestroy)(CUstream stream) {
  return destroy_stream("cuStreamDestroy", stream);
}
FAKE_CUDA_CALL(cuStreamDestroy_v2)(CUstream stream) {
  return destroy_stream("cuStreamDestroy_v2", stream);
}
FAKE_CUDA_TWINS(cuStreamQuery, _ptsz, context, (CUstream stream), stream)
FAKE_CUDA_TWINS(cuStreamSynchronize, _ptsz, context, (CUstream stream), stream)
FAKE_CUDA_TWINS(cuStreamWaitEvent, _ptsz, context, (CUstream stream, CUevent event, unsigned flags),
                stream, event, flags)
FAKE_CUDA_TWINS(cuStreamGetFlags, _ptsz, context, (CUstream stream, unsigned* flags), stream, flags)
FAKE_CUDA_TWINS(cuStreamGetPriority, _ptsz, context, (CUstream stream, int* priority), stream,
                priority)
FAKE_CUDA_TWINS(cuStreamGetId, _ptsz, context, (CUstream stream, unsigned long long* id), stream,
                id)
FAKE_CUDA_TWINS(cuStreamGetCtx, _ptsz, context, (CUstream stream, CUcontext* of), stream, of)
FAKE_CUDA_TWINS(cuLaunchHostFunc, _ptsz, context,
                (CUstream stream, CUhostFn function, void* argument), stream, function, argument)
FAKE_CUDA_TWINS(cuStreamAddCallback, _ptsz, context,
                (CUstream stream, CUstreamCallback function, void* argument, unsigned flags),
                stream, function, argument, flags)
