// `vramlab serve` from outside, with a stand-in for the engine on the fake PyTorch.
#include <fstream>

#include "tests/support/kit/dry_run_test.h"

namespace vramlab::tests {
namespace {

using nlohmann::json;

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::uint64_t mebibyte = 1U << 20;

class Serve : public DryRunTest {
 protected:
  ProgramResult serve(const std::vector<std::string>& options,
                      const std::vector<std::string>& program) const {
    std::vector<std::string> words = {
        "/usr/bin/env", "TMPDIR=" + in_folder("scratch"), vramlab_path, "serve", "--gpu", "l4",
        "--json",       in_folder("answer.json"),         "--force"};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
    return run_program(words);
  }

  /// A script with the engine. `fails`: how the engine fails; empty if it does not.
  ProgramResult serve_script(const std::string& more = "", const std::string& fails = "") const {
    return serve(
        {},
        python({"-c", "from vllm.v1.engine.core import EngineCore\nEngineCore()\n" + more}, fails));
  }

  /// The words of an interpreter that finds the engine.
  static std::vector<std::string> python(const std::vector<std::string>& words,
                                         const std::string& fails = "") {
    const std::string tests = support::source_dir() + "/tests/cuda_standins/command/";
    std::vector<std::string> all = {"env",
                                    "PYTHONPATH=" + support::binary_dir() + "/dry_run/python:" +
                                        tests + "fake_torch:" + tests + "fake_engine",
                                    "FAKE_ENGINE_FAILS=" + fails, "python3", "-B"};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

  static std::vector<std::string> server(const std::string& fails = "") {
    return python({"-m", "vllm.entrypoints.openai.api_server"}, fails);
  }

  static std::vector<std::string> sglang(const std::string& fails = "") {
    return python({"-m", "sglang.launch_server"}, fails);
  }

  json answer() const { return json::parse(content_of(in_folder("answer.json")), nullptr, false); }
};

TEST_F(Serve, records_stacks_and_kinds_only_for_a_history_that_is_kept) {
  const std::string engine = "from vllm.v1.engine.core import EngineCore\nEngineCore()\n";
  const std::string tells =
      "import os\nfrom torch import _C\n"
      "print(_C.recording['context'], os.environ.get('VRAMLAB_DRY_RUN_KINDS'))";
  const auto script = python({"-c", engine + tells});
  EXPECT_THAT(serve({}, script).output, HasSubstr("None 0\n"));
  EXPECT_THAT(serve({"-o", in_folder("kept.pickle")}, script).output, HasSubstr("all None\n"));
}

TEST_F(Serve, says_the_parts_of_the_memory_and_the_engines_own_beside_them) {
  const ProgramResult result = serve_script();
  EXPECT_EQ(result.exit_status, 0);
  for (const char* const text :
       {"vramlab serve: vllm 0.33.0 on PyTorch ", "; l4, ", "; started\n",
        "weights            40.00 MiB (the engine: 40.00 MiB)",
        "activations        60.00 MiB at the profiling run of 2,048 tokens (the engine: 60.00 MiB)",
        "CUDA graphs        20.00 MiB in their pools, 3 graphs of 3 sizes (the engine: 30.00 MiB)",
        "the engine's own estimate before it: 60.00 MiB", "10.00 MiB more",
        "other buffers      12.00 MiB", "outside PyTorch    64.00 MiB",
        "KV cache           200.00 MiB = 3,200 tokens, 6.2 requests of 512 (the engine: 3,200 "
        "tokens)",
        "there is room for  828.00 MiB = 13,248 tokens"})
    EXPECT_THAT(result.errors, HasSubstr(text));
  EXPECT_THAT(result.errors, Not(HasSubstr("not found")));
  EXPECT_THAT(result.errors, Not(HasSubstr("doubt")));
}

TEST_F(Serve, document_has_the_same_figures) {
  serve_script();
  const json document = answer();
  EXPECT_EQ(document["has_started"], true);
  EXPECT_EQ(document["is_server"], false);
  ASSERT_EQ(document["processes"].size(), 1U);
  const json process = document["processes"][0];
  const json expected = {{"weights", 40 * mebibyte},
                         {"activations", 60 * mebibyte},
                         {"activations_in_steps", nullptr},
                         {"graphs", 20 * mebibyte},
                         {"beside_graphs", 10 * mebibyte},
                         {"cache", 200 * mebibyte},
                         {"cache_tokens", 3200},
                         {"buffers", 12 * mebibyte},
                         {"outside", 64 * mebibyte},
                         {"peak_with_cache", 282 * mebibyte},
                         {"left", 678 * mebibyte},
                         {"possible_cache", 828 * mebibyte},
                         {"possible_cache_tokens", 13248}};
  EXPECT_EQ(process["parts"], expected);
  const json sizes = json::array({{{"size", "full 8"}, {"graphs", 1}, {"bytes", 20 * mebibyte}},
                                  {{"size", "full 4"}, {"graphs", 1}, {"bytes", 0}},
                                  {{"size", "full 2"}, {"graphs", 1}, {"bytes", 0}}});
  EXPECT_EQ(process["graph_sizes"], sizes);
  EXPECT_EQ(document["engine_says"]["cache_tokens"], 3200);
}

TEST_F(Serve, server_gets_a_port_and_is_ended_once_it_answers) {
  const ProgramResult result = serve({}, python({"-m", "vllm.entrypoints.openai.api_server"}));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("; started, and answered its health check\n"));
  EXPECT_THAT(result.errors, HasSubstr("weights            40.00 MiB"));
  EXPECT_EQ(answer()["answered"], true);
  EXPECT_THAT(files_left(), IsEmpty());
}

TEST_F(Serve, each_rank_of_a_server_has_a_gpu) {
  const ProgramResult result = serve({}, python({"-m", "vllm.entrypoints.openai.api_server",
                                                 "--tensor_parallel_size", "4", "-pp", "2"}));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(answer()["gpus"], 8);
}

TEST_F(Serve, rank_alone_is_launched_as_one_of_those_that_the_words_name) {
  const ProgramResult result =
      serve({"--rank", "3"},
            python({"-m", "vllm.entrypoints.openai.api_server", "--tensor-parallel-size=8"}));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const json document = answer();
  EXPECT_EQ(document["gpus"], 8);
  EXPECT_THAT(document["program"].dump(),
              HasSubstr(R"("--distributed-executor-backend","external_launcher")"));
  EXPECT_EQ(document["processes"][0]["engine_says"]["rank"], 3);
  EXPECT_EQ(document["processes"][0]["engine_says"]["ranks"], 8);
}

TEST_F(Serve, server_gets_a_load_and_says_what_its_steps_held) {
  const ProgramResult result = serve({"--load", "8x1024+4"}, server());
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors,
              HasSubstr("load               8 requests of 1,024 + 4 tokens: all answered"));
  EXPECT_THAT(result.errors,
              HasSubstr("4 steps of at most 8,192 tokens, activations beside the cache: 8.00 MiB"));
  const json document = answer();
  EXPECT_EQ(document["load"]["answered"], 8);
  EXPECT_EQ(document["processes"][0]["engine_says"]["steps"], 4);
  EXPECT_EQ(document["processes"][0]["parts"]["activations_in_steps"], 8 * mebibyte);
  EXPECT_THAT(files_left(), IsEmpty());
}

TEST_F(Serve, load_may_be_a_table_of_lengths) {
  std::ofstream(in_folder("lengths.csv")) << "prompt,answer\n1024,3\n2048,2\n1024,3\n";
  const ProgramResult result = serve({"--requests", in_folder("lengths.csv")}, server());
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors,
              HasSubstr("load               3 requests of up to 2,048 + 3 tokens: all answered"));
  EXPECT_THAT(result.errors, HasSubstr("5 steps of at most 2,048 tokens"));
  EXPECT_EQ(answer()["load"]["shapes"].size(), 2U);
}

