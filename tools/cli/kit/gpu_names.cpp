#include "tools/cli/kit/gpu_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "replay/metrics/nearest_name.h"
#include "streams/device/gpu_models.h"
#include "tools/cli/printers/table.h"

namespace vramlab::tools {
namespace {

using streams::GpuModel;

std::string lower_case(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return lower;
}

/// The GPUs whose names go on after this one: `h100` means three of them.
std::vector<std::string_view> gpus_beginning_with(const std::string& name) {
  std::vector<std::string_view> found;
  for (const GpuModel& gpu : streams::gpu_models())
    if (gpu.name.starts_with(name)) found.push_back(gpu.name);
  return found;
}

/// `a100-40gb or a100-80gb`.
std::string choice_of(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += std::string(i == 0                  ? ""
                        : i + 1 == names.size() ? " or "
                                                : ", ") +
            std::string(names[i]);
  return text;
}

constexpr std::string_view data_centre = "data centre";
constexpr std::string_view workstation = "workstation (RTX, Quadro)";
constexpr std::string_view gaming = "GeForce";

std::string_view group_of(const GpuModel& gpu) {
  const auto has = [&](std::string_view word) {
    return gpu.full_name.find(word) != std::string_view::npos;
  };
  if (has("GeForce")) return gaming;
  return has("RTX") || has("Quadro") ? workstation : data_centre;
}

}  // namespace

std::string gpu_list_text() {
  std::string text;
  for (const std::string_view group : {data_centre, workstation, gaming}) {
    Table table({left(std::string(group), 27),
                 {"memory", 10},
                 {"for the allocator"},
                 left("the memory is known from")});
    for (const GpuModel& gpu : streams::gpu_models())
      if (group_of(gpu) == group)
        table.add({std::string(gpu.name), format_bytes(gpu.total), format_bytes(gpu.available()),
                   std::string(gpu.total_source)});
    text += (text.empty() ? "" : "\n") + table.text("");
  }
  return text;
}

std::string refusal_of_gpu(std::string_view name) {
  if (streams::find_gpu(name) != nullptr) return "";
  constexpr std::size_t most_named = 8;
  const std::string lower = lower_case(name);
  const std::vector<std::string_view> meant = gpus_beginning_with(lower);
  const std::string quoted = "'" + std::string(name) + "'";
  if (!lower.empty() && meant.size() > 1 && meant.size() <= most_named)
    return quoted + " may be several GPUs: " + choice_of(meant) + "? See --list-gpus";
  return "there is no GPU " + quoted + " in the list" +
         replay::nearest_hint(lower, streams::gpu_models(), &streams::GpuModel::name) +
         "; see --list-gpus";
}

}  // namespace vramlab::tools
