// The errors of CUDA's runtime: those that are answered here, the names and texts of all, and the
// answer of functions that are not written.
#pragma once

#include <atomic>
#include <span>
#include <string>

namespace vramlab::dry_run {

namespace error {

constexpr int success = 0;
constexpr int invalid_value = 1;
constexpr int invalid_configuration = 9;
constexpr int invalid_symbol = 13;
constexpr int invalid_channels = 20;
constexpr int invalid_direction = 21;
constexpr int no_driver = 35;
constexpr int missing_configuration = 52;
constexpr int invalid_function = 98;
constexpr int no_device = 100;
constexpr int invalid_device = 101;
constexpr int invalid_handle = 400;
constexpr int not_ready = 600;
constexpr int already_registered = 712;
constexpr int not_supported = 801;

}  // namespace error

/// The name and the text that programs see and compare.
struct ErrorText {
  int code;
  const char* name;
  const char* text;
};
std::span<const ErrorText> error_texts();

// Functions of the runtime that are not written answer "not supported". Each use is noted, so that
// the report of a run can name them.

/// The calls of one function; after this many it is silent.
struct UnknownFunction {
  static constexpr int most_notes = 100;
  const char* name;
  std::atomic<int> calls = 0;
};

/// Makes a note for the report, if the driver is the stand-in.
void note(const char* kind, const std::string& subject);

/// Notes the call, and answers cudaErrorNotSupported.
int call_unknown(UnknownFunction& function);

/// The same for a function that no version here has a name for. Called from programs with a newer
/// runtime linked into them (tools/cuda_standins/linked_runtime).
extern "C" int vramlab_dry_run_unknown_runtime_function(const char* name);

}  // namespace vramlab::dry_run
