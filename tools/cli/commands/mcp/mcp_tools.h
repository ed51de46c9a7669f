// The tools of `vramlab mcp`: each is a command whose arguments and options are the tool's
// arguments, as the command declares them.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vramlab::tools {

struct McpTool {
  std::string_view name;
  std::string_view command;
  /// Said behind the command's own sentence.
  std::string_view advice;
  /// It starts a program of the user's, which has the standard output, and may write files.
  bool runs_program = false;
  /// The JSON document goes to a file, as standard output is the program's.
  bool answers_in_file = false;
  /// The text of the schema of its answer.
  std::string_view (*answer_schema)() = nullptr;
};

const std::vector<McpTool>& mcp_tools();

/// The object of a tool in the answer to `tools/list`. `program` has all commands.
nlohmann::ordered_json mcp_tool_json(const McpTool& tool, const CLI::App& program);

/// Arguments of a call that its tool does not take.
class WrongToolArguments : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The words behind `vramlab` for a call. `answer_file` is for a tool that answers in one. Throws
/// WrongToolArguments.
std::vector<std::string> mcp_words(const McpTool& tool, const CLI::App& program,
                                   const nlohmann::ordered_json& arguments,
                                   const std::string& answer_file);

}  // namespace vramlab::tools
