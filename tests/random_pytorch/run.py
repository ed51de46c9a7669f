"""Random programs on the PyTorch of one interpreter: each recording is verified and replayed, and asked what the
program did under other option strings (tests/truth/compare.py judges).

    python3 tests/random_pytorch/run.py --python build/real_pytorch/2.6.0/bin/python [--vramlab build/vramlab]
        [--seed N] [--programs 30] [--families pools,graphs] [--keep FOLDER] [--by-hand [NAME,...]]

Without a seed the date chooses. Leaves with 1 if anything differs from what it should be."""

import argparse
import datetime
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "truth"))

import by_hand
import option_strings
from compare import Comparison
from programs import FAMILIES, operations_of
from runs import Bench, Run

# No two days have a program in common.
SEEDS_OF_A_DAY = 100


def seed_of_today():
    return datetime.date.today().toordinal() * SEEDS_OF_A_DAY


def random_runs(family, seed, version):
    """The runs of a program, and its operations."""
    operations = operations_of(family.name, seed)
    runs = [Run(name=f"{family.name}_{seed}.{index}", program=f"{family.name} {seed}", conf=conf,
                memory=family.memory[seed % len(family.memory)], devices=family.devices, asked=family.asked,
                straight_line=seed % 3 != 2)
            for index, conf in enumerate(option_strings.choose(family, seed, operations, version))]
    return runs, operations


def chosen_programs(options, version):
    """The runs of all programs, and the operations of each."""
    if options.by_hand is not None:
        return by_hand.runs_and_programs(options.by_hand)
    families = ([FAMILIES[name] for name in options.families.split(",")] if options.families else
                [family for family in FAMILIES.values() if not family.open])
    runs, programs = [], {}
    for index in range(options.programs):
        family, seed = families[index % len(families)], options.seed + index // len(families)
        of_program, operations = random_runs(family, seed, version)
        runs += of_program
        programs[of_program[0].program] = operations
    return runs, programs


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--vramlab", default=str(HERE.parents[1] / "build/vramlab"))
    parser.add_argument("--seed", type=int, default=seed_of_today())
    parser.add_argument("--programs", type=int, default=30)
    parser.add_argument("--families", default="")
    parser.add_argument("--by-hand", nargs="?", const="", metavar="NAMES")
    parser.add_argument("--keep", metavar="FOLDER")
    return parser.parse_args()


def judge(options, folder):
    bench = Bench(options.python, options.vramlab, folder)
    runs, programs = chosen_programs(options, bench.version())
    chosen = "by hand" if options.by_hand is not None else f"seed {options.seed}"
    print(f"random programs: {len(programs)} programs, {len(runs)} runs, {chosen}", flush=True)
    failures = bench.run_all(runs, programs)
    comparison = Comparison(bench.vramlab, str(bench.folder))
    comparison.all()
    failures += comparison.failures
    print(", ".join(f"{kind}: {good} of {count} equal" for kind, (good, count) in comparison.counts.items()))
    print(*(f"FAILED {failure}" for failure in failures), sep="\n", end="\n" if failures else "")
    if failures:
        print(f"again: --{'by-hand' if options.by_hand is not None else f'seed {options.seed}'}; "
              "smaller: tests/random_pytorch/shrink.py")
    return 1 if failures or not comparison.counts else 0


def main():
    options = arguments()
    if options.keep:
        sys.exit(judge(options, options.keep))
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(judge(options, folder))


if __name__ == "__main__":
    main()
