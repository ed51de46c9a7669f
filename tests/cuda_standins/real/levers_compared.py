"""By hand: what `vramlab explain` says that a change would save, and what a dry run of the changed program
then does. Prints the table of docs/guide/kinds.md:

    python3 tests/cuda_standins/real/levers_compared.py --python build/real_pytorch/2.15.0/bin/python
        [--vramlab build/vramlab] [--packages FOLDER]

`--packages`: a folder with bitsandbytes, for 8-bit states."""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
# Changes of levered.py, the beginning of the lever's name, and options of the dry run.
CHANGES = [("checkpoint", "activation checkpointing", ()), ("eight_bit", "8-bit", ()),
           ("sixteen_bit", "16-bit", ()),
           ("zero_1", "ZeRO-1", ("--rank", "0", "--world-size", "8")),
           ("zero_2", "ZeRO-2", ("--rank", "0", "--world-size", "8")),
           ("fsdp", "ZeRO-3", ("--rank", "0", "--world-size", "8"))]
BATCHES = (4, 32)


def dry_run(options, how, batch, *more):
    """The history of a dry run of levered.py, and its peak of allocated memory."""
    folder = pathlib.Path(tempfile.mkdtemp())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(PROGRAMS), options.packages]))}
    subprocess.run([options.vramlab, "dry-run", "--gpu", "a100-80gb", "-o", folder / "run.pickle", *more, "--",
                    options.python, PROGRAMS / "levered.py", how, str(batch)],
                   env=environment, check=True, capture_output=True)
    [history] = folder.glob("*.pickle")
    return history, explained(options, history)["peak"]


def explained(options, history):
    """Levers, their estimates, and the peak."""
    answer = subprocess.run([options.vramlab, "explain", "--json", history],
                            check=True, capture_output=True, text=True)
    answer = json.loads(answer.stdout)["answer"]
    return {"peak": answer["metrics"]["peak_allocated"], "levers": answer["levers"]}


def shown(count):
    return f"{count / 2**30:.2f} GiB"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--vramlab", default="build/vramlab")
    parser.add_argument("--packages", default="")
    options = parser.parse_args()
    print("| change | peak before | estimate | peak in a dry run | less |\n|---|---|---|---|---|")
    for batch in BATCHES:
        history, before = dry_run(options, "plain", batch)
        levers = explained(options, history)["levers"]
        for how, name, more in CHANGES:
            if how == "eight_bit" and not options.packages:
                continue
            estimate = next((lever for lever in levers if lever["name"].startswith(name)), None)
            after = dry_run(options, how, batch, *more)[1]
            told = f"{shown(estimate['saves_at_most_bytes'])} less" if estimate else "-"
            label = estimate["name"] if estimate else name
            print(f"| {label}, batch {batch} | {shown(before)} | {told} | {shown(after)} "
                  f"| {shown(before - after)} |", flush=True)


if __name__ == "__main__":
    main()
