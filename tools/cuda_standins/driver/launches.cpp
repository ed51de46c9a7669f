// Functions of modules: their launches, their attributes, and how many of their blocks run at once.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/driver/driver_types.h"
#include "tools/cuda_standins/notes/first_work.h"
#include "tools/cuda_standins/notes/notes.h"

using namespace vramlab::dry_run;

namespace {

/// Notes the answers that programs may read after the kernel, and returns the memory that it
/// writes.
std::optional<KernelWrite> note_answers(HostValueSource& values, const NamedKernel& kernel,
                                        void** arguments) {
  const KernelAnswer answer =
      answer_of_zeros(kernel.question, arguments, {values.answer(), values.truths()});
  values.set_answer(answer);
  std::optional<KernelWrite> write = write_of(kernel.writer, arguments);
  const auto truths = place_of_truths(kernel.question, arguments);
  if (write && truths) write->bytes = truths->count;
  // A mask that lies behind it keeps its count.
  if (write) values.truths().forget(write->at, write->sure_bytes);
  if (kernel.writer.begins_at_first_argument && arguments != nullptr)
    values.truths().forget(value_at<std::uint64_t>(arguments[0], 0), 1);
  if (truths) {
    values.truths().forget(truths->at, truths->count);
    values.truths().set(*truths, answer.is_yes());
  }
  return write;
}

/// A kernel writes to memory whose address stands in its arguments.
void note_any_write(WatchedMemory& watched, const NamedKernel& kernel, void* const* arguments) {
  if (!kernel.facts || kernel.facts->parameter_bytes.empty() || arguments == nullptr)
    return watched.note_write_anywhere();
  std::size_t number = 0;
  for (const std::size_t bytes : kernel.facts->parameter_bytes) {
    for (std::size_t word = 0; word < bytes / sizeof(std::uint64_t); ++word)
      watched.note_write(value_at<std::uint64_t>(arguments[number], word), 1);
    ++number;
  }
}

/// An operation of PyTorch knows by itself what its kernels write at other places. A kernel on each
/// value writes one tensor, and only the watched memory that holds its beginning is that tensor's.
void note_write(WatchedMemory& watched, const NamedKernel& kernel,
                const std::optional<KernelWrite>& write, void* const* arguments) {
  if (write)
    watched.note_write(write->at, 1);
  else if (kernel.owner != CodeOwner::pytorch)
    note_any_write(watched, kernel, arguments);
}

CUresult launch(StandInDriver& driver, const CallSite& site, CUfunction function,
                std::pair<CUstream, void**> how) {
  const NamedKernel* const kernel = driver.kernels().kernel_of(value_of(function));
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  WorkOrder order = driver.plan_launch(kernel->name, how.second);
  order.write = note_answers(driver.host_values(), *kernel, how.second);
  note_write(driver.watched(), *kernel, order.write, how.second);
  return driver.submit(how.first, site, std::move(order));
}

/// Calls `put`, which puts such work on a stream.
template <class Put, class... Arguments>
CUresult put_work(vramlab::streams::WorkSoFar work, const CallSite& site, const Put& put,
                  Arguments... arguments) {
  std::uint32_t device = 0;
  const auto body = [&](StandInDriver& driver) {
    const CUresult result = put(driver);
    device = driver.current().device;
    if (result == CUDA_SUCCESS) driver.memory().note_work(device, work);
    return result;
  };
  const CUresult result = driver_call(site, body, arguments...);
  // Without a lock of the driver.
  if (result == CUDA_SUCCESS) tell_first_work(device, work);
  return result;
}

struct LaunchSize {
  std::array<unsigned, 3> grid;
  std::array<unsigned, 3> block;
};

/// The largest block and grid are the same on all GPUs that are still supported.
bool can_be_launched(const LaunchSize& size) {
  constexpr LaunchSize most = {{2147483647, 65535, 65535}, {1024, 1024, 64}};
  constexpr std::uint64_t most_threads_of_block = 1024;
  std::uint64_t threads = 1;
  for (std::size_t side = 0; side < size.grid.size(); ++side) {
    if (size.grid[side] == 0 || size.grid[side] > most.grid[side]) return false;
    if (size.block[side] == 0 || size.block[side] > most.block[side]) return false;
    threads *= size.block[side];
  }
  return threads <= most_threads_of_block;
}

CUresult on_cuLaunchKernel(const CallSite& site, CUfunction function, const LaunchSize& size,
                           std::pair<CUstream, void**> how) {
  const auto put = [&](StandInDriver& driver) {
    if (!can_be_launched(size)) return CUDA_ERROR_INVALID_VALUE;
    return launch(driver, site, function, how);
  };
  return put_work(vramlab::streams::WorkSoFar::kernels, site, put, function, how.first);
}

CUresult on_cuLaunchKernelEx(const CallSite& site, const CUlaunchConfig* how, CUfunction function,
                             void** arguments) {
  if (how == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const LaunchSize size = {{how->gridDimX, how->gridDimY, how->gridDimZ},
                           {how->blockDimX, how->blockDimY, how->blockDimZ}};
  return on_cuLaunchKernel(site, function, size, {how->hStream, arguments});
}

}  // namespace

STAND_IN_CALL(cuLaunchKernel)
(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
 unsigned block_y, unsigned block_z, unsigned /*shared_bytes*/, CUstream stream, void** arguments,
 void** /*extra*/) {
  return on_cuLaunchKernel({"cuLaunchKernel"}, function,
                           {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}},
                           {stream, arguments});
}
STAND_IN_CALL(cuLaunchKernel_ptsz)
(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
 unsigned block_y, unsigned block_z, unsigned /*shared_bytes*/, CUstream stream, void** arguments,
 void** /*extra*/) {
  return on_cuLaunchKernel({"cuLaunchKernel_ptsz", context, NullStream::per_thread}, function,
                           {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}},
                           {stream, arguments});
}
STAND_IN_CALL(cuLaunchKernelEx)
(const CUlaunchConfig* how, CUfunction function, void** arguments, void** /*extra*/) {
  return on_cuLaunchKernelEx({"cuLaunchKernelEx"}, how, function, arguments);
}
STAND_IN_CALL(cuLaunchKernelEx_ptsz)
(const CUlaunchConfig* how, CUfunction function, void** arguments, void** /*extra*/) {
  return on_cuLaunchKernelEx({"cuLaunchKernelEx_ptsz", context, NullStream::per_thread}, how,
                             function, arguments);
}
STAND_IN_CALL(cuLaunchCooperativeKernel)
(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
 unsigned block_y, unsigned block_z, unsigned /*shared_bytes*/, CUstream stream, void** arguments) {
  return on_cuLaunchKernel({"cuLaunchCooperativeKernel"}, function,
                           {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}},
                           {stream, arguments});
}
STAND_IN_CALL(cuLaunchCooperativeKernel_ptsz)
(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
 unsigned block_y, unsigned block_z, unsigned /*shared_bytes*/, CUstream stream, void** arguments) {
  return on_cuLaunchKernel({"cuLaunchCooperativeKernel_ptsz", context, NullStream::per_thread},
                           function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}},
                           {stream, arguments});
}

