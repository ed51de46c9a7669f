// The part of a mixed program that takes memory past the shim, exports blocks, asks, and makes the
// driver's calls fail.
#include <array>

#include "tests/shim/mix/mixed_program.h"

namespace vramlab::tests {
namespace {

constexpr std::size_t most_others = 12;

}  // namespace

CUresult MixedProgram::with_room(CUdevice device, const std::function<CUresult()>& call) {
  CUresult result = call();
  for (int tries = 0; result == CUDA_ERROR_OUT_OF_MEMORY; ++tries) {
    if (tries == preload::most_tries_with_room || !setup_.shim().make_room(device)) return result;
    result = call();
  }
  return result;
}

void MixedProgram::take_other_memory() {
  constexpr std::array kinds = {&MixedProgram::take_from_pool, &MixedProgram::take_physical,
                                &MixedProgram::take_array, &MixedProgram::take_managed,
                                &MixedProgram::take_pitched};
  if (others_.size() >= most_others) return give_other_memory_back();
  const MixedPlace& place = some_place();
  const std::size_t bytes = some_bytes();
  const auto kind = kinds.at(dice_.below(kinds.size()));
  setup_.enter(place);
  setup_.expect((this->*kind)(place, bytes), "taking other memory");
}

void MixedProgram::give_other_memory_back() {
  if (others_.empty()) return;
  const std::size_t which = dice_.below(others_.size());
  setup_.enter(*others_[which].place);
  const CUresult result = others_[which].give_back();
  setup_.expect(result, "giving other memory back");
  if (result != CUDA_SUCCESS) return;
  others_[which] = std::move(others_.back());
  others_.pop_back();
}

CUresult MixedProgram::take_from_pool(const MixedPlace& place, std::size_t bytes) {
  const auto allocate = fake_function<PFN_cuMemAllocAsync_v11020>("cuMemAllocAsync");
  // The stream must be there when the memory is given back.
  const CUstream stream = CU_STREAM_LEGACY;
  CUdeviceptr at = 0;
  const CUresult result =
      with_room(preload::current_device, [&] { return allocate(&at, bytes, stream); });
  if (result != CUDA_SUCCESS) return result;
  setup_.work(stream, at, bytes, 1 + dice_.below(20000));
  others_.push_back(
      {&place, [this, at, stream] { return setup_.shim().mem_free_async(at, {stream}); }});
  return result;
}

CUresult MixedProgram::take_physical(const MixedPlace& place, std::size_t bytes) {
  CUmemAllocationProp what{};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location = {CU_MEM_LOCATION_TYPE_DEVICE, {place.device}};
  const std::size_t units = (bytes + 2 * mib - 1) / (2 * mib) * (2 * mib);
  CUmemGenericAllocationHandle handle = 0;
  const CUresult result =
      with_room(place.device, [&] { return setup_.driver().mem_create(&handle, units, &what, 0); });
  if (result == CUDA_SUCCESS)
    others_.push_back({&place, [this, handle] { return setup_.driver().mem_release(handle); }});
  return result;
}

CUresult MixedProgram::take_array(const MixedPlace& place, std::size_t bytes) {
  const auto create = fake_function<PFN_cuArray3DCreate_v3020>("cuArray3DCreate_v2");
  const auto destroy = fake_function<PFN_cuArrayDestroy_v2000>("cuArrayDestroy");
  CUDA_ARRAY3D_DESCRIPTOR what{};
  what.Width = 64;
  what.Height = bytes / 1024 + 1;
  what.Format = CU_AD_FORMAT_FLOAT;
  what.NumChannels = 4;
  CUarray array = nullptr;
  const CUresult result = with_room(preload::current_device, [&] { return create(&array, &what); });
  if (result == CUDA_SUCCESS) others_.push_back({&place, [=] { return destroy(array); }});
  return result;
}

CUresult MixedProgram::take_managed(const MixedPlace& place, std::size_t bytes) {
  const auto allocate = fake_function<PFN_cuMemAllocManaged_v6000>("cuMemAllocManaged");
  CUdeviceptr at = 0;
  const CUresult result = with_room(preload::current_device,
                                    [&] { return allocate(&at, bytes, CU_MEM_ATTACH_GLOBAL); });
  if (result == CUDA_SUCCESS)
    others_.push_back({&place, [this, at] { return setup_.shim().mem_free(at); }});
  return result;
}

CUresult MixedProgram::take_pitched(const MixedPlace& place, std::size_t bytes) {
  const auto allocate = fake_function<PFN_cuMemAllocPitch_v3020>("cuMemAllocPitch_v2");
  CUdeviceptr at = 0;
  std::size_t pitch = 0;
  const CUresult result = with_room(
      preload::current_device, [&] { return allocate(&at, &pitch, 1000, bytes / 1024 + 1, 4); });
  if (result == CUDA_SUCCESS)
    others_.push_back({&place, [this, at] { return setup_.shim().mem_free(at); }});
  return result;
}

/// A process that opens a handle gets the first byte of the driver's allocation.
void MixedProgram::export_block() {
  if (held_.empty()) return;
  MixedBlock& block = held_[dice_.below(held_.size())];
  if (block.was_sent || !wait_for_users_of(block)) return;
  setup_.enter(*block.home);
  CUipcMemHandle handle{};
  if (setup_.shim().ipc_get_mem_handle(&handle, block.at) != CUDA_SUCCESS) return;
  const auto range_of = fake_function<PFN_cuMemGetAddressRange_v3020>("cuMemGetAddressRange_v2");
  CUdeviceptr base = 0;
  setup_.expect(range_of(&base, nullptr, block.at), "cuMemGetAddressRange");
  if (base != block.at) setup_.note_problem("a handle is another block's");
  block.is_exported = true;
  setup_.note_exported(block);
}

void MixedProgram::ask() {
  setup_.enter(some_place());
  std::size_t free = 0;
  std::size_t total = 0;
  switch (dice_.below(4)) {
    case 0:
      setup_.expect(setup_.shim().mem_get_info(&free, &total).value_or(CUDA_SUCCESS),
                    "cuMemGetInfo");
      if (free > total) setup_.note_problem("more memory is free than there is");
      return;
    case 1:
      return setup_.shim().trim();
    case 2:
      setup_.shim().make_room(preload::current_device);
      return;
    default:
      setup_.shim().arenas()->for_each([](shim::Arena& arena) {
        arena.look_at([](shim::BlockCache& cache) { static_cast<void>(cache.snapshot()); });
      });
  }
}

void MixedProgram::make_calls_fail() {
  if (setup_.has_faults()) setup_.fail_soon(dice_.next());
}

}  // namespace vramlab::tests
