"""Scans: at some moments of a program, the storages that are known then are listed.

Each part of what is known (a root's parameters, an optimizer's states, …) is a scan of its own, as
most of them do not change from step to step: addresses are compared before anything else is asked.
"""

import gc
import weakref
from array import array
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

from . import modules, notes, storages
from .storages import Held

_Found = List[Tuple[Any, int, int, int]]

#: By what is scanned: the addresses of the last scan and its number.
_last: "Dict[Tuple[str, int], Tuple[array[int], int]]" = {}
#: Set by begin(): torch, the classes of tensors without data of their own, and what switches overrides off.
_torch: Any = None
_plain: Tuple[type, ...] = ()
#: Optimizers that made a step.
_optimizers: "weakref.WeakSet[Any]" = weakref.WeakSet()


def begin(torch: Any) -> None:
    """Before the first scan."""
    global _torch, _plain
    _torch = torch
    _plain = (torch.Tensor, torch.nn.Parameter, torch.nn.parameter.Buffer) \
        if hasattr(torch.nn.parameter, "Buffer") else (torch.Tensor, torch.nn.Parameter)


def forget() -> None:
    """A new recording has nothing of an earlier one."""
    _last.clear()


def _scan(what: Tuple[str, int], find: Callable[[], Iterator[Held]]) -> None:
    """What was found at the same addresses as before is the same scan."""
    collects = gc.isenabled()
    gc.disable()
    try:
        with _torch._C.DisableTorchFunction():
            held = list(find())
            addresses = array("q", [storages.address_of(each[0]) for each in held])
            before = _last.get(what)
            if before is not None and before[0] == addresses:
                notes.note_scan_again(before[1])
            else:
                _last[what] = (addresses, notes.note_scan(storages.rows_of(held)))
    except Exception as error:  # pylint: disable=broad-except
        notes.trouble(f"scan of {what[0]}", error)
    finally:
        if collects:
            gc.enable()


def _held(tensor: Any, kind: int, name: int, part: int = 0) -> Iterator[Held]:
    if type(tensor) in _plain:
        yield Held(tensor, kind, name, part)
    elif tensor is not None:
        for plain in storages.plain_tensors(tensor, _plain):
            yield Held(plain, kind, name, part)


def _tensors_of(root: Any) -> Iterator[Held]:
    """Parameters and buffers."""
    own = modules.number_of(root)
    for path, module in modules.parts(root):
        for kind, tensors in ((storages.PARAMETERS, module._parameters),
                              (storages.BUFFERS, module._buffers)):
            for name, tensor in tensors.items():
                if tensor is not None:
                    yield from _held(tensor, kind, modules.number_at(own, _join(path, name)))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _gradients_of(root: Any) -> Iterator[Held]:
    own = modules.number_of(root)
    for path, module in modules.parts(root):
        for name, tensor in module._parameters.items():
            gradient = None if tensor is None else tensor.grad
            if gradient is not None:
                yield from _held(gradient, storages.GRADIENTS,
                                 modules.number_at(own, _join(path, name)))


def scan_parameters(root: Any) -> None:
    """Parameters and buffers of a root and all its parts."""
    _scan(("parameters", modules.number_of(root)), lambda: _tensors_of(root))


def scan_inputs(root: Any, args: Any, kwargs: Any) -> None:
    """Tensors among the arguments of an outermost call."""
    number = modules.number_of(root)
    _scan(("inputs", number), lambda: _inputs((args, kwargs), number, 3))


def _inputs(value: Any, number: int, depth: int) -> Iterator[Held]:
    if isinstance(value, _torch.Tensor):
        yield from _held(value, storages.INPUTS, number)
    elif depth and isinstance(value, (list, tuple)):
        for each in value:
            yield from _inputs(each, number, depth - 1)
    elif depth and isinstance(value, dict):
        for each in value.values():
            yield from _inputs(each, number, depth - 1)


def scan_gradients() -> None:
    """Gradients of all parameters of roots that are alive."""
    for root in modules.roots():
        _scan(("gradients", modules.number_of(root)), lambda: _gradients_of(root))


def _names_of_parameters() -> Dict[int, int]:
    """Numbers of names by the parameters' ids."""
    found: Dict[int, int] = {}
    for root in modules.roots():
        own = modules.number_of(root)
        for path, module in modules.parts(root):
            for name, tensor in module._parameters.items():
                if tensor is not None:
                    found.setdefault(id(tensor), modules.number_at(own, _join(path, name)))
    return found


def _states_of(optimizer: Any) -> Iterator[Held]:
    names = _names_of_parameters()
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if id(parameter) not in names:
                yield from _held(parameter, storages.OPTIMIZER_STATE, 0,
                                 modules.number_at(0, "master_weight"))
    for parameter, states in optimizer.state.items():
        for key, state in (states.items() if isinstance(states, dict) else ()):
            if isinstance(state, _torch.Tensor):
                yield from _held(state, storages.OPTIMIZER_STATE, names.get(id(parameter), 0),
                                 modules.number_at(0, str(key)))


def scan_states(optimizer: Any) -> None:
    """The states of an optimizer."""
    _optimizers.add(optimizer)
    _scan(("states", id(optimizer)), lambda: _states_of(optimizer))


def scan_everything() -> None:
    """All that is known, as at an out-of-memory or at the end."""
    for root in modules.roots():
        scan_parameters(root)
    scan_gradients()
    for optimizer in list(_optimizers):
        scan_states(optimizer)
