"""Runs the suite on the PyTorch of one interpreter and says for each program what was seen:

    python3 tests/cuda_standins/real/run_suite.py --python build/real_pytorch/2.6.0/bin/python
        [--vramlab build/vramlab] [--only TEXT] [--keep FOLDER] [--table FILE.md] [--jobs N]

Leaves with 1 if anything differs from what it should be."""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import checks
import fit_compared
import options_compared
import serve_compared
from runs import Bench, last_words
from suite import PROGRAMS

ROOT = pathlib.Path(__file__).resolve().parents[3]
# So many more runs of each kind show that a program's order of frees is not always the same.
MORE_RUNS = 5


def installed(python):
    """PyTorch's version, and which packages of others can be used with it."""
    names = sorted({name for program in PROGRAMS for name in program.packages})
    code = ("import importlib.util, importlib.metadata as m, json; print(json.dumps([m.version("
            f"'torch'), [n for n in {names} if importlib.util.find_spec(n)]]))")
    version, packages = json.loads(subprocess.check_output([python, "-c", code], text=True))
    return version, set(packages)


def numbers_of(version):
    return tuple(map(int, re.match(r"(\d+)\.(\d+)", version).groups()))


def why_skipped(program, version, packages):
    if numbers_of(version) < program.since:
        return f"needs PyTorch {program.since[0]}.{program.since[1]}"
    missing = set(program.packages) - packages
    return f"{', '.join(sorted(missing))} is not installed" if missing else ""


def check_runs(bench, program, runs):
    wrong = []
    for run in runs:
        told = checks.ended_as_it_should(program, run)
        if not told:
            told = checks.history_is_exact(bench, run)
            told += checks.replay_has_the_figures(bench, program, run)
            if program.pinned:
                told += checks.pinned_memory_is_as_replayed(bench, run)
            if program.compiled_from:
                told += checks.compiled_code_is_the_models(program, run)
            if program.managed:
                told += checks.managed_memory_is_counted(run)
            if program.asks_options:
                told += options_compared.differences(bench, run)
        label = f"[{run.option_string}] " if run.option_string else ""
        wrong += [label + text for text in told]
    if wrong or not program.what_if:
        return wrong
    for run in runs:
        for other in runs:
            if run is not other:
                wrong += checks.answers_what_if(bench, program, run, other)
    return wrong


def check_again(bench, program, first):
    """Code that was compiled in one run makes no difference to the next."""
    again = bench.run(program, first.option_string, SUITE_AGAIN="2")
    told = checks.ended_as_it_should(program, again)
    return told or checks.histories_are_the_same(first, again)


def check_same_events(bench, program, first, label, **how):
    """Another run, in another way that changes nothing on the device."""
    again = bench.run(program, first.option_string, **how)
    ended_wrong = checks.ended_as_it_should(program, again)
    told = ended_wrong or checks.events_are_the_same(first, again)
    if told and not ended_wrong:
        told = told_after_more_runs(bench, program, first, again, label.split()[-1], how)
    return [f"{label}: {text}" for text in told]


def told_after_more_runs(bench, program, first, again, number, how):
    """Autocast and cuBLAS give memory back in an order of addresses of the host, Python's collector and NCCL's
    watching thread at moments of their own: such programs differ between runs of one kind, too."""
    plain, more = [first], [again]
    for turn in range(MORE_RUNS):
        plain.append(bench.run(program, first.option_string, **{f"SUITE_PLAIN_{number}_{turn}": str(turn)}))
        more.append(bench.run(program, first.option_string, **how, **{f"SUITE_MORE_{number}_{turn}": str(turn)}))
        if any(checks.histories_were_seen(plain, run) for run in more):
            return []
    is_ordered = not any(checks.events_are_the_same(first, run) for run in plain[1:])
    return checks.events_are_the_same(first, again, ordered=is_ordered)


def check_plugin(bench, program, runs, plugin):
    wrong = []
    for run in runs[:2]:
        with_plugin = bench.run(program, run.option_string, SUITE_PLUGIN=plugin)
        if with_plugin.status != 0 or not with_plugin.processes:
            wrong.append(f"plug-in: ended with {with_plugin.status}: "
                         f"{last_words(with_plugin.errors)}")
            continue
        again = bench.run(program, run.option_string, SUITE_AGAIN="5")
        wrong += checks.plugin_has_the_figures(run, again, with_plugin)
    return wrong


def check_inside_others(bench, program, native):
    """Other commands of vramlab around the program change nothing that it tells."""
    wrong = []
    trace, stats = bench.folder / "inside.vtrace", bench.folder / "stats.json"
    for command in (["run", "--stats", str(stats)], ["record", "-o", str(trace)]):
        run = bench.run(program, "", around=[bench.vramlab, *command, "--"])
        told = checks.ended_as_it_should(program, run)
        told = told or checks.programs_have_the_same_figures(native, run)
        wrong += [f"inside `vramlab {command[0]}`: {text}" for text in told]
    if not stats.exists():
        wrong.append("`vramlab run` left no statistics")
    if not bench.replay(trace)["metrics"]["peak_allocated"]:
        wrong.append("the trace of `vramlab record` tells of no memory")
    return wrong