namespace {

/// Libraries above the driver have kernels without names. The write is null where they may write
/// anywhere.
void put_work_of_library(const CallSite& site, CUstream stream, const KernelWrite* write) {
  put_work(
      vramlab::streams::WorkSoFar::libraries, site,
      [&](StandInDriver& driver) {
        WorkOrder order = driver.plan_launch("work of a library", nullptr);
        if (write != nullptr) {
          order.write = *write;
          driver.watched().note_write(write->at, write->bytes);
        }
        return driver.submit(stream, site, std::move(order));
      },
      stream);
}

}  // namespace

STAND_IN_EXPORT void vramlab_dry_run_work(CUstream stream) {
  put_work_of_library({"vramlab_dry_run_work"}, stream, nullptr);
}
STAND_IN_EXPORT void vramlab_dry_run_work_at(CUstream stream, unsigned long long at,
                                             unsigned long long bytes) {
  const KernelWrite write{at, bytes};
  put_work_of_library({"vramlab_dry_run_work_at"}, stream, &write);
}

STAND_IN_EXPORT void vramlab_dry_run_watch_memory(unsigned long long at, unsigned long long bytes) {
  the_driver().look([=](StandInDriver& driver) {
    bytes > 0 ? driver.watched().watch(at, bytes) : driver.watched().unwatch(at);
  });
}
STAND_IN_EXPORT void vramlab_dry_run_tell_truths(unsigned long long at, const void* truths,
                                                 unsigned long long count, int is_known) {
  the_driver().look([=](StandInDriver& driver) {
    RememberedTruths& told = driver.host_values().truths();
    if (truths == nullptr) return told.forget_told();
    const char* const first = static_cast<const char*>(truths);
    told.tell(at, {first, first + count},
              is_known == 0 ? ValueOrigin::made_up : ValueOrigin::known);
  });
}
STAND_IN_EXPORT int vramlab_dry_run_is_yes(unsigned long long at, unsigned long long count) {
  return the_driver().look([=](StandInDriver& driver) {
    return driver.host_values().truths().is_yes({at, count}) ? 1 : 0;
  });
}
STAND_IN_EXPORT const void* vramlab_dry_run_written_parts() {
  return &the_driver().watched().written();
}
STAND_IN_EXPORT const void* vramlab_dry_run_captures_begun() {
  return &the_driver().captures_begun();
}
STAND_IN_EXPORT int vramlab_dry_run_read_memory(void* to, unsigned long long from,
                                                unsigned long long bytes) {
  return the_driver().look(
      [=](StandInDriver& driver) { return driver.remembered().read(to, from, bytes) ? 1 : 0; });
}
STAND_IN_EXPORT void vramlab_dry_run_remember(unsigned long long at, const void* values,
                                              unsigned long long bytes) {
  the_driver().look([=](StandInDriver& driver) {
    values == nullptr ? driver.remembered().forget(at, bytes)
                      : driver.remembered().remember(at, values, bytes);
  });
}

