// `vramlab watch` from outside, with a fake PyTorch whose figures the programs set themselves.
#include <signal.h>
#include <unistd.h>

#include "tests/support/kit/command_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// `figures(allocated, reserved)` in MiB; `wait_until_asked()` returns after the command has had
/// the figures.
constexpr const char* watched_begin = R"(
import os, subprocess, sys, threading, torch
from torch import _C, cuda

def figures(allocated, reserved, failures=0):
    for name, value in (("allocated", allocated), ("reserved", reserved), ("inactive_split", 0)):
        for kind in ("current", "peak"):
            cuda.figures[f"{name}_bytes.all.{kind}"] = value << 20
    cuda.figures["num_ooms"] = failures

def wait_until_asked():
    from vramlab.torch import running
    tell, twice = running._running[0]._told, threading.Semaphore(0)
    def noted():
        twice.release()
        return tell()
    running._running[0]._told = noted
    for _ in range(2):
        assert twice.acquire(timeout=300)
)";

class Watch : public FolderTest {
 protected:
  /// A Python program below the command.
  ProgramResult watch(std::vector<std::string> chosen, const std::string& text,
                      const std::vector<std::string>& variables = {}) const {
    std::vector<std::string> command = {
        "/usr/bin/env", "PYTHONPATH=" + support::source_dir() + "/tests/python/fake_torch",
        "XDG_RUNTIME_DIR=" + folder};
    command.insert(command.end(), variables.begin(), variables.end());
    command.insert(command.end(), {vramlab_path, "watch"});
    chosen.insert(chosen.end(), {"-o", folder, "--json", in_folder("watch.json"), "--force"});
    command.insert(command.end(), chosen.begin(), chosen.end());
    command.insert(command.end(), {"--", "python3", "-B", "-c", watched_begin + text});
    return run_program(command);
  }
  json document() const { return json::parse(content_of(in_folder("watch.json")), nullptr, false); }
  /// No folder of a run is left.
  bool is_clean() const {
    return !std::filesystem::exists(in_folder("vramlab")) ||
           std::filesystem::is_empty(in_folder("vramlab"));
  }
};

TEST_F(Watch, sums_up_peaks_and_passes_the_exit_status_on) {
  const ProgramResult result =
      watch({}, "figures(3, 8)\nprint('its own')\nsys.exit(7)", {"RANK=2"});
  EXPECT_EQ(result.exit_status, 7);
  EXPECT_EQ(result.output, "its own\n");
  EXPECT_THAT(
      result.errors,
      AllOf(HasSubstr("1 process used memory of a GPU; the program ended with exit status 7"),
            ContainsRegex("\n     2 +[0-9]+  -c +0 +3.00 MiB +8.00 MiB +0 bytes +0\n")));
  const json process = document()["processes"][0];
  EXPECT_EQ(process["rank"], 2);
  EXPECT_EQ(process["state"], "ended");
  EXPECT_EQ(process["devices"][0]["peak_reserved_bytes"], 8 << 20);
  EXPECT_TRUE(is_clean());
}

TEST_F(Watch, prints_a_line_for_each_process_with_its_growth) {
  const ProgramResult result = watch(
      {"--every", "1"}, "figures(3, 8)\nwait_until_asked()\nfigures(5, 8)\nwait_until_asked()\n");
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("(-c), GPU 0: allocated 3.00 MiB, reserved 8.00 MiB, stranded"),
                    HasSubstr("allocated 5.00 MiB (+2.00 MiB), reserved 8.00 MiB")));
}

TEST_F(Watch, explains_an_out_of_memory_and_says_where) {
  const std::string history = in_folder("failed.pickle");
  ASSERT_EQ(run_vramlab({"replay", samples + "fragments.vtrace", "--device-memory", "1GiB",
                         "--on-oom", "skip", "--snapshot-out", history})
                .exit_status,
            0);
  const ProgramResult result = watch({"--max-entries", "500"},
                                     "from vramlab.torch import oom\noom._LONGEST_SECONDS = 300.0\n"
                                     "figures(3, 8, failures=1)\n_C.run_out_of_memory(3 << 30)\n"
                                     "print(_C.recorded[-1]['max_entries'])\n",
                                     {"FAKE_TORCH_HISTORY=" + history});
  EXPECT_EQ(result.output, "500\n");
  EXPECT_THAT(result.errors, AllOf(HasSubstr("out of memory on GPU 0"), HasSubstr("holds most")));
  const json process = document()["processes"][0];
  EXPECT_EQ(process["failures"], 1);
  const std::string explanation = process.value("explanation", "");
  EXPECT_THAT(result.errors, HasSubstr("  explanation        " + explanation + "\n"));
  EXPECT_THAT(explanation, testing::StartsWith(folder));
  EXPECT_THAT(content_of(explanation), HasSubstr("holds most"));
}

