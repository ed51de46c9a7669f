// The only place where commands open recordings. With --verbose, standard error says each time that
// a file is read and that the history of a device is explained.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "replay/recording/recording.h"
#include "replay/replayer/replayer.h"
#include "traces/io/byte_source.h"

namespace vramlab::tools {

/// For commands that read the records themselves. `-` is standard input. Throws InputError.
traces::OpenTrace open_input(const std::string& path, traces::ProgressListener listener);
traces::OpenTrace open_input(traces::OpenBytes bytes);

/// Long recordings lie in scratch files. Throws InputError.
std::unique_ptr<replay::Recording> open_recording(
    const std::string& path, traces::ProgressListener listener,
    replay::OpenConditions conditions = {},
    traces::ShownMemory memory = traces::ShownMemory::device);
std::unique_ptr<replay::Recording> open_recording(traces::OpenTrace trace,
                                                  replay::OpenConditions conditions = {});

/// A file that is replayed.
struct ReplayedFile {
  std::unique_ptr<replay::Recording> recording;
  replay::Replayer replayer;
};
/// Throws InputError, also if there is nothing to replay.
ReplayedFile open_replayed(const std::string& path, traces::ProgressListener listener,
                           replay::OpenConditions conditions = {});

/// In a page, which runs command after command in one process, the file stays open for the next one
/// (tools/web/page/kept_file.cpp).
std::shared_ptr<ReplayedFile> open_kept(const std::string& path, traces::ProgressListener listener,
                                        replay::OpenConditions conditions = {});

/// Throws InputError for a program. `taker` names the command that takes recordings only.
void refuse_program(const replay::Recording& recording, const std::string& taker);

}  // namespace vramlab::tools
