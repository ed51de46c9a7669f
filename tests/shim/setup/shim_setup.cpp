#include "tests/shim/setup/shim_setup.h"

#include "allocator/types/check.h"
#include "tools/cuda_standins/driver/driver_functions.h"

namespace vramlab::tests {
namespace {

class NoFences : public shim::FenceRecorder {
 private:
  CUresult record_in(shim::ContextRecord&, shim::Fence&) override { return CUDA_SUCCESS; }
};

template <class Function>
Function symbol_of(const char* symbol) {
  return reinterpret_cast<Function>(fake_symbol(symbol));
}

streams::CudaDriver driver_of_version(int version) {
  const auto found = streams::find_cuda_driver(
      [version](const char* symbol) { return fake::find_symbol(symbol, version); });
  if (const auto* none = std::get_if<streams::NoCudaDriver>(&found))
    check(false, none->reason.c_str());
  return std::get<streams::CudaDriver>(found);
}

void must(CUresult result, const char* sentence) {
  if (result == CUDA_SUCCESS) return;
  const std::string number = std::to_string(static_cast<int>(result));
  check_failed((std::string(sentence) + ", but the answer is " + number).c_str(), __FILE__,
               __LINE__);
}

}  // namespace

void* fake_symbol(const char* symbol) {
  void* const found = fake::find_symbol(symbol, 13000);
  check(found != nullptr, "the fake driver has what the tests call");
  return found;
}

std::unique_ptr<shim::FenceRecorder> no_fences() { return std::make_unique<NoFences>(); }

ShimSetup::ShimSetup() : ShimSetup(in_mode(preload::PreloadMode::deferred)) {}

ShimSetup::ShimSetup(ShimSetupOptions options)
    : fake_(options.fake), driver_(driver_of_version(options.fake.driver_version)) {
  must(driver_.init(0), "the fake driver starts");
  context_ = make_context();
  streams::CudaDriver for_shim = driver_;
  if (options.change_driver) options.change_driver(for_shim);
  shim_ = std::make_unique<shim::CachingShim>(for_shim, std::move(options.shim),
                                              std::move(options.recorder));
}

CUresult ShimSetup::try_alloc(CUdeviceptr* at, std::size_t bytes) {
  const CUresult result = shim_->mem_alloc(at, bytes);
  if (result == CUDA_SUCCESS)
    fake_->look([&](fake::FakeCuda& cuda) { cuda.oracle().handed_out(*at, bytes); });
  return result;
}

CUdeviceptr ShimSetup::alloc(std::size_t bytes) {
  CUdeviceptr at = 0;
  const CUresult result = try_alloc(&at, bytes);
  if (result != CUDA_SUCCESS)
    check_failed(streams::driver_error_name(driver_, result).c_str(), __FILE__, __LINE__);
  return at;
}

CUresult ShimSetup::free(CUdeviceptr at) {
  fake_->look([&](fake::FakeCuda& cuda) { cuda.oracle().given_back(at); });
  return shim_->mem_free(at);
}

CUresult ShimSetup::free_on(CUdeviceptr at, CUstream stream) {
  fake_->look([&](fake::FakeCuda& cuda) { cuda.oracle().given_back(at); });
  return shim_->mem_free_async(at, {stream});
}

std::size_t ShimSetup::free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  must(*shim_->mem_get_info(&free, &total), "memory is told");
  return free;
}

std::size_t ShimSetup::total_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  must(*shim_->mem_get_info(&free, &total), "memory is told");
  return total;
}

CUcontext ShimSetup::make_context(CUdevice device) {
  CUcontext made = nullptr;
  const auto create = symbol_of<PFN_cuCtxCreate_v3020>("cuCtxCreate_v2");
  must(create(&made, 0, device), "a context is made");
  return made;
}

void ShimSetup::make_current(CUcontext context) {
  must(driver_.context_set_current(context), "the context is there");
}

void ShimSetup::destroy_context(CUcontext context) {
  preload::NamedContext going{context};
  if (driver_.context_id != nullptr)
    must(driver_.context_id(context, &going.id), "the context is there");
  shim_->before_context_ends(going);
  must(symbol_of<PFN_cuCtxDestroy_v4000>("cuCtxDestroy_v2")(context), "the context is there");
  shim_->context_gone(going);
  shim_->context_end_is_over();
}

void ShimSetup::enable_peer_access(CUcontext from, CUcontext to) {
  CUcontext popped = nullptr;
  must(driver_.context_push(from), "the context is there");
  must(symbol_of<PFN_cuCtxEnablePeerAccess_v4000>("cuCtxEnablePeerAccess")(to, 0), "peers can");
  must(driver_.context_pop(&popped), "the context is there");
  shim_->peer_access_changed(from, to, true);
}

