#include "tools/printers/json_text.h"

#include <nlohmann/json.hpp>

namespace vramlab::tools {
namespace {

std::string dumped(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string json_text(const nlohmann::ordered_json& document) { return dumped(document, 2) + "\n"; }

std::string compact_json_text(const nlohmann::ordered_json& value) {
  constexpr int no_indent = -1;
  return dumped(value, no_indent);
}

}  // namespace vramlab::tools
