// `vramlab dry-run` from outside, with programs that need no PyTorch, or a fake one.
#include <signal.h>

#include <fstream>

#include "tests/support/kit/dry_run_test.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The code of the fake PyTorch after CUDA came up.
constexpr const char* program_begin = "import os, torch\nfrom torch import _C\ntorch.cuda.init()\n";

class DryRun : public DryRunTest {
 protected:
  /// The architectures that the fake PyTorch has kernels for.
  std::string kernel_code;

  /// With the fake PyTorch; the program may use a recording as its history.
  ProgramResult dry_run_python(const std::vector<std::string>& options, const std::string& text,
                               const std::string& recording = "") const {
    const std::string tests = support::source_dir() + "/tests/cuda_standins/command/fake_torch";
    std::vector<std::string> program = {
        "env", "PYTHONPATH=" + support::binary_dir() + "/dry_run/python:" + tests};
    if (!recording.empty()) program.push_back("FAKE_TORCH_SNAPSHOT=" + recording);
    if (!kernel_code.empty()) program.push_back("FAKE_TORCH_CODE=" + kernel_code);
    for (const char* const word : {"python3", "-B", "-c"}) program.emplace_back(word);
    program.push_back(program_begin + text);
    return dry_run(options, program);
  }

  json summary() const {
    return json::parse(content_of(in_folder("summary.json")), nullptr, false);
  }

  /// A recording whose peaks are the same wherever segments lie.
  std::string recording_of(const std::string& sample) const {
    const std::string file = in_folder(sample + ".pickle");
    EXPECT_EQ(
        run_vramlab({"replay", samples + sample, "--snapshot-out", file, "--force"}).exit_status,
        0);
    return file;
  }
  std::string recording_without_ties() const { return recording_of("diffusion.vtrace"); }
  /// A recording whose history the fake PyTorch has.
  std::string recording() const {
    const std::string file = in_folder("leak.pickle");
    EXPECT_EQ(run_vramlab({"replay", leak, "--snapshot-out", file, "--force"}).exit_status, 0);
    return file;
  }
};

TEST_F(DryRun, ends_with_the_programs_own_status) {
  EXPECT_EQ(dry_run_shell("exit 7").exit_status, 7);
  EXPECT_EQ(dry_run_shell("kill -KILL $$").exit_status, 128 + SIGKILL);
  EXPECT_EQ(dry_run({}, {"true"}).exit_status, 0);
}

TEST_F(DryRun, passes_the_programs_own_words_on_as_they_are) {
  const ProgramResult result = dry_run(
      {}, {"printf", "<%s>", "--topks", "[5,20]", "a,b", "[]", "", "[[1,2],[3]]", "[a", "b]"});
  EXPECT_EQ(result.output, "<--topks><[5,20]><a,b><[]><><[[1,2],[3]]><[a><b]>");
}

TEST_F(DryRun, claims_nothing_of_a_program_that_a_signal_ended) {
  EXPECT_THAT(dry_run_shell("kill -KILL $$").errors,
              HasSubstr("ended by signal 9 (Killed) before it told anything"));
  EXPECT_THAT(dry_run_shell("exit 1").errors, HasSubstr("the program did not use CUDA"));
}

TEST_F(DryRun, tells_what_a_program_read_before_it_was_asked_to_end) {
  const std::string reads_and = R"(
import ctypes, signal
cuda, context, at = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_ulonglong()
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(64))
assert cuda.cuMemcpyDtoH_v2(ctypes.create_string_buffer(4), at, ctypes.c_size_t(4)) == 0
)";
  const std::string told =
      "host reads         1 place reads values of the GPU, which are made up here: <string>:11 "
      "<module>\n";
  EXPECT_THAT(dry_run_python({}, reads_and, recording_without_ties()).errors, HasSubstr(told));
  const ProgramResult asked = dry_run_python({}, reads_and + "os.kill(os.getpid(), signal.SIGTERM)",
                                             recording_without_ties());
  EXPECT_EQ(asked.exit_status, 128 + SIGTERM);
  EXPECT_THAT(asked.errors, HasSubstr(told));
  EXPECT_THAT(asked.errors, Not(HasSubstr("certainty")));

  const ProgramResult killed = dry_run_python(
      {"-o", in_folder("killed.pickle")},
      "import vramlab_dry_run.endings as endings, signal\n" + reads_and +
          "endings._write_report()\nos.unlink(os.path.join(os.environ['VRAMLAB_DRY_RUN_NOTES'], "
          "str(os.getpid()) + '.json'))\nos.kill(os.getpid(), signal.SIGKILL)",
      recording_without_ties());
  EXPECT_EQ(killed.exit_status, 128 + SIGKILL);
  EXPECT_THAT(killed.errors,
              HasSubstr("certainty          not known: signal 9 (Killed) ended the program before "
                        "it told what it read of the GPU"));
}

