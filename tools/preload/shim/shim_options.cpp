#include "tools/preload/shim/shim_options.h"

#include <charconv>
#include <csignal>
#include <string_view>
#include <utility>

namespace vramlab::shim {
namespace {

using allocator::ParsedSettings;

constexpr std::pair<std::string_view, int> signals[] = {
    {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}};

constexpr const char* own_conf = "VRAMLAB_ALLOC_CONF";

void complain(ShimOptions& options, std::string_view name, std::string_view found,
              std::string_view expected) {
  options.complaints.push_back(std::string(name) + "=" + std::string(found) + ": " +
                               std::string(expected));
}

/// Uses the newest grammar if only that one knows the string.
void read_settings(ShimOptions& options, const char* name, std::string_view text) {
  ParsedSettings parsed;
  for (const ReferenceVersion& version : allocator::reference_versions()) {
    parsed = parse_settings({}, text, version);
    if (parsed.error) continue;
    options.settings = parsed.settings;
    options.version = &version;
    break;
  }
  if (parsed.error)
    complain(options, name, text, parsed.error->message + "; going on with the defaults");
  if (!options.settings.expandable_segments) return;
  // An option meant for PyTorch's own memory would take the handles away from all other memory.
  if (std::string_view(name) != own_conf) {
    options.settings.expandable_segments = false;
    complain(options, name, text,
             "expandable_segments is passed over, as other processes could not open such memory; "
             "VRAMLAB_ALLOC_CONF sets it");
    return;
  }
  if (options.mode != preload::PreloadMode::nosplit) return;
  options.settings.expandable_segments = false;
  complain(
      options, name, text,
      "expandable_segments does not apply to nosplit, where each block is an allocation of the "
      "driver; going on without it");
}

/// 0 if it cannot be read.
int read_signal(ShimOptions& options, const char* variable, std::string_view word) {
  for (const auto& [name, number] : signals)
    if (name == word) return number;
  complain(options, variable, word, "expected USR1, USR2 or HUP; no signal is listened to");
  return 0;
}

template <class Number>
std::optional<Number> number_from(std::string_view word) {
  Number number = 0;
  const auto end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

void read_history(ShimOptions& options, std::string_view word) {
  const auto entries = number_from<std::size_t>(word);
  options.history_entries = entries.value_or(0);
  if (!entries)
    complain(options, "VRAMLAB_HISTORY", word,
             "expected how many entries to keep; snapshots have no history");
}

void read_stacks(ShimOptions& options, std::string_view word) {
  options.has_stacks = word == "1" && options.history_entries > 0;
  if (word == "1" && options.history_entries == 0)
    complain(options, "VRAMLAB_STACKS", word, "stacks belong to a history (VRAMLAB_HISTORY)");
  if (word != "1" && word != "0")
    complain(options, "VRAMLAB_STACKS", word, "expected 0 or 1; entries have no stacks");
}

/// Such as 512M, 2GiB, or 0.
std::optional<Bytes> size_from(std::string_view word) {
  constexpr std::pair<std::string_view, unsigned> units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30},
                                                             {"K", 10},   {"M", 20},   {"G", 30}};
  unsigned shift = 0;
  for (const auto& [unit, bits] : units)
    if (shift == 0 && word.ends_with(unit)) {
      word.remove_suffix(unit.size());
      shift = bits;
    }
  const auto count = number_from<std::uint64_t>(word);
  if (!count || *count > (~0ULL >> shift)) return std::nullopt;
  return Bytes{*count << shift};
}

std::optional<IdleLimit> idle_limit_from(std::string_view word) {
  if (!word.ends_with('%')) {
    const auto size = size_from(word);
    return size ? std::optional(IdleLimit{size, std::nullopt}) : std::nullopt;
  }
  word.remove_suffix(1);
  const auto percent = number_from<std::uint64_t>(word);
  if (!percent || *percent > 100) return std::nullopt;
  return IdleLimit{std::nullopt, percent};
}

void read_idle_limit(ShimOptions& options, std::string_view word) {
  const auto limit = idle_limit_from(word);
  options.idle_limit = limit.value_or(IdleLimit{});
  if (!limit)
    complain(options, "VRAMLAB_IDLE_LIMIT", word,
             "expected a size such as 512M or 2GiB, or a part such as 25%; nothing is limited");
}

void read_waiting_limit(ShimOptions& options, std::string_view word) {
  options.waiting_limit = size_from(word);
  if (!options.waiting_limit)
    complain(options, "VRAMLAB_WAITING_LIMIT", word,
             "expected a size such as 512MiB; going on with the default");
}

void read_fill(ShimOptions& options, std::string_view word) {
  options.fill = number_from<unsigned char>(word);
  if (!options.fill)
    complain(options, "VRAMLAB_FILL", word, "expected a byte from 0 to 255; nothing is filled");
}

const char* given(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

}  // namespace

ShimOptions read_shim_options(preload::PreloadMode mode, const Environment& environment) {
  ShimOptions options;
  options.mode = mode;
  for (const char* name : {own_conf, "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}) {
    const char* text = given(environment, name);
    if (text == nullptr) continue;
    read_settings(options, name, text);
    break;
  }
  if (const char* where = given(environment, "VRAMLAB_STATS")) options.statistics_to = where;
  if (const char* where = given(environment, "VRAMLAB_SNAPSHOT")) options.snapshot_to = where;
  if (const char* word = given(environment, "VRAMLAB_REPORTS_SINCE"))
    options.reports_since_ns = number_from<std::uint64_t>(word).value_or(0);
  if (const char* word = given(environment, "VRAMLAB_PROGRAM_PROCESS"))
    options.program_process = number_from<int>(word).value_or(0);
  if (const char* word = given(environment, "VRAMLAB_HISTORY")) read_history(options, word);
  if (const char* word = given(environment, "VRAMLAB_STACKS")) read_stacks(options, word);
  if (const char* word = given(environment, "VRAMLAB_REPORT_SIGNAL"))
    options.report_signal = read_signal(options, "VRAMLAB_REPORT_SIGNAL", word);
  if (const char* word = given(environment, "VRAMLAB_TRIM_SIGNAL"))
    options.trim_signal = read_signal(options, "VRAMLAB_TRIM_SIGNAL", word);
  if (const char* word = given(environment, "VRAMLAB_IDLE_LIMIT")) read_idle_limit(options, word);
  if (const char* word = given(environment, "VRAMLAB_WAITING_LIMIT"))
    read_waiting_limit(options, word);
  if (const char* word = given(environment, "VRAMLAB_FILL")) read_fill(options, word);
  return options;
}

}  // namespace vramlab::shim
