"""The lines about an out-of-memory beside the program's own answer (`vramlab explain`)."""

import os
from typing import Any, Dict, List, NamedTuple

from vramlab.values import size_text

MOST_LINES = 20


class Failure(NamedTuple):
    """A request that found no memory, as PyTorch tells of it."""

    device: int
    requested: int
    place: str


def headline(failure: Failure) -> str:
    """The size that was asked for, and the line that asked."""
    return (f"vramlab: out of memory on GPU {failure.device}: {size_text(failure.requested)} "
            f"requested at {failure.place}")


def answer(document: Dict[str, Any], failure: Failure) -> List[str]:
    """The lines of the JSON of `explain`. A thread of the backward pass has no stack in the recording:
    then a line says where PyTorch was called from."""
    first, *others = f"vramlab: {document['answer']['text']}".splitlines()
    found = document["answer"]["out_of_memory"]
    if found and found["call_site"] is None:
        others.insert(0, _line("called from", failure.place))
    return [first, *others]


def kept(name: str, path: str) -> List[str]:
    """A line that tells where a file lies."""
    return [_line(name, os.path.abspath(path))]


def _line(name: str, text: str) -> str:
    return f"  {name:<19}{text}"
