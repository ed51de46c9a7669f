#include "tools/kit/table_output.h"

#include <unistd.h>
#include <cstdio>
#include <utility>

#include "allocator/words/check.h"
#include "traces/files/input_error.h"

namespace vramlab::tools {
namespace {

std::string wanted_format(const TableOutput& output, const CommonFlags& flags,
                          const std::string& usual) {
  if (flags.json && !output.format.empty() && output.format != "json")
    throw traces::InputError({"--format", "", "json, or no --json", output.format});
  if (flags.json) return "json";
  if (!output.format.empty()) return output.format;
  if (output.path.ends_with(".json")) return "json";
  if (output.path.ends_with(".csv")) return "csv";
  return output.path.ends_with(".md") ? "markdown" : usual;
}

constexpr int end_of_waiting = SIGUSR1;

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void add_table_output(CLI::App& command, TableOutput& output) {
  command
      .add_option("--format", output.format,
                  "text, json, csv or markdown; without it, the output's ending says (.json, .csv, "
                  ".md), and otherwise it is text")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}));
  command.add_option("-o,--output", output.path, "Write to a file");
  command.add_flag("--force", output.may_overwrite, "Overwrite the output");
  command.add_option("--limit", output.row_limit, "Rows of text to show (0 for all)")
      ->capture_default_str();
}

OpenTableOutput::OpenTableOutput(const TableOutput& output, const CommonFlags& flags,
                                 const std::string& usual)
    : format_(wanted_format(output, flags, usual)) {
  if (output.path.empty()) {
    removal_.begin({});
    return;
  }
  file_.emplace(output.path,
                output.may_overwrite ? traces::Overwrite::allowed : traces::Overwrite::refused);
  removal_.begin({file_->temporary_path()});
}

void OpenTableOutput::write(const std::string& text) {
  if (!file_) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  file_->write(text);
  file_->finish();
}

RemovalOnInterrupt::RemovalOnInterrupt() {
  sigemptyset(&signals_);
  sigaddset(&signals_, end_of_waiting);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (!is_ignored(signal)) sigaddset(&signals_, signal);
  // Threads inherit this, so no other one is interrupted first.
  pthread_sigmask(SIG_BLOCK, &signals_, &signals_before_);
}

void RemovalOnInterrupt::begin(std::vector<std::string> paths) {
  check(!waiting_.joinable(), "files to remove are named once");
  paths_ = std::move(paths);
  waiting_ = std::thread([this] { wait_for_signal(); });
}

RemovalOnInterrupt::~RemovalOnInterrupt() {
  if (waiting_.joinable()) {
    pthread_kill(waiting_.native_handle(), end_of_waiting);
    waiting_.join();
  }
  pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
}

/// The program then ends as if nobody had waited: by the signal itself.
void RemovalOnInterrupt::wait_for_signal() const {
  int signal = 0;
  if (sigwait(&signals_, &signal) != 0 || signal == end_of_waiting) return;
  for (const std::string& path : paths_) unlink(path.c_str());
  sigset_t only_this;
  sigemptyset(&only_this);
  sigaddset(&only_this, signal);
  ::kill(getpid(), signal);
  pthread_sigmask(SIG_UNBLOCK, &only_this, nullptr);
}

}  // namespace vramlab::tools