def check_ordered_memory(bench, program):
    """PyTorch's own allocator is not asked here, and every figure is said to be modelled."""
    run = bench.run(program, "backend:cudaMallocAsync")
    if run.status != 0:
        return [f"cudaMallocAsync: ended with {run.status}: {last_words(run.errors)}"]
    return [] if "modelled" in run.errors else ["cudaMallocAsync is not said to be modelled"]


def check_fit(bench, program):
    """`vramlab fit` beside plain dry runs of every value."""
    first, last = program.fit_values
    sized = dataclasses.replace(fit_compared.named(program.compared_by_fit), first=first, last=last)
    _, told = fit_compared.differences(fit_compared.Bench(bench.python, bench.vramlab), sized, bench.folder)
    return [f"fit: {text}" for text in told]


def judge(bench, program, plugin):
    """The runs of a program and all that is wrong with them."""
    runs = [bench.run(program, options) for options in program.option_strings]
    try:
        wrong = check_runs(bench, program, runs)
        if program.twice and not wrong:
            wrong = check_again(bench, program, runs[0])
        if program.zeros and not wrong:
            wrong = check_same_events(bench, program, runs[0], "--values zeros",
                                      options=("--values", "zeros"))
        if program.kinds and not wrong:
            wrong = checks.kinds_are_known(runs[0]) + checks.modules_are_known(bench, runs[0])
            if program.labelled:
                wrong += checks.nearly_all_has_a_kind(bench, runs[0])
            wrong += check_same_events(bench, program, runs[0], "without kinds",
                                       VRAMLAB_DRY_RUN_KINDS="0")
        if program.plugin and plugin and not wrong:
            wrong = check_plugin(bench, program, runs, plugin)
        if program.compared_by_fit and not wrong:
            wrong = check_fit(bench, program)
        if program.served and not wrong:
            wrong = serve_compared.differences(bench, program)
        if program.inside_others and not wrong:
            wrong = check_inside_others(bench, program, runs[0])
            wrong += check_ordered_memory(bench, program)
    except (RuntimeError, KeyError) as failure:
        wrong = [f"{type(failure).__name__}: {failure}"]
    return runs, wrong


def gib(value):
    return f"{value / 2**30:.2f} GiB"


def row_of(bench, program, runs, wrong):
    """A row of the table in docs/guide/dry_run.md."""
    first = runs[0]
    devices = [device for process in first.processes for device in process.devices]
    peak = lambda name: max((device[name + ".all.peak"] for device in devices), default=0)
    events = sum(device["allocation.all.allocated"] + device["allocation.all.freed"]
                 for device in devices)
    host = max((process.host_peak_kib for process in first.processes), default=0)
    return (f"| `{program.label}` | {len(runs)} | {events:,} | {gib(peak('allocated_bytes'))} | "
            f"{gib(peak('reserved_bytes'))} | {host // 1024} MiB | {first.seconds:.1f} s | "
            f"{'yes' if not wrong else 'no: ' + wrong[0][:120]} |")


TABLE_HEAD = ("| program | option strings | allocs and frees | peak allocated | peak reserved | "
              "host memory | time | all equal |\n|---|---|---|---|---|---|---|---|")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", required=True)
    parser.add_argument("--vramlab", default=str(ROOT / "build/vramlab"))
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def run_all(options, folder):
    # Not resolved: a virtual environment is known by the path of its interpreter.
    python = os.path.abspath(options.python)
    version, packages = installed(python)
    bench = Bench(python, os.path.abspath(options.vramlab), folder, numbers_of(version))
    plugin = pathlib.Path(bench.vramlab).parent / "libvramlab_torch.so"
    chosen = [program.in_version(numbers_of(version)) for program in PROGRAMS
              if options.only in program.label]
    rows, failed, skipped = [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {}
        for program in chosen:
            if why := why_skipped(program, version, packages):
                print(f"skipped  {program.label}: {why}")
                skipped += 1
            else:
                waiting[program] = pool.submit(judge, bench, program,
                                               str(plugin) if plugin.exists() else "")
        for program, future in waiting.items():
            runs, wrong = future.result()
            rows.append(row_of(bench, program, runs, wrong))
            failed += bool(wrong)
            seconds = sum(run.seconds for run in runs)
            print(f"{'FAILED ' if wrong else 'equal  '}  {program.label} ({seconds:.0f} s)",
                  *wrong, sep="\n             ", flush=True)
    print(f"PyTorch {version}: {len(rows) - failed} programs equal, {failed} failed, "
          f"{skipped} skipped")
    if options.table:
        options.table.write_text("\n".join([TABLE_HEAD, *rows]) + "\n")
    return 1 if failed else 0


def main():
    options = arguments()
    if options.keep:
        options.keep.mkdir(parents=True)
        sys.exit(run_all(options, options.keep.resolve()))
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(run_all(options, pathlib.Path(folder)))


main()
