// How every command prints JSON. Names of files and other texts may be any bytes, and JSON is
// UTF-8: what is no UTF-8 in a text becomes U+FFFD, the sign for a letter that is not known.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace vramlab::tools {

/// A whole document: two blanks for each level, and a line break behind it.
std::string json_text(const nlohmann::ordered_json& document);

/// Without blanks and line breaks, for what stands inside of something else.
std::string compact_json_text(const nlohmann::ordered_json& value);

}  // namespace vramlab::tools
