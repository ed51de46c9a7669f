// `vramlab mcp`: a server of the Model Context Protocol, by which agents and editors ask the
// commands. A message is a line of JSON on standard input or output.
#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "tools/cli/commands/mcp/mcp_calls.h"
#include "tools/cli/commands/mcp/mcp_tools.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/interrupts.h"
#include "tools/cli/kit/numbered_folder.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

/// The first one is the answer to a client that asks for another.
constexpr std::array<std::string_view, 3> protocol_versions = {"2025-11-25", "2025-06-18",
                                                               "2024-11-05"};
constexpr std::string_view instructions =
    "vramlab replays recordings of GPU memory (PyTorch memory snapshots, profiler traces and "
    "others) and runs CUDA programs without a GPU. Paths are those of this machine; sizes are such "
    "as 80GiB; answers are bytes and events.";

/// Codes of JSON-RPC.
enum class RpcError : int {
  no_json = -32700,
  no_request = -32600,
  no_method = -32601,
  wrong_parameters = -32602,
  internal = -32603,
};

class McpServer {
 public:
  explicit McpServer(const CLI::App& program) : program_(program) {
    removal_.begin({folder_.path()});
  }

  /// Until the end of the input.
  void run();

 private:
  void wait();
  void take_input();
  void take_line(const std::string& line);
  void take_request(const ordered_json& id, const std::string& method,
                    const ordered_json& parameters);
  void take_notification(const std::string& method, const ordered_json& parameters);
  void start_call(const ordered_json& id, const ordered_json& parameters);
  void look_at_calls();

  static void send(const ordered_json& message) {
    print(compact_json_text(message) + "\n");
    flush_output();
  }
  static void answer(const ordered_json& id, const ordered_json& result) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
  }
  static void refuse(const ordered_json& id, RpcError code, const std::string& message) {
    send({{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
  }

  /// A name that no other call has had.
  std::string new_answer_file() {
    return folder_.path().string() + "/" + std::to_string(++answer_files_) + ".json";
  }

  const CLI::App& program_;
  RemovalOnInterrupt removal_;
  NumberedFolder folder_{scratch_place().folder + "/vramlab-mcp-" + std::to_string(geteuid())};
  std::size_t answer_files_ = 0;
  bool has_input_ = true;
  std::string input_;
  std::vector<std::unique_ptr<McpCall>> calls_;
};

/// The member, or an empty object.
ordered_json object_in(const ordered_json& message, const char* name) {
  const auto found = message.find(name);
  return found != message.end() && found->is_object() ? *found : ordered_json::object();
}

ordered_json member_or_null(const ordered_json& message, const char* name) {
  const auto found = message.find(name);
  return found == message.end() ? ordered_json() : *found;
}

ordered_json initialization(const ordered_json& parameters) {
  const std::string asked = text_in(parameters, "protocolVersion");
  const bool is_known = std::ranges::count(protocol_versions, asked) != 0;
  return {{"protocolVersion", is_known ? asked : std::string(protocol_versions.front())},
          {"capabilities", {{"tools", ordered_json::object()}}},
          {"serverInfo", {{"name", "vramlab"}, {"version", VRAMLAB_VERSION}}},
          {"instructions", instructions}};
}

void McpServer::run() {
  while (has_input_) {
    wait();
    if (has_input_) take_input();
    look_at_calls();
  }
  for (const auto& call : calls_) call->cancel();
}

/// Calls are looked at now and then, too: a process that a program left behind may hold the output
/// of a call that has ended.
void McpServer::wait() {
  constexpr int between_looks_ms = 50;
  std::vector<pollfd> files = {{STDIN_FILENO, POLLIN, 0}};
  for (const auto& call : calls_)
    for (const int file : {call->output(), call->told()})
      if (file >= 0) files.push_back({file, POLLIN, 0});
  poll(files.data(), files.size(), calls_.empty() ? -1 : between_looks_ms);
}

void McpServer::take_input() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, 0) <= 0) return;
  std::array<char, 65536> piece{};
  const ssize_t count = read(STDIN_FILENO, piece.data(), piece.size());
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) {
    has_input_ = false;
    return;
  }
  input_.append(piece.data(), static_cast<std::size_t>(count));
  for (std::size_t end = 0; (end = input_.find('\n')) != std::string::npos;) {
    const std::string line = input_.substr(0, end);
    input_.erase(0, end + 1);
    if (line.find_first_not_of(" \t\r") != std::string::npos) take_line(line);
  }
}