TEST_F(Serve, load_that_runs_out_of_memory_says_where) {
  const ProgramResult result = serve({"--load", "1024+4"}, server("steps"));
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("OUT OF MEMORY      1.00 MiB requested at "));
  EXPECT_THAT(result.errors, HasSubstr("in a step of requests"));
  EXPECT_THAT(result.errors, HasSubstr("1 request of 1,024 + 4 tokens: 0 answered (HTTP/1.0 500"));
  EXPECT_EQ(answer()["has_started"], true);
  EXPECT_EQ(answer()["processes"][0]["failed_in"], "steps");
}

TEST_F(Serve, engine_sleeps_and_says_what_stays) {
  const ProgramResult result = serve({"--load", "1024+2", "--sleep", "2"}, server());
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("sleep              level 2: "));
  EXPECT_THAT(result.errors, HasSubstr(" of the GPU stay in use"));
  EXPECT_THAT(result.errors, HasSubstr("when it is awake again"));
  EXPECT_EQ(answer()["sleep"]["woke_up"], true);
  EXPECT_EQ(answer()["load"]["answered"], 1);
}

TEST_F(Serve, engine_that_does_not_sleep_has_not_served) {
  const ProgramResult result = serve({"--sleep", "1"}, server("sleep"));
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("level 1: the engine did not sleep and wake"));
  EXPECT_EQ(answer()["sleep"]["woke_up"], false);
}

