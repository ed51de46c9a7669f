// Sections: where in a report page's bytes a list is, as its JSON says it: begin, length, count.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace vramlab::replay {

nlohmann::ordered_json add_section(std::string& bytes, const std::string& section,
                                   std::size_t count);
/// Each number as its distance from the one before, the first from 0.
nlohmann::ordered_json add_column_section(std::string& bytes,
                                          const std::vector<std::uint64_t>& numbers);

}  // namespace vramlab::replay
