// `vramlab fit` from outside, with a fake PyTorch: the program holds 40 MiB, and an item of WIDTH
// MiB for each one of its batch.
#include <signal.h>

#include <set>
#include <sstream>

#include "tests/support/kit/dry_run_test.h"
#include "tests/support/processes/terminal.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* program_text = R"(
import os, subprocess, sys, torch
from torch import _C
torch.cuda.init()
batch = int(sys.argv[1])
if 'PARENTS' in os.environ:
    with open(os.environ['PARENTS'], 'a') as file:
        file.write(open('/proc/%d/stat' % os.getppid()).read().rpartition(')')[2].split()[1] + '\n')
how = sys.argv[2] if len(sys.argv) > 2 else ''
width = int(os.environ.get('WIDTH', '20'))
if how == 'ignores':
    batch = 1
if how == 'ranks':
    width += 10 * int(os.environ['RANK'])
if how == 'leaves':
    left = subprocess.Popen(['sleep', '1000'], start_new_session=True)
    open(os.environ['READY'] + str(left.pid), 'w').close()
if how == 'slow':
    import time
    time.sleep(0.7)
if how == 'fragmented':
    width = 25 if 'expandable' in os.environ.get('PYTORCH_CUDA_ALLOC_CONF', '') else 35
if how == 'odd' and batch % 2 == 0 and batch > 2:
    raise ValueError('odd')
if how == 'host' and batch > 4:
    raise MemoryError()
if how == 'loops' and batch > 4:
    while True:
        pass
if how == 'sleeps':
    open(os.environ['READY'] + str(os.getpid()), 'w').close()
    import time
    time.sleep(1000)
memory = os.environ['VRAMLAB_DRY_RUN_MEMORY']
room = 1 << 50 if memory == 'none' else int(memory)
asked = batch
def need(count):
    return (40 + width * count) << 20
if need(batch) > room:
    _C.run_out_of_memory(width << 20)
    if how != 'catches':
        raise RuntimeError('CUDA out of memory')
    while need(batch) > room:
        batch //= 2
scratch = '%s/made.%d.' % (os.environ['VRAMLAB_DRY_RUN_NOTES'], os.getpid())
with open(scratch + 'jsonl', 'w') as file:
    file.write('{"format":"vramlab-trace","version":1,"origin":"test","has_end":true}\n')
    if how == 'fragmented':
        for number, size in enumerate([40, 20 * batch, 10 * batch, 15 * batch]):
            file.write('{"malloc":%d,"bytes":%d}\n' % (number, size << 20))
            if number == 1:
                file.write('{"free":1}\n')
    else:
        for number in range(batch + 1):
            # The peak of a single sequence is another one, with more parameters.
            weights = 41 if how == 'kinds of two peaks' and batch == 1 else 40
            file.write('{"malloc":%d,"bytes":%d}\n' % (number + 1, (width if number else weights) << 20))
    file.write('{"end":true}\n')
words = [os.environ['VRAMLAB'], 'replay', scratch + 'jsonl', '--snapshot-out', scratch + 'pickle']
subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env={'PATH': os.environ['PATH']})
if how.startswith('kinds'):
    import pickle
    with open(scratch + 'pickle', 'rb') as file:
        snapshot = pickle.load(file)
    entries = snapshot['device_traces'][0]
    requests = [i for i, entry in enumerate(entries) if entry['action'] == 'alloc']
    weight = entries[requests[0]]
    marks = [number for i in requests[1:] for number in (i, 1, 1)] + [len(entries), 2, 0]
    snapshot['vramlab_kinds'] = {
        'format': 1, 'phases': ['other', 'forward', 'backward'], 'kinds': ['parameters'],
        'names': ['', 'layers.0', 'layers.0.weight'], 'troubles': [],
        'devices': [{'device': 0, 'marks': ' '.join(map(str, marks)),
                     'scans': ['%d %d 0 2 0' % (weight['addr'], weight['size'])],
                     'scanned': '%d 0' % (requests[0] + 1)}]}
    with open(scratch + 'pickle', 'wb') as file:
        pickle.dump(snapshot, file)
os.environ['FAKE_TORCH_SNAPSHOT'] = scratch + 'pickle'
print('batch', asked)
)";

