#include "tools/cuda_standins/process/environment.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "streams/device/gpu_models.h"

namespace vramlab::dry_run {
namespace {

constexpr std::string_view default_gpu = "a100-80gb";
constexpr std::uint64_t default_kernel_ns = 10'000;
constexpr std::uint64_t submit_ns = 5'000;
/// About as many launches as a driver takes before it makes the host wait.
constexpr std::uint64_t most_pending = 1'024;
constexpr std::uint64_t most_gpus = 64;
/// The newest version that the functions here were compared with.
constexpr int driver_version = 13050;
/// On these addresses the C library puts nothing, and programs seldom do.
constexpr AddressPlan addresses = {{{0x600000000000}, {0x700000000000}},
                                   {{0x200000000000}, {0x400000000000}}};
/// Intel's MPI library has memory at 0x2f0000000000.
constexpr std::array other_addresses = {
    AddressPlan{{{0x600000000000}, {0x700000000000}}, {{0x300000000000}, {0x500000000000}}},
    AddressPlan{{{0x400000000000}, {0x500000000000}}, {{0x100000000000}, {0x2f0000000000}}}};

std::string variable(const std::string& name, std::string_view otherwise) {
  const char* const value = std::getenv(("VRAMLAB_DRY_RUN_" + name).c_str());
  return value == nullptr || *value == '\0' ? std::string(otherwise) : value;
}

[[noreturn]] void refuse(const std::string& name, const std::string& value) {
  throw std::runtime_error("VRAMLAB_DRY_RUN_" + name + " cannot be '" + value + "'");
}

std::uint64_t number(const std::string& name, std::uint64_t otherwise) {
  const std::string text = variable(name, std::to_string(otherwise));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(name, text);
  return value;
}

HostValues host_values() {
  const std::string text = variable("VALUES", "zeros");
  // Values that are computed come from Python; the others are zeros.
  if (text == "zeros" || text == "computed") return HostValues::zeros;
  if (text == "ones") return HostValues::ones;
  if (text == "random") return HostValues::random;
  refuse("VALUES", text);
}

streams::UsualPlaces usual_places() {
  const std::string text = variable("SEGMENTS", "driver");
  if (text == "upwards") return streams::UsualPlaces::lowest_gap;
  if (text == "driver") return streams::UsualPlaces::driver;
  refuse("SEGMENTS", text);
}

/// A device's UUID has its number and 1 in each byte.
std::string uuid_text(std::uint32_t device) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%02x", device + 1);
  std::string text = "GPU-";
  for (int byte = 0; byte < 16; ++byte) {
    if (byte == 4 || byte == 6 || byte == 8 || byte == 10) text += '-';
    text += digits.data();
  }
  return text;
}

std::optional<std::uint32_t> device_named(std::string_view name, std::uint32_t count) {
  while (name.starts_with(' ')) name.remove_prefix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size())
    return number < count ? std::optional(number) : std::nullopt;
  for (std::uint32_t device = 0; device < count && name.size() > 4; ++device)
    if (uuid_text(device).starts_with(name)) return device;
  return std::nullopt;
}

/// The devices that CUDA_VISIBLE_DEVICES leaves, by number or by the beginning of a UUID, up to the
/// first entry that is none.
std::vector<std::uint32_t> visible_devices(std::uint32_t count) {
  std::vector<std::uint32_t> visible;
  const char* const list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (list == nullptr) {
    for (std::uint32_t device = 0; device < count; ++device) visible.push_back(device);
    return visible;
  }
  std::string_view left = list;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(','), left.size());
    const auto device = device_named(left.substr(0, end), count);
    if (!device || std::ranges::count(visible, *device) > 0) break;
    visible.push_back(*device);
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return visible;
}

void set_memory(DriverOptions& options, const streams::GpuModel& gpu) {
  const std::string text = variable("MEMORY", "none");
  options.context_bytes = gpu.context.count;
  if (text == "none") {
    options.told_bytes = gpu.total.count;
    options.memory_bytes = (addresses.allocations.end - addresses.allocations.begin).count /
                           std::max(options.device_count, 1U);
  } else {
    options.memory_bytes = number("MEMORY", 0);
    options.told_bytes = options.memory_bytes + options.context_bytes;
  }
}

}  // namespace

std::uint32_t gpu_count_from_environment() {
  const std::uint64_t count = number("GPUS", 1);
  if (count == 0 || count > most_gpus) refuse("GPUS", std::to_string(count));
  return static_cast<std::uint32_t>(count);
}

DryRunSettings settings_from_environment() {
  const std::string name = variable("GPU", default_gpu);
  const streams::GpuModel* const gpu = streams::find_gpu(name);
  if (gpu == nullptr) refuse("GPU", name);
  DryRunSettings settings;
  DriverOptions& driver = settings.driver;
  driver.machine_numbers = visible_devices(gpu_count_from_environment());
  driver.device_count = static_cast<std::uint32_t>(driver.machine_numbers.size());
  driver.device_name = gpu->full_name;
  driver.properties = gpu->properties;
  driver.granularity = gpu->granularity.count;
  driver.driver_version = driver_version;
  driver.addresses = addresses;
  driver.other_addresses.assign(other_addresses.begin(), other_addresses.end());
  driver.places = usual_places();
  driver.backing = Backing::reserved_addresses;
  driver.moves_time_by_itself = true;
  driver.host_values = host_values();
  driver.kernel_ns = number("KERNEL_NS", default_kernel_ns);
  driver.submit_ns = submit_ns;
  driver.most_pending = most_pending;
  set_memory(driver, *gpu);
  driver.shared_folder = variable("SHARED", "");
  settings.held_bytes = number("HELD", 0);
  settings.notes_folder = variable("NOTES", "");
  return settings;
}

}  // namespace vramlab::dry_run
