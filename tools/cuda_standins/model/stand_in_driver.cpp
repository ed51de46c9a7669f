#include "tools/cuda_standins/model/stand_in_driver.h"

#include <utility>
#include <vector>

#include "allocator/types/check.h"

namespace vramlab::dry_run {

thread_local bool StandInDriver::is_in_host_function = false;

StandInDriver::StandInDriver(const DriverOptions& options, DriverWatcher* watcher)
    : options_(options),
      watcher_(watcher),
      host_values_(options_.host_values),
      memory_(options_),
      pools_(memory_, options_.device_count),
      contexts_(options_.device_count),
      graph_memory_(memory_, options_.device_count),
      streams_(watcher),
      graphs_(streams_, graph_memory_) {}

/// Numbers of threads are not given twice, unlike the names that the system has for them.
streams::ThreadId StandInDriver::thread() {
  static std::atomic<std::uint32_t> next{0};
  thread_local const std::uint32_t number = next++;
  return {number};
}

void StandInDriver::note_fork() {
  // Only this thread survived the fork, and another one may have held the lock: nothing is locked
  // any more.
  if (is_used_)
    is_forked_ = true;
  else
    is_initialised_ = false;
}

void StandInDriver::advance(std::uint64_t ns) {
  check(timed().begin_call(thread(), timed().now() + streams::Duration{ns}),
        "nothing here waits for ever");
}

CUresult StandInDriver::begin(const CallSite& site) {
  if (is_torn_down_) return CUDA_ERROR_DEINITIALIZED;
  if (site.needs != CallNeeds::nothing && !is_initialised_) return CUDA_ERROR_NOT_INITIALIZED;
  advance(watcher_ == nullptr ? 0 : watcher_->time_of_call());
  if (watcher_ != nullptr)
    if (const CUresult forced = begin_watched(site); forced != CUDA_SUCCESS) return forced;
  return site.needs == CallNeeds::context ? check_context() : CUDA_SUCCESS;
}

CUresult StandInDriver::begin_watched(const CallSite& site) {
  output_.reset();
  text_.clear();
  return watcher_->forced_answer(site.name).value_or(CUDA_SUCCESS);
}

void StandInDriver::tell(const CallSite& site, std::initializer_list<std::uint64_t> arguments,
                         CUresult result) {
  watcher_->answered({site.name, thread().value, arguments, result, output_, text_});
}

CUresult StandInDriver::check_context() {
  const CUcontext current = contexts_.current(thread().value);
  if (current == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  const Context* context = contexts_.find(current);
  return context == nullptr ? CUDA_ERROR_CONTEXT_IS_DESTROYED : context->sticky;
}

CUresult StandInDriver::finish(const CallSite& site, CUresult result) {
  check(timed().begin_call(thread(), std::nullopt), "nothing here waits for ever");
  return result == CUDA_SUCCESS && site.needs == CallNeeds::context ? error_of_context() : result;
}

CUresult StandInDriver::error_of_context() {
  const Context* const context = contexts_.find(contexts_.current(thread().value));
  return context == nullptr ? CUDA_SUCCESS : context->sticky;
}

std::variant<streams::StreamAt, CUresult> StandInDriver::find_stream(CUstream stream,
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

CUresult StandInDriver::submit(CUstream stream, const CallSite& site, WorkOrder order) {
  const auto found = find_stream(stream, site);
  if (const CUresult* refused = std::get_if<CUresult>(&found)) return *refused;
  const streams::StreamAt where = std::get<streams::StreamAt>(found);
  if (order.work.kind == streams::WorkKind::kernel) remember(order.write, where);
  for (const MemoryUse& use : order.uses) {
    if (use.mode == UseMode::writes) watched_.note_write(use.at, use.bytes);
    if (use.bytes > 0 && !memory_.is_usable(use.at, use.bytes, device_of(where.device))) {
      if (watcher_ != nullptr) watcher_->used_without_memory(use);
      if (memory_.is_reserved(use.at)) order.body = [this, where] { fault(where.device); };
    }
  }
  pass_submit_time();
  keep_up(where);
  return streams_.submit(where, std::move(order));
}

void StandInDriver::remember(const std::optional<KernelWrite>& write, streams::StreamAt where) {
  // Captured work runs later, or never.
  if (!write || timed().capture_of(where))
    remembered_.forget_all();
  else if (write->value.empty())
    remembered_.forget(write->at, write->bytes);
  else
    remembered_.remember_repeated(write->at, write->value, write->bytes);
}

CUresult StandInDriver::asked(CUresult answer) {
  // A program that only looks in now and then, by a real clock, does not change the time.
  constexpr std::uint64_t patience = 100;
  if (answer != CUDA_ERROR_NOT_READY) return answer;
  if (++vain_questions_ > patience) advance(options_.submit_ns);
  return answer;
}

void StandInDriver::keep_up(streams::StreamAt stream, std::uint64_t count) {
  vain_questions_ = 0;
  put_since_mark_ += count;
  if (put_since_mark_ < options_.most_pending / 2 || timed().capture_of(stream)) return;
  put_since_mark_ = 0;
  if (last_mark_) check(timed().wait_for_mark(*last_mark_), "nothing here waits for ever");
  last_mark_ = timed().put_mark(stream);
}

WorkOrder StandInDriver::host_function(std::function<void()> function) {
  if (options_.moves_time_by_itself) time_mover_.begin();
  WorkOrder order;
  order.work.kind = streams::WorkKind::host_function;
  order.body = [function = std::move(function)] {
    is_in_host_function = true;
    function();
    is_in_host_function = false;
  };
  return order;
}

WorkOrder StandInDriver::plan_launch(const std::string& kernel, void** arguments) {
  if (watcher_ != nullptr) return watcher_->plan_launch(kernel, arguments, current().number);
  WorkOrder order;
  order.work.duration = {options_.kernel_ns};
  return order;
}

std::uint32_t StandInDriver::device_of(std::uint32_t context) {
  const Context* const found = contexts_.find_number(context);
  return found == nullptr ? 0 : found->device;
}

void StandInDriver::fault(std::uint32_t context) {
  if (Context* const found = contexts_.find_number(context))
    found->sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
}

void StandInDriver::destroy(Context& context) {
  check(timed().wait_for_device(context.number), "nothing here waits for ever");
  std::vector<Allocation> owned;
  for (const auto& [at, allocation] : memory_.allocations())
    if (allocation.context == context.number && allocation.kind != MemoryKind::pool &&
        allocation.kind != MemoryKind::graph)
      owned.push_back(allocation);
  for (const Allocation& allocation : owned) release(allocation, ReleaseKind::at_once);
  streams_.drop_context(context.number);
  contexts_.remove(context);
}

void StandInDriver::release(const Allocation& allocation, ReleaseKind kind) {
  tell_release(allocation.at, allocation.bytes, kind);
  if (kind == ReleaseKind::waits)
    check(timed().wait_for_device(allocation.context), "nothing here waits for ever");
  // The released allocation may be the one that the memory keeps.
  const std::uint64_t at = allocation.at;
  const bool is_of_pool = allocation.kind == MemoryKind::pool;
  remembered_.forget(at, allocation.bytes);
  if (allocation.kind == MemoryKind::managed) advice_.forget(at, allocation.bytes);
  memory_.release(at);
  if (is_of_pool) pools_.release(at);
}

void StandInDriver::tell_release(std::uint64_t at, std::uint64_t bytes, ReleaseKind kind) {
  if (watcher_ != nullptr) watcher_->released(at, bytes, kind);
}

}  // namespace vramlab::dry_run
