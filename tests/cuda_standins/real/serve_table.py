"""The table of docs/guide/serving.md: vLLM with models from configs, each run once by `vramlab serve`. The engine's own
log lines are compared with the parts that we find. A run whose answer lies in FOLDER is not made again.

Usage: python3 -B tests/cuda_standins/real/serve_table.py VRAMLAB BIN FOLDER [NAME...]
BIN: where `vllm` is. NAME: only these configurations; without any, all, and then the table.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

import serve_compared

GIB, MIB = 1 << 30, 1 << 20
COMMON = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "initializer_range": 0.02,
    "rms_norm_eps": 1e-05, "rope_theta": 500000.0, "vocab_size": 128256, "bos_token_id": 128000,
    "eos_token_id": 128001, "max_position_embeddings": 131072, "torch_dtype": "bfloat16", "num_key_value_heads": 8}


def shape(width, layers, heads, inner, tied=False):
    return {**COMMON, "hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads,
            "head_dim": width // heads, "intermediate_size": inner, "tie_word_embeddings": tied}


MODELS = {"1b": shape(2048, 16, 32, 8192, tied=True), "8b": shape(4096, 32, 32, 14336),
          "70b": shape(8192, 80, 64, 28672)}
FOUR_BITS = {
    "gptq": {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False, "sym": True},
    "awq": {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True, "version": "gemm"}}
for method, config in FOUR_BITS.items():
    MODELS[f"8b-{method}"] = {**MODELS["8b"], "torch_dtype": "float16", "quantization_config": config}
MODELS["70b-awq"] = {**MODELS["70b"], "torch_dtype": "float16", "quantization_config": FOUR_BITS["awq"]}

# A draft model, and a layer that guesses from what the last one of the large model says.
MODELS["draft"] = shape(1024, 4, 16, 4096, tied=True)
MODELS["1b-eagle"] = shape(2048, 1, 32, 8192)


def guessing(method, model=None):
    """The options for three guesses at each step. `model`: its name, which becomes its folder."""
    return "--speculative-config", {"method": method, "num_speculative_tokens": 3, "model": model}


ALONE = ("--rank", "0")
NO_GRAPHS = ("--enforce-eager",)


def ranks(number):
    return ("--tensor-parallel-size", str(number))


# Name: model, GPU, options of vramlab, options of vLLM.
CONFIGURATIONS = {
    "1 billion, no graphs": ("1b", "a100-40gb", (), NO_GRAPHS),
    "1 billion": ("1b", "a100-40gb", (), ()),
    "1 billion, guesses from the prompt, no graphs": ("1b", "a100-40gb", (), (*NO_GRAPHS, *guessing("ngram"))),
    "1 billion, a draft model, no graphs":
        ("1b", "a100-40gb", (), (*NO_GRAPHS, *guessing("draft_model", "draft"))),
    "1 billion, EAGLE, no graphs": ("1b", "a100-40gb", (), (*NO_GRAPHS, *guessing("eagle", "1b-eagle"))),
    "1 billion, 2 ranks, no graphs": ("1b", "a100-40gb", (), (*NO_GRAPHS, *ranks(2))),
    "8 billion, no graphs": ("8b", "a100-40gb", (), NO_GRAPHS),
    "8 billion": ("8b", "a100-40gb", (), ()),
    "8 billion, no prefix caching": ("8b", "a100-40gb", (), (*NO_GRAPHS, "--no-enable-prefix-caching")),
    "8 billion, LoRA of rank 16": ("8b", "a100-40gb", (), (*NO_GRAPHS, "--enable-lora", "--max-lora-rank", "16")),
    "8 billion, fp8": ("8b", "h100-80gb", (), (*NO_GRAPHS, "--quantization", "fp8")),
    "8 billion, fp8 cache": ("8b", "h100-80gb", (), (*NO_GRAPHS, "--kv-cache-dtype", "fp8")),
    "8 billion, GPTQ": ("8b-gptq", "a100-40gb", (), NO_GRAPHS),
    "8 billion, AWQ": ("8b-awq", "l4", (), NO_GRAPHS),
    "8 billion, rank 0 of 8": ("8b", "h100-80gb", ALONE, ranks(8)),
    "70 billion, AWQ": ("70b-awq", "h100-80gb", (), NO_GRAPHS),
    "70 billion, rank 0 of 8, no graphs": ("70b", "h100-80gb", ALONE, (*NO_GRAPHS, *ranks(8))),
    "70 billion, rank 0 of 8": ("70b", "h100-80gb", ALONE, ranks(8)),
    "70 billion, fp8, no graphs": ("70b", "h200", (), (*NO_GRAPHS, "--quantization", "fp8")),
}

# The engine's lines, and our part in the same unit, rounded alike.
LOG_LINES = (
    (r"Model loading took ([\d.]+) GiB", lambda parts: parts["weights"]),
    (r"Graph capturing finished in .* took (-?[\d.]+) GiB",
     lambda parts: (parts["graphs"] or 0) + (parts["beside_graphs"] or 0)),
    (r"Available KV cache memory: ([\d.]+) GiB", lambda parts: parts["cache"]))


class Bench:
    def __init__(self, vramlab, programs, folder):
        self.vramlab, self.programs, self.folder = vramlab, programs, folder
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, name):
        """The answer, from an earlier run if there is one."""
        model, gpu, ours, theirs = CONFIGURATIONS[name]
        stem = self.folder / re.sub(r"[^a-z0-9]+", "-", name.lower())
        answer = stem.with_suffix(".json")
        if not answer.exists():
            self._make(stem, gpu, ours, ["vllm", "serve", str(self._model(model)), "--load-format", "dummy",
                                         "--skip-tokenizer-init", "--max-model-len", "8192",
                                         *map(self._word, theirs)])
        return json.loads(answer.read_text()), stem.with_suffix(".log").read_text()

    def _make(self, stem, gpu, ours, words):
        environment = {**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}",
                       "VLLM_USE_FLASHINFER_SAMPLER": "0", "HF_HUB_OFFLINE": "1"}
        begin = time.monotonic()
        with open(stem.with_suffix(".log"), "wb") as log:
            subprocess.run([self.vramlab, "serve", "--gpu", gpu, "--load", "64x1024+64", "--json",
                            stem.with_suffix(".json"), *ours, "--", *words],
                           stdout=log, stderr=subprocess.STDOUT, env=environment, check=False)
        print(f"{stem.name}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)

    def _word(self, word):
        if not isinstance(word, dict):
            return word
        model = word["model"] and str(self._model(word["model"]))
        return json.dumps({name: value for name, value in {**word, "model": model}.items() if value is not None})

    def _model(self, name):
        folder = self.folder / "models" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.json").write_text(json.dumps(MODELS[name]))
        return folder


def worst(document):
    return max(document["processes"], key=lambda process: process["parts"]["peak_with_cache"] or 0)


def log_differences(parts, log):
    """Sentences about lines of the log that say another figure, or are missing. The engine's are rounded to hundredths,
    and the cache has whole blocks."""
    for pattern, ours in LOG_LINES:
        figure = (ours(parts) or 0) / GIB
        said = re.findall(pattern, log)
        if abs(float(said[-1] if said else 0) - figure) > 0.011:
            yield f"{pattern}: {said[-1:]}, we say {figure:.3f}"
    said = re.findall(r"GPU KV cache size: ([\d,]+) tokens", log)
    if not said or int(said[-1].replace(",", "")) != parts["cache_tokens"]:
        yield f"tokens: {said[-1:]}, we say {parts['cache_tokens']}"


def amount(count):
    if count is None:
        return ""
    return f"{count / GIB:.2f} GiB" if count >= GIB else f"{count / MIB:.1f} MiB"


def row(name, document, log):
    if not document["processes"]:
        return f"| {name} | {CONFIGURATIONS[name][1]} | did not start |"
    process = worst(document)
    parts = process["parts"]
    wrong = [*serve_compared.differences_of(process, document["engine_says"]), *log_differences(parts, log)]
    for text in wrong:
        print(f"{name}: {text}", file=sys.stderr)
    graphs = amount(parts["graphs"]) + (f" + {amount(parts['beside_graphs'])}" if parts["beside_graphs"] else "")
    return "| " + " | ".join([
        name, document["gpu"], amount(parts["weights"]), amount(parts["activations"]), graphs,
        f"{parts['cache_tokens']:,}" if parts["cache_tokens"] else "", amount(parts["activations_in_steps"]),
        "the same" if not wrong else "other", f"{document['processor_seconds']:.0f} s",
        amount(document["host_bytes"])]) + " |"


def main():
    vramlab, programs, folder, *names = sys.argv[1:]
    bench = Bench(os.path.abspath(vramlab), os.path.abspath(programs), pathlib.Path(folder).absolute())
    print("| model | GPU | weights | activations | graphs' pools + beside | KV cache, tokens | activations under load "
          "| the engine's lines | processor time | host memory |\n|" + "---|" * 10)
    for name in names or CONFIGURATIONS:
        print(row(name, *bench.run(name)), flush=True)


main()
