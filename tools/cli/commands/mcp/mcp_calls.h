// McpCall: a call of a tool of `vramlab mcp`. It is a process of its own, so a long one can be
// cancelled, and others go on meanwhile.
#pragma once

#include <sys/types.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/cli/commands/mcp/mcp_tools.h"

namespace vramlab::tools {

/// The end of what a program printed, as far as it is kept.
class LastWords {
 public:
  void add(std::string_view text);
  std::string lines() const;

 private:
  std::string text_;
};

class McpCall {
 public:
  struct Request {
    nlohmann::ordered_json id;
    /// Null if no progress is asked for.
    nlohmann::ordered_json progress_token;
  };

  /// Starts the process. `answer_file` is removed with the call. Throws
  /// std::system_error.
  McpCall(const McpTool& tool, Request request, std::vector<std::string> words,
          std::string answer_file);
  McpCall(const McpCall&) = delete;
  McpCall& operator=(const McpCall&) = delete;
  /// Ends the process and all that it started, if it still runs.
  ~McpCall();

  const Request& request() const { return request_; }
  /// The files to wait for; below 0 where all was read.
  int output() const { return output_; }
  int told() const { return told_; }

  /// Reads what is there, and gives notifications of progress.
  std::vector<nlohmann::ordered_json> read_some();
  /// Whether the process has ended; all it said was read then.
  bool has_ended();
  /// The result of the request. Requires: it has ended.
  nlohmann::ordered_json result() const;

  /// Asks the process to end. There will be no answer.
  void cancel();
  bool is_cancelled() const { return is_cancelled_; }

 private:
  void take_told(std::string_view text);
  void take_line(const std::string& line);
  nlohmann::ordered_json document() const;

  const McpTool& tool_;
  Request request_;
  std::string answer_file_;
  pid_t process_ = 0;
  int status_ = 0;
  int output_ = -1;
  int told_ = -1;
  bool is_cancelled_ = false;
  std::string answer_;
  /// The beginning of a line of which the end has not come.
  std::string line_;
  std::vector<std::string> errors_;
  LastWords words_;
  std::vector<nlohmann::ordered_json> progress_;
  std::size_t progress_count_ = 0;
};

}  // namespace vramlab::tools
