// The words of a program that start the server of vLLM: its port, and how many ranks it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vramlab::tools {

/// Whether the words start the server of vLLM.
bool is_vllm_server(const std::vector<std::string>& words);

/// The port that the words name; empty without one. Throws InputError.
std::optional<std::uint16_t> named_port(const std::vector<std::string>& words);

/// The ranks that share a model: those of tensor and of pipeline parallelism, 1 unless named.
/// Throws InputError.
unsigned named_ranks(const std::vector<std::string>& words);

void append_words(const std::vector<std::string>& more, std::vector<std::string>& words);

}  // namespace vramlab::tools
