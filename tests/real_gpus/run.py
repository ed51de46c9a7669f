"""Repeats rows of docs/reference/real_gpus.md from your own clone of their source.

usage: run.py SOURCE CLONE --python PYTHON [--match TEXT]… [--out FILE] [OPTION…]

SOURCE is a module beside this file: liger or recordings. CLONE is a clone of the source, with a comma and a second
clone where a recording needs two. PYTHON has the PyTorch of the rows. Each row is printed with the real and the dry
figure, and added to FILE. Unknown options go to Liger-Kernel's script.
"""

import argparse
import importlib
import os
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program(name):
    """The place of a program, for a process in another folder."""
    return os.path.abspath(shutil.which(name) or name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("clone")
    parser.add_argument("--python", required=True, type=program, help="the Python with the PyTorch to run under")
    parser.add_argument("--vramlab", type=program, default=str(ROOT / "build/vramlab"))
    parser.add_argument("--match", action="append", default=[], help="a text that the name of a run has")
    parser.add_argument("--parts", choices=("whole", "memory"), default="whole")
    parser.add_argument("--kernel-time", default="1ms")
    parser.add_argument("--values", default="zeros", help="as of vramlab dry-run")
    parser.add_argument("--answers", action="store_true", help="answers.py says what a GPU would answer")
    parser.add_argument("--path", action="append", default=[], type=os.path.abspath,
                        help="a folder for PYTHONPATH")
    parser.add_argument("--out", help="a CSV file for the rows")
    parser.add_argument("--list", action="store_true", help="list the runs and end")
    how, how.arguments = parser.parse_known_args()
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    return importlib.import_module(how.source).repeat(how)


if __name__ == "__main__":
    sys.exit(main())
