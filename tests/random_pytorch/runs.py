"""Runs programs in dry runs of real PyTorch and leaves a folder of the form of tests/truth: a recording of each run, and
truth.json with the figures that PyTorch told. programs.json beside them has how each was run, and the operations."""

import collections
import dataclasses
import gzip
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "cuda_standins" / "real"))

import figures_compared

NO_LIMIT = "none"
GIB = 1 << 30
MOST_RUNS_OF_A_SERVER = 60


@dataclasses.dataclass(frozen=True)
class Run:
    """A run of a program. `asked`: whether its recording tells what the program's other runs did."""

    name: str
    program: str
    conf: str
    memory: str = NO_LIMIT
    devices: int = 1
    asked: bool = True
    straight_line: bool = True


class Bench:
    """The place where programs are run: the interpreter with PyTorch, vramlab, and the folder of results."""

    def __init__(self, python, vramlab, folder):
        # Not resolved: a virtual environment is known by the path of its interpreter.
        self.python, self.vramlab = os.path.abspath(python), os.path.abspath(vramlab)
        self.folder = pathlib.Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)

    def version(self):
        told = subprocess.check_output(
            [self.python, "-c", "from importlib.metadata import version; print(version('torch'))"], text=True)
        return tuple(map(int, told.split(".")[:2]))

    def run_all(self, runs, programs):
        """Runs each; `programs` has the operations of each program. Returns sentences about runs that failed."""
        rows, wrong = {}, []
        groups = collections.defaultdict(list)
        for run in runs:
            groups[run.memory, run.devices].append(run)
        for (memory, devices), group in groups.items():
            for begin in range(0, len(group), MOST_RUNS_OF_A_SERVER):
                part = group[begin:begin + MOST_RUNS_OF_A_SERVER]
                errors = self._serve(part, programs, memory, devices)
                for run in part:
                    row, fault = self._row(run, programs)
                    if fault:
                        wrong.append(f"run {run.name} [{run.conf}]: {fault}; {errors}")
                    rows.update({run.name: row} if row else {})
        self._write("truth.json", rows)
        self._write("programs.json", {"runs": {run.name: dataclasses.asdict(run) for run in runs},
                                      "operations": programs})
        return wrong

    def _write(self, name, value):
        (self.folder / name).write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")

    def _serve(self, runs, programs, memory, devices):
        jobs = self.folder / "jobs.json"
        jobs.write_text(json.dumps([{**dataclasses.asdict(run), "operations": programs[run.program]} for run in runs]))
        command = [self.vramlab, "dry-run", "-q", "-o", str(self.folder / "%p.pickle"), "--force", "--gpus",
                   str(devices), "--device-memory", memory, "--", self.python, "-B", str(HERE / "server.py"), str(jobs)]
        # PyTorch warns about captures without an operation of the GPU, which are meant.
        environment = {**os.environ, "TORCH_SYMBOLIZE_MODE": "dladdr", "PYTHONWARNINGS": "ignore"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=self.folder)
        jobs.unlink()
        return done.stderr.strip()[-300:]

    def _row(self, run, programs):
        """The row of truth.json, and what is wrong."""
        said = self.folder / f"{run.name}.told.json"
        if not said.exists():
            return None, "told no figures"
        told = json.loads(said.read_text(encoding="utf-8"))
        said.unlink()
        history = self.folder / f"{told['pid']}.pickle"
        if told["errors"] or not history.exists():
            return None, told["errors"][0] if told["errors"] else "left no history"
        kept = self.folder / f"{run.name}.pickle.gz"
        kept.write_bytes(gzip.compress(history.read_bytes(), compresslevel=1, mtime=0))
        history.unlink()
        shares, firsts = ([operation[1] for operation in programs[run.program] if operation[0] == kind]
                          for kind in ("fraction", "first_of_trees"))
        return {"program": run.program, "conf": run.conf,
                "device_memory": told["memory"] if run.memory == NO_LIMIT else bytes_of(run.memory),
                "memory_fraction": shares[0] if shares else None,
                **({"first_of_pools": int(firsts[0] * GIB)} if firsts else {}), "events_late": None,
                "asked": run.asked and len(shares) < 2,
                "figures": figures_compared.of_program(told["devices"], run.conf)}, ""


def bytes_of(text):
    for unit, factor in (("MiB", 1 << 20), ("GiB", 1 << 30)):
        if text.endswith(unit):
            return int(text.removesuffix(unit)) * factor
    raise ValueError(f"expected a size in MiB or GiB, found {text!r}")
