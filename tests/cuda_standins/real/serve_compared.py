"""The parts that `vramlab serve` finds in the history of an engine, beside the engine's own figures."""

import json
import subprocess

# Ours and the engine's, which mean the same.
SAME = (("weights", "weights_bytes"), ("activations", "activations_bytes"), ("cache_tokens", "cache_tokens"))


def differences(bench, program):
    """Sentences about what differs, for a program with an engine."""
    answer = bench.folder / f"{program.name}.serve.json"
    ended = subprocess.run([bench.vramlab, "serve", "--gpu", "a100-40gb", "--json", str(answer), "--force", "--",
                            *bench.program_command(program)],
                           capture_output=True, text=True, env=bench.environment_of())
    if ended.returncode != 0:
        return [f"serve: ended with {ended.returncode}: {ended.stderr[-300:]}"]
    document = json.loads(answer.read_text())
    return [text for process in document["processes"] for text in differences_of(process, document["engine_says"])]


def differences_of(process, engine_says):
    # With several ranks, another process has some of the engine's figures.
    own = {name: value for name, value in process["engine_says"].items() if value is not None}
    parts, says = process["parts"], {**engine_says, **own}
    wrong = [f"serve: {text}" for text in [*process["doubts"], *process["not_found"]]]
    wrong += [f"serve: {ours} is {parts[ours]}, the engine says {says[theirs]}" for ours, theirs in SAME
              if parts[ours] is None or parts[ours] != says[theirs]]
    if says["graphs_bytes"] is not None and parts["graphs"] + parts["beside_graphs"] != says["graphs_bytes"]:
        wrong.append(f"serve: graphs have {parts['graphs']} and {parts['beside_graphs']}, the engine says "
                     f"{says['graphs_bytes']}")
    return wrong