// Attributes of functions, and how many of their blocks run at once.

namespace streams = vramlab::streams;

namespace {

int attribute_of_function(const streams::GpuProperties& gpu, const NamedKernel& kernel,
                          CUfunction_attribute attribute) {
  const KernelFacts facts = known_facts(kernel);
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return most_threads(limits_of(gpu), facts);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_cast<int>(facts.shared_bytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(facts.stack_bytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return static_cast<int>(facts.constant_bytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return facts.registers;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return gpu.compute_capability();
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return kernel.dynamic_shared_bytes.value_or(shared_bytes_of_every_block -
                                                  static_cast<int>(facts.shared_bytes));
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return -1;
    default:
      return 0;
  }
}

/// `body` gets the driver and the kernel.
template <class Handle, class Body>
CUresult function_call(const char* name, Handle function, const Body& body) {
  const auto checked = [&](StandInDriver& driver) {
    NamedKernel* const kernel = driver.kernels().kernel_of(value_of(function));
    return kernel == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(driver, *kernel);
  };
  return driver_call({name, context}, checked, function);
}

template <class Handle>
CUresult get_attribute(const char* name, int* value, CUfunction_attribute attribute,
                       Handle function) {
  return function_call(name, function, [=](StandInDriver& driver, const NamedKernel& kernel) {
    if (attribute >= CU_FUNC_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
    const auto& gpu = driver.options().properties;
    return give(driver, value, attribute_of_function(gpu, kernel, attribute));
  });
}

template <class Handle>
CUresult set_attribute(const char* name, Handle function, CUfunction_attribute attribute,
                       int value) {
  return function_call(name, function, [=](StandInDriver& driver, NamedKernel& kernel) {
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
    const int most = driver.options().properties.shared_bytes_per_block_optin -
                     static_cast<int>(known_facts(kernel).shared_bytes);
    if (value < 0 || value > most) return CUDA_ERROR_INVALID_VALUE;
    kernel.dynamic_shared_bytes = value;
    return CUDA_SUCCESS;
  });
}

template <class Handle>
CUresult accept_for(const char* name, Handle function) {
  return function_call(name, function, [](StandInDriver&, NamedKernel&) { return CUDA_SUCCESS; });
}

template <class Handle>
CUresult get_name(const char* call, const char** name, Handle function) {
  return function_call(call, function, [=](StandInDriver&, const NamedKernel& kernel) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = kernel.name.c_str();
    return CUDA_SUCCESS;
  });
}

CUresult count_blocks(const char* name, int* blocks, CUfunction function,
                      const BlockOfThreads& block) {
  return function_call(name, function, [=](StandInDriver& driver, const NamedKernel& kernel) {
    if (block.threads < 1) return CUDA_ERROR_INVALID_VALUE;
    const auto limits = limits_of(driver.options().properties);
    return give(driver, blocks, blocks_at_once(limits, known_facts(kernel), block));
  });
}

/// The size of a block with which most threads run at once, and how many blocks fill the device.
struct BestBlock {
  int threads = 0;
  int blocks = 0;
};

/// `most`: the largest block, or 0; its shared memory counts where there is no function for that.
BestBlock best_block(const streams::GpuProperties& gpu, const KernelFacts& facts,
                     std::size_t (*shared_of)(int threads), const BlockOfThreads& largest) {
  const MultiprocessorLimits limits = limits_of(gpu);
  const int limit = most_threads(limits, facts);
  BestBlock best;
  int most = 0;
  for (int threads = std::min(largest.threads == 0 ? limit : largest.threads, limit) / 32 * 32;
       threads > 0; threads -= 32) {
    const std::size_t shared =
        shared_of == nullptr ? largest.dynamic_shared_bytes : shared_of(threads);
    const int blocks = blocks_at_once(limits, facts, {threads, shared});
    if (blocks * threads <= most) continue;
    most = blocks * threads;
    best = {threads, blocks * gpu.sm_count};
  }
  return best;
}

CUresult propose_block(const char* name, std::pair<int*, int*> outputs, CUfunction function,
                       std::size_t (*shared_of)(int threads), const BlockOfThreads& largest) {
  return function_call(name, function, [=](StandInDriver& driver, const NamedKernel& kernel) {
    if (outputs.first == nullptr || outputs.second == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const BestBlock best =
        best_block(driver.options().properties, known_facts(kernel), shared_of, largest);
    *outputs.first = best.blocks;
    *outputs.second = best.threads;
    return CUDA_SUCCESS;
  });
}

}  // namespace

STAND_IN_CALL(cuFuncGetAttribute)
(int* value, CUfunction_attribute attribute, CUfunction function) {
  return get_attribute("cuFuncGetAttribute", value, attribute, function);
}
STAND_IN_CALL(cuFuncSetAttribute)
(CUfunction function, CUfunction_attribute attribute, int value) {
  return set_attribute("cuFuncSetAttribute", function, attribute, value);
}
STAND_IN_CALL(cuFuncSetCacheConfig)(CUfunction function, unsigned /*config*/) {
  return accept_for("cuFuncSetCacheConfig", function);
}
STAND_IN_CALL(cuFuncSetSharedMemConfig)(CUfunction function, unsigned /*config*/) {
  return accept_for("cuFuncSetSharedMemConfig", function);
}
STAND_IN_CALL(cuFuncGetName)(const char** name, CUfunction function) {
  return get_name("cuFuncGetName", name, function);
}
STAND_IN_CALL(cuFuncIsLoaded)(unsigned* state, CUfunction function) {
  return function_call("cuFuncIsLoaded", function, [=](StandInDriver& driver, NamedKernel&) {
    return give(driver, state, 1U);
  });
}
STAND_IN_CALL(cuFuncLoad)(CUfunction function) { return accept_for("cuFuncLoad", function); }
STAND_IN_CALL(cuKernelGetAttribute)
(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice /*device*/) {
  return get_attribute("cuKernelGetAttribute", value, attribute, kernel);
}
STAND_IN_CALL(cuKernelSetAttribute)
(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice /*device*/) {
  return set_attribute("cuKernelSetAttribute", kernel, attribute, value);
}
STAND_IN_CALL(cuKernelSetCacheConfig)
(CUkernel kernel, unsigned /*config*/, CUdevice /*device*/) {
  return accept_for("cuKernelSetCacheConfig", kernel);
}
STAND_IN_CALL(cuKernelGetName)(const char** name, CUkernel kernel) {
  return get_name("cuKernelGetName", name, kernel);
}

STAND_IN_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor)
(int* blocks, CUfunction function, int threads, std::size_t shared_bytes) {
  return count_blocks("cuOccupancyMaxActiveBlocksPerMultiprocessor", blocks, function,
                      {threads, shared_bytes});
}
STAND_IN_CALL(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* blocks, CUfunction function, int threads, std::size_t shared_bytes, unsigned /*flags*/) {
  return count_blocks("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", blocks, function,
                      {threads, shared_bytes});
}
STAND_IN_CALL(cuOccupancyMaxPotentialBlockSize)
(int* grid, int* threads, CUfunction function, std::size_t (*shared_of)(int threads),
 std::size_t shared_bytes, int limit) {
  return propose_block("cuOccupancyMaxPotentialBlockSize", {grid, threads}, function, shared_of,
                       {limit, shared_bytes});
}
STAND_IN_CALL(cuOccupancyMaxPotentialBlockSizeWithFlags)
(int* grid, int* threads, CUfunction function, std::size_t (*shared_of)(int threads),
 std::size_t shared_bytes, int limit, unsigned /*flags*/) {
  return propose_block("cuOccupancyMaxPotentialBlockSizeWithFlags", {grid, threads}, function,
                       shared_of, {limit, shared_bytes});
}
STAND_IN_CALL(cuOccupancyAvailableDynamicSMemPerBlock)
(std::size_t* bytes, CUfunction function, int blocks, int /*threads*/) {
  return function_call(
      "cuOccupancyAvailableDynamicSMemPerBlock", function,
      [=](StandInDriver& driver, NamedKernel&) {
        if (blocks < 1) return CUDA_ERROR_INVALID_VALUE;
        const auto& gpu = driver.options().properties;
        return give(driver, bytes,
                    std::min(gpu.shared_bytes_per_sm / blocks, gpu.shared_bytes_per_block_optin));
      });
}
/// Portable clusters have at most 8 blocks.
STAND_IN_CALL(cuOccupancyMaxPotentialClusterSize)
(int* blocks, CUfunction function, const CUlaunchConfig* /*how*/) {
  return function_call(
      "cuOccupancyMaxPotentialClusterSize", function,
      [=](StandInDriver& driver, NamedKernel&) { return give(driver, blocks, 8); });
}
STAND_IN_CALL(cuOccupancyMaxActiveClusters)
(int* clusters, CUfunction function, const CUlaunchConfig* how) {
  const auto body = [=](StandInDriver& driver, const NamedKernel& kernel) {
    if (how == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto& gpu = driver.options().properties;
    const int threads = static_cast<int>(how->blockDimX * how->blockDimY * how->blockDimZ);
    const int blocks =
        blocks_at_once(limits_of(gpu), known_facts(kernel), {threads, how->sharedMemBytes});
    return give(driver, clusters, gpu.sm_count * blocks / 8);
  };
  return function_call("cuOccupancyMaxActiveClusters", function, body);
}
