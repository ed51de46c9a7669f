#include "tools/cli/commands/serve/server_words.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
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
std::optional<std::string> value_of(const std::vector<std::string>& words,
                                    std::initializer_list<std::string_view> names) {
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

bool is_vllm_server(const std::vector<std::string>& words) {
  const std::string name = std::filesystem::path(words.front()).filename();
  const bool is_command = name == "vllm" && words.size() > 1 && words[1] == "serve";
  return is_command ||
         std::ranges::find(words, "vllm.entrypoints.openai.api_server") != words.end();
}

std::optional<std::uint16_t> named_port(const std::vector<std::string>& words) {
  constexpr unsigned last_port = 65535;
  const auto port = value_of(words, {"--port"});
  if (!port) return std::nullopt;
  return static_cast<std::uint16_t>(parsed(*port, "--port", last_port));
}

unsigned named_ranks(const std::vector<std::string>& words) {
  constexpr unsigned most = 1U << 10;
  unsigned ranks = 1;
  if (const auto tensor = value_of(words, {"--tensor-parallel-size", "-tp"}))
    ranks *= parsed(*tensor, "--tensor-parallel-size", most);
  if (const auto pipeline = value_of(words, {"--pipeline-parallel-size", "-pp"}))
    ranks *= parsed(*pipeline, "--pipeline-parallel-size", most);
  return ranks;
}

void append_words(const std::vector<std::string>& more, std::vector<std::string>& words) {
  words.insert(words.end(), more.begin(), more.end());
}

}  // namespace vramlab::tools