TEST_F(Serve, requests_of_a_script_are_told_too) {
  const ProgramResult result = serve({}, python({"-c",
                                                 "from vllm.v1.engine.core import EngineCore\n"
                                                 "EngineCore().complete([[1] * 512] * 8, 2)\n"}));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("load               the program's own requests"));
  EXPECT_THAT(result.errors, HasSubstr("2 steps of at most 4,096 tokens"));
}

TEST_F(Serve, wrong_loads_are_refused) {
  const std::vector<std::string> program = {"vllm", "serve"};
  for (const char* const load : {"64", "64x1024", "0x1+1", "x1+1", "1+1,,", "1+0", "70000x1+1"})
    EXPECT_EQ(serve({"--load", load}, program).exit_status, 2) << load;
  std::ofstream(in_folder("lengths.csv")) << "prompt,answer\n1024\n";
  const ProgramResult result = serve({"--requests", in_folder("lengths.csv")}, program);
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("line 2"));
  EXPECT_EQ(serve({"--load", "1+1"}, {"true"}).exit_status, 2);
  EXPECT_EQ(serve({"--sleep", "1"}, {"true"}).exit_status, 2);
  EXPECT_EQ(serve({"--sleep", "3"}, program).exit_status, 2);
}

TEST_F(Serve, sglang_has_parts_without_a_profiling_run) {
  const ProgramResult result = serve({}, sglang());
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  for (const char* const text :
       {"vramlab serve: sglang 0.5.23 on PyTorch ", "; started, and answered its health check\n",
        "weights            40.00 MiB (the engine: 40.00 MiB)",
        "activations        not profiled: the engine leaves 96.00 MiB for them",
        "CUDA graphs        20.00 MiB in their pools, 2 graphs of 2 sizes (the engine: 30.00 MiB)",
        "10.00 MiB more", "other buffers      12.00 MiB",
        "KV cache           200.00 MiB = 3,199 tokens, 6.2 requests of 512 (the engine: 3,199 "
        "tokens)"})
    EXPECT_THAT(result.errors, HasSubstr(text));
  EXPECT_THAT(result.errors, Not(HasSubstr("not found")));
  EXPECT_THAT(result.errors, Not(HasSubstr("doubt")));
  EXPECT_EQ(answer()["engine_says"]["room_bytes"], 96 * mebibyte);
}

TEST_F(Serve, sglang_gets_a_load_and_its_own_first_request_is_no_part_of_it) {
  const ProgramResult result = serve({"--load", "8x1024+4"}, sglang());
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors,
              HasSubstr("load               8 requests of 1,024 + 4 tokens: all answered"));
  EXPECT_THAT(result.errors,
              HasSubstr("4 steps of at most 8,192 tokens, activations beside the cache: 8.00 MiB"));
  EXPECT_EQ(answer()["processes"][0]["parts"]["activations_in_steps"], 8 * mebibyte);
}

