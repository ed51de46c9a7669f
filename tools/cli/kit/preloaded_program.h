// A program of the user's with libraries of ours loaded into it (docs/guide/preload.md,
// docs/guide/dry_run.md), and the recordings that libvramlab_preload.so left, one for each process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "traces/formats/open_trace.h"
#include "traces/io/byte_sink.h"

namespace vramlab::tools {

/// The fate of the processes that a program leaves behind.
enum class LeftProcesses : unsigned char { stay, end };

/// The place of the lines that a program prints.
enum class ProgramOutput : unsigned char { own, standard_error };

struct PreloadedProgram {
  /// The program, as a shell finds it, and its arguments.
  std::vector<std::string> words;
  /// Variables of its environment besides LD_PRELOAD.
  std::vector<std::pair<std::string, std::string>> variables;
  /// In the order in which they are loaded.
  std::vector<std::filesystem::path> libraries;
  LeftProcesses left = LeftProcesses::stay;
  ProgramOutput output = ProgramOutput::own;
  /// Asked again and again while the program runs: once true, the program is asked to end, and is
  /// killed if it has not ended a minute later. Without it, the program ends by itself.
  std::function<bool()> is_over = {};
};

/// The exit statuses of shells for a program that is missing, and for one that can't be run.
inline constexpr int program_not_found = 127;
inline constexpr int program_not_runnable = 126;

/// The exit status of a program that a signal ended is this plus the signal.
inline constexpr int ended_by_signal = 128;
/// The exit status that a shell would give for the status of a wait.
int exit_status_of(int waited);

struct ProgramEnd {
  int process = 0;
  /// The exit status that a shell would give: the program's own, or one of those above.
  int status = 0;
};

/// The path of libvramlab_preload.so. Throws if this build has none, and InputError if it is
/// missing.
std::filesystem::path preload_library();

/// The path of a file or folder of ours: beside this program in its build folder, or below the
/// folder of the libraries if it is installed. Throws InputError.
std::filesystem::path find_own_file(const std::filesystem::path& built,
                                    const std::filesystem::path& installed);

/// Throws if this build has no libraries for other programs at all.
void require_own_libraries(const std::string& what);

/// Replaces this process, a child made by fork, with the program. Throws InputError if LD_PRELOAD
/// can't hold the name of a library.
[[noreturn]] void become_preloaded(const PreloadedProgram& program);

/// Runs the program to its end. Signals that somebody sends us are passed on to it; those of the
/// terminal reach it anyway. Throws InputError if LD_PRELOAD can't hold the name of a library.
ProgramEnd run_preloaded(const PreloadedProgram& program);

/// The recording of one process, as libvramlab_preload.so left it.
struct RecordingPart {
  std::string path;
  /// The name that the user gave, as its process expanded it.
  std::string output;
  int process = 0;
  /// A process that became another program leaves a second one.
  int number = 1;
  std::uintmax_t bytes = 0;
};

struct FinishedRecordings {
  traces::TraceFormat format = traces::TraceFormat::native_binary;
  traces::Overwrite overwrite = traces::Overwrite::refused;
  /// A younger file belongs to another command that writes the same output.
  std::filesystem::file_time_type begun = std::filesystem::file_time_type::clock::now();
};

/// The parts in the folder: files whose name is that of an output, the mark, a dot and the process.
/// In order of process and number.
std::vector<RecordingPart> recording_parts(const std::filesystem::path& folder,
                                           const std::string& mark);

/// Writes the whole recording under this name and removes the part. Throws InputError if it can't
/// be read or written, and then keeps the part.
void finish_recording(const RecordingPart& part, const std::string& name,
                      const FinishedRecordings& to);

/// Writes each part whole, removes it and returns the names. The output's name goes to the part of
/// this process, else to the largest; the names of the others end in their process. If another
/// command has taken the output meanwhile, all names do. Throws InputError if a part can't be read
/// or written, and then keeps it.
std::vector<std::string> finish_recordings(const std::vector<RecordingPart>& parts, int process,
                                           const FinishedRecordings& to);

}  // namespace vramlab::tools
