"""Runs the program of a recording inside a dry run, without filling its weights on the host first.

usage: recording_inside.py HOST_VALUES PROGRAM [ARGUMENT…]

PROGRAM is a file, or a module after `-m`. With HOST_VALUES `none`, the functions of torch.nn.init leave tensors of the
host as they are: a model of 3 billion weights then takes no memory here. Nothing changes on the device. With `kept`
they are filled.
"""

import functools
import os
import runpy
import sys


def leaves_host_tensors(fill):
    @functools.wraps(fill)
    def filled(tensor, *arguments, **options):
        return fill(tensor, *arguments, **options) if tensor.is_cuda else tensor

    return filled


def leave_host_values():
    import torch

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
