"""Scans: at some moments of a program, the storages that are known then are listed.

Each part of what is known (a root's parameters, an optimizer's states, …) is a scan of its own, as
most of them do not change from step to step: addresses are compared before anything else is asked.
"""

import functools
import gc
import weakref
from array import array
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

from . import modules, notes, storages
from .storages import Held

_Found = List[Tuple[Any, int, int, int]]

#: By what is scanned: the addresses of the last scan and its number.
_last: "Dict[Tuple[str, int], Tuple[array[int], int]]" = {}
#: By the number of a root: whose gradients were scanned last, and the rows of that.
_last_gradients: "Dict[int, Tuple[array[int], bytes]]" = {}
#: Set by begin(): torch, the classes of tensors without data of their own, and what switches overrides off.
_torch: Any = None
_plain: "frozenset[type]" = frozenset()
#: Optimizers, and how many steps each has made.
_steps: "weakref.WeakKeyDictionary[Any, int]" = weakref.WeakKeyDictionary()
#: For how many parameters each had states when they were scanned.
_states_at_last_scan: "weakref.WeakKeyDictionary[Any, int]" = weakref.WeakKeyDictionary()


def begin(torch: Any) -> None:
    """Before the first scan."""
    global _torch, _plain
    _torch = torch
    _plain = frozenset((torch.Tensor, torch.nn.Parameter,
                        getattr(torch.nn.parameter, "Buffer", torch.Tensor)))


def forget() -> None:
    """A new recording has nothing of an earlier one."""
    _last.clear()
    _last_gradients.clear()


def _scan(what: Tuple[str, int], tensors: List[Any], rows: Callable[[], bytes]) -> None:
    """Tensors at the addresses of the last scan are the same scan; else their rows are asked for."""
    addresses = _addresses(tensors)
    before = _last.get(what)
    if before is not None and before[0] == addresses:
        notes.note_scan_again(before[1])
    else:
        _last[what] = (addresses, notes.note_scan(rows()))


def _addresses(tensors: List[Any]) -> "array[int]":
    if not _plain.issuperset(map(type, tensors)):
        tensors = [plain for tensor in tensors for plain in storages.plain_tensors(tensor, _plain)]
    try:
        return array("q", map(_torch.Tensor.data_ptr, tensors))
    except RuntimeError:
        return array("q", map(storages.address_of, tensors))


def _quietly(scan: Callable[..., None]) -> Callable[..., None]:
    """The same scan: no garbage is collected in it, no override of PyTorch is asked, no error gets out."""

    @functools.wraps(scan)
    def quiet(*args: Any) -> None:
        collects = gc.isenabled()
        gc.disable()
        try:
            with _torch._C.DisableTorchFunction():
                scan(*args)
        except Exception as error:  # pylint: disable=broad-except
            notes.trouble(scan.__name__, error)
        finally:
            if collects:
                gc.enable()

    return quiet


def _held(tensor: Any, kind: int, name: int, part: int = 0) -> Iterator[Held]:
    if type(tensor) in _plain:
        yield Held(tensor, kind, name, part)
    elif tensor is not None:
        for plain in storages.plain_tensors(tensor, _plain):
            yield Held(plain, kind, name, part)


def _named(root: Any, kind: int) -> Iterator[Tuple[Any, int]]:
    """Parameters or buffers of a root and its parts, with the numbers of their names."""
    own = modules.number_of(root)
    for path, module in modules.parts(root):
        begin = path + "." if path else ""
        tensors = module._buffers if kind == storages.BUFFERS else module._parameters
        for name, tensor in tensors.items():
            if tensor is not None:
                yield tensor, modules.number_at(own, begin + name)


@_quietly
def scan_parameters(root: Any) -> None:
    """Parameters and buffers of a root and all its parts."""
    parameters, buffers = modules.tensors_in(root)

    def rows() -> bytes:
        return storages.rows_of([each for kind in (storages.PARAMETERS, storages.BUFFERS)
                                 for tensor, name in _named(root, kind) for each in _held(tensor, kind, name)])

    _scan(("parameters", modules.number_of(root)), parameters + buffers, rows)


