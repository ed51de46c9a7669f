// The histories of one run: its processes leave them in a folder that is gone when the run is over,
// and those that were asked for get their names before.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tools/cli/commands/dry_run/process_notes.h"
#include "traces/io/byte_sink.h"

namespace vramlab::tools {

/// Before the program runs: throws InputError where the output has no folder, or is there.
void check_new_output(const std::string& path, traces::Overwrite overwrite);

struct NamedHistories {
  /// The process of the program itself.
  int process = 0;
  traces::Overwrite overwrite = traces::Overwrite::refused;
};

/// Each history gets the name that its process asked for. Where several asked for one name the
/// program's own process gets it, else the largest; the others' names end in their process. Gives
/// the names by process. Throws InputError where one can't be written.
std::map<int, std::string> name_histories(const std::vector<ProcessNotes>& processes,
                                          const NamedHistories& named);

}  // namespace vramlab::tools
