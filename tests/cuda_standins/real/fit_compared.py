"""`vramlab fit` on real PyTorch beside plain dry runs of every value:

    python3 tests/cuda_standins/real/fit_compared.py --python build/real_pytorch/2.6.0/bin/python
        [--vramlab build/vramlab] [--only gpt lstm] [--nanogpt FOLDER] [--torchtitan FOLDER] [--table FILE.md]

Each program under two option strings; those of packages that are missing, and of others without their FOLDER, are left
out. nanoGPT wants its data for `shakespeare_char`, torchtitan (of December 2024, PyTorch 2.6) its test tokenizer and
`c4_test`. Leaves with 1 if an answer differs."""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CONFS = ("", "expandable_segments:True")
PYTHON = "PYTHON"
TORCHRUN = (PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
ALONE = ("--ranks", "0,last", "--world-size", "8", "--gpus", "8")


@dataclasses.dataclass(frozen=True)
class Sized:
    """A program whose size is a placeholder, and the memory on which some of its values fit."""
    name: str
    words: tuple
    memory: str
    first: int = 1
    last: int = 10
    package: str = ""
    # Both `vramlab fit` and `vramlab dry-run` get them.
    options: tuple = ()
    # The option of ours that names the folder in which it runs.
    folder: str = ""

    def words_with(self, python, batch):
        return [python if word == PYTHON else word.replace("BATCH", batch) for word in self.words]


def of_suite(model, memory, launcher=(PYTHON,), **more):
    words = (*launcher, str(HERE / "programs/sized.py"), "--model", model, "--batch", "BATCH")
    return Sized(more.pop("name", model), words, memory, **more)


def of_package(by, package, memory):
    words = (PYTHON, str(HERE / "with_packages/sized_by_packages.py"), "--by", by, "--batch", "BATCH")
    return Sized(by, words, memory, package=package)


ALL = [
    of_suite("gpt", "240MiB"),
    of_suite("checkpoint", "140MiB"),
    of_suite("amp", "180MiB"),
    of_suite("conv", "44MiB"),
    of_suite("lstm", "96MiB"),
    of_suite("fsdp", "240MiB", TORCHRUN, options=("--gpus", "2"), last=8),
    of_suite("fsdp", "180MiB", name="fsdp, ranks alone", options=ALONE, last=8),
    of_package("trainer", "transformers", "240MiB"),
    of_package("lightning", "lightning", "386MiB"),
    of_package("timm", "timm", "180MiB"),
    Sized("nanoGPT", (PYTHON, "train.py", "config/train_shakespeare_char.py", "--batch_size=BATCH", "--eval_iters=1",
                      "--compile=False"), "330MiB", options=("--steps", "3"), folder="nanogpt"),
    Sized("torchtitan", (PYTHON, "train.py", "--job.config_file", "train_configs/debug_model.toml", "--training.steps",
                         "2", "--training.batch_size", "BATCH"), "1GiB", last=5,
          options=("--rank", "0", "--world-size", "1"), folder="torchtitan"),
]


def named(name):
    return next(sized for sized in ALL if sized.name == name)


class Bench:
    def __init__(self, python, vramlab):
        self.python, self.vramlab = python, vramlab

    def run(self, command, options, sized, batch, folder):
        words = [self.vramlab, command, "--gpu", "a100-40gb", "--device-memory", sized.memory, *sized.options, *options,
                 "--", *sized.words_with(self.python, batch)]
        places = [str(HERE / "programs"), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "TORCH_SYMBOLIZE_MODE": "dladdr", "PYTHONPATH": os.pathsep.join(places)}
        return subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder, env=environment)

    def fit(self, sized, folder):
        confs = [word for conf in CONFS for word in ("--conf", conf)]
        told = self.run("fit", [*confs, "--no-cache", "--json"], sized, "{batch:%d..%d}" % (sized.first, sized.last),
                        folder)
        if not told.stdout:
            raise RuntimeError(told.stderr)
        return json.loads(told.stdout)

    def dry_run(self, sized, conf, batch, folder):
        """Whether it ended well, and the peak of reserved memory of its worst process."""
        with tempfile.TemporaryDirectory() as scratch:
            summary = pathlib.Path(scratch) / "dry_run.json"
            self.run("dry-run", ["-q", "--conf", conf, "--json", str(summary)], sized, str(batch), folder)
            document = json.loads(summary.read_text(encoding="utf-8"))
        peaks = [device["metrics"]["peak_reserved"] for process in document["processes"]
                 for device in process["devices"]]
        return document["exit_status"] == 0, max(peaks, default=0)


def differences(bench, sized, folder):
    """A row for a table, and all that differs."""
    found = bench.fit(sized, folder)
    told, plain_runs = [], 0
    for row in found["rows"]:
        every = {batch: bench.dry_run(sized, row["conf"], batch, folder)
                 for batch in range(sized.first, sized.last + 1)}
        plain_runs += len(every)
        fitting = {batch: peak for batch, (fits, peak) in every.items() if fits}
        best = int(row["largest"]["value"]) if row["largest"] else 0
        if row["problem"]:
            told.append(f"{row['conf']!r}: no answer: {row['problem']}")
        elif best != max(fitting, default=0):
            told.append(f"{row['conf']!r}: {best}, of every value {max(fitting, default=0)}")
        elif best and row["largest"]["peak_reserved_bytes"] != fitting[best]:
            told.append(f"{row['conf']!r}: a plain run of {best} reserves {fitting[best]} bytes")
    answers = ", ".join(str(row["largest"] and row["largest"]["value"]) for row in found["rows"])
    seconds = sum(run["processor_seconds"] for run in found["runs"])
    return [sized.name, sized.memory, f"{sized.first} to {sized.last}", answers, str(len(found["runs"])),
            str(plain_runs), f"{seconds:.0f}"], told


def is_installed(python, package):
    code = f"import importlib.util, sys; sys.exit(not importlib.util.find_spec({package!r}))"
    return not package or subprocess.run([python, "-c", code], check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--vramlab", default=str(ROOT / "build/vramlab"))
    parser.add_argument("--only", nargs="*", default=[sized.name for sized in ALL])
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--nanogpt")
    parser.add_argument("--torchtitan")
    options = parser.parse_args()
    python = os.path.abspath(options.python)
    bench = Bench(python, os.path.abspath(options.vramlab))
    differ, rows = False, []
    for sized in ALL:
        folder = getattr(options, sized.folder) if sized.folder else "."
        if sized.name not in options.only or not folder or not is_installed(python, sized.package):
            continue
        row, told = differences(bench, sized, folder)
        rows.append("| " + " | ".join(row) + " |")
        print("FAILED" if told else "equal ", rows[-1], *told, sep="\n    ", flush=True)
        differ = differ or bool(told)
    if options.table:
        head = ["program", "memory", "values", "answers", "runs of fit", "plain runs", "processor seconds of fit"]
        options.table.write_text("\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|", *rows]) + "\n")
    sys.exit(differ)


if __name__ == "__main__":
    main()
