"""Blocks that no object of Python holds when modules, gradients and states are looked at, told by the
function of PyTorch that requested them: workspaces of cuBLAS, buckets of DistributedDataParallel, and what
FSDP gathers and sends. Functions of C++ are named only where stacks of C++ were recorded.
"""

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from . import modules, storages


class _Function(NamedTuple):
    """A function of PyTorch, and the kind of the memory that it requests. Without a file it is one of C++, whose
    name begins so."""

    name: str
    file: str
    kind: int
    part: str = ""


_FUNCTIONS = (
    _Function("at::cuda::getCurrentCUDABlasHandle", "", storages.WORKSPACES),
    _Function("at::cuda::allocateCUDABlasWorkspace", "", storages.WORKSPACES),
    _Function("at::cuda::getCUDABlasLtWorkspace", "", storages.WORKSPACES),
    _Function("c10d::Reducer::initialize_buckets", "", storages.COMMUNICATION),
    _Function("_alloc_storage", "torch/distributed/utils.py", storages.PARAMETERS, "gathered"),
    _Function("alloc_storage", "/_fsdp_param.py", storages.PARAMETERS, "gathered"),
    _Function("init_all_gather_outputs", "/_fsdp_param.py", storages.PARAMETERS, "gathered"),
    _Function("foreach_all_gather", "/_fsdp_collectives.py", storages.COMMUNICATION),
    _Function("foreach_reduce", "/_fsdp_collectives.py", storages.COMMUNICATION),
    _Function("_reduce_grad", "fsdp/_runtime_utils.py", storages.COMMUNICATION),
)
_OF_CPP = tuple(function for function in _FUNCTIONS if not function.file)
_BEGINNINGS = tuple(function.name for function in _OF_CPP)
_OF_PYTHON = {function.name: function for function in _FUNCTIONS if function.file}


def found_in(trace: List[Dict[str, Any]]) -> Iterator[Tuple[int, List[Any]]]:
    """Rows of scans, each with the number of entries before it, the last of which is its request."""
    functions = _of_stacks({id(frames): frames for frames in (
        entry.get("frames", ()) for entry in trace if entry["action"] == "alloc")})
    if not functions:
        return
    for before, entry in enumerate(trace, 1):
        if entry["action"] != "alloc":
            continue
        function = functions.get(id(entry.get("frames", ())))
        if function is not None:
            part = modules.number_at(0, function.part) if function.part else 0
            yield before, [entry["addr"], entry["size"], function.kind, 0, part]


def _of_stacks(stacks: Dict[int, Any]) -> Dict[int, _Function]:
    """The innermost function of each stack that has one. Stacks share their frames, of which there are few."""
    frames = {id(frame): frame for stack in stacks.values() for frame in stack}
    of_frames = {}
    for key, frame in frames.items():
        function = _function_of(frame)
        if function is not None:
            of_frames[key] = function
    found = {}
    for key, stack in stacks.items():
        if not of_frames.keys().isdisjoint(map(id, stack)):
            found[key] = next(of_frames[id(frame)] for frame in stack if id(frame) in of_frames)
    return found


def _function_of(frame: Any) -> Optional[_Function]:
    name = frame["name"]
    found = _OF_PYTHON.get(name)
    if found is not None and frame["filename"].endswith(found.file):
        return found
    if name.startswith(_BEGINNINGS):
        return next(function for function in _OF_CPP if name.startswith(function.name))
    return None
