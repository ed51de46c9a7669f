"""Runs one of Liger-Kernel's benchmark scripts inside a dry run.

usage: liger_inside.py SCRIPT whole|memory [ARGUMENT…]

The script is run as it is, and writes its table. Its module `utils` is imported first, and the function that runs a
series is wrapped: the speed part is left out with `memory`, and a case that fails is told and left out of the table.
"""

import os
import runpy
import sys
import traceback


def surviving(function, output_type):
    """A benchmark function that tells of a case that fails and goes on."""

    def call(case):
        try:
            return function(case)
        except Exception:
            print("FAILED", case, file=sys.stderr)
            traceback.print_exc()
            return output_type(y_20=None, y_50=None, y_80=None)

    return call


def main():
    script, parts, *arguments = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    import utils

    run_series = utils.run_benchmarks

    def run_benchmarks(bench_test_fn, **given):
        if parts == "whole" or given["metric_name"] == "memory":
            run_series(bench_test_fn=surviving(bench_test_fn, utils.SingleBenchmarkRunOutput), **given)

    utils.run_benchmarks = run_benchmarks
    sys.argv = [script, *arguments]
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
