#!/usr/bin/env python3
"""Writes the options of every command as types for editors and type checkers:

    python3 tools/python/write_options.py build/vramlab >tools/python/vramlab/options.py

They come from the program's manual pages, so what it learns is here once this was run again, which a
test demands."""

import inspect
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from vramlab import commands  # noqa: E402
from vramlab.recording import Recording  # noqa: E402

#: What is called, and the page of its command.
CALLED = [(getattr(Recording, name), name) for name in (
    "explain", "verify", "replay", "sweep", "advise", "capacity", "top", "snapshot", "diff", "pack", "policies",
    "steps", "streams", "live", "report", "convert")]
CALLED += [(Recording.growth, "top"), (Recording.allocations, "table")]
CALLED += [(getattr(commands, name), name) for name in ("merge", "conform", "generate", "sample")]
CALLED += [(commands.dry_run, "dry-run"), (commands.fit, "fit"), (commands.serve, "serve"),
           (commands.record, "record"), (commands.run, "run")]
#: The module asks for these itself, or has another way to say it.
OWN = {"help", "json", "list-gpus", "quiet", "verbose"}
#: Arguments of functions that are called otherwise than their option.
RENAMED = {"confs": "conf"}
KEYWORDS = {"from"}
#: What a function says itself.
SET = {Recording.growth: {"growth"}, Recording.allocations: {"rows", "format", "output", "force"}}
TYPES = {"": "bool", "N": "int", "NUMBER": "float", "SIZE": "Amount", "TIME": "Amount"}

HEADER = '''"""The options of each command, for editors and type checkers. Written by
tools/python/write_options.py from the program's manual pages."""

import os
from typing import Literal, Sequence, TypedDict, Union

#: Bytes, nanoseconds, or a text such as "80GiB" or "10us".
Amount = Union[int, str]
Text = Union[str, int, "os.PathLike[str]"]
#: A list is an option given several times.
Texts = Union[Text, Sequence[Text]]
'''


def options_of(program, page):
    """Names, each with its type."""
    manual = subprocess.check_output([program, "manual", page, "--roff"], text=True)
    part = re.search(r"^\.SH OPTIONS\n(.*?)^\.SH EXIT", manual, re.MULTILINE | re.DOTALL)[1]
    lines = re.sub(r"\\f[BIR]", "", part).replace("\\-", "-").split("\n")
    for line, said in zip(lines, lines[1:]):
        found = re.match(r"(?:-\w, )?--([a-z-]+)(?: (.*))?$", line)
        if found:
            yield found[1], type_of(found[2] or "", "several times" in said)


def type_of(value, is_repeated):
    """The type of what a Python caller passes for an option."""
    if "|" in value:
        one = "Literal[" + ", ".join(f'"{word}"' for word in value.split("|")) + "]"
    else:
        one = TYPES.get(value.split(" ")[0], "Text")
    if is_repeated:
        return "Texts"
    return f"Sequence[{one}]" if " " in value else one


def typed_dict(program, function, page):
    """A class for the keywords that the function does not name."""
    named = {RENAMED.get(name, name) for name in inspect.signature(function).parameters}
    title = function.__name__.title().replace("_", "") + "Options"
    lines = [f"class {title}(TypedDict, total=False):", f'    """Options of vramlab {page}."""', ""]
    for option, kind in sorted(options_of(program, page)):
        name = option.replace("-", "_")
        if option in OWN or name in named or name in SET.get(function, ()):
            continue
        lines.append(f"    {name}{'_' if name in KEYWORDS else ''}: {kind}")
    return "\n".join(lines)


def main():
    program = sys.argv[1]
    print(HEADER + "\n\n" + "\n\n\n".join(typed_dict(program, *called) for called in CALLED))


main()
