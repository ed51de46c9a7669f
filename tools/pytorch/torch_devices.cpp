#include "tools/pytorch/torch_devices.h"

#include <link.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "allocator/checks/out_of_memory.h"
#include "allocator/options/settings.h"
#include "allocator/types/answers.h"

namespace vramlab::pytorch {

using allocator::BlockIndex;

TorchDevice::TorchDevice(const streams::CudaDriver& driver, int index, const TorchRules& rules)
    : gpu_(driver, {.device = index, .streams = streams::StreamNames::handles}),
      engine_(gpu_, rules.reference, rules.settings) {
  engine_.listeners().set_capacity(0);
}

void TorchDevice::note_time() {
  if (history_capacity_ == 0) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  engine_.listeners().set_time_us(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
}

TorchDevice::Requested TorchDevice::malloc(Bytes size, StreamId stream) {
  const std::lock_guard lock(mutex_);
  note_time();
  Requested requested{engine_.malloc(size, stream), {}};
  switch (requested.result.outcome) {
    case MallocOutcome::allocated:
    case MallocOutcome::nothing:
      break;
    case MallocOutcome::scope_already_open:
      throw AllocatorError("a request in a pool that lends its memory while it is captured to");
    case MallocOutcome::out_of_memory:
    case MallocOutcome::rejected:
      // Other libraries look for PyTorch's own words.
      requested.failure = "CUDA out of memory. " + out_of_memory_message(engine_.last_failure());
  }
  return requested;
}

bool TorchDevice::free(Address at) {
  return with_engine([at](auto& engine) {
    if (!engine.is_live(at)) return false;
    engine.free(at);
    return true;
  });
}

bool TorchDevice::record_stream(Address at, StreamId stream) {
  return with_engine([&](auto& engine) {
    if (!engine.is_live(at)) return false;
    engine.record_stream(at, stream);
    return true;
  });
}

std::optional<BaseAllocation> TorchDevice::base_of(Address at) {
  const std::lock_guard lock(mutex_);
  const auto& core = engine_.core();
  BlockIndex block = core.live_at(at);
  if (block == BlockIndex::none) return std::nullopt;
  if (core.blocks[block].is_expandable())
    throw AllocatorError("memory of an expandable segment can't be shared between processes");
  while (!core.blocks[block].is_first()) block = core.blocks[block].previous();
  BaseAllocation base{core.blocks[block].address, {}};
  for (; block != BlockIndex::none; block = core.blocks[block].next)
    base.size += core.blocks[block].size();
  return base;
}

void TorchDevice::set_memory_fraction(double fraction) {
  if (!(fraction >= 0 && fraction <= 1))
    throw AllocatorError("a memory fraction is between 0 and 1, not " + std::to_string(fraction));
  with_engine([fraction](auto& engine) { engine.set_memory_fraction(fraction); });
}

std::optional<Address> TorchDevice::give_segment(Bytes size) {
  const std::lock_guard lock(mutex_);
  const auto at = gpu_.allocate(size, {});
  if (!at) {
    ++segments_.refused;
    return at;
  }
  ++segments_.given;
  segments_.bytes += size.count;
  segments_.peak_bytes = std::max(segments_.peak_bytes, segments_.bytes);
  segment_sizes_[*at] = size;
  return at;
}

bool TorchDevice::take_segment_back(Address at) {
  const std::lock_guard lock(mutex_);
  const auto found = segment_sizes_.find(at);
  if (found == segment_sizes_.end()) return false;
  gpu_.release(at);
  ++segments_.taken_back;
  segments_.bytes -= found->second.count;
  segment_sizes_.erase(found);
  return true;
}

SegmentCounts TorchDevice::segment_counts() {
  const std::lock_guard lock(mutex_);
  return segments_;
}

void TorchDevice::keep_history(std::size_t entries) {
  const std::lock_guard lock(mutex_);
  history_capacity_ = entries;
  engine_.listeners().set_capacity(entries);
}

namespace {

Settings settings_from(const std::string& options, const ReferenceVersion& reference) {
  if (options.empty()) return {};
  auto parsed = allocator::parse_settings({}, options, reference);
  if (parsed.error)
    throw std::runtime_error("vramlab_torch: the options '" + options +
                             "' are refused: " + parsed.error->message);
  return std::move(parsed.settings);
}

}  // namespace

TorchDevice& TorchDevices::at(int index) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<TorchDevice>& device = devices_[index];
  if (device) return *device;
  const auto found = streams::find_gpu(driver_, index);
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&found))
    throw DeviceError(missing->reason);
  device = std::make_unique<TorchDevice>(driver_, index, rules_);
  return *device;
}

