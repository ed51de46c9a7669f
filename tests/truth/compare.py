#!/usr/bin/env python3
"""Replays beside what PyTorch did: each recording of a folder is verified, replayed as recorded, and
replayed under the options and the memory of every other recording of the same program. truth.json
has the figures of each run. A run with "asked": false did things that no recording tells, so it is
not compared with others. left.json lists the comparisons that still differ, with the reason; one
that is listed and does not differ is a failure as well, so that the list stays true.

    python3 tests/truth/compare.py PROGRAM [FOLDER]
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "cuda_standins", "real"))

import figures_compared


def read(folder, name, otherwise=None):
    path = os.path.join(folder, name)
    if otherwise is not None and not os.path.exists(path):
        return otherwise
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Comparison:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.truth = {name: run for name, run in read(folder, "truth.json").items()
                      if not run.get("ring")}
        self.left = read(folder, "left.json", {})
        self.unanswerable = set(read(folder, "not_in_file.json", []))
        self.counts = {}
        self.failures = []

    def file_of(self, name):
        return os.path.join(self.folder, name + ".pickle.gz")

    def run(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True, check=False)

    def judge(self, kind, what, difference):
        """`difference`: empty if there is none."""
        good, count = self.counts.get(kind, (0, 0))
        self.counts[kind] = (good + (not difference), count + 1)
        label = f"{kind} {what}"
        if difference and label not in self.left:
            self.failures.append(f"{label}: {difference}")
        elif not difference and label in self.left:
            self.failures.append(f"{label} is equal now: take it out of left.json")

    def figures(self, name, *conditions):
        result = self.run("replay", "--json", "--on-oom", "skip", self.file_of(name), *conditions)
        if not result.stdout:
            return {}, result.stderr.strip()
        return figures_compared.of_replay(json.loads(result.stdout)), ""

    def compare(self, kind, name, other, *conditions):
        got, error = self.figures(name, *conditions)
        different = figures_compared.differences(self.truth[other]["figures"], got)
        self.judge(kind, name if name == other else f"{name} -> {other}",
                   error or ", ".join(different))

    def conditions_of(self, name, asked):
        """The conditions of a run, of which the recording of another one is asked."""
        run = self.truth[name]
        words = ["--conf", run["conf"], "--device-memory", str(run["device_memory"])]
        if run["memory_fraction"]:
            words += ["--memory-fraction", str(run["memory_fraction"])]
        # The recording of such a run has the first blocks of its pools itself.
        if run.get("first_of_pools") and not self.truth[asked].get("first_of_pools"):
            words += ["--cudagraph-initial-mempool", str(run["first_of_pools"])]
        return words

    def may_ask(self, one, other):
        """Whether one recording answers what the other run did."""
        a, b = self.truth[one], self.truth[other]
        return (one != other and a["program"] == b["program"] and
                a["events_late"] == b["events_late"] and
                a.get("first_of_pools") in (None, b.get("first_of_pools")) and
                not a["figures"]["out_of_memory"] and
                a.get("asked", True) and b.get("asked", True) and
                f"{one} -> {other}" not in self.unanswerable)

    def all(self):
        for name in self.truth:
            verified = self.run("verify", "--require", "exact", self.file_of(name))
            self.judge("verify", name, "" if verified.returncode == 0 else verified.stdout[:200])
            self.compare("as recorded", name, name)
            self.compare("own options", name, name, *self.conditions_of(name, name))
            for other in self.truth:
                if self.may_ask(name, other):
                    self.compare("what if", name, other, *self.conditions_of(other, name))


def main():
    comparison = Comparison(os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else HERE)
    comparison.all()
    for kind, (good, count) in comparison.counts.items():
        print(f"{kind}: {good} of {count} equal")
    for failure in comparison.failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if comparison.failures or not comparison.counts else 0)


if __name__ == "__main__":
    main()