void McpServer::take_line(const std::string& line) {
  const ordered_json message = ordered_json::parse(line, nullptr, false);
  if (message.is_discarded()) {
    refuse(nullptr, RpcError::no_json, "expected a message of JSON in a line");
    return;
  }
  const std::string method = message.is_object() ? text_in(message, "method") : "";
  const ordered_json parameters =
      message.is_object() ? object_in(message, "params") : ordered_json::object();
  if (method.empty()) {
    // Answers, of which this server has asked for none, are passed over.
    if (!message.is_object() || !(message.contains("result") || message.contains("error")))
      refuse(nullptr, RpcError::no_request, "expected an object with a method");
  } else if (const ordered_json id = member_or_null(message, "id"); id.is_null()) {
    take_notification(method, parameters);
  } else {
    take_request(id, method, parameters);
  }
}

void McpServer::take_request(const ordered_json& id, const std::string& method,
                             const ordered_json& parameters) {
  if (method == "initialize") {
    answer(id, initialization(parameters));
  } else if (method == "ping") {
    answer(id, ordered_json::object());
  } else if (method == "tools/list") {
    answer(id, {{"tools", json_list(mcp_tools(), [this](const McpTool& tool) {
                   return mcp_tool_json(tool, program_);
                 })}});
  } else if (method == "tools/call") {
    start_call(id, parameters);
  } else {
    refuse(id, RpcError::no_method, "there is no method '" + method + "'");
  }
}

void McpServer::take_notification(const std::string& method, const ordered_json& parameters) {
  if (method != "notifications/cancelled") return;
  const ordered_json id = member_or_null(parameters, "requestId");
  for (const auto& call : calls_)
    if (call->request().id == id) call->cancel();
}

void McpServer::start_call(const ordered_json& id, const ordered_json& parameters) {
  const std::string name = text_in(parameters, "name");
  const auto tool = std::ranges::find(mcp_tools(), name, &McpTool::name);
  if (tool == mcp_tools().end()) {
    refuse(id, RpcError::wrong_parameters, "there is no tool '" + name + "'");
    return;
  }
  try {
    const std::string file = tool->answers_in_file ? new_answer_file() : "";
    auto words = mcp_words(*tool, program_, object_in(parameters, "arguments"), file);
    const auto token = member_or_null(object_in(parameters, "_meta"), "progressToken");
    calls_.push_back(
        std::make_unique<McpCall>(*tool, McpCall::Request{id, token}, std::move(words), file));
  } catch (const WrongToolArguments& wrong) {
    const ordered_json text = {{"type", "text"}, {"text", wrong.what()}};
    answer(id, {{"content", ordered_json::array({text})}, {"isError", true}});
  } catch (const std::system_error& refused) {
    refuse(id, RpcError::internal, refused.what());
  }
}

void McpServer::look_at_calls() {
  for (const auto& call : calls_) {
    for (const ordered_json& progress : call->read_some())
      send({{"jsonrpc", "2.0"}, {"method", "notifications/progress"}, {"params", progress}});
    if (call->has_ended() && !call->is_cancelled()) answer(call->request().id, call->result());
  }
  std::erase_if(calls_, [](const auto& call) { return call->has_ended(); });
}

struct McpArguments {
  const CLI::App* program = nullptr;
};

ExitStatus serve_agents(const McpArguments& arguments) {
  McpServer(*arguments.program).run();
  return ExitStatus::done;
}

void add_options(CLI::App& command, McpArguments& arguments) {
  arguments.program = command.get_parent();
}

}  // namespace

Command mcp_command() {
  return {"mcp", "Answer agents and editors that speak the Model Context Protocol",
          "Example: claude mcp add vramlab -- vramlab mcp",
          with<McpArguments>(add_options, serve_agents)};
}

}  // namespace vramlab::tools