std::map<int, TorchDevice*> TorchDevices::by_index() {
  const std::lock_guard lock(mutex_);
  std::map<int, TorchDevice*> made;
  for (const auto& [index, device] : devices_)
    if (device) made[index] = device.get();
  return made;
}

TorchDevice* TorchDevices::known(int index) {
  const std::lock_guard lock(mutex_);
  const auto found = devices_.find(index);
  return found == devices_.end() ? nullptr : found->second.get();
}

std::unique_ptr<TorchDevices> open_torch_devices(
    const std::function<const char*(const char*)>& environment) {
  auto driver = streams::open_cuda_driver();
  if (const auto* missing = std::get_if<streams::NoCudaDriver>(&driver))
    throw std::runtime_error("vramlab_torch: " + missing->reason);
  const ReferenceVersion& reference = reference_of_loaded_pytorch();
  std::string options;
  for (const char* const name :
       {"VRAMLAB_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}) {
    const char* const text = environment(name);
    if (text != nullptr && options.empty()) options = text;
  }
  return std::make_unique<TorchDevices>(std::get<streams::CudaDriver>(driver),
                                        TorchRules{reference, settings_from(options, reference)});
}

namespace {

/// The PyTorch in this process.
struct LoadedPyTorch {
  bool is_there = false;
  /// Empty if no version file lies beside its libraries.
  std::filesystem::path version_file;
};

/// Wheels have torch/version.py, torch/lib/libc10.so and torch/_C.cpython-311-x86_64-linux-gnu.so.
/// Systems may keep libc10.so elsewhere.
LoadedPyTorch look_for_pytorch() {
  LoadedPyTorch found;
  const auto look = [](dl_phdr_info* library, std::size_t, void* result) {
    auto& pytorch = *static_cast<LoadedPyTorch*>(result);
    const std::filesystem::path path(library->dlpi_name);
    const std::string name = path.filename();
    const bool is_core = name == "libc10.so";
    if (!is_core && !(name.starts_with("_C.") && path.parent_path().filename() == "torch"))
      return 0;
    pytorch.is_there = true;
    const std::filesystem::path folder = path.parent_path();
    std::filesystem::path file = (is_core ? folder.parent_path() : folder) / "version.py";
    if (std::filesystem::exists(file)) pytorch.version_file = std::move(file);
    return pytorch.version_file.empty() ? 0 : 1;
  };
  dl_iterate_phdr(look, &found);
  return found;
}

/// version.py holds a line such as `__version__ = '2.12.1+cu130'`.
std::string release_in(const std::filesystem::path& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("__version__")) continue;
    const std::size_t begin = line.find_first_of("'\"");
    if (begin == std::string::npos) break;
    return line.substr(begin + 1, line.find(line[begin], begin + 1) - begin - 1);
  }
  throw std::runtime_error("vramlab_torch: " + file.string() + " names no version of PyTorch");
}

}  // namespace

const ReferenceVersion& reference_of_loaded_pytorch() {
  const LoadedPyTorch pytorch = look_for_pytorch();
  const ReferenceVersion& usual = allocator::default_reference_version();
  if (pytorch.version_file.empty()) {
    if (pytorch.is_there)
      std::fprintf(stderr,
                   "vramlab_torch: found no version.py of the loaded PyTorch; the rules are those "
                   "of %s\n",
                   std::string(usual.description).c_str());
    return usual;
  }
  const std::string release = release_in(pytorch.version_file);
  const ReferenceVersion* const version = allocator::reference_version_of_release(release);
  if (version == nullptr)
    throw std::runtime_error("vramlab_torch: no version of PyTorch is named '" + release + "'");
  return *version;
}

}  // namespace vramlab::pytorch