TEST_F(DryRun, says_what_shells_say_of_a_program_that_cannot_run) {
  const ProgramResult missing = dry_run({}, {"/no/such/program"});
  EXPECT_EQ(missing.exit_status, 127);
  EXPECT_EQ(missing.errors, "vramlab: /no/such/program: No such file or directory\n");
  EXPECT_EQ(dry_run({}, {"/tmp"}).exit_status, 126);
}

TEST_F(DryRun, passes_signals_on) {
  const ProgramResult result = run_program(
      {"/bin/sh", "-c",
       vramlab_path + " dry-run -- sh -c 'trap \"exit 5\" TERM; echo ready > " +
           in_folder("ready") +
           "; while :; do sleep 0.05; done' & vramlab=$!; while kill -0 $vramlab && ! [ -s " +
           in_folder("ready") + " ]; do sleep 0.05; done; kill -TERM $vramlab; wait $vramlab"});
  EXPECT_EQ(result.exit_status, 5) << result.errors;
}

TEST_F(DryRun, leaves_nothing_behind) {
  dry_run_shell("sleep 1000 & echo $! > " + in_folder("left"));
  const int left = std::stoi(content_of(in_folder("left")));
  EXPECT_NE(kill(left, 0), 0) << "the process that the program left is ended";
  EXPECT_THAT(files_left(), IsEmpty());
}

TEST_F(DryRun, output_of_the_program_is_its_own) {
  EXPECT_EQ(dry_run_shell("echo hello").output, "hello\n");
  EXPECT_EQ(dry_run({"--quiet"}, {"true"}).errors, "");
}

TEST_F(DryRun, sets_the_environment_of_the_stand_ins) {
  const ProgramResult result =
      dry_run({"--gpu", "h100-80gb", "--gpus", "2", "--conf", "expandable_segments:True",
               "--held-by-others", "1GiB", "--kernel-time", "3us", "--values", "ones"},
              {"env"});
  for (const char* const line :
       {"VRAMLAB_DRY_RUN=1\n", "VRAMLAB_DRY_RUN_GPU=h100-80gb\n", "VRAMLAB_DRY_RUN_GPUS=2\n",
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\n",
        "PYTORCH_ALLOC_CONF=expandable_segments:True\n", "VRAMLAB_DRY_RUN_HELD=1073741824\n",
        "VRAMLAB_DRY_RUN_KERNEL_NS=3000\n", "VRAMLAB_DRY_RUN_VALUES=ones\n",
        "/dry_run/lib/libcuda.so.1:"})
    EXPECT_THAT(result.output, HasSubstr(line));
}

