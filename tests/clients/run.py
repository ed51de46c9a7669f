"""Runs the clients' programs without a GPU and prints a row for each: alone in a dry run, and under the shim.

    python3 tests/clients/run.py --environments build/clients [--vramlab build/vramlab] [NAME...]

An environment is a folder of that name with bin/python. Leaves with 1 if a client ends otherwise under the shim than
alone."""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from clients import CLIENTS

HERE = pathlib.Path(__file__).resolve().parent
MODES = ("deferred", "sync", "nosplit")
# A program of a second or two may import its package for much longer on a busy machine.
MOST_SECONDS = 600


@dataclasses.dataclass(frozen=True)
class End:
    status: str
    peak_bytes: int
    reasons: tuple[str, ...]
    output: str


def environment_of(client, environments):
    return pathlib.Path(environments) / client.name / "bin/python"


def version_of(client, python):
    text = f"from importlib.metadata import version; print(version({client.package!r}))"
    found = subprocess.run([python, "-c", text], capture_output=True, text=True, check=False)
    return found.stdout.strip() or "not installed"


def told(summary):
    """The largest peak of a GPU that the summary tells, and what it says is not modelled."""
    processes = summary["processes"]
    peaks = [device["peak_used_bytes"] for process in processes for device in process["driver"]]
    reasons = {note["subject"] for process in processes for note in process["notes"]
               if note["kind"] in ("unknown", "linked_runtime")}
    return max(peaks, default=0), tuple(sorted(reasons))


def end_of(client, mode, options):
    """The end of a dry run of the client; without a mode, nothing lies between it and the driver."""
    python = environment_of(client, options.environments)
    program = [str(python), "-B", str(HERE / "programs" / f"{client.name}.py")]
    shim = [options.vramlab, "run", "--mode", mode, "--"] if mode else []
    with tempfile.TemporaryDirectory() as folder:
        summary = pathlib.Path(folder) / "summary.json"
        command = [options.vramlab, "dry-run", "--gpu", "a100-80gb", "--json", str(summary), *client.options, "--",
                   *shim, *program]
        try:
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=MOST_SECONDS,
                                  check=False)
        except subprocess.TimeoutExpired as late:
            return End(f"after {MOST_SECONDS} s", 0, (), str(late.stderr or ""))
        peak, reasons = told(json.loads(summary.read_text())) if summary.exists() else (0, ())
    return End("ok" if done.returncode == 0 else str(done.returncode), peak, reasons, done.stdout + done.stderr)


def row_of(client, options):
    """The client's row, and whether the shim changes nothing."""
    python = environment_of(client, options.environments)
    if not python.exists():
        return f"{client.name:12} not installed", True
    alone = end_of(client, None, options)
    shimmed = [end_of(client, mode, options) for mode in MODES]
    if options.verbose:
        for end in (alone, *shimmed):
            print(end.output, file=sys.stderr)
    words = [f"{client.name:12}", f"{version_of(client, python):12}", f"{alone.status:>9}",
             f"{alone.peak_bytes / 2**20:12.2f}", *(f"{end.status:>9}" for end in shimmed), "; ".join(alone.reasons)]
    return " ".join(words), all(end.status == alone.status for end in shimmed)


def arguments():
    parser = argparse.ArgumentParser()
    # The programs run in folders of their own.
    parser.add_argument("--environments", required=True, type=os.path.abspath)
    parser.add_argument("--vramlab", default=str(HERE.parents[1] / "build/vramlab"), type=os.path.abspath)
    parser.add_argument("--verbose", action="store_true", help="print what the programs print")
    parser.add_argument("names", nargs="*", help="clients; all if there is none")
    options = parser.parse_args()
    known = {client.name for client in CLIENTS}
    if unknown := set(options.names) - known:
        parser.error(f"expected {', '.join(sorted(known))}, found {', '.join(sorted(unknown))}")
    return options


def main():
    options = arguments()
    print(f"{'client':12} {'version':12} {'alone':>9} {'peak MiB':>12} {'deferred':>9} {'sync':>9} {'nosplit':>9} "
          "not modelled")
    all_equal = True
    for client in CLIENTS:
        if options.names and client.name not in options.names:
            continue
        row, is_equal = row_of(client, options)
        print(row, flush=True)
        all_equal = all_equal and is_equal
    return 0 if all_equal else 1


if __name__ == "__main__":
    sys.exit(main())
