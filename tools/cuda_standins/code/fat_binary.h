// Fat binaries: what nvcc puts into a program, code for several kinds of GPUs in one piece. From it
// follows which of them a GPU would run, without running any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vramlab::dry_run {

/// Each is 10 times the major plus the minor number.
struct CodeVersions {
  int ptx = 0;
  int binary = 0;
};

enum class CodeFit : std::uint8_t {
  /// What was registered has another form.
  unknown,
  fits,
  /// The program was not built for this GPU.
  none,
};

/// Machine code as it lies in the program, mostly packed.
struct StoredCode {
  const char* at = nullptr;
  std::size_t stored_bytes = 0;
  std::size_t unpacked_bytes = 0;
};

struct ChosenCode {
  CodeFit fit = CodeFit::unknown;
  CodeVersions versions{};
  /// Empty where the driver would compile.
  std::vector<StoredCode> code{};
};

/// The code that the driver takes: machine code of the same major and the highest minor number,
/// else the newest intermediate code, which it compiles.
ChosenCode choose_code(const void* registered, int capability);

}  // namespace vramlab::dry_run
