// InputError: a file or an argument that is not as it must be. A single line says which file, the
// place in it, what was expected and what was found.
#pragma once

#include <stdexcept>
#include <string>

namespace vramlab::traces {

struct InputFault {
  std::string file;
  /// Such as `byte 17` or `ops[3][1]`; empty where the file as a whole is refused.
  std::string position;
  std::string expected;
  std::string found;
};

class InputError : public std::runtime_error {
 public:
  explicit InputError(const InputFault& fault)
      : std::runtime_error(one_line(fault.file +
                                    (fault.position.empty() ? "" : " at " + fault.position) +
                                    ": expected " + fault.expected + ", found " + fault.found)),
        fault_(fault) {}

  const InputFault& fault() const { return fault_; }

 private:
  /// Texts that are quoted may hold anything, so line breaks and control letters become `?`.
  static std::string one_line(std::string text) {
    constexpr unsigned char first_letter = ' ';
    constexpr unsigned char deleted = 0x7f;
    for (char& letter : text) {
      // A char has a sign on some platforms only.
      const auto code = static_cast<unsigned char>(letter);
      if (code < first_letter || code == deleted) letter = '?';
    }
    return text;
  }

  InputFault fault_;
};

/// Refuses the file as a whole.
[[noreturn]] inline void refuse_file(const std::string& file, const std::string& expected,
                                     const std::string& found) {
  throw InputError({file, "", expected, found});
}

}  // namespace vramlab::traces