class Fit : public DryRunTest {
 protected:
  /// The words of the command behind `vramlab fit`.
  std::vector<std::string> fit_words(const std::vector<std::string>& options,
                                     const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& variables = {}) const {
    const std::string script = write("program.py", program_text);
    std::vector<std::string> words = {
        "/usr/bin/env",
        "TMPDIR=" + in_folder("scratch"),
        "XDG_CACHE_HOME=" + in_folder("cache"),
        "VRAMLAB=" + vramlab_path,
        "READY=" + in_folder("ready"),
        "PYTHONPATH=" + support::source_dir() + "/tests/cuda_standins/command/fake_torch",
        "PYTHONDONTWRITEBYTECODE=1",
        vramlab_path,
        "fit"};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), variables.begin(), variables.end());
    words.insert(words.end(), {"python3", script});
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }

  ProgramResult fit(const std::vector<std::string>& options,
                    const std::vector<std::string>& arguments,
                    const std::vector<std::string>& variables = {}) const {
    return run_program(fit_words(options, arguments, variables));
  }

  json fit_json(std::vector<std::string> options, const std::vector<std::string>& arguments,
                const std::vector<std::string>& variables = {}, int status = 0) const {
    options.emplace_back("--json");
    const ProgramResult result = fit(options, arguments, variables);
    EXPECT_EQ(result.exit_status, status) << result.errors << result.output;
    return json::parse(result.output, nullptr, false);
  }

  void expect_no_files_left() const { EXPECT_THAT(files_left(), IsEmpty()); }
};

const std::vector<std::string> with_200_mib = {"--device-memory", "200MiB"};

TEST_F(Fit, largest_value_is_proven_by_two_runs) {
  const json answer = fit_json(with_200_mib, {"{batch:1..64}"});
  const json& row = answer["rows"][0];
  EXPECT_EQ(answer["searched"], "batch");
  EXPECT_EQ(row["largest"]["value"], "8");
  EXPECT_EQ(row["largest"]["end"], "fits");
  EXPECT_EQ(row["largest"]["peak_reserved_bytes"], 200 << 20);
  EXPECT_EQ(row["headroom_bytes"], 0);
  EXPECT_EQ(row["next"]["value"], "9");
  EXPECT_EQ(row["next"]["end"], "out of memory");
  EXPECT_EQ(row["next"]["exit_status"], 1);
  EXPECT_LE(answer["runs"].size(), 5U);
  expect_no_files_left();
}

TEST_F(Fit, the_kind_that_grows_is_named) {
  const ProgramResult result = fit(with_200_mib, {"{batch:1..64}", "kinds"});
  EXPECT_THAT(result.output, HasSubstr("20.00 MiB for each 1 of batch, of which 20.00 MiB "
                                       "activations; 40.00 MiB do not depend on it"));
  const json growth = fit_json(with_200_mib, {"{batch:1..64}", "kinds"})["rows"][0]["growth"];
  EXPECT_EQ(growth["bytes_for_one"], 20 << 20);
  EXPECT_EQ(growth["kinds"],
            json::parse(R"([{"kind": "activations", "bytes_for_one": 20971520.0}])"));
}

TEST_F(Fit, kinds_of_two_peaks_are_not_compared) {
  const ProgramResult few = fit(with_200_mib, {"{batch:1..64}", "kinds of two peaks"});
  EXPECT_THAT(few.output,
              HasSubstr("19.71 MiB for each 1 of batch; 42.29 MiB do not depend on it"));
  const ProgramResult more = fit({"--gpu", "a100-80gb", "--device-memory", "1000MiB"},
                                 {"{batch:1..64}", "kinds of two peaks"});
  EXPECT_THAT(more.output, HasSubstr("20.00 MiB for each 1 of batch, of which 20.00 MiB "
                                     "activations; 40.00 MiB do not depend on it"));
}

