// A native trace read and written again, to compare with.
#pragma once

#include <string>

namespace vramlab::support {

struct NativeRewriting {
  /// The text form of all that was read, up to an error.
  std::string text;
  /// The reader's error; empty where it read all.
  std::string error;
};

/// Reads the text form out of memory, given to the reader a number of bytes at a time.
NativeRewriting rewrite_native_text(const std::string& bytes,
                                    std::size_t bytes_at_a_time = 1 << 20);
/// The same for the binary form.
NativeRewriting rewrite_native_binary(const std::string& bytes,
                                      std::size_t bytes_at_a_time = 1 << 20);

/// The same for a script.
NativeRewriting rewrite_native_script(const std::string& bytes,
                                      std::size_t bytes_at_a_time = 1 << 20);

/// A text that is read without an error as a script.
std::string native_script_of(const std::string& text);
/// The binary form of a text that is read without an error.
std::string native_binary_of(const std::string& text);

}  // namespace vramlab::support
