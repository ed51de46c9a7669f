"""Blocks that no object of Python holds, told by the function of PyTorch that requested them: workspaces
of cuBLAS, buckets of DistributedDataParallel. Functions are named only where stacks of C++ were recorded.
"""

from typing import Any, Dict, Iterator, List, Optional, Tuple

from . import storages

_FUNCTIONS = (
    ("at::cuda::getCurrentCUDABlasHandle", storages.WORKSPACES),
    ("at::cuda::allocateCUDABlasWorkspace", storages.WORKSPACES),
    ("at::cuda::getCUDABlasLtWorkspace", storages.WORKSPACES),
    ("c10d::Reducer::initialize_buckets", storages.COMMUNICATION),
)
_BEGINNINGS = tuple(name for name, _ in _FUNCTIONS)


def found_in(trace: List[Dict[str, Any]]) -> Iterator[Tuple[int, List[Any]]]:
    """Rows of scans, each with the number of entries before it, the last of which is its request."""
    # Stacks are shared by entries.
    of_stacks: Dict[int, Optional[int]] = {}
    for before, entry in enumerate(trace, 1):
        if entry["action"] != "alloc":
            continue
        frames = entry.get("frames", ())
        if id(frames) not in of_stacks:
            of_stacks[id(frames)] = _kind_of(frames)
        kind = of_stacks[id(frames)]
        if kind is not None:
            yield before, [entry["addr"], entry["size"], kind, 0, 0]


def _kind_of(frames: Any) -> Optional[int]:
    for frame in frames:
        name = frame["name"]
        if name.startswith(_BEGINNINGS):
            return next(kind for begin, kind in _FUNCTIONS if name.startswith(begin))
    return None
