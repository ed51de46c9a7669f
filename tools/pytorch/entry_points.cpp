// The functions that PyTorch calls through torch.cuda.memory.CUDAPluggableAllocator, and those that
// a script calls through ctypes. docs/guide/live.md lists them.
//
// PyTorch calls from C++ and turns exceptions into Python's: so a request that fails throws, as its
// own allocator does, where PyTorch would not look at a null pointer. What a destructor may call
// never throws. The state is made by the first call and never taken down: frees come until the
// process is over, after the driver too.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include "allocator/types/answers.h"
#include "allocator/types/bytes_and_ids.h"
#include "tools/pytorch/torch_devices.h"
#include "tools/pytorch/torch_json.h"

namespace vramlab::pytorch {
namespace {

using allocator::Address;
using allocator::PoolId;
using allocator::StreamId;

/// The error that PyTorch catches as one of memory.
class OutOfDeviceMemory final : public std::bad_alloc {
 public:
  explicit OutOfDeviceMemory(std::string sentence) : sentence_(std::move(sentence)) {}
  const char* what() const noexcept override { return sentence_.c_str(); }

 private:
  std::string sentence_;
};

TorchDevices& devices() {
  static TorchDevices* const made =
      open_torch_devices([](const char* name) { return std::getenv(name); }).release();
  return *made;
}

Address address_of(const void* pointer) { return {reinterpret_cast<std::uint64_t>(pointer)}; }
void* pointer_to(Address at) { return reinterpret_cast<void*>(at.value); }
StreamId id_of(CUstream stream) { return {reinterpret_cast<std::uint64_t>(stream)}; }

void complain(const std::string& sentence) {
  std::fprintf(stderr, "vramlab_torch: %s\n", sentence.c_str());
}

/// Runs an action in a place where an exception would end the process. A driver that is gone has
/// taken the memory with it.
template <class Action>
void without_throwing(const Action& action) noexcept {
  try {
    action();
  } catch (const streams::DriverIsGone&) {
  } catch (const std::exception& error) {
    complain(error.what());
  }
}

/// Texts for ctypes live until the thread asks for another one. After a failure it is null, and the
/// error is the last one.
std::string& last_error() {
  thread_local std::string text;
  return text;
}
std::string& last_text() {
  thread_local std::string text;
  return text;
}
template <class Make>
const char* text_of(const Make& make) noexcept {
  try {
    last_text() = make();
    return last_text().c_str();
  } catch (const std::exception& error) {
    last_error() = error.what();
    return nullptr;
  }
}
/// Returns 0 if the action succeeded.
template <class Action>
int status_of(const Action& action) noexcept {
  try {
    action();
    return 0;
  } catch (const std::exception& error) {
    last_error() = error.what();
    return 1;
  }
}

}  // namespace
}  // namespace vramlab::pytorch

using namespace vramlab::pytorch;  // NOLINT(google-build-using-namespace): what is below is C's

#define VRAMLAB_EXPORT extern "C" __attribute__((visibility("default")))

/// PyTorch's own name of a pool: {0, n} a user's, {n, 0} a graph's.
using PoolName = std::pair<unsigned long long, unsigned long long>;
static PoolId pool_of(const PoolName& name) { return {name.first, name.second}; }

// The allocator as a whole: change_current_allocator.

/// Size 0 gives null; a request that fails throws.
VRAMLAB_EXPORT void* vramlab_torch_malloc(std::size_t size, int device, CUstream stream) {
  if (size == 0) return nullptr;
  const auto got = devices().at(device).malloc({size}, id_of(stream));
  if (!got.result) throw OutOfDeviceMemory(got.failure);
  return pointer_to(got.result.address);
}

/// The pointer alone counts: size, device and stream may be those of what was there before.
VRAMLAB_EXPORT void vramlab_torch_free(void* pointer, std::size_t /*size*/, int device,
                                       CUstream /*stream*/) {
  if (pointer == nullptr) return;
  without_throwing([&] {
    const Address at = address_of(pointer);
    if (!devices().find(device, [at](TorchDevice& one) { return one.free(at); }))
      complain("a free of " + name_of(at) + ", which is none of its blocks, is left out");
  });
}

/// PyTorch says how many GPUs there are, 0 when it makes the allocator. Each is opened when the
/// first request for it comes.
VRAMLAB_EXPORT void vramlab_torch_init(int /*device_count*/) { static_cast<void>(devices()); }

/// torch.cuda.empty_cache()
VRAMLAB_EXPORT void vramlab_torch_reset() {
  for (const auto& [index, device] : devices().by_index())
    device->with_engine([](auto& engine) { engine.empty_cache(); });
}

VRAMLAB_EXPORT void vramlab_torch_set_memory_fraction(double fraction, int device) {
  devices().at(device).set_memory_fraction(fraction);
}

/// The segment that the pointer lies in, for sharing it with other processes.
VRAMLAB_EXPORT void* vramlab_torch_base_alloc(void* pointer, std::size_t* size) {
  std::optional<BaseAllocation> base;
  const Address at = address_of(pointer);
  devices().find(0, [&](TorchDevice& device) { return (base = device.base_of(at)).has_value(); });
  if (!base) throw std::runtime_error(name_of(at) + " is none of vramlab's blocks");
  if (size != nullptr) *size = base->size.count;
  return pointer_to(base->address);
}

