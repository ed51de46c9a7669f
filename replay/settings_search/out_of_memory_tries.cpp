#include "replay/settings_search/out_of_memory_tries.h"

#include <algorithm>
#include <utility>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {
namespace {

bool runs_with(const ReplayTry& replay, const FailedAt& failed, Bytes memory) {
  return passes(replay({memory, std::nullopt}), failed);
}

std::vector<std::string> likely_options(const Settings& settings, MemoryShare share) {
  std::vector<std::string> options;
  options.emplace_back(settings.expandable_segments ? "expandable_segments:False"
                                                    : "expandable_segments:True");
  if (share == MemoryShare::limited && settings.garbage_collection_threshold == 0)
    options.emplace_back("garbage_collection_threshold:0.8");
  if (settings.max_split_size == allocator::unlimited && !settings.expandable_segments)
    for (const char* megabytes : {"32", "128", "512"})
      options.push_back(std::string("max_split_size_mb:") + megabytes);
  return options;
}

/// The single options of a string; a list in brackets has commas of its own.
std::vector<std::string> single_options(std::string_view text) {
  std::vector<std::string> options;
  int depth = 0;
  bool begins = true;
  for (const char letter : text) {
    if (letter == '[') ++depth;
    if (letter == ']') --depth;
    if (letter == ',' && depth <= 0) {
      begins = true;
      continue;
    }
    if (std::exchange(begins, false)) options.emplace_back();
    options.back() += letter;
  }
  return options;
}

std::string_view name_of_option(std::string_view option) {
  option = option.substr(0, option.find(':'));
  while (option.starts_with(' ')) option.remove_prefix(1);
  while (option.ends_with(' ')) option.remove_suffix(1);
  return option;
}

template <class Predicate>
bool all_failures(const ReplayReport& report, traces::DeviceIndex device, const Predicate& holds) {
  return std::ranges::all_of(report.devices, [&](const DeviceReport& one) {
    return one.device != device || std::ranges::all_of(one.failures, holds);
  });
}

}  // namespace

bool passes(const ReplayReport& report, const FailedAt& failed) {
  return all_failures(report, failed.device, [&](const FailedRequest& failure) {
    return failure.event > failed.event || failed.went_on_after.contains(failure.event);
  });
}

bool runs_through(const ReplayReport& report, const FailedAt& failed) {
  return all_failures(report, failed.device, [&](const FailedRequest& failure) {
    return failed.went_on_after.contains(failure.event);
  });
}

std::string with_option(std::string_view options, const std::string& added) {
  std::string text;
  for (const std::string& option : single_options(options))
    if (name_of_option(option) != name_of_option(added)) text += option + ",";
  return text + added;
}

std::optional<Bytes> least_memory(const ReplayTry& replay, const FailedAt& failed, Bytes memory,
                                  Bytes guess) {
  const Bytes step = allocator::large_segment_step;
  if (memory + step > boundless_memory) return std::nullopt;
  const std::uint64_t most = (boundless_memory - memory) / step;
  std::uint64_t too_little = 0;
  std::uint64_t more = std::clamp<std::uint64_t>(round_up(guess, step) / step, 1, most);
  while (!runs_with(replay, failed, memory + step * more)) {
    if (more == most) return std::nullopt;
    too_little = more;
    more = std::min(2 * more, most);
  }
  while (more - too_little > 1) {
    const std::uint64_t half = too_little + (more - too_little) / 2;
    (runs_with(replay, failed, memory + step * half) ? more : too_little) = half;
  }
  return memory + step * more;
}

std::vector<TriedOptions> try_likely_options(const ReplayTry& replay, const FailedAt& failed,
                                             const Settings& settings, MemoryShare share) {
  std::vector<TriedOptions> tried;
  for (const std::string& added : likely_options(settings, share)) {
    const std::string options = with_option(settings.text, added);
    const ReplayReport report = replay({std::nullopt, options});
    tried.push_back({added, passes(report, failed), runs_through(report, failed), options});
  }
  return tried;
}

}  // namespace vramlab::replay
