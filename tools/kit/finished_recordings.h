// Recordings that libvramlab_preload.so left, one for each process, written whole under their
// names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/files/output_file.h"
#include "traces/formats/open_trace.h"

namespace vramlab::tools {

struct RecordingPart {
  std::string path;
  int process = 0;
  /// A process that became another program leaves a second one.
  int number = 1;
  std::uintmax_t bytes = 0;
};

struct FinishedRecordings {
  std::string output;
  traces::TraceFormat format = traces::TraceFormat::native_binary;
  traces::Overwrite overwrite = traces::Overwrite::refused;
};

/// Those whose name is `base`, a dot and what names a process; by process and number.
std::vector<RecordingPart> recording_parts(const std::string& base);

/// Writes one whole under this name and removes it. Throws InputError where it can't be read or
/// written; it stays then.
void finish_recording(const RecordingPart& part, const std::string& name,
                      const FinishedRecordings& to);

/// Writes each part whole and removes it. The output's name goes to the part of this process, else
/// to the largest; the others' names end in their process. Gives the names, the output's first.
/// Throws InputError where a part can't be read or written; it stays then.
std::vector<std::string> finish_recordings(std::vector<RecordingPart> parts, int process,
                                           const FinishedRecordings& to);

}  // namespace vramlab::tools
