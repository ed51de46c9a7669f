// InputError: a file or an argument that is not as it must be. A sentence says which file, the
// place in it, what was expected and what was found. Texts that it quotes may hold anything, so a
// program that prints it shows control letters as escapes.
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
      : std::runtime_error(fault.file + (fault.position.empty() ? "" : " at " + fault.position) +
                           ": expected " + fault.expected + ", found " + fault.found),
        fault_(fault) {}

  const InputFault& fault() const { return fault_; }

 private:
  InputFault fault_;
};

/// Refuses the file as a whole.
[[noreturn]] inline void refuse_file(const std::string& file, const std::string& expected,
                                     const std::string& found) {
  throw InputError({file, "", expected, found});
}

}  // namespace vramlab::traces
