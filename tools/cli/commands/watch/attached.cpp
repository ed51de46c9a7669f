#include "tools/cli/commands/watch/attached.h"

#include <time.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/cli/commands/top/held_lines.h"
#include "tools/cli/commands/watch/asking.h"
#include "tools/cli/commands/watch/watch_folder.h"
#include "tools/cli/commands/watch/watch_text.h"
#include "tools/cli/commands/watch/watched_processes.h"
#include "tools/cli/kit/interrupts.h"
#include "tools/cli/kit/numbered_folder.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

constexpr std::chrono::seconds longest_for_figures(10);
/// A long history takes PyTorch seconds to write.
constexpr std::chrono::seconds longest_for_recording(120);
/// A recording stops the program for a moment.
constexpr std::uint64_t looks_for_each_recording = 10;
constexpr std::uint64_t shown_lines_of_code = 8;

std::filesystem::path listening_place(int process) {
  if (const auto socket = socket_of(process)) return *socket;
  const std::string option = "--attach " + std::to_string(process);
  if (!std::filesystem::exists("/proc/" + std::to_string(process)))
    throw traces::InputError({option, "", "a running process", "none"});
  throw traces::InputError({option, "",
                            "a process of yours that vramlab watch or VRAMLAB=explain started and "
                            "that has used CUDA",
                            "another one"});
}

enum class FigureForm : unsigned char { table, lines };

/// Asks one process again and again.
class Attached {
 public:
  explicit Attached(int process)
      : process_(process), socket_(listening_place(process)), scratch_("vramlab-attach") {
    removal_.begin({scratch_.path().string()});
  }

  bool is_running() const { return is_listening(socket_); }
  std::string figures(FigureForm form);
  /// The lines of code that hold most; a sentence if there is no recording.
  std::string lines_of_code() const;

 private:
  std::string answer_to(const std::string& question, std::chrono::milliseconds longest) const {
    return answers_to(question, {socket_}, longest).front();
  }

  int process_;
  std::filesystem::path socket_;
  RemovalOnInterrupt removal_;
  NumberedFolder scratch_;
  WatchedGrowth growth_;
};

std::string Attached::figures(FigureForm form) {
  const auto told = watched_process_from(answer_to("figures", longest_for_figures));
  if (!told)
    return "vramlab: process " + std::to_string(process_) + ": no answer within " +
           std::to_string(longest_for_figures.count()) + " s\n";
  if (form == FigureForm::table || told->devices.empty()) return watched_table(*told, growth_);
  return watched_lines({*told}, growth_);
}

std::string Attached::lines_of_code() const {
  const std::string file = (scratch_.path() / "recording.pickle").string();
  const std::string answer = answer_to("recording " + file, longest_for_recording);
  const auto told = nlohmann::ordered_json::parse(answer, nullptr, false);
  if (!told.is_object() || !text_in(told, "error").empty() || !std::filesystem::exists(file))
    return "  no recording of the lines of code: " +
           (told.is_object() ? text_in(told, "error") : std::string("no answer in time")) + "\n";
  try {
    std::string text = held_at_end(file, shown_lines_of_code);
    std::filesystem::remove(file);
    return text;
  } catch (const std::exception& error) {
    return "  the lines of code are not known: " + std::string(error.what()) + "\n";
  }
}

/// A terminal shows the newest figures only.
void clear_screen() {
  constexpr const char* home_and_clear = "\x1b[H\x1b[2J";
  std::fputs(home_and_clear, stdout);
}

void wait_seconds(std::uint64_t seconds) {
  const timespec pause{static_cast<time_t>(seconds), 0};
  nanosleep(&pause, nullptr);
}

}  // namespace

ExitStatus show_attached(const AttachQuestion& question) {
  Attached attached(question.process);
  const bool is_on_terminal = isatty(STDOUT_FILENO) != 0;
  const FigureForm form = is_on_terminal || question.once ? FigureForm::table : FigureForm::lines;
  std::string lines;
  for (std::uint64_t look = 0; attached.is_running(); ++look) {
    const std::string figures = attached.figures(form);
    const bool is_due = look % looks_for_each_recording == 0;
    if (is_due) lines = attached.lines_of_code();
    if (is_on_terminal && !question.once) clear_screen();
    print(figures + (is_on_terminal || is_due ? lines : ""));
    flush_output();
    if (question.once) return ExitStatus::done;
    wait_seconds(question.every_seconds);
  }
  tell("vramlab: process " + std::to_string(question.process) + " has ended\n");
  return ExitStatus::done;
}

}  // namespace vramlab::tools