TEST_F(DryRun, memory_is_that_of_the_gpu_unless_given) {
  const auto memory = [&](const std::vector<std::string>& options) {
    const std::string text = dry_run(options, {"env"}).output;
    const std::string name = "VRAMLAB_DRY_RUN_MEMORY=";
    const std::size_t begin = text.find(name) + name.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(memory({}), "none");
  EXPECT_EQ(memory({"--gpu", "a100-80gb"}), std::to_string((81050ULL - 500) << 20));
  EXPECT_EQ(memory({"--gpu", "a100-80gb", "--device-memory", "none"}), "none");
  EXPECT_EQ(memory({"--device-memory", "4GiB"}), std::to_string(4ULL << 30));
}

TEST_F(DryRun, summary_tells_what_the_history_says) {
  const ProgramResult result = dry_run_python({}, "", recording_without_ties());
  EXPECT_EQ(result.exit_status, 0);
  for (const char* const text :
       {"a100-80gb, no limit of memory; exit status 0", "peak allocated", "(exact)", "holds most",
        "smallest GPU", "runs this history", "advice", "certainty"})
    EXPECT_THAT(result.errors, HasSubstr(text));
  EXPECT_LE(std::ranges::count(result.errors, '\n'), 15);
}

TEST_F(DryRun, says_as_advise_does_that_no_setting_helps) {
  const std::string file = in_folder("history.pickle");
  const std::string words = "setting helps: the defaults are best";
  const ProgramResult result = dry_run_python({"-o", file}, "_C.allocate(512)\n");
  EXPECT_THAT(result.errors, HasSubstr("no " + words));
  EXPECT_THAT(run_vramlab({"advise", file}).output, HasSubstr("No " + words));
}

TEST_F(DryRun, peaks_are_modelled_if_an_answer_of_a_library_was) {
  const ProgramResult result =
      dry_run_python({"--json", in_folder("summary.json")},
                     "import ctypes\n"
                     "driver = ctypes.CDLL('libcuda.so.1')\n"
                     "driver.cuInit(0)\n"
                     "driver.vramlab_dry_run_note(b'modelled', b'cudnn workspace')\n",
                     recording());
  EXPECT_THAT(result.errors, HasSubstr("(modelled)"));
  EXPECT_THAT(result.errors, HasSubstr("cudnn workspace"));
  EXPECT_EQ(summary()["processes"][0]["devices"][0]["label"], "exact");
}

TEST_F(DryRun, frees_that_wait_for_streams_depend_on_times) {
  const std::string told = dry_run_python({}, "", recording_of("experts.vtrace")).errors;
  EXPECT_THAT(told, HasSubstr("(modelled)"));
  EXPECT_THAT(told, HasSubstr("frees wait for other streams; reserved memory depends on how long "
                              "kernels take (--kernel-time)\n"));
  EXPECT_THAT(told, Not(HasSubstr("certainty")));
}

TEST_F(DryRun, peaks_are_exact_if_they_do_not_depend_on_an_answer) {
  const ProgramResult result =
      dry_run_python({},
                     "import ctypes\n"
                     "driver = ctypes.CDLL('libcuda.so.1')\n"
                     "driver.cuInit(0)\n"
                     "driver.vramlab_dry_run_note(b'beside_peak', b'nccl buffers')\n",
                     recording_without_ties());
  EXPECT_THAT(result.errors, HasSubstr("(exact)"));
  EXPECT_THAT(result.errors,
              HasSubstr("certainty          exact: no peak depends on nccl buffers"));
}

TEST_F(DryRun, memory_that_grows_from_step_to_step_is_told) {
  const std::string file = in_folder("steps.json");
  std::string program = "{\"format\":\"vramlab-trace\",\"version\":1}\n";
  for (int step = 1; step <= 3; ++step)
    program += "{\"malloc\":" + std::to_string(step) + ",\"bytes\":2097152}\n";
  ASSERT_EQ(run_vramlab({"replay", write("steps.vtrace.jsonl", program), "--snapshot-out", file})
                .exit_status,
            0);
  json snapshot = json::parse(std::ifstream(file));
  std::string marks;
  std::size_t at = 0;
  for (const json& entry : snapshot["device_traces"][0]) {
    ++at;
    if (entry["action"] != "alloc") continue;
    marks += std::to_string(at - 1) + " 1 1 ";
    for (const char* const phase : {"2", "3", "0"})
      marks += std::to_string(at) + " " + phase + " 0 ";
  }
  marks.pop_back();
  snapshot["vramlab_kinds"] = {
      {"format", 1},
      {"phases", {"other", "forward", "backward", "step"}},
      {"kinds", json::array()},
      {"names", {"", "layers.3"}},
      {"devices", {{{"device", 0}, {"marks", marks}, {"scans", json::array()}, {"scanned", ""}}}},
      {"troubles", json::array()}};
  const std::string pickle = in_folder("steps.pickle");
  ASSERT_EQ(run_vramlab({"convert", write("with.json", snapshot.dump()), "-o", pickle}).exit_status,
            0);
  const ProgramResult result = dry_run_python({"--json", in_folder("summary.json")}, "", pickle);
  EXPECT_THAT(result.errors, HasSubstr("what grows         2.00 MiB in each of the last 2 steps: "
                                       "2.00 MiB activations of layers.*\n"));
  const json device = summary()["processes"][0]["devices"][0];
  EXPECT_EQ(device["growth"]["bytes"], 2 << 20);
  EXPECT_EQ(device["kinds"], json::parse(R"([{"kind": "activations", "bytes": 6291456}])"));
  EXPECT_THAT(dry_run_python({}, "", recording()).errors, Not(HasSubstr("what grows")));
}

TEST_F(DryRun, pinned_memory_is_named_but_not_that_of_a_number_that_is_read) {
  const auto after_pinning = [this](const std::string& bytes) {
    return dry_run_python(
               {"--force", "--json", in_folder("summary.json")},
               "import ctypes\nctypes.CDLL('libcudart.so.13').cudaHostAlloc(ctypes.byref("
               "ctypes.c_void_p()), ctypes.c_size_t(" +
                   bytes + "), 0)\n",
               recording())
        .errors;
  };
  EXPECT_THAT(after_pinning("65536"),
              HasSubstr("pinned memory      peak 64.00 KiB of the host's, in 1 call\n"));
  EXPECT_THAT(after_pinning("4"), Not(HasSubstr("pinned memory")));
  EXPECT_EQ(summary()["processes"][0]["pinned"]["peak_bytes"], 4);
}

TEST_F(DryRun, peak_that_depends_on_the_driver_is_a_range) {
  const std::string recording = in_folder("tie.pickle");
  const std::string trace = write("tie.vtrace.jsonl", program_with_a_tie);
  ASSERT_EQ(run_vramlab({"replay", trace, "--snapshot-out", recording}).exit_status, 0);
  const ProgramResult result = dry_run_python({"--json", in_folder("summary.json")}, "", recording);
  EXPECT_THAT(
      result.errors,
      HasSubstr("(exact), peak reserved 60.00 MiB (40.00 MiB to 60.00 MiB, depending on where the "
                "driver puts segments)\n"));
  EXPECT_THAT(result.errors, Not(HasSubstr("certainty")));
  EXPECT_EQ(summary()["reserved_by_places"],
            json::parse(R"([{"device": 0, "least_bytes": 41943040, "most_bytes": 62914560}])"));
}

TEST_F(DryRun, gpus_without_kernels_are_not_offered) {
  const std::vector<std::string> json_summary = {"--json", in_folder("summary.json"), "--force"};
  const auto smallest = [&] {
    EXPECT_EQ(dry_run_python(json_summary, "", recording()).exit_status, 0);
    return summary()["smallest_gpu"];
  };
  const json of_any = smallest();
  EXPECT_EQ(of_any["without_code"], json());
  kernel_code = "sm_90 sm_100";
  const json of_newer = smallest();
  EXPECT_EQ(of_newer["without_code"], of_any["name"]);
  EXPECT_GT(of_newer["available_bytes"], of_any["available_bytes"]);
  EXPECT_EQ(summary()["processes"][0]["python"]["kernel_code"], json({"sm_90", "sm_100"}));
}

TEST_F(DryRun, says_that_no_kernel_runs_on_the_gpu) {
  kernel_code = "sm_75 sm_80";
  const std::string on_old = dry_run_python({"--gpu", "v100-16gb"}, "", recording()).errors;
  EXPECT_THAT(on_old, HasSubstr("has none for v100-16gb (7.0), only for sm_75 sm_80"));
  EXPECT_THAT(on_old, Not(HasSubstr("certainty")));
  const std::string on_new = dry_run_python({"--gpu", "a100-80gb"}, "", recording()).errors;
  EXPECT_THAT(on_new, Not(HasSubstr("has none for")));
}

TEST_F(DryRun, says_first_that_no_kernel_runs) {
  const std::string line = "vramlab dry-run: no kernel runs, so losses, times and speeds";
  EXPECT_EQ(dry_run({}, {"true"}).errors.find(line), 0U);
  EXPECT_THAT(dry_run({"--quiet"}, {"true"}).errors, Not(HasSubstr(line)));
}

TEST_F(DryRun, summary_agrees_with_the_other_commands) {
  const std::string file = recording();
  ASSERT_EQ(dry_run_python({"--json", in_folder("summary.json")}, "", file).exit_status, 0);
  const json own = summary()["processes"][0]["devices"][0];
  const json replayed = run_json({"replay", file});
  EXPECT_EQ(own["metrics"]["peak_reserved"], replayed["metrics"]["peak_reserved"]);
  EXPECT_EQ(own["metrics"]["peak_allocated"], replayed["metrics"]["peak_allocated"]);
  const json top = run_json({"top", file});
  EXPECT_EQ(own["holder"], top["devices"][0]["groups"][0]["key"]);
  EXPECT_EQ(summary()["advice"]["conf"], run_json({"advise", file})["conf"]);
}

TEST_F(DryRun, output_takes_process_and_variables) {
  const ProgramResult result = dry_run_python({"-o", in_folder("h-%q{RANK}-%%.pickle")},
                                              "os.environ['RANK'] = '3'\n_C.allocate(512)\n");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_TRUE(fs::exists(in_folder("h-3-%.pickle"))) << result.errors;
}

TEST_F(DryRun, processes_with_one_name_get_names_of_their_own) {
  const std::string output = in_folder("h.pickle");
  const ProgramResult result = dry_run_python(
      {"-o", output},
      "import subprocess, sys\n_C.allocate(512)\nsubprocess.check_call([sys.executable, '-B', "
      "'-c', 'import torch; torch.cuda.init(); torch._C.allocate(7)'])\n");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    count += entry.path().filename().string().starts_with("h.pickle") ? 1 : 0;
  EXPECT_EQ(count, 2U);
  EXPECT_TRUE(fs::exists(output));
}

TEST_F(DryRun, out_of_memory_is_told_and_judged) {
  const std::string fails = "_C.allocate(512)\n_C.run_out_of_memory(1 << 21)\n";
  const ProgramResult plain = dry_run_python({"--gpu", "t4"}, fails);
  EXPECT_EQ(plain.exit_status, 0);
  EXPECT_THAT(plain.errors, HasSubstr("OUT OF MEMORY      GPU 0: 2.00 MiB requested at "));
  EXPECT_THAT(plain.errors, HasSubstr("is unknown: vramlab dry-run --device-memory none --gpu t4"));
  for (const char* const word : {"  there was ", "  smallest GPU "})
    EXPECT_THAT(plain.errors, HasSubstr(word));
  EXPECT_LE(std::ranges::count(plain.errors, '\n'), 15);
  EXPECT_EQ(dry_run_python({"--fail-on-oom"}, fails).exit_status, 1);
  EXPECT_EQ(dry_run_python({"--fail-on-oom"}, fails + "raise SystemExit(9)").exit_status, 9);
}

/// Reads an int of the device that no copy and no kernel made.
constexpr const char* reading =
    "import ctypes\n"
    "def read():\n"
    "    driver = ctypes.CDLL('libcuda.so.1')\n"
    "    device, context = ctypes.c_int(), ctypes.c_void_p()\n"
    "    at, value = ctypes.c_uint64(), ctypes.c_int(7)\n"
    "    driver.cuInit(0)\n"
    "    driver.cuDeviceGet(ctypes.byref(device), 0)\n"
    "    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)\n"
    "    driver.cuCtxSetCurrent(context)\n"
    "    driver.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(512))\n"
    "    driver.cuMemcpyDtoH_v2(ctypes.byref(value), at, ctypes.c_size_t(4))\n"
    "    return value.value\n";

TEST_F(DryRun, error_is_joined_to_the_made_up_value_that_was_read_before) {
  const std::string failing = reading + std::string("[[1, 2][1:][:read()][0]]\n");
  const ProgramResult result = dry_run_python({}, failing);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("may come from"));
  EXPECT_THAT(result.errors, HasSubstr("the IndexError"));
  EXPECT_THAT(result.errors, HasSubstr("try --values ones or --values random"));
  // No value was read.
  EXPECT_THAT(dry_run_python({}, "[][0]\n").errors, Not(HasSubstr("may come from")));
  // No value installs a module, or gives a call its arguments.
  for (const char* const error : {"import no_such_module", "read(1)", "ctypes.no_such_name"})
    EXPECT_THAT(dry_run_python({}, reading + std::string("read()\n") + error + "\n").errors,
                Not(HasSubstr("may come from")))
        << error;
  // It went well.
  EXPECT_THAT(dry_run_python({}, reading + std::string("read()\n")).errors,
              Not(HasSubstr("may come from")));
}

