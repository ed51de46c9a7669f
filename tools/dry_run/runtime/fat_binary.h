// Fat binaries: what nvcc puts into a program, code for several kinds of GPUs in one piece. From it
// follows which of them a GPU would run, without running any.
#pragma once

namespace vramlab::dry_run {

/// Each is 10 times the major plus the minor number.
struct CodeVersions {
  int ptx = 0;
  int binary = 0;
};

enum class CodeFit : unsigned char {
  /// What was registered has another form.
  unknown,
  fits,
  /// The program was not built for this GPU.
  none,
};
struct ChosenCode {
  CodeFit fit = CodeFit::unknown;
  CodeVersions versions{};
};

/// The code that the driver takes: machine code of the same major and the highest minor number,
/// else the newest intermediate code, which it compiles.
ChosenCode choose_code(const void* registered, int capability);

}  // namespace vramlab::dry_run
