// Fat binaries: the code for several kinds of GPUs that nvcc puts into a program, which of it a GPU
// would run, and how packed code is unpacked. No code is run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vramlab::dry_run {

/// Each is 10 times the major plus the minor number.
struct CodeVersions {
  int ptx = 0;
  int binary = 0;
};

enum class CodeFit : std::uint8_t {
  /// The registered data has another form.
  unknown,
  fits,
  /// The program was not built for this GPU.
  none,
};

/// Machine code as the program has it, mostly packed.
struct StoredCode {
  const char* at = nullptr;
  std::size_t stored_bytes = 0;
  std::size_t unpacked_bytes = 0;
};

struct ChosenCode {
  CodeFit fit = CodeFit::unknown;
  CodeVersions versions{};
  /// Empty if the driver would compile.
  std::vector<StoredCode> code{};
};

/// The code that the driver takes: machine code of the same major and the highest minor number,
/// else the newest intermediate code, which it compiles.
ChosenCode choose_code(const void* registered, int capability);

// Packed machine code: blocks in the format of LZ4, as nvcc of CUDA 12 packs it, or of Zstandard,
// as that of CUDA 13 does. The latter needs libzstd.so.1 on the machine.

/// Empty if the bytes are no such block, or would become more than they say.
std::optional<std::vector<char>> unpack(std::span<const char> packed, std::size_t unpacked_bytes);

}  // namespace vramlab::dry_run
