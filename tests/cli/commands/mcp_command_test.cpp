// `vramlab mcp` from outside, as a client of the protocol.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>

#include "tests/support/kit/dry_run_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A server and the pipes to it.
class Client {
 public:
  Client() {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    EXPECT_EQ(pipe2(to.data(), O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(from.data(), O_CLOEXEC), 0);
    server_ = fork();
    if (server_ == 0) {
      dup2(to[0], STDIN_FILENO);
      dup2(from[1], STDOUT_FILENO);
      execl(vramlab_path.c_str(), vramlab_path.c_str(), "mcp", nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    input_ = to[1];
    output_ = fdopen(from[0], "r");
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() {
    if (server_ > 0) end();
    std::fclose(output_);
  }

  void send(const std::string& line) const {
    const std::string text = line + "\n";
    EXPECT_EQ(write(input_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void request(int id, const std::string& method, const json& parameters = json::object()) const {
    send(json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", parameters}}.dump());
  }
  void notify(const std::string& method, const json& parameters = json::object()) const {
    send(json{{"jsonrpc", "2.0"}, {"method", method}, {"params", parameters}}.dump());
  }
  void call(int id, const std::string& tool, const json& arguments) const {
    request(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
  }
  /// The next message; waits for it.
  json answer() const {
    std::string line;
    for (int letter = 0; (letter = std::fgetc(output_)) != EOF && letter != '\n';)
      line += static_cast<char>(letter);
    return json::parse(line, nullptr, false);
  }
  /// The result of a call, made and waited for.
  json result(const std::string& tool, const json& arguments) const {
    call(1, tool, arguments);
    return answer()["result"];
  }
  /// Ends the input; the exit status.
  int end() {
    close(input_);
    int status = 0;
    waitpid(server_, &status, 0);
    server_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t server_ = 0;
  int input_ = -1;
  FILE* output_ = nullptr;
};

class Mcp : public FolderTest {
 protected:
  Mcp() { signal(SIGPIPE, SIG_IGN); }

  /// A file at which a command waits until somebody writes into it.
  std::string file_to_wait_at() {
    std::string file = in_folder("waits.pickle");
    EXPECT_EQ(mkfifo(file.c_str(), 0600), 0);
    return file;
  }
  /// Until a process reads there.
  static void wait_for_reader(const std::string& file) {
    int writing = -1;
    while ((writing = open(file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) usleep(1000);
    held_open.push_back(writing);
  }
  ~Mcp() override {
    for (const int file : held_open) close(file);
    held_open.clear();
  }

  static inline std::vector<int> held_open;
};

json parsed_file(const std::string& path) { return json::parse(content_of(path), nullptr, false); }

TEST_F(Mcp, version_of_the_protocol_is_agreed_on) {
  const Client client;
  client.request(1, "initialize", {{"protocolVersion", "2025-06-18"}});
  const json known = client.answer();
  EXPECT_EQ(known["id"], 1);
  EXPECT_EQ(known["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(known["result"]["serverInfo"]["name"], "vramlab");
  client.notify("notifications/initialized");
  client.request(2, "initialize", {{"protocolVersion", "1999-01-01"}});
  EXPECT_EQ(client.answer()["result"]["protocolVersion"], "2025-11-25");
  client.request(3, "ping");
  EXPECT_EQ(client.answer(), (json{{"jsonrpc", "2.0"}, {"id", 3}, {"result", json::object()}}));
}

TEST_F(Mcp, tools_are_what_the_commands_declare) {
  const Client client;
  client.request(1, "tools/list");
  std::map<std::string, json> tools;
  const json listed = client.answer();
  for (const json& tool : listed["result"]["tools"]) tools[tool["name"]] = tool;
  std::vector<std::string> names;
  for (const auto& [name, tool] : tools) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("advise", "diff", "dry_run", "explain", "fit", "top"));
  for (const auto& [name, tool] : tools)
    EXPECT_THAT(tool["description"], Not(HasSubstr("?."))) << name;

  const json& explain = tools["explain"]["inputSchema"];
  EXPECT_EQ(explain["required"], json::array({"files"}));
  EXPECT_EQ(explain["properties"]["files"]["items"]["type"], "string");
  EXPECT_EQ(explain["properties"]["quick"]["type"], "boolean");
  EXPECT_EQ(explain["properties"]["device"]["type"], "integer");
  EXPECT_EQ(explain["properties"]["memory_fraction"]["type"], "number");
  EXPECT_EQ(explain["properties"]["frees"]["enum"], json::array({"recorded", "eager", "modelled"}));
  for (const char* const other : {"json", "format", "help", "list_gpus", "quiet"})
    EXPECT_FALSE(explain["properties"].contains(other)) << other;
  const json& top = tools["top"]["inputSchema"]["properties"];
  EXPECT_EQ(top["between"]["maxItems"], 2);
  EXPECT_FALSE(top.contains("folded"));
  EXPECT_FALSE(tools["diff"]["inputSchema"]["properties"].contains("output"));
  EXPECT_TRUE(tools["dry_run"]["inputSchema"]["properties"].contains("output"));
  EXPECT_EQ(tools["explain"]["outputSchema"],
            parsed_file(support::source_dir() + "/docs/reference/schemas/explain.schema.json"));
  EXPECT_EQ(tools["dry_run"]["outputSchema"],
            parsed_file(support::source_dir() + "/docs/reference/schemas/dry-run.schema.json"));
}

TEST_F(Mcp, answer_is_that_of_the_command) {
  const Client client;
  const json found = client.result("top", {{"files", {training}}, {"by", "size"}, {"limit", 3}});
  EXPECT_EQ(found["structuredContent"],
            run_json({"top", "--by", "size", "--limit", "3", training}));
  EXPECT_EQ(json::parse(found["content"][0]["text"].get<std::string>()),
            found["structuredContent"]);
  EXPECT_EQ(found["isError"], false);
  EXPECT_EQ(client.result("diff", {{"base", training},
                                   {"new", leak},
                                   {"fail_if", {"frees > 0"}}})["structuredContent"],
            json::parse(
                run_vramlab({"diff", training, leak, "--fail-if", "frees > 0", "--json"}).output));
  EXPECT_EQ(client.result("top", {{"files", training}, {"between", {5, 90}}})["structuredContent"],
            run_json({"top", training, "--between", "5", "90"}));
}

TEST_F(Mcp, wrong_arguments_are_told_to_who_asked) {
  const Client client;
  const auto told = [&](const std::string& tool, const json& arguments) {
    const json result = client.result(tool, arguments);
    EXPECT_EQ(result["isError"], true) << result.dump();
    return result["content"][0]["text"].get<std::string>();
  };
  EXPECT_THAT(told("explain", json::object()), HasSubstr("expected 'files'"));
  EXPECT_THAT(told("explain", {{"files", {leak}}, {"devise", 1}}),
              HasSubstr("no argument 'devise'; the nearest is device"));
  EXPECT_THAT(told("explain", {{"files", {leak}}, {"quick", "yes"}}),
              HasSubstr("quick: expected true or false, found \"yes\""));
  EXPECT_THAT(told("explain", {{"files", {leak}}, {"gpu", {{"name", "h100"}}}}),
              HasSubstr("gpu: expected a text or a number, found object"));
  EXPECT_THAT(told("explain", {{"files", {leak}}, {"gpu", {"h100-80gb", "l4"}}}),
              HasSubstr("gpu: expected one value, found a list"));
  EXPECT_THAT(told("explain", {{"files", {leak}}, {"gpu", "h1000"}}), HasSubstr("h1000"));
  EXPECT_THAT(told("top", {{"files", {"missing.pickle"}}}), HasSubstr("missing.pickle"));
  // A name that begins like an option is a name.
  EXPECT_THAT(told("top", {{"files", {"--version"}}}), HasSubstr("--version"));
}

TEST_F(Mcp, messages_that_are_none_are_refused) {
  const Client client;
  const auto code_of = [&](const std::string& line) {
    client.send(line);
    return client.answer()["error"]["code"].get<int>();
  };
  EXPECT_EQ(code_of("{\"jsonrpc\""), -32700);
  EXPECT_EQ(code_of("[]"), -32600);
  EXPECT_EQ(code_of("{\"jsonrpc\":\"2.0\",\"id\":1}"), -32600);
  EXPECT_EQ(code_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}"), -32601);
  client.call(7, "format_disk", json::object());
  EXPECT_EQ(client.answer()["error"]["code"], -32602);
  // Notifications and empty lines have no answer.
  client.send("");
  client.notify("notifications/roots/list_changed");
  client.request(8, "ping");
  EXPECT_EQ(client.answer()["id"], 8);
}

TEST_F(Mcp, others_are_answered_while_a_call_runs_and_it_can_be_cancelled) {
  const Client client;
  const std::string file = file_to_wait_at();
  client.call(1, "explain", {{"files", {file}}});
  wait_for_reader(file);
  client.call(2, "top", {{"files", {leak}}});
  EXPECT_EQ(client.answer()["id"], 2);
  client.notify("notifications/cancelled", {{"requestId", 1}});
  // The process of the call is gone: nobody can read there.
  while (!held_open.empty()) {
    close(held_open.back());
    held_open.pop_back();
  }
  int writing = -1;
  while ((writing = open(file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) >= 0) {
    close(writing);
    usleep(1000);
  }
  client.request(3, "ping");
  EXPECT_EQ(client.answer()["id"], 3);
}

TEST_F(Mcp, calls_end_with_the_input) {
  Client client;
  const std::string file = file_to_wait_at();
  client.call(1, "explain", {{"files", {file}}});
  wait_for_reader(file);
  EXPECT_EQ(client.end(), 0);
  EXPECT_EQ(::write(held_open.back(), "x", 1), -1);
}

TEST_F(Mcp, progress_is_told_to_who_wants_it) {
  const Client client;
  client.request(1, "tools/call",
                 {{"name", "advise"},
                  {"arguments", {{"files", {training}}}},
                  {"_meta", {{"progressToken", "tok"}}}});
  std::size_t count = 0;
  json message = client.answer();
  for (; message.contains("method"); message = client.answer()) {
    EXPECT_EQ(message["method"], "notifications/progress");
    EXPECT_EQ(message["params"]["progressToken"], "tok");
    EXPECT_EQ(message["params"]["progress"], ++count);
    EXPECT_THAT(message["params"]["message"], HasSubstr("training.vtrace"));
  }
  EXPECT_GT(count, 0U);
  EXPECT_EQ(message["id"], 1);
}

class McpDryRun : public DryRunTest {};

TEST_F(McpDryRun, program_runs_and_its_words_come_with_the_answer) {
  const Client client;
  const json found = client.result(
      "dry_run", {{"program", {"sh", "-c", "echo to output; echo to error >&2; exit 3"}}});
  EXPECT_EQ(found["isError"], false);
  EXPECT_EQ(found["structuredContent"]["exit_status"], 3);
  const std::string words = found["content"][1]["text"];
  EXPECT_THAT(words, HasSubstr("printed by the program:\n"));
  EXPECT_THAT(words, HasSubstr("to output\n"));
  EXPECT_THAT(words, HasSubstr("to error\n"));
}

TEST_F(McpDryRun, only_the_end_of_long_output_is_kept) {
  const Client client;
  const json found = client.result("dry_run", {{"program", {"seq", "100000"}}});
  const std::string words = found["content"][1]["text"];
  EXPECT_THAT(words, HasSubstr("\n100000\n"));
  EXPECT_THAT(words, Not(HasSubstr("\n1\n")));
  EXPECT_LT(words.size(), 10000U);
}

}  // namespace
}  // namespace vramlab::tests
