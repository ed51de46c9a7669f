#include "tools/cli/commands/mcp/mcp_calls.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "tools/cli/kit/own_processes.h"
#include "tools/cli/printers/json_text.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_last_words = 8192;
/// How long a process may take to end once it is asked to, in steps of ten milliseconds.
constexpr int most_looks_at_end = 500;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

Pipe new_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "a pipe could not be made");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {ends[0], ends[1]};
}

void close_file(int& file) {
  if (file >= 0) close(file);
  file = -1;
}

[[noreturn]] void become_command(std::vector<std::string>& words, pid_t parent, int output,
                                 int told) {
  stand_alone(parent, SIGTERM);
  take_standard_streams(output, told);
  setenv("VRAMLAB_MESSAGES", "json", 1);
  std::string program = "/proc/self/exe";
  std::vector<char*> arguments = {program.data()};
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  constexpr int no_such_command = 127;
  _exit(no_such_command);
}

/// Reads as long as there is something; closes the file at its end.
std::string read_all_there_is(int& file) {
  std::string text;
  std::array<char, 65536> piece{};
  while (file >= 0) {
    const ssize_t count = read(file, piece.data(), piece.size());
    if (count > 0) {
      text.append(piece.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      close_file(file);
    } else if (errno == EAGAIN) {
      break;
    }
  }
  return text;
}

ordered_json text_block(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

/// `reading snapshot.pickle`, or a step of other work.
std::string progress_sentence(const ordered_json& message) {
  const std::string what = text_in(message, "what");
  return text_in(message, "vramlab_message") == "work" ? what + ": " + text_in(message, "step")
                                                       : "reading " + what;
}

}  // namespace

void LastWords::add(std::string_view text) {
  text_ += text;
  if (text_.size() > 2 * most_last_words) text_.erase(0, text_.size() - most_last_words);
}

std::string LastWords::lines() const {
  if (text_.size() <= most_last_words) return text_;
  const std::string end = text_.substr(text_.size() - most_last_words);
  const std::size_t line_end = end.find('\n');
  return line_end == std::string::npos ? end : end.substr(line_end + 1);
}

McpCall::McpCall(const McpTool& tool, Request request, std::vector<std::string> words,
                 std::string answer_file)
    : tool_(tool), request_(std::move(request)), answer_file_(std::move(answer_file)) {
  Pipe output = new_pipe();
  Pipe told = new_pipe();
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) become_command(words, parent, output.write_end, told.write_end);
  const int error = errno;
  close_file(output.write_end);
  close_file(told.write_end);
  output_ = output.read_end;
  told_ = told.read_end;
  if (process_ >= 0) return;
  close_file(output_);
  close_file(told_);
  throw std::system_error(error, std::generic_category(), "a process could not be started");
}

McpCall::~McpCall() {
  if (process_ > 0) {
    kill(process_, SIGTERM);
    for (int look = 0; look < most_looks_at_end && !has_ended(); ++look) poll(nullptr, 0, 10);
    if (process_ > 0) {
      kill(-process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
  }
  close_file(output_);
  close_file(told_);
  std::error_code ignored;
  std::filesystem::remove(answer_file_, ignored);
}

std::vector<ordered_json> McpCall::read_some() {
  // The standard output of the user's program is told, too.
  const std::string output = read_all_there_is(output_);
  if (tool_.answers_in_file)
    words_.add(output);
  else
    answer_ += output;
  take_told(read_all_there_is(told_));
  return std::exchange(progress_, {});
}

void McpCall::take_told(std::string_view text) {
  for (const char letter : text) {
    line_ += letter;
    if (letter == '\n') take_line(std::exchange(line_, {}));
  }
}

void McpCall::take_line(const std::string& line) {
  const ordered_json message = line.starts_with("{\"vramlab_message\"")
                                   ? ordered_json::parse(line, nullptr, false)
                                   : nullptr;
  if (!message.is_object()) {
    words_.add(line);
    return;
  }
  const std::string kind = text_in(message, "vramlab_message");
  if (kind == "error" || kind == "input_error") {
    errors_.push_back(text_in(message, "text"));
  } else if (kind != "progress" && kind != "work") {
    words_.add(text_in(message, "text") + "\n");
  } else if (!request_.progress_token.is_null()) {
    progress_.push_back({{"progressToken", request_.progress_token},
                         {"progress", ++progress_count_},
                         {"message", progress_sentence(message)}});
  }
}

bool McpCall::has_ended() {
  if (process_ <= 0) return true;
  if (waitpid(process_, &status_, WNOHANG) != process_) return false;
  process_ = 0;
  read_some();
  if (!line_.empty()) take_line(std::exchange(line_, {}));
  return true;
}

ordered_json McpCall::document() const {
  if (!tool_.answers_in_file) return ordered_json::parse(answer_, nullptr, false);
  std::ifstream file(answer_file_, std::ios::binary);
  return ordered_json::parse(std::string{std::istreambuf_iterator<char>(file), {}}, nullptr, false);
}

ordered_json McpCall::result() const {
  const ordered_json found = document();
  const std::string words = words_.lines();
  ordered_json content = ordered_json::array();
  for (const std::string& error : errors_) content.push_back(text_block(error));
  if (found.is_object()) content.push_back(text_block(compact_json_text(found)));
  if (!words.empty())
    content.push_back(text_block((tool_.runs_program ? "printed by the program:\n" : "") + words));
  if (!found.is_object()) {
    if (content.empty()) content.push_back(text_block("the command ended without an answer"));
    return {{"content", content}, {"isError", true}};
  }
  return {{"content", content}, {"structuredContent", found}, {"isError", false}};
}

void McpCall::cancel() {
  is_cancelled_ = true;
  if (process_ > 0) kill(process_, SIGTERM);
}

}  // namespace vramlab::tools
