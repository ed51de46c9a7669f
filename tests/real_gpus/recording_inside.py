"""Runs the program of a recording inside a dry run, without filling its weights on the host first.

usage: recording_inside.py HOST_VALUES PROGRAM [ARGUMENT…]

PROGRAM is a file, or a module after `-m`. With HOST_VALUES `none`, the functions of torch.nn.init leave tensors of the
host as they are, and large zeros of the host are not written: a model of 3 billion weights then takes no memory here.
Nothing changes on the device. With `kept` they are filled.
"""

import functools
import os
import runpy
import sys

LARGE = 2 ** 20


def leaves_host_tensors(fill):
    @functools.wraps(fill)
    def filled(tensor, *arguments, **options):
        return fill(tensor, *arguments, **options) if tensor.is_cuda else tensor

    return filled


def without_large_zeros(zeros, empty):
    @functools.wraps(zeros)
    def made(*size, **options):
        tensor = empty(*size, **options) if options.get("device") in (None, "cpu") else None
        return tensor if tensor is not None and tensor.numel() > LARGE else zeros(*size, **options)

    return made


def leave_host_values():
    import torch

    torch.zeros = without_large_zeros(torch.zeros, torch.empty)

    for name in dir(torch.nn.init):
        if name.endswith("_") and not name.startswith("_"):
            setattr(torch.nn.init, name, leaves_host_tensors(getattr(torch.nn.init, name)))


def main():
    host_values, program, *arguments = sys.argv[1:]
    if host_values == "none":
        leave_host_values()
    if program == "-m":
        sys.path.insert(0, os.getcwd())
        sys.argv = arguments
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
        sys.argv = [program, *arguments]
        runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
