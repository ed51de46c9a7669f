#!/usr/bin/env python3
"""Reads snapshots with `vramlab info` and with Python, side by side:

    python3 tools/dev/compare_with_python.py snapshot.pickle snapshot.json

Both read each file in turns. What is shown are the medians of processor time (user and system, of
the whole program) and of peak memory, and how many times as much Python takes. Timings of pickles
under 50 MB say more about starting a program than about reading.
"""
import argparse
import os
import statistics
import subprocess
import sys

READERS = {
    "pickle": "import pickle, sys; pickle.load(open(sys.argv[1], 'rb'))",
    "json": "import json, sys; json.load(open(sys.argv[1]))",
}
FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(command):
    """Seconds of processor time and MiB at the peak."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[0]}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def python_reader(path):
    with open(path, "rb") as file:
        first = file.read(1)
    return READERS["json" if first in (b"{", b"[") else "pickle"]


def medians(runs):
    return [statistics.median(values) for values in zip(*runs)]


def compare(path, program, rounds):
    ours = [program, "info", "--quiet", path]
    theirs = [sys.executable, "-c", python_reader(path), path]
    pairs = [(run(ours), run(theirs)) for _ in range(rounds)]
    our_time, our_memory = medians(pair[0] for pair in pairs)
    their_time, their_memory = medians(pair[1] for pair in pairs)
    print(
        f"{os.path.basename(path):32} {os.path.getsize(path) / 1e6:8.1f} MB"
        f" {our_time:8.3f} s {their_time:8.3f} s {their_time / our_time:6.1f}x"
        f" {our_memory:8.1f} MiB {their_memory:8.1f} MiB {their_memory / our_memory:6.1f}x",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="snapshots, not packed")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--program", default=os.path.join(FOLDER, "build", "vramlab"))
    arguments = parser.parse_args()
    print(f"{'file':32} {'size':>11} {'vramlab':>10} {'python':>10} {'ratio':>7}"
          f" {'vramlab':>12} {'python':>12} {'ratio':>7}")
    for path in arguments.files:
        compare(path, arguments.program, arguments.rounds)


if __name__ == "__main__":
    main()
