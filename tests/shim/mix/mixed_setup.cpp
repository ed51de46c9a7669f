#include "tests/shim/mix/mixed_setup.h"

#include <algorithm>
#include <array>

#include "allocator/types/check.h"

namespace vramlab::tests {
namespace {

using preload::PreloadMode;

constexpr std::size_t most_problems = 8;

/// The failures that are made pass, or another way exists: none ends a context.
constexpr std::array<std::pair<const char*, CUresult>, 20> faults = {{
    {"cuCtxRecordEvent", CUDA_ERROR_OUT_OF_MEMORY},
    {"cuCtxRecordEvent", CUDA_ERROR_NOT_PERMITTED},
    {"cuEventRecord", CUDA_ERROR_OUT_OF_MEMORY},
    {"cuEventRecord", CUDA_ERROR_NOT_PERMITTED},
    {"cuEventCreate", CUDA_ERROR_OUT_OF_MEMORY},
    {"cuEventQuery", CUDA_ERROR_INVALID_VALUE},
    {"cuEventQuery", CUDA_ERROR_NOT_PERMITTED},
    {"cuEventSynchronize", CUDA_ERROR_NOT_PERMITTED},
    {"cuMemAlloc_v2", CUDA_ERROR_OUT_OF_MEMORY},
    {"cuMemAlloc_v2", CUDA_ERROR_NOT_PERMITTED},
    {"cuMemFree_v2", CUDA_ERROR_NOT_PERMITTED},
    {"cuCtxSynchronize", CUDA_ERROR_NOT_PERMITTED},
    {"cuMemCreate", CUDA_ERROR_OUT_OF_MEMORY},
    {"cuMemAddressReserve", CUDA_ERROR_OUT_OF_MEMORY},
    {"cuMemMap", CUDA_ERROR_INVALID_VALUE},
    {"cuMemSetAccess", CUDA_ERROR_OUT_OF_MEMORY},
    {"cuMemUnmap", CUDA_ERROR_NOT_PERMITTED},
    {"cuMemAddressFree", CUDA_ERROR_NOT_PERMITTED},
    {"cuMemGetInfo_v2", CUDA_ERROR_INVALID_VALUE},
    {"cuCtxRecordEvent", CUDA_ERROR_NOT_SUPPORTED},
}};

bool is_made_to_fail(CUresult result) {
  return std::any_of(faults.begin(), faults.end(),
                     [result](const auto& fault) { return fault.second == result; });
}

}  // namespace

bool CaptureTurns::begin(Kind kind) {
  const std::lock_guard lock(mutex_);
  if ((kind == Kind::capture ? disturbances_ : captures_) > 0) return false;
  ++(kind == Kind::capture ? captures_ : disturbances_);
  return true;
}

void CaptureTurns::end(Kind kind) {
  const std::lock_guard lock(mutex_);
  --(kind == Kind::capture ? captures_ : disturbances_);
}

MixedOptions mixed_options(std::uint64_t seed) {
  constexpr std::array modes = {PreloadMode::deferred, PreloadMode::nosplit, PreloadMode::deferred,
                                PreloadMode::sync};
  constexpr std::array<std::uint64_t, 3> memories = {2ULL << 30, 512 * mib, 8ULL << 30};
  const PreloadMode mode = modes.at(seed % modes.size());
  // In every other turn of the modes; `nosplit` has no segments that could expand.
  const bool expands = seed / 4 % 2 == 1 && mode != PreloadMode::nosplit;
  MixedOptions options{in_mode(mode, expands ? "expandable_segments:True" : ""),
                       seed / 2 % 2 == 1 ? DriverFaults::some : DriverFaults::none};
  ShimSetupOptions& shim = options.shim;
  if (seed % 5 == 1) shim.shim.fence = shim::FenceKind::stream_events;
  if (seed % 7 == 3) shim.shim.idle_limit.percent = 20;
  if (seed % 7 == 5) shim.shim.history_entries = 100;
  shim.fake.memory_bytes = memories.at(seed % memories.size());
  shim.fake.device_count = 2;
  shim.fake.mean_call_ns = 300;
  shim.fake.seed = seed + 1;
  return options;
}

MixedSetup::MixedSetup(MixedOptions options)
    : ShimSetup(std::move(options.shim)), faults_(options.faults) {
  MixedPlace& first = add(context(), 0);
  MixedPlace& second = add(make_context(1), 1);
  CUcontext primary = nullptr;
  check(driver().primary_retain(&primary, 0) == CUDA_SUCCESS, "a device has a primary context");
  MixedPlace& third = add(primary, 0);
  add_green(third);
  add_green(third);
  enable_peer_access(second.context, first.context);
  second.peers.push_back(&first);
}

MixedPlace& MixedSetup::add(CUcontext context, CUdevice device) {
  MixedPlace& place = *places_.emplace_back(std::make_unique<MixedPlace>());
  place = {context, device, &place};
  return place;
}

void MixedSetup::add_green(const MixedPlace& primary) {
  CUgreenCtx made = nullptr;
  CUcontext context = nullptr;
  const auto create = fake_function<PFN_cuGreenCtxCreate_v12040>("cuGreenCtxCreate");
  const auto convert = fake_function<PFN_cuCtxFromGreenCtx_v12040>("cuCtxFromGreenCtx");
  check(create(&made, nullptr, primary.device, 1) == CUDA_SUCCESS, "a green context is made");
  check(convert(&context, made) == CUDA_SUCCESS, "it is a context, too");
  preload::NamedContext green{context};
  check(driver().context_id(context, &green.id) == CUDA_SUCCESS, "it has a number");
  shim().green_context_came(green, primary.context);
  MixedPlace& place = add(context, primary.device);
  place.home = &primary;
  place.green = made;
}

void MixedSetup::fail_soon(std::uint64_t which) {
  const auto& [function, result] = faults.at(which % faults.size());
  fail(function, result, 1 + which % 2, which % 3);
}

void MixedSetup::send(const MixedBlock& block) {
  const std::lock_guard lock(mutex_);
  sent_.push_back(block);
  sent_.back().was_sent = true;
}

std::optional<MixedBlock> MixedSetup::receive() {
  const std::lock_guard lock(mutex_);
  if (sent_.empty()) return std::nullopt;
  const MixedBlock block = sent_.front();
  sent_.erase(sent_.begin());
  return block;
}

void MixedSetup::note_problem(const std::string& sentence) {
  const std::lock_guard lock(mutex_);
  if (problems_.size() < most_problems) problems_.push_back(sentence);
}

void MixedSetup::expect(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS || result == CUDA_ERROR_OUT_OF_MEMORY) return;
  if (has_faults() && is_made_to_fail(result)) return;
  note_problem(std::string(call) + " answered " + streams::driver_error_name(driver(), result));
}

