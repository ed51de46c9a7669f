"""Makes the program of a failed comparison smaller while it still fails: parts of its operations are left out, first
large ones, then small ones (delta debugging). The candidates of a round share one dry run.

    python3 tests/random_pytorch/shrink.py --python …/bin/python KEPT RUN [OTHER RUN] --to FOLDER

KEPT is what run.py kept; RUN is the recording, and OTHER RUN the one that it was asked about. FOLDER then has the least
program and its recordings in the same form, so that tests/truth/add.py takes them."""

import argparse
import dataclasses
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "truth"))

from compare import Comparison
from runs import Bench, Run

CANDIDATES_OF_A_ROUND = 12
KINDS = ("verify", "as recorded", "own options")


class Validity:
    """The things that a shortened program has at some point: uses of others are left out."""

    def __init__(self):
        self.made = {"block": set(), "pool": set(), "graph": set()}
        # Blocks that are gone still say where they were.
        self.placed = set()
        self.scopes = 0
        self.capturing = None

    def kept(self, operation):
        """The operation as it can be done now, or None."""
        kind, *arguments = operation
        first = arguments[0] if arguments else None
        if kind == "thread_free":
            return [kind, [self.taken("block", name) for name in first if name in self.made["block"]]]
        if kind == "alloc_at" and arguments[2] not in self.placed:
            return None
        if kind.endswith("alloc") or kind == "alloc_at":
            self.made["block"].add(first)
            self.placed.add(first)
        elif kind == "pool_new":
            self.made["pool"].add(first)
        elif kind == "capture_begin":
            self.capturing = first
            share = arguments[1]
            # Handles are words, graphs numbers.
            return [kind, first, share if share in self.made["graph"] or isinstance(share, str) else None, arguments[2]]
        elif kind == "capture_end":
            return self.closed_capture(operation)
        elif kind in ("pool_enter", "pool_exit"):
            return self.scope(operation)
        elif not self.uses_what_is_there(kind, first):
            return None
        return operation

    def uses_what_is_there(self, kind, name):
        of_what = ("block" if kind in ("free", "record", "share") else
                   kind.removesuffix("_end").removesuffix("_replay") if kind in ("pool_end", "graph_end", "graph_replay")
                   else None)
        if of_what and name not in self.made[of_what]:
            return False
        if kind in ("free", "pool_end", "graph_end"):
            self.taken(of_what, name)
        return True

    def taken(self, of_what, name):
        self.made[of_what].discard(name)
        return name

    def closed_capture(self, operation):
        if self.capturing is None:
            return None
        self.made["graph"].add(self.capturing)
        self.capturing = None
        return operation

    def scope(self, operation):
        if operation[0] == "pool_enter":
            if operation[1] not in self.made["pool"]:
                return None
            self.scopes += 1
        elif self.scopes == 0:
            return None
        else:
            self.scopes -= 1
        return operation


def made_valid(operations):
    """The operations without uses of what isn't made; scopes and captures are closed at the end."""
    state = Validity()
    kept = [operation for operation in map(state.kept, operations) if operation]
    return kept + [["capture_end"]] * (state.capturing is not None) + [["pool_exit"]] * state.scopes


class Shrinker:
    def __init__(self, bench_of, runs):
        self.bench_of, self.runs = bench_of, runs
        self.kind = None

    def failing(self, candidates, folder):
        """Whether each candidate fails as the whole program did; the first call learns how that is."""
        bench = self.bench_of(folder)
        runs = [dataclasses.replace(run, name=f"{index}.{which}", program=str(index))
                for index in range(len(candidates)) for which, run in enumerate(self.runs)]
        bench.run_all(runs, {str(index): operations for index, operations in enumerate(candidates)})
        comparison = Comparison(bench.vramlab, str(bench.folder))
        comparison.all()
        if self.kind is None:
            kinds = KINDS if len(self.runs) == 1 else ("what if",)
            self.kind = next((kind for kind in kinds if self.fails(comparison, kind, 0)), None)
        return [self.fails(comparison, self.kind, index) for index in range(len(candidates))]

    def fails(self, comparison, kind, index):
        label = f"{kind} {index}.0" + (f" -> {index}.1" if len(self.runs) == 2 else "")
        return any(failure.startswith(label + ":") for failure in comparison.failures)

    def first_failing(self, candidates):
        for begin in range(0, len(candidates), CANDIDATES_OF_A_ROUND):
            part = candidates[begin:begin + CANDIDATES_OF_A_ROUND]
            with tempfile.TemporaryDirectory() as folder:
                found = [candidate for candidate, fails in zip(part, self.failing(part, folder)) if fails]
            if found:
                return min(found, key=len)
        return None

    def least(self, operations):
        parts = 4
        while len(operations) > 1:
            size = max(1, len(operations) // parts)
            candidates = [made_valid(operations[:begin] + operations[begin + size:])
                          for begin in range(0, len(operations), size)]
            found = self.first_failing([each for each in candidates if len(each) < len(operations)])
            if found:
                operations, parts = found, max(parts - 1, 3)
            elif size == 1:
                break
            else:
                parts = min(len(operations), parts * 2)
            print(f"shrink: {len(operations)} operations, parts of {size}", flush=True)
        return operations


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--vramlab", default=str(HERE.parents[1] / "build/vramlab"))
    parser.add_argument("--to", required=True, metavar="FOLDER")
    parser.add_argument("kept", type=pathlib.Path)
    parser.add_argument("runs", nargs="+")
    return parser.parse_args()


def main():
    options = arguments()
    kept = json.loads((options.kept / "programs.json").read_text(encoding="utf-8"))
    runs = [Run(**kept["runs"][name]) for name in options.runs]
    shrinker = Shrinker(lambda folder: Bench(options.python, options.vramlab, folder), runs)
    operations = kept["operations"][runs[0].program]
    with tempfile.TemporaryDirectory() as folder:
        if not shrinker.failing([operations], folder)[0]:
            sys.exit(f"shrink: {' -> '.join(options.runs)} does not fail")
    operations = shrinker.least(operations)
    bench = Bench(options.python, options.vramlab, options.to)
    bench.run_all([dataclasses.replace(run, program="least") for run in runs], {"least": operations})
    print(f"shrink: {shrinker.kind} still fails with", *operations, sep="\n  ")


if __name__ == "__main__":
    main()
