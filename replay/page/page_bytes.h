// PageBytes: numbers as few bytes, as the report page reads them (tools/report_page/src/bytes.ts):
// seven bits a byte, the lowest first, the top bit set where more follow; signed ones with the sign
// in the lowest bit.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace vramlab::replay