void ShimSetup::disable_peer_access(CUcontext from, CUcontext to) {
  CUcontext popped = nullptr;
  must(driver_.context_push(from), "the context is there");
  must(symbol_of<PFN_cuCtxDisablePeerAccess_v4000>("cuCtxDisablePeerAccess")(to), "they were");
  must(driver_.context_pop(&popped), "the context is there");
  shim_->peer_access_changed(from, to, false);
}

CUstream ShimSetup::make_stream(unsigned flags) {
  CUstream made = nullptr;
  must(driver_.stream_create(&made, flags), "a stream is made");
  shim_->stream_created(made, flags, nullptr);
  return made;
}

void ShimSetup::destroy_stream(CUstream stream) {
  shim_->before_stream_destroyed(stream);
  must(driver_.stream_destroy(stream), "the stream is there");
}

void ShimSetup::work(CUstream stream, CUdeviceptr at, std::size_t bytes, std::uint64_t ns) {
  const fake::CallSite site{"work"};
  const CUresult result = fake_->call(site, {}, [&](fake::StandInDriver& cuda) {
    fake::WorkOrder order;
    order.work.duration = {ns};
    order.uses = {{at, bytes, fake::UseMode::writes}};
    return cuda.submit(stream, site, std::move(order));
  });
  must(result, "work can be put on the stream");
}

void ShimSetup::wait_for_all(CUstream stream) {
  CUevent all = nullptr;
  must(driver_.event_create(&all, CU_EVENT_DISABLE_TIMING), "an event is made");
  must(symbol_of<PFN_cuCtxRecordEvent_v12050>("cuCtxRecordEvent")(context_, all), "it is recorded");
  must(driver_.stream_wait_event(stream, all, 0), "the stream is there");
  must(driver_.event_destroy(all), "the event is there");
}

CUresult ShimSetup::begin_capture(CUstream stream, CUstreamCaptureMode mode) {
  shim_->before_capture_begins({stream});
  const auto begin = symbol_of<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture_v2");
  const CUresult result = begin(stream, mode);
  shim_->capture_began({stream}, result == CUDA_SUCCESS);
  return result;
}

CUresult ShimSetup::end_capture(CUstream stream, CUgraph* graph) {
  CUgraph ignored = nullptr;
  const auto end = symbol_of<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture");
  const CUresult result = end(stream, graph == nullptr ? &ignored : graph);
  shim_->capture_ended({stream});
  return result;
}

CUgraph ShimSetup::end_capture_as_graph(CUstream stream) {
  CUgraph graph = nullptr;
  must(symbol_of<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture")(stream, &graph),
       "the capture is whole");
  shim_->capture_ended({stream});
  return graph;
}

void ShimSetup::launch(CUgraph graph, CUstream stream) {
  CUgraphExec runnable = nullptr;
  const auto make =
      symbol_of<PFN_cuGraphInstantiateWithFlags_v11040>("cuGraphInstantiateWithFlags");
  must(make(&runnable, graph, 0), "the graph can run");
  must(symbol_of<PFN_cuGraphLaunch_v10000>("cuGraphLaunch")(runnable, stream), "the graph runs");
}

std::uint64_t ShimSetup::calls(const std::string& symbol) {
  return fake_->look([&](fake::FakeCuda& cuda) { return cuda.log().count_of(symbol); });
}

std::uint64_t ShimSetup::driver_allocations() {
  return fake_->look([](fake::FakeCuda& cuda) { return cuda.memory().allocations().size(); });
}

fake::RaceCounts ShimSetup::races() {
  return fake_->look([](fake::FakeCuda& cuda) { return cuda.oracle().counts(); });
}

std::string ShimSetup::first_race() {
  return fake_->look([](fake::FakeCuda& cuda) { return cuda.oracle().first(); });
}

allocator::Snapshot ShimSetup::snapshot() {
  allocator::Snapshot snapshot;
  shim_->arenas()->current()->look_at(
      [&](shim::BlockCache& cache) { snapshot = cache.snapshot(); });
  return snapshot;
}

allocator::StatisticValues ShimSetup::statistics() {
  allocator::StatisticValues values;
  shim_->arenas()->current()->look_at(
      [&](shim::BlockCache& cache) { values = cache.statistics(); });
  return values;
}

void ShimSetup::fail(const std::string& function, CUresult result, std::uint64_t count,
                     std::uint64_t skipped) {
  fake_->look([&](fake::FakeCuda& cuda) {
    cuda.faults().clear();
    cuda.faults().add({function, result, skipped, count});
  });
}

shim::ShimOptions shim_options(preload::PreloadMode mode, const std::string& settings) {
  shim::ShimOptions options;
  options.mode = mode;
  options.settings =
      allocator::parse_settings({}, settings, allocator::default_reference_version()).settings;
  return options;
}

ShimSetupOptions in_mode(preload::PreloadMode mode, const std::string& settings) {
  return {shim_options(mode, settings), {}};
}

ShimSetupOptions with_memory(std::uint64_t bytes) {
  ShimSetupOptions options;
  options.fake.memory_bytes = bytes;
  return options;
}

}  // namespace vramlab::tests
