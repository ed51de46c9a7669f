// The server of SGLang.
#include "tools/cli/commands/serve/engine_server.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;

ordered_json generation(ordered_json prompts, std::uint64_t answer_tokens) {
  return {{"input_ids", std::move(prompts)},
          {"sampling_params", {{"max_new_tokens", answer_tokens}, {"ignore_eos", true}}}};
}

}  // namespace

EngineServer sglang_server() {
  EngineServer server;
  server.engine = "sglang";
  server.command = "sglang serve";
  server.module = "sglang.launch_server";
  server.tensor_parallelism = {"--tp-size", "--tensor-parallel-size", "--tp"};
  server.pipeline_parallelism = {"--pp-size", "--pipeline-parallel-size"};
  server.utilization = "--mem-fraction-static";
  // It would make a request each time that it is asked for its health.
  server.variables = {{"SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION", "0"}};
  server.path_of_requests = "/generate";
  server.request = generation;
  return server;
}

}  // namespace vramlab::tools
