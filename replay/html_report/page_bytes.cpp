#include "replay/html_report/page_bytes.h"

#include <nlohmann/json.hpp>

namespace vramlab::replay {

nlohmann::ordered_json add_section(std::string& bytes, const std::string& section,
                                   std::size_t count) {
  nlohmann::ordered_json place = {bytes.size(), section.size(), count};
  bytes += section;
  return place;
}

nlohmann::ordered_json add_column_section(std::string& bytes,
                                          const std::vector<std::uint64_t>& numbers) {
  PageBytes packed;
  std::uint64_t before = 0;
  for (const std::uint64_t number : numbers) {
    packed.add_step(before, number);
    before = number;
  }
  return add_section(bytes, packed.bytes(), numbers.size());
}

}  // namespace vramlab::replay
