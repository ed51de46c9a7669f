// Bytes as a text that can stand in an HTML page: packed with gzip, then written in base64.
#pragma once

#include <string>
#include <string_view>

namespace vramlab::traces {

std::string gzip_packed(std::string_view bytes);
std::string base64_text(std::string_view bytes);

}  // namespace vramlab::traces
