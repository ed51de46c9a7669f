#include "tools/preload/recorder/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "tools/preload/driver/driver_library.h"
#include "tools/preload/ground/record_file.h"

namespace vramlab::preload {

DriverQuestions::DriverQuestions()
    : context_current_(driver_function_of<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent")),
      context_device_(driver_function_of<PFN_cuCtxGetDevice_v2000>("cuCtxGetDevice")),
      is_capturing_(driver_function_of<PFN_cuStreamIsCapturing_v10000>("cuStreamIsCapturing")),
      pointer_attribute_(
          driver_function_of<PFN_cuPointerGetAttribute_v4000>("cuPointerGetAttribute")),
      device_count_(driver_function_of<PFN_cuDeviceGetCount_v2000>("cuDeviceGetCount")),
      device_get_(driver_function_of<PFN_cuDeviceGet_v2000>("cuDeviceGet")),
      device_name_(driver_function_of<PFN_cuDeviceGetName_v2000>("cuDeviceGetName")),
      device_memory_(driver_function_of<PFN_cuDeviceTotalMem_v3020>("cuDeviceTotalMem_v2")) {}

CUcontext DriverQuestions::current_context() const {
  CUcontext context = nullptr;
  if (context_current_ == nullptr || context_current_(&context) != CUDA_SUCCESS) return nullptr;
  return context;
}

std::uint32_t DriverQuestions::current_device() const {
  CUdevice device = 0;
  if (context_device_ == nullptr || context_device_(&device) != CUDA_SUCCESS || device < 0)
    return 0;
  return static_cast<std::uint32_t>(device);
}

bool DriverQuestions::is_capturing(StreamHandle stream) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return is_capturing_ != nullptr &&
         is_capturing_(stream.explicit_handle(), &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

std::uint32_t DriverQuestions::device_of(CUdeviceptr at) const {
  int device = 0;
  if (pointer_attribute_ == nullptr ||
      pointer_attribute_(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at) != CUDA_SUCCESS ||
      device < 0)
    return current_device();
  return static_cast<std::uint32_t>(device);
}

std::string DriverQuestions::devices() const {
  int count = 0;
  if (device_count_ == nullptr || device_get_ == nullptr || device_name_ == nullptr ||
      device_memory_ == nullptr || device_count_(&count) != CUDA_SUCCESS)
    return {};
  RecordLine list;
  for (int number = 0; number < count; ++number) {
    CUdevice device = 0;
    std::size_t bytes = 0;
    std::array<char, 256> name{};
    if (device_get_(&device, number) != CUDA_SUCCESS ||
        device_memory_(&bytes, device) != CUDA_SUCCESS ||
        device_name_(name.data(), static_cast<int>(name.size()) - 1, device) != CUDA_SUCCESS)
      return {};
    list.raw(number == 0 ? "" : ",").begin("device", static_cast<std::uint64_t>(number));
    list.add("memory", bytes).add("name", name.data()).raw("}");
  }
  return "[" + std::string(list.letters()) + "]";
}

namespace {

/// This process's executable without its folders; empty if the system does not say.
std::string program_name() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  const std::string name(path.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
  return name.substr(name.rfind('/') + 1);
}

/// The format has no larger ones: all threads beyond share it.
constexpr std::uint32_t last_thread = 65535;

struct ThreadNumber {
  std::uint32_t process = 0;
  std::uint32_t number = 0;
};
thread_local ThreadNumber number_of_this_thread;

/// The lock also keeps errno, which is the program's.
class Locked {
 public:
  explicit Locked(pthread_mutex_t& lock) : lock_(lock) { pthread_mutex_lock(&lock_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    pthread_mutex_unlock(&lock_);
    errno = errno_before_;
  }

 private:
  int errno_before_ = errno;
  pthread_mutex_t& lock_;
};

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::string failure_text(const char* function, CUresult result) {
  return std::string(function) + " failed with " + std::to_string(static_cast<int>(result));
}

std::string amount_text(const char* function, std::size_t bytes) {
  return std::string(function) + " " + std::to_string(bytes) + " bytes";
}

}  // namespace

Recorder::Recorder(RecorderSettings settings)
    : settings_(std::move(settings)), file_(settings_.base) {}

CUresult Recorder::mem_alloc(CUdeviceptr* at, std::size_t bytes) {
  constexpr const char* function = "cuMemAlloc_v2";
  const CUresult result = call_driver<Hook::cuMemAlloc_v2>(at, bytes);
  if (result == CUDA_SUCCESS)
    memory_came({.function = function, .at = *at, .bytes = bytes});
  else
    memory_refused(function, bytes, result);
  return result;
}

CUresult Recorder::mem_free(CUdeviceptr at) {
  before_memory_goes("cuMemFree_v2", at);
  const CUresult result = call_driver<Hook::cuMemFree_v2>(at);
  if (result != CUDA_SUCCESS) memory_refused("cuMemFree_v2", 0, result);
  return result;
}

CUresult Recorder::mem_free_async(CUdeviceptr at, StreamHandle stream) {
  {
    const Caller caller = caller_on(driver_.current_device());
    const Locked locked(lock_);
    const auto live = live_.find(at);
    const std::uint64_t on = streams_.number_of(stream, thread_number());
    // A free has no stream in the format: one elsewhere than its allocation is a use there.
    if (live != live_.end() && live->second.id != 0 && on != live->second.stream) {
      Surroundings surroundings = begin_event(caller);
      surroundings.device = live->second.device;
      line_.begin("use", live->second.id).add_unless_0("stream", on);
      finish_event(surroundings);
    }
    write_end_of(at, "cuMemFreeAsync", caller);
  }
  const CUresult result = stream.if_null == DefaultStream::per_thread
                              ? call_driver<Hook::cuMemFreeAsync_ptsz>(at, stream.stream)
                              : call_driver<Hook::cuMemFreeAsync>(at, stream.stream);
  if (result != CUDA_SUCCESS) memory_refused("cuMemFreeAsync", 0, result);
  return result;
}

void Recorder::before_stream_destroyed(CUstream stream) {
  const Locked locked(lock_);
  streams_.forget(stream);
}

Recorder::Blocks Recorder::take_blocks_of(CUcontext context) {
  Blocks blocks;
  for (auto block = live_.begin(); block != live_.end();) {
    if (block->second.context != context) {
      ++block;
      continue;
    }
    blocks.insert(*block);
    block = live_.erase(block);
  }
  return blocks;
}

void Recorder::before_context_ends(NamedContext context) {
  const Locked locked(lock_);
  ending_.push_back({pthread_self(), context.handle, take_blocks_of(context.handle)});
}

void Recorder::context_gone(NamedContext context) {
  const Caller caller = caller_on(0);
  const Locked locked(lock_);
  const auto ending = std::ranges::find_if(ending_, [&](const Ending& one) {
    return one.context == context.handle && pthread_equal(one.thread, pthread_self()) != 0;
  });
  // The last green context may take the primary one along, of which nobody was told before.
  const Blocks gone =
      ending == ending_.end() ? take_blocks_of(context.handle) : std::exchange(ending->blocks, {});
  std::map<std::uint64_t, Live> by_id;
  for (const auto& [at, live] : gone) by_id.emplace(live.id == 0 ? at : live.id, live);
  for (const auto& [id, live] : by_id) write_end(live, "context gone:", caller);
}

/// Blocks of a context that stays are there as before.
void Recorder::context_end_is_over() {
  const Locked locked(lock_);
  std::erase_if(ending_, [this](const Ending& ending) {
    if (pthread_equal(ending.thread, pthread_self()) == 0) return false;
    for (const auto& block : ending.blocks) live_.insert(block);
    return true;
  });
}

void Recorder::memory_came(const NewMemory& told) {
  NewMemory memory = told;
  // A captured allocation is a node: it has memory when the graph is launched.
  if (memory.kind == MemoryKind::stream_ordered && driver_.is_capturing(memory.stream))
    memory.kind = MemoryKind::graph;
  Live live;
  live.bytes = memory.bytes;
  const bool is_ordered = memory.kind == MemoryKind::stream_ordered;
  live.device = is_ordered ? driver_.device_of(memory.at) : driver_.current_device();
  if (memory.device >= 0) live.device = static_cast<std::uint32_t>(memory.device);
  // Stream-ordered memory belongs to a pool and outlives the context.
  if (!is_ordered) live.context = driver_.current_context();
  const Caller caller = caller_on(live.device);
  const Locked locked(lock_);
  if (is_ordered) live.stream = streams_.number_of(memory.stream, thread_number());
  keep(memory, live, caller);
}

/// Device memory that its allocation gave an address becomes an allocation of the trace.
void Recorder::keep(const NewMemory& memory, Live live, const Caller& caller) {
  const Surroundings surroundings = begin_event(caller);
  switch (memory.kind) {
    case MemoryKind::device:
    case MemoryKind::stream_ordered:
      live.id = ++last_id_;
      live_[memory.at] = live;
      write_allocation(live, surroundings);
      return;
    case MemoryKind::physical:
      physical_.create(memory.at, {memory.bytes, live.device});
      write_external(live.device, surroundings);
      return;
    case MemoryKind::foreign_handle:
      // The driver may answer with a handle that the program has already.
      if (physical_.share(memory.at)) return;
      physical_.create(memory.at, {memory.bytes, std::nullopt});
      write_marker(amount_text(memory.function, memory.bytes), surroundings);
      return;
    default:
      live_[memory.at] = live;
      write_marker(amount_text(memory.function, memory.bytes), surroundings);
  }
}

void Recorder::memory_refused(const char* function, std::size_t bytes, CUresult result) {
  // The driver is going down, and so is the program.
  if (result == CUDA_ERROR_DEINITIALIZED) return;
  const Caller caller = caller_on(driver_.current_device());
  const Locked locked(lock_);
  const Surroundings surroundings = begin_event(caller);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    write_marker(amount_text(function, bytes) + " refused", surroundings);
  const bool is_full = result == CUDA_ERROR_OUT_OF_MEMORY;
  write_marker(is_full ? "out of memory" : failure_text(function, result), surroundings);
}

void Recorder::before_memory_goes(const char* function, std::uint64_t at) {
  const Caller caller = caller_on(0);
  const Locked locked(lock_);
  write_end_of(at, function, caller);
}

void Recorder::write_end_of(std::uint64_t at, const char* function, const Caller& caller) {
  if (physical_.knows(at)) {
    if (const auto gone = physical_.release(at)) write_physical_end(*gone, function, caller);
    return;
  }
  const auto known = live_.find(at);
  if (known == live_.end()) return;
  const Live live = known->second;
  live_.erase(known);
  write_end(live, function, caller);
}

void Recorder::write_end(const Live& live, const char* function, const Caller& caller) {
  Surroundings surroundings = begin_event(caller);
  surroundings.device = live.device;
  if (live.id == 0) return write_marker(amount_text(function, live.bytes), surroundings);
  line_.begin("free", live.id);
  finish_event(surroundings);
}

void Recorder::write_physical_end(const PhysicalPiece& gone, const char* function,
                                  const Caller& caller) {
  const Surroundings surroundings = begin_event(caller);
  if (gone.device) return write_external(*gone.device, surroundings);
  write_marker(amount_text(function, gone.bytes), surroundings);
}

void Recorder::memory_mapped(std::uint64_t address, std::size_t bytes, std::uint64_t handle) {
  const Locked locked(lock_);
  physical_.map(address, bytes, handle);
}

void Recorder::memory_retained(std::uint64_t address, std::uint64_t handle) {
  const Locked locked(lock_);
  physical_.retain(address, handle);
}

void Recorder::memory_unmapped(std::uint64_t address, std::size_t bytes) {
  const Caller caller = caller_on(0);
  const Locked locked(lock_);
  for (const PhysicalPiece& gone : physical_.unmap(address, bytes))
    write_physical_end(gone, "cuMemUnmap", caller);
}

Recorder::Caller Recorder::caller_on(std::uint32_t device) {
  if (!knows_devices_.load(std::memory_order_acquire)) find_devices();
  Caller caller{device};
  if (settings_.stacks == RecordStacks::no) return caller;
  take_call_stack(caller.addresses);
  ReturnAddresses unknown;
  {
    const Locked locked(lock_);
    caller.stack = stacks_.known_number_of(caller.addresses);
    if (caller.stack != 0) return caller;
    unknown = stacks_.unknown_of(caller.addresses);
  }
  caller.places = find_places(unknown);
  return caller;
}

void Recorder::find_devices() {
  const std::string found = driver_.devices();
  const Locked locked(lock_);
  if (found.empty() || !devices_.empty()) return;
  devices_ = found;
  knows_devices_.store(true, std::memory_order_release);
}

void Recorder::open_file() {
  if (file_.is_open() || file_.has_failed() || !file_.open()) return;
  line_.begin("format", "vramlab-trace").add("version", 1);
  line_.add("origin", "recorded from " + program_name());
  if (!devices_.empty()) line_.raw(",\"devices\":").raw(devices_);
  line_.end();
}

Recorder::Surroundings Recorder::begin_event(const Caller& caller) {
  line_.clear();
  open_file();
  return {caller.device, stack_of(caller)};
}

std::uint32_t Recorder::stack_of(const Caller& caller) {
  if (caller.stack != 0 || caller.addresses.empty()) return caller.stack;
  const std::size_t frames_before = stacks_.frames().size();
  const std::size_t stacks_before = stacks_.stacks().size();
  const std::uint32_t number = stacks_.number_of(caller.addresses, caller.places);
  for (std::size_t i = frames_before; i < stacks_.frames().size(); ++i) {
    const CodePlace& place = stacks_.frames()[i];
    line_.begin("frame", i + 1).raw(",\"is\":").begin("name", place.function);
    line_.add("filename", place.file).add("line", 0).add("offset", place.offset).raw("}");
    line_.end();
  }
  if (stacks_.stacks().size() == stacks_before) return number;
  std::string frames;
  for (const std::uint32_t frame : stacks_.stacks().back()) {
    if (!frames.empty()) frames += ',';
    frames += std::to_string(frame);
  }
  line_.begin("stack", number).raw(",\"frames\":[").raw(frames).raw("]");
  line_.end();
  return number;
}

void Recorder::finish_event(const Surroundings& surroundings) {
  line_.add_unless_0("device", surroundings.device).add_unless_0("thread", thread_number());
  line_.add("time_ns", now_ns()).add_unless_0("stack", surroundings.stack);
  line_.end();
  if (file_.is_open()) file_.append(line_.letters());
  line_.clear();
}

void Recorder::write_allocation(const Live& live, const Surroundings& surroundings) {
  line_.begin("malloc", live.id).add("bytes", live.bytes).add_unless_0("stream", live.stream);
  finish_event(surroundings);
}

void Recorder::write_marker(const std::string& text, const Surroundings& surroundings) {
  line_.begin("marker", text);
  finish_event(surroundings);
}

void Recorder::write_external(std::uint32_t device, Surroundings surroundings) {
  surroundings.device = device;
  line_.begin("external", physical_.bytes_of(device));
  finish_event(surroundings);
}

std::uint32_t Recorder::thread_number() {
  ThreadNumber& mine = number_of_this_thread;
  if (mine.process != process_) mine = {process_, std::min(thread_count_++, last_thread)};
  return mine.number;
}

void Recorder::before_fork() { pthread_mutex_lock(&lock_); }

void Recorder::after_fork_in_parent() { pthread_mutex_unlock(&lock_); }

/// The parent's memory is not the child's, and neither is its file. The first event makes a new
/// one.
void Recorder::after_fork_in_child() {
  lock_ = PTHREAD_MUTEX_INITIALIZER;
  file_.leave_to_parent();
  live_.clear();
  ending_.clear();
  stacks_ = {};
  streams_ = {};
  physical_ = {};
  last_id_ = 0;
  thread_count_ = 0;
  ++process_;
}

}  // namespace vramlab::preload
