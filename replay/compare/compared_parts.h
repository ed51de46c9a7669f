// What a compared file is made of, each part read by itself: groups of held blocks, the metrics of
// a program or of a recording, and reports that were written as JSON.
#pragma once

#include <string>

#include "replay/compare/compared_file.h"

namespace vramlab::replay {

/// Who held memory, from one pass over the file; two more where positions tell blocks apart.
void add_groups(const std::string& path, const CompareConditions& conditions,
                const traces::ProgressListener& listener, ComparedFile& compared);

/// Replays the program, twice where it is looked at before its end.
void add_program_metrics(const std::string& path, const CompareConditions& conditions,
                         const traces::ProgressListener& listener, ComparedFile& compared);

/// Counted from the recording itself.
void add_recorded_metrics(const std::string& path, const CompareConditions& conditions,
                          const traces::ProgressListener& listener, ComparedFile& compared);

/// Nothing where the file is no JSON of vramlab's own commands.
std::optional<ComparedFile> read_report(const std::string& path,
                                        const CompareConditions& conditions);

}  // namespace vramlab::replay