/// A pointer to no block of ours is passed over, as PyTorch's own allocator does: a tensor may lie
/// in another process's memory.
VRAMLAB_EXPORT void vramlab_torch_record_stream(void* pointer, CUstream stream) {
  if (pointer == nullptr) return;
  const Address at = address_of(pointer);
  devices().find(0, [&](TorchDevice& one) { return one.record_stream(at, id_of(stream)); });
}

/// PyTorch passes a C++ object by value: the library must be built with a compiler whose C++
/// library is the one that PyTorch was built with.
VRAMLAB_EXPORT void vramlab_torch_begin_allocate_to_pool(int device, PoolName pool,
                                                         std::function<bool(CUstream)> filter) {
  devices().at(device).with_engine([&](auto& engine) {
    engine.begin_scope(pool_of(pool), [filter = std::move(filter)](StreamId stream) {
      return filter(reinterpret_cast<CUstream>(stream.value));
    });
  });
}

VRAMLAB_EXPORT void vramlab_torch_end_allocate_to_pool(int device, PoolName pool) {
  devices().at(device).with_engine([&](auto& engine) { engine.end_scope(pool_of(pool)); });
}

VRAMLAB_EXPORT void vramlab_torch_release_pool(int device, PoolName pool) {
  devices().at(device).with_engine([&](auto& engine) { engine.release_pool(pool_of(pool)); });
}

// Segments alone: torch.cuda.MemPool, where PyTorch's own allocator stays in charge.

/// Null if there is no room: PyTorch then releases what it can, and asks again.
VRAMLAB_EXPORT void* vramlab_torch_segment_malloc(std::size_t size, int device,
                                                  CUstream /*stream*/) {
  if (size == 0) return nullptr;
  const auto at = devices().at(device).give_segment({size});
  return at ? pointer_to(*at) : nullptr;
}

VRAMLAB_EXPORT void vramlab_torch_segment_free(void* pointer, std::size_t /*size*/, int device,
                                               CUstream /*stream*/) {
  if (pointer == nullptr) return;
  without_throwing([&] {
    const Address at = address_of(pointer);
    if (!devices().find(device, [at](TorchDevice& one) { return one.take_segment_back(at); }))
      complain("a free of " + name_of(at) + ", which is none of its segments, is left out");
  });
}

// For ctypes. A text is the caller's until the same thread asks for another one.

/// As torch.cuda.memory_stats(), in JSON.
VRAMLAB_EXPORT const char* vramlab_torch_memory_stats(int device) {
  return text_of([&] {
    const auto [values, settings] = devices().at(device).with_engine(
        [](auto& engine) { return std::pair(engine.listeners().values(), engine.settings()); });
    return statistics_json(values, settings);
  });
}
/// As torch.cuda.memory._snapshot(), in JSON that `vramlab` reads, too.
VRAMLAB_EXPORT const char* vramlab_torch_snapshot() {
  return text_of([] { return snapshot_json(devices().by_index()); });
}
/// The version whose rules are followed, as `vramlab replay --reference` takes it.
VRAMLAB_EXPORT const char* vramlab_torch_reference() {
  return text_of([] { return std::string(devices().reference().name); });
}
VRAMLAB_EXPORT const char* vramlab_torch_segment_stats(int device) {
  return text_of([&] { return segment_counts_json(devices().at(device).segment_counts()); });
}
/// The reason why the last call of this kind by this thread gave null or 1.
VRAMLAB_EXPORT const char* vramlab_torch_last_error() { return last_error().c_str(); }
/// Returns 0, or 1 if the options are refused.
VRAMLAB_EXPORT int vramlab_torch_set_options(int device, const char* options) {
  return status_of([&] {
    const auto error = devices().at(device).with_engine(
        [options](auto& engine) { return engine.set_options(options); });
    if (error) throw std::runtime_error(error->message);
  });
}
VRAMLAB_EXPORT int vramlab_torch_reset_peak_memory_stats(int device) {
  return status_of([&] {
    devices().at(device).with_engine([](auto& engine) { engine.listeners().reset_peak(); });
  });
}
VRAMLAB_EXPORT int vramlab_torch_reset_accumulated_memory_stats(int device) {
  return status_of([&] {
    devices().at(device).with_engine([](auto& engine) { engine.listeners().reset_accumulated(); });
  });
}
/// The callback is called when no cached block fits; not 0 says that it freed something. It may
/// call vramlab_torch_free and must not wait for another thread, which may be waiting for its own
/// memory.
VRAMLAB_EXPORT int vramlab_torch_add_free_memory_callback(int device, int (*callback)(void*),
                                                          void* argument) {
  return status_of([&] {
    devices().at(device).with_engine([&](auto& engine) {
      engine.add_free_memory_callback([callback, argument] { return callback(argument) != 0; });
    });
  });
}
/// Keeps so many entries of history from now on, for the snapshot.
VRAMLAB_EXPORT int vramlab_torch_record_memory_history(int device, std::size_t entries) {
  return status_of([&] { devices().at(device).keep_history(entries); });
}