TEST_F(DryRun, sizes_that_follow_from_made_up_values_are_told_with_their_places) {
  const std::string choosing =
      "from vramlab_dry_run import sizes\n"
      "for is_none in (True, True, False): sizes.note(('a/loss.py', 7, 'match'), is_none)\n"
      "for _ in range(2): sizes.note(('a/keep.py', 9, 'keep'), True)\n"
      "sizes.note(('a/one.py', 3, 'one'), False)\n";
  const ProgramResult result = dry_run_python({"--json", in_folder("summary.json")},
                                              reading + std::string("read()\n") + choosing);
  EXPECT_THAT(result.errors,
              HasSubstr("3 places chose elements by made-up values: a/loss.py:7 match, some none "
                        "(3x); a/keep.py:9 keep, none (2x); a/one.py:3 one"));
  const json python = summary()["processes"][0]["python"];
  EXPECT_EQ(python["made_up_sizes"][0]["none"], 2);
  EXPECT_THAT(dry_run_python({}, reading + std::string("read()\n")).errors,
              Not(HasSubstr("made-up sizes")));
}

TEST_F(DryRun, loop_that_a_signal_ends_may_have_waited_for_a_made_up_value) {
  // A loop that asks for memory is not ended.
  const std::string looping =
      reading + std::string(
                    "import itertools, os, signal, torch\n"
                    "requests = itertools.count()\n"
                    "torch._C._cuda_memoryStats = lambda device: "
                    "{'allocation': {'all': {'allocated': next(requests)}}}\n"
                    "for _ in range(READS): read()\n"
                    "os.kill(os.getpid(), signal.SIGTERM)\n");
  const auto ended_after = [&](const std::string& reads) {
    return dry_run_python({}, "READS = " + reads + "\n" + looping).errors;
  };
  EXPECT_THAT(ended_after("10000"), HasSubstr("may have waited"));
  EXPECT_THAT(ended_after("10000"), HasSubstr("which it read 10000 times at"));
  EXPECT_THAT(ended_after("9999"), Not(HasSubstr("may have waited")));
}

