"""vLLM's offline class in one process, with a Llama that is made from its configuration: four prompts. The engine gives
its memory back before the program tells its figures, as it otherwise would after that."""
import gc
import json
import os
import pathlib
import tempfile

os.environ.update(HF_HUB_OFFLINE="1", VLLM_ENABLE_V1_MULTIPROCESSING="0", VLLM_NO_USAGE_STATS="1",
                  VLLM_USE_FLASHINFER_SAMPLER="0")

import figures  # noqa: E402,F401
from vllm import LLM, SamplingParams  # noqa: E402

SHAPES = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 4,
          "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 4096,
          "vocab_size": 32000, "max_position_embeddings": 8192, "torch_dtype": "bfloat16"}


def main():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "config.json").write_text(json.dumps(SHAPES), encoding="utf-8")
        engine = LLM(model=folder, load_format="dummy", skip_tokenizer_init=True, enforce_eager=True,
                     max_model_len=4096)
        prompts = [{"prompt_token_ids": list(range(5, 5 + length))} for length in (100, 200, 300, 400)]
        made = engine.generate(prompts, SamplingParams(max_tokens=8, detokenize=False))
        print("TOKENS", [len(each.outputs[0].token_ids) for each in made])
        engine.llm_engine.engine_core.shutdown()
        del engine
        gc.collect()


main()