std::vector<std::string> MixedSetup::problems() {
  const std::lock_guard lock(mutex_);
  return problems_;
}

std::uint64_t MixedSetup::allocation_at(CUdeviceptr at) {
  return fake()->look([at](fake::FakeCuda& cuda) -> std::uint64_t {
    const auto* const found = cuda.memory().find(at);
    return found == nullptr ? 0 : found->buffer_id;
  });
}

void MixedSetup::note_exported(const MixedBlock& block) {
  const std::uint64_t allocation = allocation_at(block.at);
  const std::lock_guard lock(mutex_);
  exported_.push_back({block, allocation});
}

void MixedSetup::check_not_exported(const MixedBlock& block) {
  const std::uint64_t allocation = allocation_at(block.at);
  bool is_exported = false;
  {
    const std::lock_guard lock(mutex_);
    is_exported = std::any_of(exported_.begin(), exported_.end(), [&](const Exported& other) {
      return allocation != 0 && other.allocation == allocation &&
             other.block.at < block.at + block.bytes &&
             block.at < other.block.at + other.block.bytes;
    });
  }
  if (is_exported) note_problem("a block was handed out again that another process may look at");
}

bool MixedSetup::is_cached(CUdeviceptr at) {
  bool is_owned = false;
  shim().arenas()->for_each(
      [&](shim::Arena& arena) { is_owned |= arena.may_own(at) && arena.holds(at); });
  return is_owned;
}

}  // namespace vramlab::tests
