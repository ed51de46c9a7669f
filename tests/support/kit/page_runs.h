// The runs that a report page holds, unpacked.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/kit/memory_source.h"
#include "traces/io/byte_source.h"

namespace vramlab::tests {

inline std::string bytes_of_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char letter : text) {
    if (letter == '=') break;
    bits = bits << 6 | static_cast<unsigned>(letters.find(letter));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

/// The text of the page about each of its runs.
inline std::vector<nlohmann::json> runs_of_page(const std::string& page) {
  std::vector<nlohmann::json> runs;
  const std::string begin = "class=\"run\">";
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at)) {
    at += begin.size();
    const std::string bytes = traces::read_all(
        traces::open_bytes(
            support::make_memory_source(bytes_of_base64(page.substr(at, page.find('<', at) - at))),
            "page"),
        1 << 30);
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i)
      length |= std::size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    runs.push_back(nlohmann::json::parse(bytes.substr(4, length)));
  }
  return runs;
}

}  // namespace vramlab::tests
