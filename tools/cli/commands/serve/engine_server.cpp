#include "tools/cli/commands/serve/engine_server.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using traces::InputError;

/// vLLM takes underscores for dashes in names of options.
std::string with_dashes(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

/// The value of `--port 8000` or `--port=8000`, the last one if there are several.
std::optional<std::string> value_of(const Words& words, const Words& names) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (std::ranges::find(names, with_dashes(words[i].substr(0, equals))) == names.end()) continue;
    if (equals != std::string::npos) value = words[i].substr(equals + 1);
    if (equals == std::string::npos && i + 1 < words.size()) value = words[i + 1];
  }
  return value;
}

/// Throws InputError unless it is a number from 1 to `most`.
unsigned parsed(const std::string& text, const std::string& name, unsigned most) {
  const auto number = traces::whole_number(text);
  if (!number || *number == 0 || *number > most)
    throw InputError({name, "", "a number from 1 to " + std::to_string(most), text});
  return static_cast<unsigned>(*number);
}

}  // namespace

bool EngineServer::is_started_by(const Words& words) const {
  const std::string name = std::filesystem::path(words.front()).filename();
  const bool is_command = words.size() > 1 && name + " " + words[1] == command;
  return is_command || std::ranges::find(words, module) != words.end();
}

unsigned EngineServer::ranks(const Words& words) const {
  constexpr unsigned most = 1U << 10;
  unsigned ranks = 1;
  for (const Words& names : {tensor_parallelism, pipeline_parallelism})
    if (const auto value = value_of(words, names)) ranks *= parsed(*value, names.front(), most);
  return ranks;
}

std::vector<EngineServer> engine_servers() { return {vllm_server(), sglang_server()}; }

std::optional<EngineServer> server_of(const Words& words) {
  for (EngineServer& server : engine_servers())
    if (server.is_started_by(words)) return std::move(server);
  return std::nullopt;
}

std::string utilization_option(const std::string& engine) {
  const std::vector<EngineServer> servers = engine_servers();
  const auto found = std::ranges::find(servers, engine, &EngineServer::engine);
  return found == servers.end() ? servers.front().utilization : found->utilization;
}

std::optional<std::uint16_t> named_port(const Words& words) {
  constexpr unsigned last_port = 65535;
  const auto port = value_of(words, {"--port"});
  if (!port) return std::nullopt;
  return static_cast<std::uint16_t>(parsed(*port, "--port", last_port));
}

void append_words(const Words& more, Words& words) {
  words.insert(words.end(), more.begin(), more.end());
}

}  // namespace vramlab::tools
