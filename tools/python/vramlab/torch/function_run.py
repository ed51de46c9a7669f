"""Runs a function once: python function_run.py FILE|MODULE FUNCTION NAME:KIND=VALUE... (fitting.py)."""

import importlib
import runpy
import sys
from types import SimpleNamespace
from typing import Any

KINDS = {"int": int, "float": float, "str": str}


def _module_of(place: str) -> Any:
    if not place.endswith(".py"):
        return importlib.import_module(place)
    # Not as the main program, as multiprocessing does it.
    return SimpleNamespace(**runpy.run_path(place, run_name="__mp_main__"))


def _main() -> None:
    place, name, *given = sys.argv[1:]
    # The modules beside this file are no modules of the user's.
    del sys.path[0]
    found = _module_of(place)
    for part in name.split("."):
        found = getattr(found, part)
    values = {}
    for word in given:
        key, _, value = word.partition("=")
        argument, _, kind = key.rpartition(":")
        values[argument] = KINDS[kind](value)
    found(**values)


_main()