TEST_F(DryRun, auto_takes_the_first_values_that_lead_on) {
  const std::string output = in_folder("summary.json");
  const ProgramResult result =
      dry_run_python({"--values", "auto", "--json", output},
                     reading + std::string("print('read', read())\nassert read() > 0\n"));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("read 0\nread 1\n"));
  EXPECT_THAT(result.errors,
              HasSubstr("ones, as with zeros the program ended with AssertionError"));
  EXPECT_EQ(summary().at("made_up_values"), "ones");
}

TEST_F(DryRun, auto_runs_a_program_once_that_reads_nothing_or_ends_well) {
  for (const char* const text : {"assert False\n", "print(read())\n"}) {
    const ProgramResult result =
        dry_run_python({"--values", "auto"}, reading + std::string("print('begin')\n") + text);
    EXPECT_EQ(result.output.find("begin"), result.output.rfind("begin")) << result.output;
    EXPECT_THAT(result.errors, Not(HasSubstr("once more")));
  }
}

TEST_F(DryRun, auto_runs_nothing_again_that_somebody_ended) {
  const ProgramResult result = dry_run_python(
      {"--values", "auto"},
      reading + std::string("read()\nimport signal\nos.kill(os.getpid(), signal.SIGTERM)\n"));
  EXPECT_EQ(result.exit_status, 128 + SIGTERM);
  EXPECT_THAT(result.errors, Not(HasSubstr("once more")));
}

