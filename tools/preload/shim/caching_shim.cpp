#include "tools/preload/shim/caching_shim.h"

#include <algorithm>
#include <cstring>

#include "allocator/options/size_rules.h"
#include "tools/preload/shim/reports.h"
#include "tools/preload/shim/worker.h"

namespace vramlab::shim {
namespace {

/// Smaller blocks share the driver's pieces of memory anyway.
constexpr std::size_t has_handle_from = 1 << 20;

std::unique_ptr<FenceRecorder> recorder_for(const ShimOptions& options,
                                            const streams::CudaDriver& driver) {
  return make_fence_recorder(
      options.mode == preload::PreloadMode::sync ? FenceKind::wait : options.fence, driver);
}

}  // namespace

CachingShim::CachingShim(const streams::CudaDriver& driver, ShimOptions options,
                         std::unique_ptr<FenceRecorder> recorder)
    : driver_(driver),
      options_(std::move(options)),
      recorder_(recorder ? std::move(recorder) : recorder_for(options_, driver_)),
      state_(new State(options_, *recorder_, driver_)),
      statistics_(options_.statistics_to, options_.reports_since_ns),
      snapshot_(options_.snapshot_to, options_.reports_since_ns) {}

CachingShim::~CachingShim() { delete state_.load(); }

CUresult CachingShim::mem_alloc(CUdeviceptr* at, std::size_t bytes) {
  if (is_to_listen_.load(std::memory_order_relaxed)) [[unlikely]]
    begin_to_listen();
  State* const now = state();
  if (now == nullptr || at == nullptr || bytes == 0 || bytes >= allocator::request_limit.count)
    return driver_.mem_alloc(at, bytes);
  Arena* const arena = now->arenas.current();
  if (arena == nullptr) return driver_.mem_alloc(at, bytes);
  if (arena->context().gate().is_capturing()) return arena->allocate_in_capture(at, bytes);
  if (wants_handles_.load(std::memory_order_relaxed) && bytes >= has_handle_from) [[unlikely]]
    return arena->take_from_driver(at, bytes);
  return arena->allocate(at, bytes);
}

bool CachingShim::make_room(CUdevice device) {
  State* const now = state();
  if (now == nullptr) return false;
  // Without a context it may be any device.
  if (device == preload::current_device) static_cast<void>(driver_.context_device(&device));
  const CaptureGate::Passing passing(driver_);
  return now->arenas.make_room(device);
}

bool CachingShim::add_free_memory_callback(CUdevice device, std::function<bool()> callback) {
  State* const now = state();
  if (now == nullptr) return false;
  now->arenas.callbacks().add(device, std::move(callback));
  return true;
}

CUresult CachingShim::mem_free(CUdeviceptr at) {
  State* const now = state();
  if (now == nullptr || at == 0) return driver_.mem_free(at);
  const std::optional<CUresult> answer =
      now->arenas.ask_owner(at, [at](Arena& arena) { return arena.free(at); });
  return answer ? *answer : driver_.mem_free(at);
}

CUresult CachingShim::mem_free_async(CUdeviceptr at, preload::StreamHandle stream) {
  const CUstream which = stream.explicit_handle();
  State* const now = state();
  if (now != nullptr && at != 0)
    if (const std::optional<CUresult> answer = now->arenas.ask_owner(at, [&](Arena& arena) {
          ContextRecord* const context = context_of(*now, which);
          return arena.free_on(at, which, context == nullptr ? arena.context() : *context);
        }))
      return *answer;
  if (driver_.mem_free_async == nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  return driver_.mem_free_async(at, which);
}

std::optional<CUresult> CachingShim::mem_get_info(std::size_t* free, std::size_t* total) {
  const CUresult result = driver_.mem_get_info(free, total);
  State* const now = state();
  if (result != CUDA_SUCCESS || now == nullptr || free == nullptr) return result;
  CUdevice device = 0;
  if (driver_.context_device(&device) != CUDA_SUCCESS) return result;
  now->arenas.for_each([&](Arena& arena) {
    if (arena.is_on(device)) *free += arena.idle_bytes();
  });
  if (total != nullptr) *free = std::min(*free, *total);
  return result;
}

Arena* CachingShim::owner_of(CUdeviceptr at) {
  State* const now = state();
  if (now == nullptr) return nullptr;
  return now->arenas.ask_owner(at,
                               [at](Arena& arena) { return arena.owns(at) ? &arena : nullptr; });
}

std::optional<CachingShim::Range> CachingShim::range_around(CUdeviceptr at) {
  Arena* const owner = owner_of(at);
  if (owner == nullptr) return std::nullopt;
  const std::optional<HeldBlock> block = owner->block_around(at);
  // Bytes behind a request and blocks that were freed are no memory of the program.
  if (!block || Address{at} >= block->address + block->requested) return Range{};
  return Range{block->address.value, block->requested.count};
}

std::optional<CUresult> CachingShim::mem_get_address_range(CUdeviceptr* base, std::size_t* bytes,
                                                           CUdeviceptr at) {
  const std::optional<Range> range = range_around(at);
  if (!range) return std::nullopt;
  if (range->bytes == 0) return CUDA_ERROR_NOT_FOUND;
  if (base != nullptr) *base = range->base;
  if (bytes != nullptr) *bytes = range->bytes;
  return CUDA_SUCCESS;
}

namespace {

bool is_of_range(CUpointer_attribute attribute) {
  return attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
         attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE;
}

}  // namespace

void CachingShim::tell(const Range& range, CUpointer_attribute attribute, void* into) {
  if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
    std::memcpy(into, &range.base, sizeof range.base);
  if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
    std::memcpy(into, &range.bytes, sizeof range.bytes);
}

std::optional<CUresult> CachingShim::pointer_get_attribute(void* into,
                                                           CUpointer_attribute attribute,
                                                           CUdeviceptr at) {
  if (into == nullptr || !is_of_range(attribute)) return std::nullopt;
  const std::optional<Range> range = range_around(at);
  if (!range || range->bytes == 0) return std::nullopt;
  tell(*range, attribute, into);
  return CUDA_SUCCESS;
}

std::optional<CUresult> CachingShim::pointer_get_attributes(unsigned count,
                                                            CUpointer_attribute* attributes,
                                                            void** into, CUdeviceptr at) {
  if (attributes == nullptr || into == nullptr || driver_.pointer_attributes == nullptr ||
      std::none_of(attributes, attributes + count, is_of_range))
    return std::nullopt;
  const std::optional<Range> range = range_around(at);
  if (!range || range->bytes == 0) return std::nullopt;
  const CUresult result = driver_.pointer_attributes(count, attributes, into, at);
  for (unsigned place = 0; result == CUDA_SUCCESS && place < count; ++place)
    if (into[place] != nullptr) tell(*range, attributes[place], into[place]);
  return result;
}

std::optional<CUresult> CachingShim::ipc_get_mem_handle(CUipcMemHandle* handle, CUdeviceptr at) {
  if (driver_.ipc_mem_handle == nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  Arena* const owner = owner_of(at);
  // The process that opens the handle gets the allocation's first byte, which must be the block's.
  if (owner != nullptr && !owner->may_export(at))
    return owner->holds(at) ? refuse_handle() : CUDA_ERROR_INVALID_VALUE;
  const CUresult result = driver_.ipc_mem_handle(handle, at);
  if (result == CUDA_SUCCESS && owner != nullptr) owner->retire(at, 1);
  return result;
}

CUresult CachingShim::refuse_handle() {
  wants_handles_.store(true, std::memory_order_relaxed);
  options_.say(
      "a handle for another process was refused, as the block lies inside of a larger allocation; "
      "from now on blocks of 1 MiB and more have their own; with `--mode nosplit` all have one");
  return CUDA_ERROR_INVALID_VALUE;
}

std::optional<CUresult> CachingShim::handle_for_address_range(void* handle, CUdeviceptr at,
                                                              std::size_t bytes,
                                                              CUmemRangeHandleType type,
                                                              unsigned long long flags) {
  if (driver_.mem_range_handle == nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  const CUresult result = driver_.mem_range_handle(handle, at, bytes, type, flags);
  if (result != CUDA_SUCCESS) return result;
  // The handle is exactly of this range, so that it may lie anywhere in a segment.
  if (Arena* const owner = owner_of(at)) owner->retire(at, bytes);
  return result;
}

std::optional<CUresult> CachingShim::pointer_set_attribute(const void* value,
                                                           CUpointer_attribute attribute,
                                                           CUdeviceptr at) {
  if (driver_.pointer_set_attribute == nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  const CUresult result = driver_.pointer_set_attribute(value, attribute, at);
  if (result != CUDA_SUCCESS || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return result;
  if (Arena* const owner = owner_of(at)) owner->retire(at, 1);
  return result;
}

ContextRecord* CachingShim::context_of(State& now, CUstream stream) {
  ContextRecord* const known = now.streams.context_of(stream);
  if (known != nullptr && !known->is_gone()) return known;
  CUcontext handle = nullptr;
  const bool is_default = stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
  Arena* arena = nullptr;
  if (!is_default && driver_.stream_context != nullptr &&
      driver_.stream_context(stream, &handle) == CUDA_SUCCESS)
    arena = now.arenas.of(handle);
  else
    arena = now.arenas.current();
  return arena == nullptr ? nullptr : &arena->context();
}

void CachingShim::stream_created(CUstream stream, unsigned flags, CUcontext context) {
  State* const now = state();
  if (now == nullptr) return;
  Arena* const arena = context == nullptr ? now->arenas.current() : now->arenas.of(context);
  if (arena == nullptr) return;
  now->streams.created(stream, arena->context());
  if ((flags & CU_STREAM_NON_BLOCKING) != 0) arena->context().add_stream(stream);
}

void CachingShim::before_stream_destroyed(CUstream stream) {
  State* const now = state();
  if (now == nullptr) return;
  close_capture(*now, stream);
  ContextRecord* const context = now->streams.destroyed(stream);
  if (context == nullptr || context->is_gone()) return;
  if (!context->gate().try_enter()) {
    context->lose_stream(stream);
    return;
  }
  const CUresult result = context->remove_stream(stream);
  context->gate().leave();
  if (result != CUDA_SUCCESS) context->note_error(result);
}

void CachingShim::before_capture_begins(preload::StreamHandle stream) {
  State* const now = state();
  if (now == nullptr) return;
  const CUstream which = stream.explicit_handle();
  now->arenas.for_each([](Arena& arena) { arena.fence_before_capture(); });
  now->streams.capture_begins(which, context_of(*now, which));
  now->arenas.gate().open_capture();
  now->arenas.for_each([](Arena& arena) { arena.let_calls_finish(); });
}

void CachingShim::capture_began(preload::StreamHandle stream, bool succeeded) {
  State* const now = state();
  if (now != nullptr && !succeeded) close_capture(*now, stream.explicit_handle());
}

void CachingShim::capture_ended(preload::StreamHandle stream) {
  State* const now = state();
  if (now == nullptr) return;
  const CUstream which = stream.explicit_handle();
  // For instance, a thread tried to end it that must not.
  if (ask_for_captures(driver_, which) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) return;
  close_capture(*now, which);
}

void CachingShim::close_capture(State& now, CUstream stream) {
  if (now.streams.capture_over(stream)) now.arenas.gate().close_capture();
}

void CachingShim::before_context_ends(preload::NamedContext context) {
  State* const now = state();
  Arena* const arena = now == nullptr ? nullptr : now->arenas.find(context.handle);
  if (arena == nullptr) return;
  // Its events can still be asked.
  std::vector<ArenaReport> report;
  if (wants_reports()) add_report(report, *arena);
  arena->context().begin_ending();
  const std::lock_guard lock(now->ending_mutex);
  now->ending.push_back({pthread_self(), arena, std::move(report)});
}

void CachingShim::context_end_is_over() {
  State* const now = state();
  if (now == nullptr) return;
  const std::lock_guard lock(now->ending_mutex);
  std::erase_if(now->ending, [](const auto& one) {
    if (pthread_equal(one.thread, pthread_self()) == 0) return false;
    one.arena->context().stop_ending();
    return true;
  });
}

/// Its memory is gone, but not what it tells.
void CachingShim::keep_report(State& now, const Arena& ended) {
  const std::lock_guard lock(now.ending_mutex);
  for (State::Ending& one : now.ending) {
    if (one.arena != &ended || pthread_equal(one.thread, pthread_self()) == 0) continue;
    for (ArenaReport& report : one.report) now.ended.add(std::move(report));
    one.report.clear();
  }
}

void CachingShim::context_gone(preload::NamedContext context) {
  State* const now = state();
  if (now == nullptr) return;
  Arena* const arena = now->arenas.find(context.handle);
  if (arena == nullptr) return;
  // A new context may have the handle before the end of the old one is told.
  const unsigned long long known = arena->context().id();
  if (context.id != 0 && known != 0 && known != context.id) return;
  keep_report(*now, *arena);
  arena->drop();
  for (std::size_t open = now->streams.forget(arena->context()); open > 0; --open)
    now->arenas.gate().close_capture();
  now->arenas.take_out_gone();
}

void CachingShim::green_context_came(preload::NamedContext green, CUcontext primary) {
  if (State* const now = state()) now->arenas.add_green({green.handle, green.id}, primary);
}

void CachingShim::green_context_gone(preload::NamedContext green) {
  if (State* const now = state()) now->arenas.forget_green({green.handle, green.id});
}

void CachingShim::peer_access_changed(CUcontext from, CUcontext to, bool enabled) {
  State* const now = state();
  if (now == nullptr) return;
  Arena* const user = now->arenas.of(from);
  Arena* const owner = now->arenas.of(to);
  if (user != nullptr && owner != nullptr) owner->set_peer(user->context(), enabled);
}

void CachingShim::after_fork_in_child() {
  State* const now = state();
  if (now == nullptr) return;
  // Locks and tables may be in the middle of something: they are left behind as they are. A child
  // of a program that had no context yet begins anew.
  const bool had_contexts = !now->arenas.are_none();
  state_.store(had_contexts ? nullptr : new State(options_, *recorder_, driver_));
  is_to_listen_.store(may_listen_ && !had_contexts);
}

void CachingShim::trim() {
  State* const now = state();
  if (now == nullptr) return;
  now->arenas.give_up_rests(-1);
  for (const Patience patience : {Patience::none, Patience::waits})
    now->arenas.for_each([&](Arena& arena) { arena.give_back_idle(patience); });
}

void CachingShim::listen_for_signals() {
  may_listen_ = options_.trim_signal != 0 || wants_reports();
  is_to_listen_.store(may_listen_);
}

void CachingShim::begin_to_listen() {
  if (!is_to_listen_.exchange(false)) return;
  if (options_.trim_signal != 0 && !(trimmer_.begin([this] {
        trim();
      }) && ask_at_signal(AskedBySignal::to_trim, options_.trim_signal, trimmer_)))
    options_.say("no thread can be made that listens to the signal for idle memory");
  if (wants_reports() && !begin_to_report())
    options_.say("no thread can be made that writes reports before the program ends");
}

bool CachingShim::begin_to_report() {
  statistics_.begin();
  snapshot_.begin();
  const auto work = [this] {
    write_reports();
    end_if_asked();
  };
  return reporter_.begin(work) &&
         (options_.report_signal == 0 ||
          ask_at_signal(AskedBySignal::to_report, options_.report_signal, reporter_)) &&
         ask_before_end(reporter_, options_.report_signal, options_.trim_signal);
}

/// A child without calls has nothing to report.
void CachingShim::at_exit() {
  if (reporter_.is_here())
    ends_at_once();
  else if (process_ == getpid())
    write_reports();
}

/// The caller may be the handler of a signal that came in the middle of a call.
void CachingShim::ends_at_once() {
  if (reporter_.is_here() && !ArenaLock::this_thread_holds_one())
    static_cast<void>(reporter_.ask_and_wait());
}

std::string CachingShim::text_on_process(State& now) const {
  std::string text =
      "vramlab: process " + std::to_string(getpid()) + ": " + options_.hooked() + "\n";
  if (!now.arenas.gate().is_capturing()) return text;
  Bytes waiting;
  now.arenas.for_each([&](Arena& arena) { waiting += arena.waiting_bytes(); });
  const auto open_for =
      std::chrono::duration_cast<std::chrono::seconds>(now.arenas.gate().open_for());
  return text + "vramlab: captures of streams are open, for " + std::to_string(open_for.count()) +
         " s: " + std::to_string(waiting.count) + " bytes of freed memory wait for their end\n";
}

/// Helpers that the program starts say nothing where nothing was hooked in them; the program does.
bool CachingShim::has_something_to_tell() const {
  if (options_.program_process == 0 || options_.has_hooked()) return true;
  return getpid() == options_.program_process && !statistics_.is_another_there();
}

void CachingShim::write_reports() {
  State* const now = state();
  if (now == nullptr || !has_something_to_tell()) return;
  std::vector<ArenaReport> reports;
  {
    const std::lock_guard lock(now->ending_mutex);
    reports = now->ended.reports();
  }
  now->arenas.for_each([&](Arena& arena) { add_report(reports, arena); });
  if (statistics_.is_wanted()) statistics_.write(text_on_process(*now) + statistics_text(reports));
  if (snapshot_.is_wanted())
    snapshot_.write(snapshot_json(reports, options_.settings.text, now->arenas.stacks()));
}

}  // namespace vramlab::shim