TEST_F(Fit, text_names_answer_proof_and_growth) {
  const ProgramResult result =
      fit({"--gpu", "a100-40gb", "--device-memory", "200MiB"}, {"{batch:1..64}"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  for (const char* const text :
       {"a100-40gb, 200.00 MiB", "batch=8, 200.00 MiB", "batch=8 runs through, batch=9 runs out of",
        "20.00 MiB for each 1 of batch; 40.00 MiB do not depend on it",
        "each run is a whole dry run", "PyTorch 2.6.0+fake"})
    EXPECT_THAT(result.output, HasSubstr(text));
}

TEST_F(Fit, nothing_fits_is_the_answer_no) {
  const ProgramResult result = fit({"--device-memory", "50MiB"}, {"{batch:1..64}"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.output, HasSubstr("none fits, needs 60.00 MiB"));
}

TEST_F(Fit, everything_may_fit) {
  const json answer = fit_json(with_200_mib, {"{batch:1..5}"});
  EXPECT_EQ(answer["rows"][0]["largest"]["value"], "5");
  EXPECT_EQ(answer["rows"][0]["next"], json());
}

TEST_F(Fit, others_are_a_grid_and_variables_count) {
  const json answer = fit_json(with_200_mib, {"{batch:1..64}"}, {"WIDTH={width:20,40,160,161}"});
  std::vector<json> largest;
  for (const json& row : answer["rows"])
    largest.push_back(row["largest"].is_null() ? json() : row["largest"]["value"]);
  EXPECT_THAT(largest, ElementsAre("8", "4", "1", json()));
  EXPECT_EQ(answer["rows"][1]["placeholders"], json({{"width", "40"}}));
}

TEST_F(Fit, grid_alone_says_what_fits) {
  const ProgramResult result = fit(with_200_mib, {"{batch:9,3}"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("batch=3  fits, 100.00 MiB, 100.00 MiB left"));
  EXPECT_THAT(result.output, HasSubstr("batch=9  does not fit, needs 220.00 MiB"));
}

TEST_F(Fit, derived_values_bound_the_search) {
  const json answer = fit_json(with_200_mib, {"{batch:1..64}", "x{accumulate=60/batch}"});
  EXPECT_EQ(answer["rows"][0]["largest"]["value"], "6");
  EXPECT_EQ(answer["rows"][0]["next"]["value"], "10");
}

TEST_F(Fit, template_is_filled_for_each_run) {
  const std::string config = write("run.py", "batch = '{batch:1..64}'\nrest = {'a': 1}\n");
  const std::string main = write("main.py", std::string("import sys\nscope = {}\n"
                                                        "exec(open(sys.argv[1]).read(), scope)\n"
                                                        "sys.argv[1] = scope['batch']\n") +
                                                program_text);
  std::vector<std::string> words =
      fit_words({"--device-memory", "200MiB", "--template", config, "--json"}, {config});
  words[words.size() - 2] = main;
  const ProgramResult result = run_program(words);
  EXPECT_EQ(result.exit_status, 0) << result.errors << result.output;
  EXPECT_EQ(json::parse(result.output, nullptr, false)["rows"][0]["largest"]["value"], "8");
}

TEST_F(Fit, gpus_of_the_same_properties_share_runs_without_a_limit) {
  const json answer =
      fit_json({"--gpu", "a100-40gb", "--gpu", "a100-80gb"}, {"{batch:1..64}"}, {"WIDTH=2048"});
  EXPECT_EQ(answer["rows"][0]["largest"]["value"], "19");
  EXPECT_EQ(answer["rows"][1]["largest"]["value"], "39");
  std::size_t without_limit = 0;
  for (const json& run : answer["runs"])
    if (run["memory_bytes"].is_null()) ++without_limit;
  EXPECT_LE(without_limit, 4U);
  EXPECT_LE(answer["runs"].size(), 9U);
}

TEST_F(Fit, other_gpus_are_proven_anew_and_need_no_lessons) {
  const json answer =
      fit_json({"--gpu", "a100-40gb", "--gpu", "rtx4090"}, {"{batch:1..64}"}, {"WIDTH=2048"});
  EXPECT_EQ(answer["rows"][1]["largest"]["value"], "11");
  for (const json& run : answer["runs"])
    EXPECT_TRUE(run["gpu"] == "a100-40gb" || !run["memory_bytes"].is_null()) << run;
}

TEST_F(Fit, option_strings_share_lessons) {
  const json answer =
      fit_json({"--device-memory", "200MiB", "--conf", "", "--conf", "expandable_segments:True"},
               {"{batch:1..64}"});
  ASSERT_EQ(answer["rows"].size(), 2U);
  EXPECT_EQ(answer["rows"][1]["conf"], "expandable_segments:True");
  EXPECT_EQ(answer["rows"][1]["largest"]["value"], "8");
  EXPECT_LE(answer["runs"].size(), 8U);
}

TEST_F(Fit, option_string_is_advised_if_a_run_proves_that_more_fits) {
  const std::vector<std::string> options = {"--device-memory", "200MiB", "--advise"};
  const json answer = fit_json(options, {"{batch:1..64}", "fragmented"});
  ASSERT_EQ(answer["rows"].size(), 2U) << answer;
  EXPECT_EQ(answer["rows"][0]["largest"]["value"], "4");
  const json& advised = answer["rows"][1];
  EXPECT_EQ(advised["is_advised"], true);
  EXPECT_EQ(advised["conf"], "expandable_segments:True");
  EXPECT_EQ(advised["largest"]["value"], "6");
  EXPECT_EQ(advised["next"]["end"], "out of memory");
  const ProgramResult result = fit(options, {"{batch:1..64}", "fragmented"});
  EXPECT_THAT(result.output, HasSubstr("with               expandable_segments:True: batch=6"));
}

TEST_F(Fit, advice_may_be_that_nothing_helps) {
  const ProgramResult result = fit({"--device-memory", "200MiB", "--advise"}, {"{batch:1..64}"});
  EXPECT_THAT(result.output, HasSubstr("no other option string fits more, by replays under 5"));
}

TEST_F(Fit, point_of_a_grid_may_fit_with_the_advised_options_alone) {
  const ProgramResult result =
      fit({"--device-memory", "200MiB", "--advise"}, {"{batch:6,3}", "fragmented"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("batch=6  does not fit"));
  EXPECT_THAT(result.output, HasSubstr("expandable_segments:True (batch=6): fits"));
}

TEST_F(Fit, worst_of_ranks_decides_and_is_named) {
  const json answer =
      fit_json({"--device-memory", "200MiB", "--ranks", "0,last", "--world-size", "4"},
               {"{batch:1..64}", "ranks"});
  const json& row = answer["rows"][0];
  EXPECT_EQ(row["largest"]["value"], "3");
  EXPECT_EQ(row["largest"]["worst_process"], "rank 3");
  EXPECT_EQ(row["next"]["out_of_memory"]["process"], "rank 3");
  const ProgramResult grid =
      fit({"--device-memory", "200MiB", "--ranks", "0-last", "--world-size", "4"},
          {"{batch:2}", "ranks"});
  EXPECT_THAT(grid.output, HasSubstr("fits, 140.00 MiB, 60.00 MiB left, worst rank 3"));
}

TEST_F(Fit, report_has_pictures_and_all_runs) {
  const std::string page = in_folder("fit.html");
  const std::vector<std::string> options = {"--device-memory", "200MiB", "--report", page};
  EXPECT_EQ(fit(options, {"{batch:1..64}"}).exit_status, 0);
  const std::string text = content_of(page);
  for (const char* const part :
       {"batch=8 runs through", "aria-label=\"Peaks by batch\"", "class=\"memory\"",
        "batch=8 is the largest that fits on a100-80gb", "batch=9, a100-80gb: out of memory",
        "all others", "<h2>All runs</h2>"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  expect_refused_in_one_line(fit(options, {"{batch:1..64}"}), "expected a new file (or --force)");
}

TEST_F(Fit, report_of_a_grid_compares_its_points) {
  const std::string page = in_folder("grid.html");
  fit({"--device-memory", "200MiB", "--report", page}, {"{batch:9,3}"});
  EXPECT_THAT(content_of(page), HasSubstr("aria-label=\"Peaks of the grid\""));
}

TEST_F(Fit, table_grows_in_its_place_on_a_terminal) {
  const std::string again = "\033[2A  a100-80gb, 200.00 MiB";
  const std::string text =
      printed_on_terminal(fit_words(with_200_mib, {"{batch:1..64}", "slow"}), again);
  EXPECT_THAT(text, HasSubstr(again));
}

TEST_F(Fit, programs_that_leave_their_session_end_with_their_run) {
  fit_json(with_200_mib, {"{batch:1..64}", "leaves"});
  std::size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("ready")) continue;
    ++left;
    EXPECT_NE(kill(std::stoi(name.substr(5)), 0), 0) << name;
  }
  EXPECT_GT(left, 0U);
}

TEST_F(Fit, program_that_ignores_the_placeholder_is_told) {
  const ProgramResult result = fit(with_200_mib, {"{batch:1..64}", "ignores"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.output, HasSubstr("every history is the same: the program ignores {batch}"));
}

TEST_F(Fit, program_that_goes_on_with_less_does_not_fit) {
  const json answer = fit_json(with_200_mib, {"{batch:1..64}", "catches"});
  EXPECT_EQ(answer["rows"][0]["largest"]["value"], "8");
  EXPECT_EQ(answer["rows"][0]["next"]["end"], "went on with less");
}

TEST_F(Fit, other_errors_are_not_taken_for_memory) {
  const ProgramResult result = fit(with_200_mib, {"{batch:1..64}", "odd"});
  EXPECT_EQ(result.exit_status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("batch=8 ends with ValueError at "));
  EXPECT_THAT(result.output, HasSubstr("not out of memory"));
}

TEST_F(Fit, program_that_never_works_is_told_with_its_last_words) {
  const ProgramResult result = fit(with_200_mib, {"{batch:1..64}x"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.output, HasSubstr("batch=1 ended with ValueError at"));
  EXPECT_THAT(result.output, HasSubstr("| ValueError: invalid literal for int()"));
}

TEST_F(Fit, program_that_never_ends_is_ended_and_named) {
  const ProgramResult result =
      fit({"--device-memory", "200MiB", "--timeout", "2s"}, {"{batch:1..64}", "loops"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.output, HasSubstr("batch=8 did not end in time (--timeout)"));
  expect_no_files_left();
}

TEST_F(Fit, memory_of_the_host_is_not_taken_for_that_of_the_gpu) {
  const ProgramResult result = fit(with_200_mib, {"{batch:1..64}", "host"});
  EXPECT_EQ(result.exit_status, 2) << result.output;
  EXPECT_THAT(result.output, HasSubstr("did not get enough memory of the host"));
}

TEST_F(Fit, limits_count) {
  const json answer = fit_json({"--device-memory", "200MiB", "--fail-if", "peak_reserved > 150MiB"},
                               {"{batch:1..64}"});
  EXPECT_EQ(answer["rows"][0]["largest"]["value"], "5");
  EXPECT_EQ(answer["rows"][0]["next"]["end"], "over a limit");
}

TEST_F(Fit, proving_histories_are_kept) {
  const std::string proof = in_folder("proof");
  fit_json({"--device-memory", "200MiB", "-o", proof}, {"{batch:1..64}"});
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(proof))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  EXPECT_THAT(names, ElementsAre("batch=8.a100-80gb.pickle", "batch=9.a100-80gb.pickle"));
  EXPECT_EQ(run_json({"replay", proof + "/batch=8.a100-80gb.pickle"})["metrics"]["peak_reserved"],
            200 << 20);
  // A history of an earlier command stays, and the answer is told all the same.
  const ProgramResult again =
      run_program(fit_words({"--device-memory", "200MiB", "-o", proof}, {"{batch:1..64}"}));
  EXPECT_EQ(again.exit_status, 0) << again.errors;
  EXPECT_THAT(again.output, HasSubstr("batch=8"));
  EXPECT_THAT(again.output, HasSubstr("no history"));
}

TEST_F(Fit, a_folder_that_cannot_be_made_is_refused_before_the_runs) {
  const std::string file = write("file", "");
  const ProgramResult result = run_program(
      fit_words({"--device-memory", "200MiB", "-o", file + "/proof"}, {"{batch:1..64}"}));
  EXPECT_EQ(result.exit_status, 2) << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("batch=8")));
}

TEST_F(Fit, interrupt_tells_what_is_known_and_leaves_no_process) {
  std::vector<std::string> words = fit_words(with_200_mib, {"{batch:1..64}", "sleeps"});
  std::string command;
  for (const std::string& word : words) command += "'" + word + "' ";
  const ProgramResult result = run_program({"/bin/bash", "-c",
                                            command + "& while ! ls " + in_folder("ready") +
                                                "[0-9]* 2>/dev/null >&2 && kill -0 $!; do "
                                                "sleep 0.05; done; kill -TERM $!; wait $!"});
  EXPECT_EQ(result.exit_status, 130) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("not known yet"));
  EXPECT_THAT(result.output, HasSubstr("interrupted"));
  std::size_t programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("ready")) continue;
    ++programs;
    EXPECT_NE(kill(std::stoi(name.substr(5)), 0), 0) << name;
  }
  EXPECT_GT(programs, 0U);
  expect_no_files_left();
}

TEST_F(Fit, tables_for_programs) {
  const std::string csv =
      fit({"--device-memory", "200MiB", "--format", "csv"}, {"{batch:1..64}"}).output;
  EXPECT_THAT(csv, HasSubstr("gpu,memory_bytes,conf,batch,peak_reserved_bytes,headroom_bytes"));
  EXPECT_THAT(csv, HasSubstr("a100-80gb,209715200,,8,209715200,0,out of memory,"));
  const std::string markdown =
      fit({"--device-memory", "200MiB", "--format", "markdown"}, {"{batch:1..64}"}).output;
  EXPECT_THAT(markdown, HasSubstr("| a100-80gb |"));
}

TEST_F(Fit, runs_of_an_option_string_are_forks_of_one_interpreter) {
  const std::string parents = in_folder("parents");
  const auto interpreters_of = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--device-memory", "200MiB"});
    fit_json(options, {"{batch:1..64}"}, {"PARENTS=" + parents});
    std::istringstream lines(content_of(parents));
    std::filesystem::remove(parents);
    std::set<std::string> different;
    for (std::string line; std::getline(lines, line);) different.insert(line);
    return different.size();
  };
  EXPECT_EQ(interpreters_of({"--no-cache"}), 1U);
  EXPECT_EQ(interpreters_of({"--conf", "", "--conf", "expandable_segments:True"}), 2U)
      << "PyTorch may read the option string when it is imported";
}

TEST_F(Fit, known_runs_are_not_made_again_until_a_file_changes) {
  std::vector<std::string> words =
      fit_words({"--device-memory", "200MiB", "--json"}, {"{batch:1..64}"});
  const auto kept_of = [&] {
    const json answer = json::parse(run_program(words).output, nullptr, false);
    EXPECT_EQ(answer["rows"][0]["largest"]["value"], "8");
    std::vector<bool> kept;
    for (const json& run : answer["runs"]) kept.push_back(run["was_kept"]);
    return kept;
  };
  EXPECT_THAT(kept_of(), testing::Each(false));
  EXPECT_THAT(kept_of(), testing::Each(true));
  write("program.py", std::string(program_text) + "# changed\n");
  EXPECT_THAT(kept_of(), testing::Each(false));
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(words.size()) - 5, "--no-cache");
  EXPECT_THAT(kept_of(), testing::Each(false));
}