TEST_F(DryRun, auto_shows_the_first_run_if_nothing_helps) {
  const ProgramResult result =
      dry_run_python({"--values", "auto", "--json", in_folder("summary.json")},
                     reading + std::string("read()\nassert False\n"));
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("once more with --values random"));
  EXPECT_THAT(result.errors, HasSubstr("values led no further: try --values-from"));
  EXPECT_EQ(summary().at("made_up_values"), "computed");
}

TEST_F(DryRun, program_that_waits_for_a_made_up_value_is_ended) {
  const ProgramResult result =
      dry_run_python({}, reading + std::string("while read() == 0:\n    pass\n"));
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("read a made-up value over and over"));
}

TEST_F(DryRun, limits_are_judged) {
  const std::string file = recording();
  EXPECT_EQ(dry_run_python({"--fail-if", "requests > 100"}, "", file).exit_status, 1);
  EXPECT_EQ(dry_run_python({"--fail-if", "requests > 100000"}, "", file).exit_status, 0);
}

TEST_F(DryRun, report_is_a_page) {
  const std::string page = in_folder("page.html");
  EXPECT_EQ(dry_run_python({"--report", page}, "", recording()).exit_status, 0);
  EXPECT_THAT(content_of(page), HasSubstr("<html"));
}

TEST_F(DryRun, says_how_to_get_a_pytorch_with_cuda) {
  const ProgramResult result = dry_run(
      {}, {"env", "FAKE_TORCH_WITHOUT_CUDA=1",
           "PYTHONPATH=" + support::binary_dir() + "/dry_run/python:" + support::source_dir() +
               "/tests/cuda_standins/command/fake_torch",
           "python3", "-B", "-c", "import torch"});
  EXPECT_THAT(result.errors, HasSubstr("was built without CUDA"));
  EXPECT_THAT(result.errors, HasSubstr("pip install torch"));
}

