#include "tools/kit/messages/messages.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/printers/json_text.h"
#include "traces/files/input_error.h"

namespace vramlab::tools {
namespace {

constexpr const char* variable = "VRAMLAB_MESSAGES";

/// Names of files and what was found in them may be any bytes.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char letter) { return letter < ' ' || letter == 127; }, '?');
  return text;
}

nlohmann::ordered_json error_json(const std::exception& error) {
  const auto* input = dynamic_cast<const traces::InputError*>(&error);
  if (input == nullptr) return {{"vramlab_message", "error"}, {"text", one_line(error.what())}};
  const traces::InputFault& fault = input->fault();
  return {{"vramlab_message", "input_error"},
          {"text", one_line(error.what())},
          {"file", fault.file},
          {"position", text_or_null(fault.position)},
          {"expected", fault.expected},
          {"found", fault.found}};
}

}  // namespace

MessageForm asked_message_form() {
  const char* value = std::getenv(variable);
  const std::string_view word = value == nullptr ? "" : value;
  if (word == "json") return MessageForm::json;
  if (word.empty() || word == "text") return MessageForm::text;
  throw traces::InputError({variable, "", "text or json", std::string(word)});
}

std::string error_message(const std::exception& error, MessageForm form) {
  if (form == MessageForm::text) return "vramlab: " + one_line(error.what()) + "\n";
  return compact_json_text(error_json(error)) + "\n";
}

std::string progress_message(const std::string& what, const traces::ReadProgress& progress) {
  return compact_json_text({{"vramlab_message", "progress"},
                            {"what", what},
                            {"bytes_read", progress.bytes_read},
                            {"bytes_total", or_null(progress.bytes_total)}}) +
         "\n";
}

}  // namespace vramlab::tools
