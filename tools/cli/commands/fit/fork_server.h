// ForkServer: an interpreter of Python that has PyTorch and the packages of a script loaded, and is
// forked for each run of the script (vramlab_dry_run/serving.py). So a run need not import them.
#pragma once

#include <sys/types.h>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/cli/commands/dry_run/dry_run_job.h"

namespace vramlab::tools {

/// Whether the words start a script in a file with an interpreter of Python and no options.
bool is_script_of_python(const std::vector<std::string>& words);

class ForkServer {
 public:
  /// Starts the interpreter. `arguments` has the program and what all runs share; the folder is for
  /// notes. Requires: the program is a script of Python.
  ForkServer(const DryRunArguments& arguments, const std::filesystem::path& folder);
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;
  /// Ends the interpreter.
  ~ForkServer();

  /// Waits until all is loaded. Returns why runs can't be forked; empty if they can.
  std::string wait_until_ready(const std::function<bool()>& is_stopped) const;

  /// The number of the socket for requests, which a run inherits.
  int control() const { return control_; }

 private:
  int control_ = -1;
  pid_t process_ = 0;
};

struct ForkedEnd {
  pid_t process = 0;
  int status = 0;
  double processor_s = 0;
};

struct ForkedRun {
  int control = -1;
  std::string log;
  /// Told the process that minds the program, above all that the program starts.
  std::function<void(pid_t)> tell_minder;
};

/// Runs the program as a fork of the server, to its end and to that of all that it started, in the
/// process of a run. If somebody asks us to end, the program is asked to. Throws if the server is
/// gone.
ForkedEnd run_forked(const ForkedRun& run, const PreloadedProgram& program);

}  // namespace vramlab::tools
