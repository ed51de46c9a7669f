// EngineServer: what `serve` knows of the server of an inference engine: by which words it is
// started, what its options are called, and what is sent to it. Each engine has a file that fills
// it in (vllm_server, sglang_server); its functions' names are in the hook for Python.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/commands/dry_run/dry_run_job.h"

namespace vramlab::tools {

using Words = std::vector<std::string>;

struct EngineServer {
  /// As the hook for Python tells it: `vllm`.
  std::string engine;
  /// The command that a user types, for messages: `vllm serve`.
  std::string command;
  /// The module that is the server: `vllm.entrypoints.openai.api_server`.
  std::string module;
  Words tensor_parallelism;
  Words pipeline_parallelism;
  /// The option with the share of the GPU that the engine may take.
  std::string utilization;
  /// For every run.
  Variables variables;

  /// Words for a rank that somebody else launches; empty if there is no such thing.
  Words words_alone;
  Variables variables_alone;

  /// Words without which it can't sleep; empty if it is not known how it does.
  Words words_to_sleep;
  Variables variables_to_sleep;

  std::string path_of_requests;
  /// The request with these prompts, which have ids of tokens, for answers of so many tokens.
  nlohmann::ordered_json (*request)(nlohmann::ordered_json prompts,
                                    std::uint64_t answer_tokens) = nullptr;

  bool is_started_by(const Words& words) const;
  /// The ranks that share a model: those of tensor and of pipeline parallelism, 1 unless named.
  /// Throws InputError.
  unsigned ranks(const Words& words) const;
};

EngineServer vllm_server();
EngineServer sglang_server();

/// All that are known.
std::vector<EngineServer> engine_servers();
/// The one that the words start; empty for another program.
std::optional<EngineServer> server_of(const Words& words);
/// Its option for the share of the GPU; that of the first one for an engine that is not known.
std::string utilization_option(const std::string& engine);

/// The port that the words name; empty without one. Throws InputError.
std::optional<std::uint16_t> named_port(const Words& words);

void append_words(const Words& more, Words& words);

}  // namespace vramlab::tools