TEST_F(Fit, wrong_usage_is_refused_in_one_line) {
  const auto refused = [&](const std::vector<std::string>& options,
                           const std::vector<std::string>& arguments, const std::string& reason) {
    expect_refused_in_one_line(fit(options, arguments), reason);
  };
  refused({}, {"{batch:1..64}"}, "expected --gpu or --device-memory, found neither");
  refused(with_200_mib, {"5"}, "expected a placeholder in the command, such as {batch:1..512}");
  refused(with_200_mib, {"{batch}"}, "expected values in one place, such as {batch:1..512}");
  refused(with_200_mib, {"{batch:9..1}"}, "expected a range from the least value up");
  refused({"--device-memory", "200MiB", "--search", "seq"}, {"{batch:1..64}"},
          "--search: expected one of batch, found seq");
  refused({"--device-memory", "200MiB", "--template", "/no/such"}, {"{batch:1..64}"},
          "expected /no/such as a word of the command, found no such word");
  refused({"--gpu", "h100"}, {"{batch:1..64}"}, "'h100' may be several GPUs");
  expect_refused({"fit", "--device-memory", "1GiB", "--", "A={a:1..2}"},
                 "expected -- and a program, such as -- python train.py {batch:1..512}, found "
                 "variables alone");
}

TEST_F(Fit, missing_program_is_told) {
  const ProgramResult result =
      run_program({"/usr/bin/env", "TMPDIR=" + in_folder("scratch"), vramlab_path, "fit",
                   "--device-memory", "1GiB", "--", "/no/such/program", "{batch:1..9}"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.output, HasSubstr("ended with status 127"));
  EXPECT_THAT(result.output, HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace vramlab::tests
