"""Kinds of memory in recordings of a running PyTorch."""

import sys
from typing import Any, Dict

import torch

from vramlab.torch import kinds, pytorch

#: How many recordings want kinds now.
_wanted = 0


def _in_use() -> Any:
    """A dry run notes kinds by its own copy."""
    of_dry_run: Any = sys.modules.get("vramlab_dry_run.kinds")
    return of_dry_run if of_dry_run is not None and of_dry_run.is_on() else kinds


def is_on() -> bool:
    """Whether a recording wants kinds."""
    return _wanted > 0


def begin() -> None:
    """From now on kinds are noted, until as many calls of `end`."""
    global _wanted
    _wanted += 1
    _in_use().begin(torch)


def end() -> None:
    """Nobody else may want them, and a dry run goes on."""
    global _wanted
    _wanted -= 1
    if not _wanted and kinds.is_on():
        kinds.end()


def labelled_snapshot() -> Dict[str, Any]:
    """PyTorch's history and state, with kinds."""
    noting = _in_use()
    noting.scan_everything()
    found = pytorch.snapshot()
    found[noting.KEY] = noting.document(found)
    return found
