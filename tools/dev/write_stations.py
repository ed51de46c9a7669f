#!/usr/bin/env python3
"""Writes docs/guide/allocator.ipynb, the guided tour through the allocator as a notebook, from the stations of the
page (tools/web/page/tour): texts, programs, questions and answers. `--check` says whether it is current. The outputs
of its cells are written by `python3 -B tests/python/tour_test.py PROGRAM`.

    python3 -B tools/dev/write_stations.py [--check]
"""

import json
import os
import sys

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TOUR = os.path.join(TOP, "tools/web/page/tour")
NOTEBOOK = os.path.join(TOP, "docs/guide/allocator.ipynb")

INTRODUCTION = """# PyTorch's allocator, step by step
Fifteen small programs show what PyTorch's caching allocator does at each request, and by which rule. Nothing here needs
a GPU or PyTorch: `pip install` of vramlab's wheel is enough. Change a program and run its cell again.

A program has one statement in a line; [trace_format.md](../reference/trace_format.md#the-script-form) has all of them.
[reading_guide.md](../reference/reading_guide.md) says which function of PyTorch decides what. `vramlab page` has the
same tour with pictures."""

SETUP = """import io

import vramlab


def steps(program, **options):
    return vramlab.open(io.BytesIO(program.encode())).steps(on_oom="skip", **options)"""


def cell(kind, number, source):
    """A cell without outputs."""
    lines = source.splitlines(keepends=True)
    made = {"cell_type": kind, "id": f"s{number}", "metadata": {}, "source": lines}
    if kind == "code":
        made.update(execution_count=None, outputs=[])
    return made


def sources():
    """Kind and source of each cell."""
    yield "markdown", INTRODUCTION
    yield "code", SETUP
    with open(os.path.join(TOUR, "stations.json"), encoding="utf-8") as file:
        stations = json.load(file)
    for number, station in enumerate(stations, start=1):
        yield "markdown", f"## {number}. {station['title']}\n{station['text']}"
        with open(os.path.join(TOUR, station["file"]), encoding="utf-8") as file:
            program = file.read()
        beside = f', beside="{station["beside"]}"' if "beside" in station else ""
        yield "code", f'steps("""\n{program}"""{beside})'
        yield "markdown", (f"**Question:** {station['question']}\n\n"
                           f"<details><summary>Answer</summary>\n\n{station['answer']}\n\n</details>")


def notebook():
    """The notebook without outputs."""
    return {"cells": [cell(kind, number, source) for number, (kind, source) in enumerate(sources())],
            "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}},
            "nbformat": 4, "nbformat_minor": 5}


def is_current():
    """Whether the notebook has these cells, whatever their outputs."""
    if not os.path.exists(NOTEBOOK):
        return False
    with open(NOTEBOOK, encoding="utf-8") as file:
        found = json.load(file)
    kept = [(made["cell_type"], "".join(made["source"])) for made in found["cells"]]
    return kept == list(sources())


def main():
    if is_current():
        return 0
    if sys.argv[1:] == ["--check"]:
        print("docs/guide/allocator.ipynb is not as the stations are: python3 -B tools/dev/write_stations.py writes it")
        return 1
    with open(NOTEBOOK, "w", encoding="utf-8") as file:
        json.dump(notebook(), file, indent=1, ensure_ascii=False, sort_keys=True)
        file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