TEST_F(DryRun, refuses_before_the_program_runs) {
  const std::string ran = in_folder("ran");
  const std::string there = write("there", "");
  const auto refused = [&](std::vector<std::string> options, const std::string& reason) {
    options.insert(options.begin(), "dry-run");
    for (const std::string& word : {std::string("--"), std::string("touch"), ran})
      options.push_back(word);
    expect_refused(options, reason);
  };
  refused({"--gpu", "h100-81gb"},
          "there is no GPU 'h100-81gb' in the list; the nearest is h100-80gb");
  refused({"-o", there}, "expected a new file (or --force), found one that is there already");
  refused({"--json", there}, "expected a new file");
  refused({"--report", in_folder("none/page.html")}, "expected a folder to write to");
  refused({"--fail-if", "peak_reserved > +2%"}, "a limit on the value itself");
  refused({"--device-memory", "much"}, "expected a size such as 80GiB");
  refused({"--kernel-time", "5"}, "--kernel-time");
  expect_refused({"dry-run"}, "expected -- and a program, found none");
  EXPECT_FALSE(fs::exists(ran));
}

TEST_F(DryRun, ranks_of_a_job_run_one_after_another) {
  const std::string print_ranks =
      "print(os.environ['RANK'], os.environ['WORLD_SIZE'], os.environ['LOCAL_RANK'], "
      "os.environ['LOCAL_WORLD_SIZE'], os.environ['GROUP_RANK'], flush=True)\n"
      "_C.allocate(1024 * (1 + int(os.environ['RANK']) % 4))\n"
      "os._exit(3 if os.environ['RANK'] == '5' else 0)";
  const ProgramResult result = dry_run_python(
      {"--gpus", "4", "--world-size", "8", "--ranks", "0,5-6", "--json", in_folder("summary.json")},
      print_ranks, recording());
  EXPECT_EQ(result.output, "0 8 0 4 0\n5 8 1 4 1\n6 8 2 4 1\n");
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_THAT(result.errors, HasSubstr("out of memory  exit status\n"));
  EXPECT_EQ(summary()["ranks"], json::parse(R"([{"rank": 0, "exit_status": 0},
      {"rank": 5, "exit_status": 3}, {"rank": 6, "exit_status": 0}])"));
  EXPECT_EQ(summary()["processes"].size(), 3U);
}

TEST_F(DryRun, refuses_ranks_that_a_job_does_not_have) {
  const auto refused = [this](const std::vector<std::string>& options) {
    const ProgramResult result = dry_run(options, {"true"});
    EXPECT_EQ(result.exit_status, 2);
    return result.errors;
  };
  EXPECT_THAT(refused({"--rank", "0"}), HasSubstr("expected --world-size"));
  EXPECT_THAT(refused({"--rank", "4", "--world-size", "4"}), HasSubstr("below 4, found 4"));
  EXPECT_THAT(refused({"--rank", "0", "--ranks", "all", "--world-size", "4"}), HasSubstr("both"));
  EXPECT_THAT(refused({"--ranks", "3-1", "--world-size", "4"}), HasSubstr("rising order"));
  EXPECT_THAT(refused({"--ranks", "0,x", "--world-size", "4"}), HasSubstr("found x"));
  EXPECT_THAT(refused({"--values-from", in_folder("none.py")}), HasSubstr("does not exist"));
}

TEST_F(DryRun, plain_program_has_the_drivers_calls_as_its_history) {
  const std::string program = support::binary_dir() + "/fake_cuda/programs/by_dlsym";
  if (!fs::exists(program)) GTEST_SKIP() << "the program is not built";
  const std::string trace = in_folder("calls.vtrace");
  const ProgramResult result = dry_run({"-o", trace}, {program});
  EXPECT_THAT(result.errors, HasSubstr("peak of what the driver was asked for"));
  const ProgramResult read = run_vramlab({"info", trace});
  EXPECT_EQ(read.exit_status, 0) << read.errors;
}

