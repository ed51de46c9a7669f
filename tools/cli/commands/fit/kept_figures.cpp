#include "tools/cli/commands/fit/kept_figures.h"

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/cli/printers/json_text.h"
#include "traces/io/byte_sink.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

/// Variables that differ between terminals and decide nothing.
constexpr std::array<std::string_view, 14> passing = {
    "_",       "SHLVL",     "OLDPWD",     "TERM",    "COLUMNS",        "LINES",          "WINDOWID",
    "DISPLAY", "LS_COLORS", "SSH_CLIENT", "SSH_TTY", "SSH_CONNECTION", "XDG_SESSION_ID", "TMPDIR"};

std::string variable_or(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr || *value == '\0' ? otherwise : value;
}

ordered_json environment_json() {
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    const std::string_view name = text.substr(0, text.find('='));
    if (std::ranges::find(passing, name) == passing.end()) variables.emplace_back(text);
  }
  std::ranges::sort(variables);
  return variables;
}

NotedFile state_of(const std::string& path) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) return {path, -1, 0};
  constexpr std::int64_t second = 1'000'000'000;
  return {path, found.st_size, second * found.st_mtim.tv_sec + found.st_mtim.tv_nsec};
}

ordered_json file_json(const std::string& path) {
  const NotedFile state = state_of(path);
  return {state.path, state.bytes, state.changed_ns};
}

bool is_as_it_was(const NotedFile& file) {
  const NotedFile now = state_of(file.path);
  return now.bytes == file.bytes && now.changed_ns == file.changed_ns;
}

/// FNV-1a, for a name; the whole text is compared as well.
std::string hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3;
  }
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return digits.data();
}

}  // namespace

std::string identity_of_run(const DryRunArguments& arguments,
                            const std::vector<std::string>& more) {
  const std::filesystem::path stand_ins = stand_in_folder();
  ordered_json variables = ordered_json::array();
  for (const auto& [name, value] : arguments.variables) variables.push_back({name, value});
  return compact_json_text(
      {{"vramlab",
        {VRAMLAB_VERSION, file_json("/proc/self/exe"), file_json(stand_ins / "lib"),
         file_json(stand_ins / "python/vramlab_dry_run")}},
       {"words", arguments.program},
       {"more", more},
       {"variables", variables},
       {"folder", std::filesystem::current_path().string()},
       {"gpu", {arguments.gpu, arguments.gpu_count, arguments.device_memory}},
       {"conf", arguments.conf ? ordered_json(*arguments.conf) : ordered_json()},
       {"held_by_others", arguments.held_by_others.value_or(0)},
       {"values", {arguments.values, arguments.values_from, file_json(arguments.values_from)}},
       {"ranks",
        {arguments.rank ? std::to_string(*arguments.rank) : arguments.ranks, arguments.world_size}},
       {"course",
        {arguments.kernel_time_ns, arguments.segments, arguments.steps, arguments.keep_compiled}},
       {"limits", arguments.fail_if},
       {"environment", environment_json()}});
}

KeptFigures::KeptFigures() {
  const std::string home = variable_or("HOME", "");
  const std::string cache =
      variable_or("XDG_CACHE_HOME", home.empty() ? std::string() : home + "/.cache");
  if (!cache.empty()) folder_ = std::filesystem::path(cache) / "vramlab" / "fit";
}

std::filesystem::path KeptFigures::file_of(const std::string& identity) const {
  return folder_ / (hash_of(identity) + ".json");
}

std::optional<FitFigures> KeptFigures::find(const std::string& identity) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream file(file_of(identity));
  const ordered_json json = ordered_json::parse(file, nullptr, false);
  try {
    if (!json.is_object() || json.at("identity") != identity) return std::nullopt;
    FitFigures figures = figures_from_json(json.at("figures"));
    if (!std::ranges::all_of(figures.files, is_as_it_was)) return std::nullopt;
    return figures;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // Another version wrote it.
  }
}

void KeptFigures::keep(const std::string& identity, const FitFigures& figures) {
  if (folder_.empty() || figures.files.empty() || figures.stopped != FitStop::none ||
      !figures.trouble.empty() || figures.ran_out_of_host_memory)
    return;
  try {
    std::filesystem::create_directories(folder_);
    traces::OutputFile output(file_of(identity).string(), traces::Overwrite::allowed);
    output.write(compact_json_text({{"identity", identity}, {"figures", figures_json(figures)}}));
    output.finish();
  } catch (const std::exception& error) {
    trouble_ = error.what();
  }
}

}  // namespace vramlab::tools
