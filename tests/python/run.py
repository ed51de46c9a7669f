#!/usr/bin/env python3
"""Runs the tests of the Python module: python3 -B tests/python/run.py PROGRAM [-k NAME]"""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.normpath(os.path.join(HERE, "..", ".."))


def main():
    os.environ["VRAMLAB_PROGRAM"] = os.path.abspath(sys.argv.pop(1))
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    # A limit of the folder's own budget is no part of what is compared.
    sys.path[:0] = [os.path.join(TOP, "tools", "python"), HERE]
    os.chdir(TOP)
    unittest.main(module=None, argv=[sys.argv[0], "discover", "-s", HERE, "-p", "*_test.py",
                                     *sys.argv[1:]])


if __name__ == "__main__":
    main()