@_quietly
def scan_inputs(root: Any, args: Any, kwargs: Any) -> None:
    """Tensors among the arguments of an outermost call."""
    number = modules.number_of(root)
    tensors = list(_inputs((args, kwargs), 3))
    _scan(("inputs", number), tensors,
          lambda: storages.rows_of([each for tensor in tensors for each in _held(tensor, storages.INPUTS, number)]))


def _inputs(value: Any, depth: int) -> Iterator[Any]:
    if isinstance(value, _torch.Tensor):
        yield value
    elif depth and isinstance(value, (list, tuple)):
        for each in value:
            yield from _inputs(each, depth - 1)
    elif depth and isinstance(value, dict):
        for each in value.values():
            yield from _inputs(each, depth - 1)


@_quietly
def scan_gradients() -> None:
    """Gradients of all parameters of roots that are alive."""
    for root in modules.roots():
        parameters = modules.tensors_in(root)[0]
        gradients = [tensor.grad for tensor in parameters]
        _scan_gradients_of(root, [tensor for tensor, gradient in zip(parameters, gradients) if gradient is not None],
                           [gradient for gradient in gradients if gradient is not None])


def _scan_gradients_of(root: Any, parameters: List[Any], gradients: List[Any]) -> None:
    """Mostly these are gradients of the same parameters as the last time, at other addresses."""
    number = modules.number_of(root)

    def rows() -> bytes:
        who = array("q", map(id, parameters))
        is_plain = _plain.issuperset(map(type, gradients))
        last_who, last_rows = _last_gradients.get(number, (None, b""))
        moved = storages.rows_moved(last_rows, gradients) if is_plain and who == last_who else None
        if moved is not None:
            return moved
        named = _named(root, storages.PARAMETERS)
        found = storages.rows_of([each for tensor, name in named
                                  for each in _held(tensor.grad, storages.GRADIENTS, name)])
        if is_plain:
            _last_gradients[number] = (who, found)
        return found

    _scan(("gradients", number), gradients, rows)


def _states_of(optimizer: Any) -> Iterator[Held]:
    names = {id(tensor): name for root in modules.roots()
             for tensor, name in _named(root, storages.PARAMETERS)}
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


@_quietly
def scan_states(optimizer: Any) -> None:
    """The states of an optimizer."""
    _states_at_last_scan[optimizer] = len(optimizer.state)
    tensors = [state for states in optimizer.state.values() if isinstance(states, dict)
               for state in states.values()]
    if not _plain.issuperset(map(type, tensors)):
        tensors = [state for state in tensors if isinstance(state, _torch.Tensor)]
    _scan(("states", id(optimizer)), tensors, lambda: storages.rows_of(list(_states_of(optimizer))))


def is_due(count: int) -> bool:
    """Tensors that rarely change are scanned at the first time, the second, the fourth, the eighth …"""
    return not count & (count - 1)


def note_optimizer(optimizer: Any) -> None:
    """An optimizer that begins a step, which may run out of memory."""
    _steps.setdefault(optimizer, 0)


def note_step(optimizer: Any) -> None:
    """The end of a step. States rarely change after the first."""
    count = _steps[optimizer] = _steps.get(optimizer, 0) + 1
    if is_due(count):
        # Compiled functions use modules that nobody calls.
        for root in modules.roots():
            scan_parameters(root)
    if is_due(count) or len(optimizer.state) != _states_at_last_scan.get(optimizer):
        scan_states(optimizer)


@_quietly
def find_roots() -> None:
    """Modules that nobody told of."""
    modules.find_roots(_torch.nn.Module)


def scan_everything() -> None:
    """All that is known, as at an out-of-memory or at the end."""
    find_roots()
    for root in modules.roots():
        scan_parameters(root)
    scan_gradients()
    for optimizer in list(_steps):
        scan_states(optimizer)
