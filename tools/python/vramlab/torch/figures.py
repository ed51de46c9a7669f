"""Figures of a running program's memory, as `vramlab watch` asks for them."""

import os
import sys
from typing import Any, Dict, List

from vramlab.torch import pytorch

#: Our names, each with PyTorch's.
_NOW = {"allocated_bytes": "allocated_bytes.all.current",
        "reserved_bytes": "reserved_bytes.all.current",
        "stranded_bytes": "inactive_split_bytes.all.current"}
#: A program may begin these again, so the most that was seen counts.
_MOST = {"peak_allocated_bytes": "allocated_bytes.all.peak",
         "peak_reserved_bytes": "reserved_bytes.all.peak",
         "peak_stranded_bytes": "inactive_split_bytes.all.peak",
         "failures": "num_ooms"}


class Figures:
    """Keeps the peaks that it has seen."""

    def __init__(self) -> None:
        self._seen: Dict[int, Dict[str, int]] = {}

    def now(self) -> Dict[str, Any]:
        """The process and its devices that have had memory. Brings no CUDA up."""
        return {"pid": os.getpid(), "rank": pytorch.rank(), "program": _program(),
                "devices": self._devices()}

    def _devices(self) -> List[Dict[str, int]]:
        found = []
        for device, statistics in pytorch.statistics_by_device().items():
            seen = self._seen.setdefault(device, {})
            for name, theirs in _MOST.items():
                seen[name] = max(seen.get(name, 0), statistics.get(theirs, 0))
            if seen["peak_reserved_bytes"] or seen["failures"]:
                now = {name: statistics.get(theirs, 0) for name, theirs in _NOW.items()}
                found.append({"device": device, **now, **seen})
        return found


def _program() -> str:
    """The script, the module or `-c`, without its folder."""
    path = sys.argv[0] if getattr(sys, "argv", None) else ""
    folder, name = os.path.split(path)
    return os.path.basename(folder) if name == "__main__.py" else name
