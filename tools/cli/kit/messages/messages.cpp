#include "tools/cli/kit/messages/messages.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

constexpr const char* variable = "VRAMLAB_MESSAGES";

/// Names of files and what was found in them may be any bytes.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char letter) { return letter < ' ' || letter == 127; }, '?');
  return text;
}

std::string text_line(const std::exception& error) {
  return "vramlab: " + one_line(error.what()) + "\n";
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
  if (form == MessageForm::text) return text_line(error);
  return compact_json_text({{"vramlab_message", "error"}, {"text", one_line(error.what())}}) + "\n";
}

std::string error_message(const traces::InputError& error, MessageForm form) {
  if (form == MessageForm::text) return text_line(error);
  const traces::InputFault& fault = error.fault();
  return compact_json_text({{"vramlab_message", "input_error"},
                            {"text", one_line(error.what())},
                            {"file", fault.file},
                            {"position", text_or_null(fault.position)},
                            {"expected", fault.expected},
                            {"found", fault.found}}) +
         "\n";
}

std::string progress_message(const std::string& what, const traces::ReadProgress& progress) {
  return compact_json_text({{"vramlab_message", "progress"},
                            {"what", what},
                            {"bytes_read", progress.bytes_read},
                            {"bytes_total", or_null(progress.bytes_total)}}) +
         "\n";
}

}  // namespace vramlab::tools