TEST_F(Watch, sums_up_all_processes_in_order_of_rank) {
  const ProgramResult result = watch({}, R"(
if "RANK" not in os.environ:
    for rank in (10, 9):
        subprocess.run([sys.executable, "-B", "-c", sys.orig_argv[-1]], check=True,
                       env={**os.environ, "RANK": str(rank)})
figures(int(os.environ.get("RANK", 1)), 32)
)");
  EXPECT_THAT(result.errors, HasSubstr("3 processes used memory of a GPU"));
  std::vector<json> found;
  const json summary = document();
  for (const json& process : summary["processes"]) found.push_back(process["rank"]);
  EXPECT_EQ(found, (std::vector<json>{9, 10, nullptr}));
}

TEST_F(Watch, keeps_the_last_figures_of_a_process_that_is_killed) {
  const ProgramResult result =
      watch({}, "figures(3, 8)\nwait_until_asked()\nos.kill(os.getpid(), 9)\n");
  EXPECT_EQ(result.exit_status, 128 + SIGKILL);
  EXPECT_THAT(result.errors, HasSubstr("was killed, or left without a word"));
  const json process = document()["processes"][0];
  EXPECT_EQ(process["state"], "gone");
  EXPECT_EQ(process["devices"][0]["peak_reserved_bytes"], 8 << 20);
  EXPECT_TRUE(is_clean());
}

TEST_F(Watch, lets_the_users_own_sitecustomize_run) {
  write("sitecustomize.py", "print('own one ran')\n");
  const ProgramResult result =
      watch({"-q"}, "figures(1, 1)\n",
            {"PYTHONPATH=" + folder + ":" + support::source_dir() + "/tests/python/fake_torch"});
  EXPECT_EQ(result.output, "own one ran\n");
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(document()["processes"].size(), 1U);
}

TEST_F(Watch, says_that_no_process_used_memory) {
  const ProgramResult result = run_vramlab({"watch", "--", "true"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.errors, HasSubstr("no process told of memory of a GPU"));
}

TEST_F(Watch, says_what_shells_say_of_a_program_that_cannot_run) {
  const ProgramResult missing = run_vramlab({"watch", "--", "/no/such/program"});
  EXPECT_EQ(missing.exit_status, 127);
  EXPECT_EQ(missing.errors, "vramlab: /no/such/program: No such file or directory\n");
}

TEST_F(Watch, refuses_before_the_program_runs) {
  expect_refused({"watch"}, "expected a PROGRAM after --, or --attach PID, found neither");
  expect_refused({"watch", "--json", write("a.json", ""), "--", "false"},
                 "a new file (or --force)");
  expect_refused({"watch", "-o", write("file", ""), "--", "false"}, "a folder to write to");
}

/// The command from within the program that it looks at.
constexpr const char* attach_to_itself =
    "\ndef attach(*words):\n"
    "    return subprocess.run([os.environ['VRAMLAB_PROGRAM'], 'watch', '--attach', "
    "str(os.getpid()), "
    "*words], check=False).returncode\n";

TEST_F(Watch, attaches_to_a_running_process_and_names_its_lines_of_code) {
  const std::string history = in_folder("leak.pickle");
  ASSERT_EQ(run_vramlab({"replay", leak, "--snapshot-out", history}).exit_status, 0);
  const ProgramResult result =
      watch({}, std::string(attach_to_itself) + "figures(3, 8)\nsys.exit(attach('--once'))\n",
            {"FAKE_TORCH_HISTORY=" + history, "RANK=4"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output,
              AllOf(ContainsRegex("rank 4, process [0-9]+ \\(-c\\)\n"),
                    ContainsRegex("\n    0 +3.00 MiB +8.00 MiB +0 bytes +3.00 MiB +8.00 MiB +0\n"),
                    HasSubstr("metrics/history.py:21 append")));
}

TEST_F(Watch, attached_shows_figures_until_the_process_ends) {
  const ProgramResult result = watch({}, R"(
figures(3, 8)
command = [os.environ["VRAMLAB_PROGRAM"], "watch", "--every", "1", "--attach", str(os.getpid())]
attached = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
print(attached.stdout.readline(), end="")
)");
  EXPECT_THAT(result.output,
              ContainsRegex("^vramlab: process [0-9]+ .-c., GPU 0: allocated 3.00 MiB"));
}

TEST_F(Watch, attached_needs_a_process_that_listens) {
  const ProgramResult ended = watch(
      {}, std::string(attach_to_itself) + "os.getpid = lambda: 4_190_000\nsys.exit(attach())\n");
  EXPECT_EQ(ended.exit_status, 2);
  EXPECT_THAT(ended.errors,
              HasSubstr("vramlab: --attach 4190000: expected a running process, found none\n"));
  expect_refused({"watch", "--attach", std::to_string(getpid())},
                 "expected a process of yours that vramlab watch or VRAMLAB=explain started");
  expect_refused({"watch", "--attach", "1", "--", "true"}, "found both");
  expect_refused({"watch", "--attach", "0"}, "1 to 4194304");
  expect_refused({"watch", "--once", "--", "true"}, "--attach");
}

}  // namespace
}  // namespace vramlab::tests
