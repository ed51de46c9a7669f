"""The times that autotuners measure. Each kernel takes the same made-up time, so that the first of
a list of choices is always the fastest: which kernels run does not change from run to run.
"""

import ctypes
import functools
import inspect
import os

from vramlab_dry_run import place, report

# Every choice takes this long, whatever it does.
_MILLISECONDS = 0.01
# As little as these take; more would run the same again, thousands of times.
_SHORTEST = {"warmup": 1, "rep": 1}


@report.guarded
def prepare(testing):
    """Called when `triton.testing` was imported."""
    place.add_library(os.path.dirname(os.path.abspath(testing.__file__)))
    for name in ("do_bench", "do_bench_cudagraph"):
        if hasattr(testing, name):
            setattr(testing, name, _with_one_time(getattr(testing, name)))


def _with_one_time(measure):
    """The same function: it runs what it measures, with all memory that this takes."""
    parameters = inspect.signature(measure)

    @functools.wraps(measure)
    def measured(*args, **kwargs):
        call = parameters.bind(*args, **kwargs)
        call.arguments.update(
            {name: short for name, short in _SHORTEST.items() if name in parameters.parameters})
        told = measure(*call.args, **call.kwargs)
        _note()
        return _one_time(told)

    return measured


def _one_time(told):
    if isinstance(told, (list, tuple)):
        return type(told)(_one_time(each) for each in told)
    return _MILLISECONDS


@report.guarded
def _note():
    driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    driver.vramlab_dry_run_note(b"modelled", b"times of kernels that are tuned")
