#include "tests/fake_cuda/engine/fake_cuda.h"

#include <utility>

#include "allocator/words/check.h"

namespace vramlab::fake {
namespace {

std::atomic<FakeCuda*> chosen = nullptr;

}  // namespace

FakeCuda::FakeCuda(FakeOptions options)
    : options_(std::move(options)),
      random_(options_.seed),
      log_(options_.log_file),
      faults_(options_.faults),
      memory_(options_),
      contexts_(options_.device_count),
      streams_(oracle_) {}

/// Numbers of threads are not given twice, unlike the names that the system has for them.
streams::ThreadId FakeCuda::thread() {
  static std::atomic<std::uint32_t> next{0};
  thread_local const std::uint32_t number = next++;
  return {number};
}

void FakeCuda::note_fork() {
  // No other thread is here, and the lock may be one's that is not: nothing is locked any more.
  if (is_initialised_) is_forked_ = true;
}

void FakeCuda::advance(std::uint64_t ns) {
  check(timed().begin_call(thread(), timed().now() + streams::Duration{ns}),
        "nothing here waits for ever");
}

CUresult FakeCuda::begin(const CallSite& site) {
  if (is_torn_down_) return CUDA_ERROR_DEINITIALIZED;
  if (site.needs != CallNeeds::nothing && !is_initialised_) return CUDA_ERROR_NOT_INITIALIZED;
  advance(options_.mean_call_ns == 0 ? 0 : random_() % (2 * options_.mean_call_ns + 1));
  if (const auto fault = faults_.next(site.name)) return *fault;
  return site.needs == CallNeeds::context ? check_context() : CUDA_SUCCESS;
}

CUresult FakeCuda::check_context() {
  const CUcontext current = contexts_.current(thread().value);
  if (current == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  const Context* context = contexts_.find(current);
  return context == nullptr ? CUDA_ERROR_CONTEXT_IS_DESTROYED : context->sticky;
}

CUresult FakeCuda::finish(CUresult result) {
  check(timed().begin_call(thread(), std::nullopt), "nothing here waits for ever");
  return result;
}

std::variant<streams::StreamAt, CUresult> FakeCuda::find_stream(CUstream stream,
                                                                const CallSite& site) {
  const bool is_own = stream == CU_STREAM_PER_THREAD ||
                      (stream == nullptr && site.null_stream == NullStream::per_thread);
  if (is_own) return streams_.per_thread_stream(current().number, thread());
  if (stream == nullptr || stream == CU_STREAM_LEGACY)
    return streams::StreamAt{current().number, {0}};
  const StreamFacts* const facts = streams_.facts_of(stream);
  if (facts == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return streams::StreamAt{facts->context, {value_of(stream)}};
}

CUresult FakeCuda::submit(CUstream stream, const CallSite& site, WorkOrder order) {
  const auto found = find_stream(stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
  const streams::StreamAt where = std::get<streams::StreamAt>(found);
  for (const MemoryUse& use : order.uses)
    if (use.bytes > 0 && !memory_.is_usable(use.at, use.bytes, device_of(where.device))) {
      oracle_.note_use_without_memory(use);
      if (memory_.is_reserved(use.at)) order.body = [this, where] { fault(where.device); };
    }
  return streams_.submit(where, std::move(order));
}

std::uint32_t FakeCuda::device_of(std::uint32_t context) {
  const Context* const found = contexts_.find_number(context);
  return found == nullptr ? 0 : found->device;
}

void FakeCuda::fault(std::uint32_t context) {
  if (Context* const found = contexts_.find_number(context))
    found->sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
}

void FakeCuda::destroy(Context& context) {
  check(timed().wait_for_device(context.number), "nothing here waits for ever");
  std::vector<Allocation> owned;
  for (const auto& [at, allocation] : memory_.allocations())
    if (allocation.context == context.number && allocation.kind != MemoryKind::pool)
      owned.push_back(allocation);
  for (const Allocation& allocation : owned) release(allocation, ReleaseKind::at_once);
  streams_.drop_context(context.number);
  contexts_.remove(context);
}

void FakeCuda::release(const Allocation& allocation, ReleaseKind kind) {
  oracle_.released(allocation.at, allocation.bytes, kind);
  if (kind == ReleaseKind::waits)
    check(timed().wait_for_device(allocation.context), "nothing here waits for ever");
  memory_.release(allocation.at);
}

// The chosen one.

FakeCuda* chosen_driver() { return chosen.load(); }

ChosenDriver::ChosenDriver(FakeOptions options)
    : driver_(std::move(options)), before_(chosen.exchange(&driver_)) {}

ChosenDriver::~ChosenDriver() { chosen.store(before_); }

}  // namespace vramlab::fake
