"""Runs of one program of the suite, and questions to vramlab about their histories."""

import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import options_compared

HERE = pathlib.Path(__file__).resolve().parent
# The first has the parts that programs share.
PROGRAMS, WITH_PACKAGES = HERE / "programs", HERE / "with_packages"
LONGEST_RUN = 900


@dataclasses.dataclass
class Process:
    pid: int
    devices: list
    host_peak_kib: int
    history: pathlib.Path


@dataclasses.dataclass
class Run:
    option_string: str
    status: int
    seconds: float
    output: str
    errors: str
    folder: pathlib.Path
    processes: list


class Bench:
    """The place where programs are run: the interpreter with PyTorch, and vramlab."""

    def __init__(self, python, vramlab, folder, version):
        self.python, self.vramlab, self.folder = python, vramlab, folder
        self.version = version
        # Without expandable segments nothing in a history tells 2.4 from 2.5.
        self.reference = ("--reference", "2.4") if version < (2, 5) else ()

    def run(self, program, option_string, around=(), options=(), **environment):
        """One dry run. `around`: a command that is put before the program. `options`: of `vramlab
        dry-run`, besides the program's."""
        folder = self.folder / re.sub(r"[^a-z0-9_]+", "-", "_".join(
            [program.label, option_string, *environment, *around[1:2], *options]).lower())
        folder.mkdir(parents=True)
        command = [self.vramlab, "dry-run", "-o", f"{folder}/%p.pickle",
                   "--json", f"{folder}/dry_run.json", "--gpus", str(program.gpus),
                   *program.options, *options]
        if program.memory:
            command += ["--device-memory", program.memory]
        command += ["--", *around, *self.program_command(program)]
        # Names of C++ functions without their lines, which take most of a short program's time.
        environment = self.environment_of(PYTORCH_CUDA_ALLOC_CONF=option_string, **environment)
        if program.asks_options:
            environment["SUITE_NAMES"] = ",".join(options_compared.known_names())
        if program.twice:
            environment["TMPDIR"] = str(self.scratch_of(program))
            # PyTorch 2.7 writes what a kernel masks by in the order of a set of texts.
            environment["PYTHONHASHSEED"] = "0"
        before = time.monotonic()
        status, output, errors = finished(command, environment, folder)
        seconds = time.monotonic() - before
        (folder / "output.txt").write_text(output)
        (folder / "errors.txt").write_text(errors)
        return Run(option_string, status, seconds, output, errors, folder,
                   list(told_processes(output, folder)))

    def environment_of(self, **more):
        return {**os.environ, "TORCH_SYMBOLIZE_MODE": "dladdr", "PYTHONPATH": str(PROGRAMS),
                "VRAMLAB_PROGRAM": self.vramlab, **more}

    def scratch_of(self, program):
        """A run's files have the same names in each run, unless another is in the same folder."""
        folder = self.folder / f"scratch_{program.name}"
        folder.mkdir(exist_ok=True)
        return folder

    def program_command(self, program):
        path = (WITH_PACKAGES if program.packages else PROGRAMS) / f"{program.name}.py"
        launcher = [self.python]
        if program.by_torchrun:
            launcher += ["-m", "torch.distributed.run", "--standalone",
                         "--nproc-per-node", str(program.processes)]
        return [*launcher, str(path), *program.arguments]

    def ask(self, *arguments):
        return subprocess.run([self.vramlab, *arguments], capture_output=True, text=True)

    def replay(self, history, *options):
        answer = self.ask("replay", "--json", "--on-oom", "skip", *self.reference, *options,
                          str(history))
        if not answer.stdout:
            raise RuntimeError(answer.stderr.strip())
        return json.loads(answer.stdout)

    def verify(self, history):
        """A text that tells what is not exact; empty if all is."""
        answer = self.ask("verify", "--require", "exact", str(history))
        return "" if answer.returncode == 0 else (answer.stdout + answer.stderr).strip()


def finished(command, environment, folder):
    """Status, output and errors of a command, which is ended with all its processes when it takes
    too long."""
    started = subprocess.Popen(command, env=environment, cwd=folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        output, errors = started.communicate(timeout=LONGEST_RUN)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, 9)
        output, errors = started.communicate()
        errors += f"\nended after {LONGEST_RUN} s\n"
    return started.returncode, output, errors


def figures_in(output):
    """By process, in the order of their first lines (programs/figures.py)."""
    parts = {}
    for line in output.splitlines():
        if line.startswith("FIGURES "):
            _, process, part = line.split(" ", 2)
            parts[process] = parts.get(process, "") + part
    return [json.loads(text) for text in parts.values()]


def told_processes(output, folder):
    for told in figures_in(output):
        yield Process(told["pid"], told["devices"], told["host_peak_kib"],
                      folder / f"{told['pid']}.pickle")


def last_words(text):
    """The line of what a program said that most likely says why it ended."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"^(\[rank\d\]: )?[\w.]*(Error|Exception)\b", line)]
    return (errors or lines or ["nothing was said"])[-1][:300]


if __name__ == "__main__":
    sys.exit("run run_suite.py")
