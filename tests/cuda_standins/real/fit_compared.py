"""`vramlab fit` on real PyTorch beside every value tried, and beside plain dry runs:

    python3 tests/cuda_standins/real/fit_compared.py --python build/real_pytorch/2.6.0/bin/python
        [--vramlab build/vramlab] [--last 24] [--only gpt lstm]

Each model of programs/sized.py under two option strings. Leaves with 1 if an answer differs."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "tests/cuda_standins/real/programs/sized.py"
CONFS = ("", "expandable_segments:True")
# The memory of each model, so that about half of the values fit.
MODELS = {"gpt": "340MiB", "checkpoint": "170MiB", "amp": "260MiB", "conv": "50MiB", "lstm": "90MiB"}


class Bench:
    def __init__(self, options):
        self.options = options

    def fit(self, model, batches):
        confs = [word for conf in CONFS for word in ("--conf", conf)]
        words = [self.options.vramlab, "fit", "--gpu", "a100-40gb", "--device-memory", MODELS[model], *confs,
                 "--no-cache", "--json", "--", self.options.python, str(PROGRAM), "--model", model,
                 "--batch", batches]
        told = subprocess.run(words, capture_output=True, text=True, check=False)
        if not told.stdout:
            raise RuntimeError(told.stderr)
        return json.loads(told.stdout)

    def dry_run(self, model, conf, batch):
        """The status and the peak of reserved memory."""
        summary = pathlib.Path(f"fit_compared.{os.getpid()}.json")
        words = [self.options.vramlab, "dry-run", "-q", "--gpu", "a100-40gb", "--device-memory", MODELS[model],
                 "--conf", conf, "--json", str(summary), "--force", "--", self.options.python, str(PROGRAM),
                 "--model", model, "--batch", str(batch)]
        subprocess.run(words, capture_output=True, check=False)
        document = json.loads(summary.read_text(encoding="utf-8"))
        summary.unlink()
        devices = [device for process in document["processes"] for device in process["devices"]]
        return document["exit_status"], max(device["metrics"]["peak_reserved"] for device in devices)


def differences(bench, model):
    batches = range(1, bench.options.last + 1)
    found = bench.fit(model, "{batch:1..%d}" % batches[-1])
    every = bench.fit(model, "{batch:%s}" % ",".join(map(str, batches)))
    told = []
    for row in found["rows"]:
        fitting = {int(other["placeholders"]["batch"]): other["largest"] for other in every["rows"]
                   if other["conf"] == row["conf"] and other["largest"]}
        best = int(row["largest"]["value"]) if row["largest"] else 0
        if best != max(fitting, default=0):
            told.append(f"{row['conf']!r}: {best}, of every value {max(fitting, default=0)}")
        for batch in {best, best + 1} & set(batches):
            status, reserved = bench.dry_run(model, row["conf"], batch)
            if (status == 0) != (batch in fitting):
                told.append(f"{row['conf']!r}: a plain run of {batch} ends with {status}")
            elif status == 0 and reserved != fitting[batch]["peak_reserved_bytes"]:
                told.append(f"{row['conf']!r}: a plain run of {batch} reserves {reserved} bytes")
    answers = ", ".join(str(row["largest"] and row["largest"]["value"]) for row in found["rows"])
    seconds = sum(run["processor_seconds"] for run in found["runs"])
    print(f"{'FAILED' if told else 'equal '} {model}: {answers} of {batches[-1]}; {len(found['runs'])} runs, "
          f"{seconds:.1f} s of processor time", *told, sep="\n    ", flush=True)
    return told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--vramlab", default=str(ROOT / "build/vramlab"))
    parser.add_argument("--last", type=int, default=24)
    parser.add_argument("--only", nargs="*", default=list(MODELS), choices=MODELS)
    bench = Bench(parser.parse_args())
    sys.exit(any([differences(bench, model) for model in bench.options.only]))


main()
