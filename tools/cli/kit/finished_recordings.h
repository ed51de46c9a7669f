// Recordings that libvramlab_preload.so left, one for each process, written whole under their
// names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "traces/formats/open_trace.h"
#include "traces/io/byte_sink.h"

namespace vramlab::tools {

struct RecordingPart {
  std::string path;
  /// What its process made of the name that the user gave.
  std::string output;
  int process = 0;
  /// A process that became another program leaves a second one.
  int number = 1;
  std::uintmax_t bytes = 0;
};

struct FinishedRecordings {
  traces::TraceFormat format = traces::TraceFormat::native_binary;
  traces::Overwrite overwrite = traces::Overwrite::refused;
  /// A file that is younger belongs to another command that writes the same output.
  std::filesystem::file_time_type begun = std::filesystem::file_time_type::clock::now();
};

/// Those in the folder whose name is that of an output, the mark, a dot and what names a process;
/// by process and number.
std::vector<RecordingPart> recording_parts(const std::filesystem::path& folder,
                                           const std::string& mark);

/// Writes one whole under this name and removes it. Throws InputError where it can't be read or
/// written; it stays then.
void finish_recording(const RecordingPart& part, const std::string& name,
                      const FinishedRecordings& to);

/// Writes each part whole and removes it. An output's name goes to the part of this process, else
/// to the largest; the others' names end in their process. So do those of all, if another command
/// has taken the output meanwhile. Gives the names. Throws InputError where a part can't be read or
/// written; it stays then.
std::vector<std::string> finish_recordings(const std::vector<RecordingPart>& parts, int process,
                                           const FinishedRecordings& to);

}  // namespace vramlab::tools
