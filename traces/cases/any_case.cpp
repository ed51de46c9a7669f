#include "traces/cases/any_case.h"

#include <nlohmann/json.hpp>

#include "traces/cases/host_case_reader.h"
#include "traces/cases/option_case_reader.h"
#include "traces/cases/recorded_answers.h"
#include "traces/io/input_bytes.h"

namespace vramlab::traces {

AnyCase read_any_case(const std::string& path) {
  return parse_any_case(read_input_bytes(path), input_name(path));
}

AnyCase parse_any_case(std::string_view text, const std::string& file) {
  const nlohmann::json document = parse_json(text, file);
  const JsonValue top(document, file);
  if (document.is_array()) return parse_option_case(top, file);
  // Only a device has a size.
  if (document.is_object() && !document.contains("device") && document.contains("ops"))
    return parse_host_case(top);
  return parse_recorded_case(top);
}

}  // namespace vramlab::traces
