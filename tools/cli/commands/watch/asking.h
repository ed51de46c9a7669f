// Questions to running processes, by the sockets on which they listen. All are asked at once, so
// one that is busy keeps no other from being heard.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace vramlab::tools {

/// Whether a process listens there.
bool is_listening(const std::filesystem::path& socket);

/// The answers in the order of the sockets; empty for those that did not answer in time.
std::vector<std::string> answers_to(const std::string& question,
                                    const std::vector<std::filesystem::path>& sockets,
                                    std::chrono::milliseconds longest);

}  // namespace vramlab::tools
