"""Rows of a scan: the storages of tensors on a device, as six numbers each.

Tensors are read without PyTorch's overrides, which would see every question.
"""

from array import array
from typing import Any, FrozenSet, Iterable, List, NamedTuple, Optional

KINDS = ("parameters", "buffers", "gradients", "optimizer_state", "inputs", "workspaces",
         "communication", "graph_pools")
PARAMETERS, BUFFERS, GRADIENTS, OPTIMIZER_STATE, INPUTS, WORKSPACES, COMMUNICATION, GRAPH_POOLS = \
    range(len(KINDS))

#: Device, address, bytes, kind, name, part.
WIDTH = 6


class Held(NamedTuple):
    """A tensor and what it is: its kind, the number of its name, and that of its part or 0."""

    tensor: Any
    kind: int
    name: int
    part: int


def plain_tensors(tensor: Any, types: "FrozenSet[type]") -> Iterable[Any]:
    """The tensor itself, or those that a tensor with a class of its own is made of."""
    if type(tensor) in types:
        yield tensor
        return
    local = getattr(tensor, "_local_tensor", None)
    if local is not None:
        yield from plain_tensors(local, types)
        return
    flatten = getattr(type(tensor), "__tensor_flatten__", None)
    if flatten is None:
        if not hasattr(tensor, "fake_mode"):
            yield tensor
        return
    for name in flatten(tensor)[0]:
        yield from plain_tensors(getattr(tensor, name), types)


def address_of(tensor: Any) -> int:
    """0 for a tensor without memory."""
    try:
        return int(tensor.data_ptr())
    except RuntimeError:
        return 0


def rows_of(held: List[Held]) -> bytes:
    """Storages on devices, each once, as the first of its kind and name."""
    rows = array("q")
    seen = set()
    for tensor, kind, name, part in held:
        if not tensor.is_cuda or not address_of(tensor):
            continue
        storage = tensor.untyped_storage()
        address, size = storage.data_ptr(), storage.nbytes()
        if size and (address, kind) not in seen:
            seen.add((address, kind))
            rows.extend((tensor.get_device(), address, size, kind, name, part))
    return rows.tobytes()


def rows_moved(rows: bytes, tensors: List[Any]) -> Optional[bytes]:
    """The rows of a scan with the addresses of these tensors, if these have one row each, and storages of the same
    sizes. None if not."""
    moved = array("q", rows)
    if not tensors or len(moved) != WIDTH * len(tensors):
        return None
    found = [tensor.untyped_storage() for tensor in tensors]
    addresses = array("q", [storage.data_ptr() for storage in found])
    is_same = (moved[2::WIDTH] == array("q", [storage.nbytes() for storage in found])
               and moved[::WIDTH] == array("q", [tensor.get_device() for tensor in tensors])
               and len(set(addresses)) == len(addresses))
    moved[1::WIDTH] = addresses
    return moved.tobytes() if is_same else None