TEST_F(Serve, largest_share_of_an_engine_has_its_name) {
  const ProgramResult result = serve({"--find-utilization"}, sglang());
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("could be           --mem-fraction-static 0.95: 3,199 "
                                       "tokens; 0.96 does not start"));
}

TEST_F(Serve, cache_with_addresses_before_its_memory_counts_what_the_device_gave) {
  const ProgramResult result = serve({}, sglang("addresses"));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  for (const char* const text :
       {"other buffers      12.00 MiB", "outside PyTorch    64.00 MiB",
        "KV cache           100.00 MiB = 1,599 tokens, 3.1 requests of 512 (the engine: 1,599 "
        "tokens)",
        "at most            182.02 MiB reserved once the cache was there, 777.98 MiB of the GPU"})
    EXPECT_THAT(result.errors, HasSubstr(text));
  EXPECT_THAT(result.errors, Not(HasSubstr("doubt")));
}

TEST_F(Serve, engines_that_do_not_sleep_or_run_as_one_rank_are_refused) {
  EXPECT_EQ(serve({"--sleep", "1"}, {"sglang", "serve"}).exit_status, 2);
  const ProgramResult result = serve({"--rank", "0"}, {"sglang", "serve", "--tp", "2"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.errors, HasSubstr("sglang serve"));
}

TEST_F(Serve, history_of_a_load_that_is_refused_is_written_all_the_same) {
  const ProgramResult result = serve({"--load", "1024+4"}, server("requests"));
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("1 request of 1,024 + 4 tokens: 0 answered (HTTP/1.0 500"));
  EXPECT_THAT(result.errors, HasSubstr("weights            40.00 MiB"));
  EXPECT_EQ(answer()["has_started"], true);
}

TEST_F(Serve, server_that_ends_before_it_answers_has_not_started) {
  const ProgramResult result =
      serve({}, python({"-m", "vllm.entrypoints.openai.api_server"}, "server"));
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("; DID NOT START; exit status 7\n"));
}

TEST_F(Serve, program_that_takes_too_long_is_ended) {
  const ProgramResult result = serve({"--timeout", "1s"}, {"sleep", "1000"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("DID NOT START in the time that it had"));
}

TEST_F(Serve, says_in_which_phase_memory_was_missing) {
  const ProgramResult result = serve_script("", "graphs");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("; DID NOT START; exit status 1\n"));
  EXPECT_THAT(result.errors, HasSubstr("OUT OF MEMORY      20.00 MiB requested at "));
  EXPECT_THAT(result.errors, HasSubstr("while CUDA graphs were captured"));
  EXPECT_THAT(result.errors, HasSubstr("weights            40.00 MiB"));
  EXPECT_EQ(answer()["processes"][0]["failed_in"], "graphs");
}

TEST_F(Serve, failure_of_the_engine_counts_and_not_that_of_the_process_that_started_it) {
  const ProgramResult result = serve(
      {}, python({"-c",
                  "import os, torch\nfrom vllm.v1.engine.core import EngineCore\n"
                  "child = os.fork()\nif child == 0:\n    EngineCore()\n"
                  "os.waitpid(child, 0)\ntorch.cuda.init()\nraise RuntimeError('engine failed')\n"},
                 "graphs"));
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("OUT OF MEMORY      20.00 MiB requested at "));
  EXPECT_THAT(result.errors, Not(HasSubstr("failed             ")));
}

TEST_F(Serve, history_of_a_killed_engine_is_that_up_to_its_start) {
  const ProgramResult result =
      serve({}, python({"-c",
                        "import os, signal\nfrom vllm.v1.engine.core import EngineCore\n"
                        "child = os.fork()\nif child == 0:\n    EngineCore()\n"
                        "    os.kill(os.getpid(), signal.SIGKILL)\nos.waitpid(child, 0)\n"}));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("weights            40.00 MiB"));
  EXPECT_THAT(result.errors, HasSubstr("was killed before it told what it did"));
}

