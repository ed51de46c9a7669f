// PageBytes: numbers as few bytes, as the report page reads them (tools/web/report/src/bytes.ts):
// seven bits a byte, the lowest first, the top bit set where more follow; signed ones with the sign
// in the lowest bit.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace vramlab::replay {

class PageBytes {
 public:
  void add(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }
  void add_signed(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    add(number < 0 ? ~(bits << 1) : bits << 1);
  }
  /// How far it is from `before` to `now`.
  void add_step(std::uint64_t before, std::uint64_t now) {
    add_signed(static_cast<std::int64_t>(now - before));
  }

  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Sections: where in a report page's bytes a list is, as its JSON says it: begin, length, count.

nlohmann::ordered_json add_section(std::string& bytes, const std::string& section,
                                   std::size_t count);
/// Each number as its distance from the one before, the first from 0.
nlohmann::ordered_json add_column_section(std::string& bytes,
                                          const std::vector<std::uint64_t>& numbers);

}  // namespace vramlab::replay
