"""By hand: kinds of memory at the peak as vramlab tells them, beside the categories of PyTorch's own profiler
and of mosaic (https://github.com/facebookresearch/mosaic), for the same programs. Prints the table of
docs/guide/kinds.md:

    python3 tests/cuda_standins/real/kinds_compared.py --python build/real_pytorch/2.15.0/bin/python
        [--vramlab build/vramlab] [--mosaic mosaic/bin/python]

`--mosaic`: an interpreter in which mosaic is installed."""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
HOWS = ("plain", "amp", "checkpointed", "conv")
# The columns, with the names that each of the three has for them; | is between two.
COLUMNS = {"parameters": ("parameters", "parameter", "PARAMETER"),
           "optimizer state": ("optimizer state", "optimizer_state", "OPTIMIZER"),
           "inputs": ("inputs", "input", ""),
           "activations": ("activations", "activation", "ACTIVATION"),
           "of the backward": ("gradients|activation gradients", "gradient", "BACKWARD"),
           "temporary and others": ("", "", ""),
           "not known": ("not labelled", "unknown", "UNKNOWN")}
OTHERS, UNKNOWN = list(COLUMNS)[-2:]
TOOLS = ("vramlab", "profiler", "mosaic")
ASK_MOSAIC = """
import json, sys
from mosaic.mcp_common.core import analyze_categorical
print("MOSAIC " + json.dumps(analyze_categorical(sys.argv[1])))
"""


def told(word, text):
    lines = [line.removeprefix(word) for line in text.splitlines() if line.startswith(word)]
    return json.loads(lines[-1]) if lines else {}


def dry_run(options, how, watched):
    """The history and what the program said."""
    history = pathlib.Path(tempfile.mkdtemp()) / "run.pickle"
    ran = subprocess.run([options.vramlab, "dry-run", "--gpu", "a100-80gb", "-o", history, "--",
                          options.python, PROGRAMS / "categorized.py", how, watched],
                         env={**os.environ, "PYTHONPATH": str(PROGRAMS)}, check=True,
                         capture_output=True, text=True)
    return history, ran.stdout


def kinds_at_peak(options, history):
    answer = subprocess.run([options.vramlab, "top", "--by", "kind", "--json", history],
                            check=True, capture_output=True, text=True)
    [device] = json.loads(answer.stdout)["devices"]
    return {group["key"]: group["bytes"] for group in device["groups"]}


def mosaic_at_peak(options, history):
    answer = subprocess.run([options.mosaic, "-c", ASK_MOSAIC, history], check=True, capture_output=True,
                            text=True)
    found = told("MOSAIC ", answer.stdout)["categories"]
    return {name.rpartition(".")[2]: value["memory_bytes"] for name, value in found.items()}


def row(program, tool, found):
    """MiB in each column; all other names are one column."""
    place = TOOLS.index(tool)
    names = {name: column for column, of_tools in COLUMNS.items() for name in of_tools[place].split("|")}
    sums = dict.fromkeys(COLUMNS, 0)
    for name, size in found.items():
        sums[names.get(name, OTHERS)] += size
    share = 100 * sums[UNKNOWN] / sum(found.values())
    cells = [f"{size / 2**20:.1f}" if size else "" for size in sums.values()]
    cells[-1] += f" ({share:.0f} %)" if cells[-1] else "0"
    return " | ".join([f"| {program}", tool, *cells]) + " |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--vramlab", default="build/vramlab")
    parser.add_argument("--mosaic", default="")
    options = parser.parse_args()
    print(" | ".join(["| program", "found by", *COLUMNS]) + " |\n" + "|---" * (2 + len(COLUMNS)) + "|")
    for how in HOWS:
        history, output = dry_run(options, how, "alone")
        _, output_watched = dry_run(options, how, "watched")
        objects = told("KINDS ", output)["bytes"]
        own = [f"{objects[name] / 2**20:.1f}" for name in ("parameters", "optimizer_state")]
        print(" | ".join([f"| {how}", "PyTorch's objects", *own]) + " |" * (len(COLUMNS) - 1))
        print(row(how, "vramlab", kinds_at_peak(options, history)))
        print(row(how, "profiler", told("CATEGORIES ", output_watched)))
        if options.mosaic:
            print(row(how, "mosaic", mosaic_at_peak(options, history)), flush=True)


if __name__ == "__main__":
    main()
