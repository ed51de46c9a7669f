// A program of the user's with libraries of ours loaded into it (docs/guide/preload.md,
// docs/guide/dry_run.md).
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace vramlab::tools {

/// What becomes of the processes that a program leaves behind.
enum class LeftProcesses : unsigned char { stay, end };

struct PreloadedProgram {
  /// The program, as a shell finds it, and its arguments.
  std::vector<std::string> words;
  /// What is set in its environment besides LD_PRELOAD.
  std::vector<std::pair<std::string, std::string>> variables;
  /// In the order in which they are loaded.
  std::vector<std::filesystem::path> libraries;
  LeftProcesses left = LeftProcesses::stay;
};

/// As shells say it of a program that is not there, or that can't be run.
inline constexpr int program_not_found = 127;
inline constexpr int program_not_runnable = 126;

/// A program that a signal ended, plus the signal.
inline constexpr int ended_by_signal = 128;

struct ProgramEnd {
  int process = 0;
  /// As a shell says it: the program's own, 128 and the signal that ended it, or one of the two
  /// above.
  int status = 0;
};

/// libvramlab_preload.so. Throws where this build has none, and InputError where it is missing.
std::filesystem::path preload_library();

/// A file or a folder of ours: in the folder of this program's file, as it is built, or below that
/// of the libraries, where it is installed. Throws InputError.
std::filesystem::path find_own_file(const std::filesystem::path& built,
                                    const std::filesystem::path& installed);

/// Throws where this build has no libraries for other programs at all.
void require_own_libraries(const std::string& what);

/// Runs it to its end. Signals that somebody sends us are sent on to it; those of the terminal
/// reach it anyway. Throws InputError where LD_PRELOAD can't hold the name of a library.
ProgramEnd run_preloaded(const PreloadedProgram& program);

}  // namespace vramlab::tools
