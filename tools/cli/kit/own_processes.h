// The beginning of a process that a command makes by fork: its signals, its group and its standard
// streams.
#pragma once

#include <sys/types.h>
#include <string>

namespace vramlab::tools {

/// Signals of the terminal do not reach the process, and the end of its parent sends it the signal.
/// Called in the new process. Ends it if the parent is gone already.
void stand_alone(pid_t parent, int signal);

/// The output goes to a new file, the input is empty.
void take_standard_streams(const std::string& log);

/// The output and what is told go to these files, the input is empty.
void take_standard_streams(int output, int told);

}  // namespace vramlab::tools
