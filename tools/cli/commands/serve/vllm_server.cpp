// The server of vLLM.
#include "tools/cli/commands/serve/engine_server.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

ordered_json completions(ordered_json prompts, std::uint64_t answer_tokens) {
  return {{"prompt", std::move(prompts)}, {"max_tokens", answer_tokens}, {"ignore_eos", true}};
}

}  // namespace

EngineServer vllm_server() {
  EngineServer server;
  server.engine = "vllm";
  server.command = "vllm serve";
  server.module = "vllm.entrypoints.openai.api_server";
  server.tensor_parallelism = {"--tensor-parallel-size", "-tp"};
  server.pipeline_parallelism = {"--pipeline-parallel-size", "-pp"};
  server.utilization = "--gpu-memory-utilization";
  // It would look for a network.
  server.variables = {{"VLLM_NO_USAGE_STATS", "1"}};
  // In one process, as a launcher of jobs would start each rank.
  server.words_alone = {"--distributed-executor-backend", "external_launcher"};
  server.variables_alone = {{"VLLM_ENABLE_V1_MULTIPROCESSING", "0"}};
  // It takes requests to sleep from developers alone, and its memory has to be made for it.
  server.words_to_sleep = {"--enable-sleep-mode"};
  server.variables_to_sleep = {{"VLLM_SERVER_DEV_MODE", "1"}};
  server.path_of_requests = "/v1/completions";
  server.request = completions;
  return server;
}

}  // namespace vramlab::tools