// The start-up hook does this for functions that PyTorch looks for and no stand-in exports.
TEST_F(DryRun, functions_added_for_a_run_are_noted_and_answer) {
  const std::string library = in_folder("added.so");
  const ProgramResult result = dry_run(
      {"--explain"},
      {"python3", "-B", "-c",
       "import ctypes, sys\nsys.path.insert(0, '" + support::binary_dir() +
           "/dry_run/python')\nfrom vramlab_dry_run import stub_library\n"
           "open('" +
           library +
           "', 'wb').write(stub_library.library_bytes([('cublasFoo', 0), "
           "('cudaBar', 801)], 'libvramlab_added.so'))\n"
           "ctypes.CDLL('libcuda.so.1').cuInit(0)\n"
           "added = ctypes.CDLL('" +
           library +
           "', mode=ctypes.RTLD_GLOBAL)\n"
           "print(added.cublasFoo(1, 2), added.cudaBar(3), ctypes.CDLL(None).cudaBar())\n"});
  EXPECT_EQ(result.output, "0 801 801\n") << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("2  libvramlab_added.so cudaBar"));
  EXPECT_THAT(result.errors, HasSubstr("1  libvramlab_added.so cublasFoo"));
}

TEST_F(DryRun, lists_the_gpus) {
  const ProgramResult result = run_vramlab({"dry-run", "--list-gpus"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.output, HasSubstr("a100-80gb"));
}

TEST_F(DryRun, program_finds_an_nvidia_smi) {
  const ProgramResult result = dry_run({"--gpus", "3"}, {"sh", "-c", "command -v nvidia-smi"});
  EXPECT_THAT(result.output, HasSubstr("/dry_run/bin/nvidia-smi"));
}

TEST_F(DryRun, looking_at_a_gpu_is_no_use_of_it) {
  const ProgramResult result = dry_run({}, {"nvidia-smi", "-L"});
  EXPECT_THAT(result.output, HasSubstr("GPU 0: "));
  EXPECT_THAT(result.errors, HasSubstr("the program did not use CUDA"));
  EXPECT_THAT(result.errors, Not(HasSubstr("no history")));
}

TEST_F(DryRun, children_of_a_program_that_asked_nvml_may_use_the_gpu) {
  const auto answer_in_child_after = [this](const std::string& call) {
    return dry_run({}, {"python3", "-B", "-c",
                        "import ctypes, os\nnvml = ctypes.CDLL('libnvidia-ml.so.1')\n"
                        "cuda = ctypes.CDLL('libcuda.so.1')\ndevice = ctypes.c_void_p()\n"
                        "major, minor = ctypes.c_int(), ctypes.c_int()\nnvml.nvmlInit_v2()\n"
                        "nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device))\n"
                        "nvml.nvmlDeviceGetCudaComputeCapability(device, ctypes.byref(major), "
                        "ctypes.byref(minor))\nprint(major.value, flush=True)\n" +
                            call +
                            "\nif os.fork() == 0:\n    print(cuda.cuInit(0), flush=True)\n"
                            "    os._exit(0)\nos.wait()\n"})
        .output;
  };
  EXPECT_EQ(answer_in_child_after(""), "8\n0\n");
  EXPECT_EQ(answer_in_child_after("cuda.cuInit(0)"), "8\n3\n");
}

TEST_F(DryRun, python_without_pytorch_has_a_history_of_the_driver_s_calls) {
  const auto summary_after = [this](const std::string& call) {
    return dry_run({}, {"python3", "-B", "-c",
                        "import ctypes\ncuda = ctypes.CDLL('libcuda.so.1')\ncuda.cuInit(0)\n"
                        "context, memory = ctypes.c_void_p(), ctypes.c_void_p()\n"
                        "cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)\n"
                        "cuda.cuCtxSetCurrent(context)\n" +
                            call})
        .errors;
  };
  EXPECT_THAT(summary_after(""), Not(HasSubstr("trouble")));
  EXPECT_THAT(summary_after(""), HasSubstr("asked about GPUs and used no memory of any"));
  const std::string summary =
      summary_after("cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4096))");
  EXPECT_THAT(summary, Not(HasSubstr("trouble")));
  EXPECT_THAT(summary, HasSubstr("peak of what the driver was asked for 2.00 MiB"));
}

}  // namespace
}  // namespace vramlab::tests
