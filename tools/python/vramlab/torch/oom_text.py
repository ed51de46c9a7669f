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


def answer(document: Dict[str, Any]) -> List[str]:
    """The lines of the JSON of `explain`."""
    text: str = document["answer"]["text"]
    return f"vramlab: {text}".splitlines()


def kept(name: str, path: str) -> List[str]:
    """A line that tells where a file lies."""
    return [f"  {name:<19}{os.path.abspath(path)}"]