TEST_F(Serve, names_that_the_engine_does_not_have_are_told_and_replaced_by_nothing) {
  const ProgramResult result = serve_script("", "names");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.errors,
              HasSubstr("not found          vllm.v1.worker.gpu_worker:Worker.load_model"));
  EXPECT_EQ(answer()["processes"][0]["not_found"].size(), 1U);
  EXPECT_TRUE(answer()["processes"][0]["engine_says"]["weights_bytes"].is_null());
}

TEST_F(Serve, older_version_has_other_names_and_the_same_parts) {
  const ProgramResult result = serve_script("", "older");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  for (const char* const text :
       {"vllm 0.21.0 on PyTorch ", "(the engine: 60.00 MiB)",
        "KV cache           200.00 MiB = 3,200 tokens, 6.2 requests of 512 (the engine: 3,200 "
        "tokens)"})
    EXPECT_THAT(result.errors, HasSubstr(text));
  EXPECT_THAT(result.errors, Not(HasSubstr("not found")));
}

TEST_F(Serve, script_that_fails_after_the_start_has_not_served) {
  const ProgramResult result = serve_script("raise SystemExit(3)");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("exit status 3"));
}

TEST_F(Serve, finds_the_largest_utilization_that_starts) {
  const ProgramResult result = serve(
      {"--find-utilization"},
      python({"-c", "from vllm.v1.engine.core import EngineCore\nEngineCore({utilization})"}));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors,
              HasSubstr("could be           --gpu-memory-utilization 0.93: 3,200 tokens; 0.94 "
                        "does not start (3 runs)"));
  const json found = answer()["utilization"];
  EXPECT_EQ(found["largest"], 0.93);
  EXPECT_EQ(found["next"], 0.94);
  EXPECT_EQ(found["runs"].size(), 3U);
  EXPECT_EQ(answer()["engine_says"]["utilization"], 0.93);
}

TEST_F(Serve, no_utilization_is_found_where_none_starts) {
  const ProgramResult result =
      serve({"--find-utilization"}, {"sh", "-c", "exit 1", "{utilization}"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("could be           no utilization starts"));
}

TEST_F(Serve, another_memory_counts_in_place_of_that_of_the_gpu) {
  const ProgramResult result =
      serve({"--device-memory", "12GiB"},
            python({"-c", "from vllm.v1.engine.core import EngineCore\nEngineCore()\n"}));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("l4, 12.00 GiB for the allocator"));
  EXPECT_EQ(answer().at("device_memory"), std::uint64_t{12} << 30);
  EXPECT_EQ(serve({"--device-memory", "none"}, {"true"}).exit_status, 2);
}

TEST_F(Serve, program_without_an_engine_says_so) {
  const ProgramResult result = serve({}, {"true"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.errors, HasSubstr("no engine that vramlab knows was seen"));
}

TEST_F(Serve, wrong_use_is_refused) {
  EXPECT_EQ(run_vramlab({"serve", "--gpu", "l4"}).exit_status, 2);
  EXPECT_EQ(run_vramlab({"serve", "--", "true"}).exit_status, 2);
  EXPECT_EQ(serve({"--health-port", "70000"}, {"true"}).exit_status, 2);
  EXPECT_EQ(serve({}, {"vllm", "serve", "--port", "many"}).exit_status, 2);
  EXPECT_EQ(serve({}, {"vllm", "serve", "-tp", "none"}).exit_status, 2);
  EXPECT_EQ(serve({"--rank", "2"}, {"vllm", "serve", "-tp", "2"}).exit_status, 2);
  EXPECT_EQ(serve({}, {"/no/such/program"}).exit_status, 127);
  EXPECT_EQ(serve({"--find-utilization"}, {"true"}).exit_status, 2);
}

}  // namespace
}  // namespace vramlab::tests
