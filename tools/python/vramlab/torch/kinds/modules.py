"""Numbers of modules, by which marks name them, and the names that these numbers stand for.

A number stands for a root and a path from there, not for an object. Roots are held weakly: modules
that are part of no other, found when parts are registered or when they are called.
"""

import gc
import weakref
from typing import Any, Dict, Iterator, List, Tuple

from .notes import BITS

#: By id of a module that is alive: its number, before the bits of a phase. Emptied when a module gets a
#: part, or a root is gone.
codes: Dict[int, int] = {}

#: Facts of others by id of a module, emptied with the codes.
along: List[Dict[int, Any]] = []


class _Root(weakref.ref):  # type: ignore[type-arg]
    """A root as long as it is alive. It stays one here when it becomes part of another and marks have
    named it."""

    __slots__ = ("key", "number", "is_part", "has_parts")
    key: int
    number: int
    is_part: bool
    has_parts: bool


_roots: Dict[int, _Root] = {}
#: By number: the number of the root and the path from it, or the root's class and a count of its like.
_root_of: List[int] = [0]
_paths: List[str] = [""]
_by_name: Dict[str, int] = {}
#: Numbers of roots with parameters or buffers.
_with_tensors: Dict[int, bool] = {}
#: Numbers of roots that became parts of others, with the codes of these parts.
_became: Dict[int, int] = {}

#: Parts of a path that only say how a module is wrapped.
_WRAPPINGS = {"_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"}
#: Wrappers whose only part is called `module`.
_WRAPPERS = {"DistributedDataParallel", "DataParallel", "DeepSpeedEngine"}
#: Compilers make modules of these classes.
_MADE_BY_COMPILERS = {"GraphModule", "GraphModuleImpl", "_LazyGraphModule"}


def _forget_codes() -> None:
    codes.clear()
    for facts in along:
        facts.clear()


def note_part(module: Any, name: str, part: Any) -> None:
    """`module` gets a part that is a module, too."""
    _forget_codes()
    root = _roots.get(id(part))
    if root is not None:
        root.is_part = True
        if not root.number:
            del _roots[id(part)]
    (_roots.get(id(module)) or _add_root(module)).has_parts = True


def note_tensor(module: Any, name: str, tensor: Any) -> None:
    """`module` gets a parameter or a buffer. One with parts was noted when it got them."""
    if id(module) not in _roots and id(module) not in codes and not module._modules:
        _add_root(module)


def _add_root(module: Any) -> _Root:
    root = _Root(module, _is_gone)
    root.key, root.number, root.is_part = id(module), 0, False
    root.has_parts = bool(module._modules)
    _roots[root.key] = root
    return root


def _is_gone(root: _Root) -> None:
    if _roots.get(root.key) is root:
        del _roots[root.key]
    if root.has_parts:
        _forget_codes()
    else:
        codes.pop(root.key, None)


def roots() -> List[Any]:
    """The roots that are alive."""
    _number_roots()
    found = [root() for root in list(_roots.values()) if codes.get(root.key) == root.number << BITS]
    return [module for module in found if module is not None]


def _number_roots() -> None:
    for root in list(_roots.values()):
        module = None if root.is_part or root.key in codes else root()
        if module is not None:
            _number_parts(module, root)


def find_roots(module_class: type) -> None:
    """Adds roots that nobody told of: copies, and those that were made before anything was noted."""
    known: Dict[type, bool] = {}
    found = []
    for each in gc.get_objects():
        its_type = type(each)
        if its_type not in known:
            known[its_type] = issubclass(its_type, module_class)
        if known[its_type] and "_modules" in each.__dict__:
            found.append(each)
    held = {id(part) for module in found for part in module._modules.values()}
    for module in found:
        if id(module) not in held and id(module) not in _roots:
            _add_root(module)


def parts(module: Any) -> Iterator[Tuple[str, Any]]:
    """Paths and modules, each module once, the module itself first. Programs may have own ideas of
    `named_modules()`."""
    seen = set()
    waiting = [("", module)]
    while waiting:
        path, here = waiting.pop()
        if here is None or id(here) in seen:
            continue
        seen.add(id(here))
        yield path, here
        begin = path + "." if path else ""
        waiting += [(begin + name, part) for name, part in reversed(here._modules.items())]


def tensors_in(root: Any) -> Tuple[List[Any], List[Any]]:
    """Parameters and buffers of a root and its parts, always in one order, as quickly as Python can."""
    parameters: List[Any] = []
    buffers: List[Any] = []
    seen = {id(root)}
    waiting = [root]
    for module in waiting:
        held = module.__dict__
        if held.get("_parameters"):
            parameters += held["_parameters"].values()
        if held.get("_buffers"):
            buffers += held["_buffers"].values()
        for part in held.get("_modules", {}).values():
            if id(part) not in seen and part is not None:
                seen.add(id(part))
                waiting.append(part)
    return ([tensor for tensor in parameters if tensor is not None],
            [tensor for tensor in buffers if tensor is not None])


def number_of(root: Any) -> int:
    """The number of a root."""
    return code_of(root) >> BITS


def code_of(module: Any) -> int:
    """The number of a module that is called, before the bits of a phase."""
    if id(module) not in codes:
        _number_roots()
    if id(module) not in codes:
        root = _roots.get(id(module)) or _add_root(module)
        root.is_part = False
        _number_parts(module, root)
    return codes[id(module)]


def _number_parts(module: Any, root: _Root) -> None:
    has_tensors = False
    root.number = root.number or _free_number(module)
    _became.pop(root.number, None)
    for path, part in parts(module):
        has_tensors = has_tensors or bool(part._parameters or part._buffers)
        codes[id(part)] = number_at(root.number, path) << BITS
        other = _roots.get(id(part))
        if path and other is not None and other.number:
            _became[other.number] = codes[id(part)] >> BITS
    _with_tensors[root.number] = has_tensors


def _free_number(module: Any) -> int:
    """A number is used again when its root is gone, so there are no more of them than there were roots
    at a time."""
    taken = {root.number for root in _roots.values()}
    count = 1
    while True:
        found = _numbered(f"{type(module).__name__} {count}", 0, f"{type(module).__name__} {count}")
        if found not in taken:
            return found
        count += 1


def number_at(root: int, path: str) -> int:
    """The number of what is at a path from a root: a part, or a parameter or buffer."""
    return _numbered(f"{root}:{path}", root, path) if path else root


def _numbered(name: str, root: int, path: str) -> int:
    found = _by_name.get(name)
    if found is None:
        found = _by_name[name] = len(_paths)
        _root_of.append(root or found)
        _paths.append(path)
    return found


def names() -> List[str]:
    """The names of all numbers. The only root with parameters has an empty one."""
    holding = [number for number, has in _with_tensors.items() if has and number not in _became]
    of_class: Dict[str, int] = {}
    for number in holding:
        name = _paths[number].split()[0]
        of_class[name] = of_class.get(name, 0) + 1
    of_roots: Dict[int, str] = {}
    for number in _with_tensors:
        name, count = _paths[number].split()
        if number in holding and len(holding) == 1:
            name = ""
        elif number in holding and of_class[name] > 1:
            name = f"{name}#{count}"
        of_roots[number] = name
    return [_name_of(number, of_roots) for number in range(len(_paths))]


def is_made_by_compiler(number: int) -> bool:
    """Whether it is a root that a compiler made. It does what the module does that calls it."""
    return not _with_tensors.get(number, True) and _paths[number].split()[0] in _MADE_BY_COMPILERS


def _name_of(number: int, of_roots: Dict[int, str]) -> str:
    steps: List[str] = []
    for _ in range(len(_became) + 1):
        root = _root_of[number]
        if number != root:
            steps[:0] = _paths[number].split(".")
        class_name = _paths[root].split()[0] if root else ""
        if class_name in _WRAPPERS and steps[:1] == ["module"]:
            del steps[0]
        if root not in _became:
            break
        number = _became[root]
    shown = [of_roots.get(root, ""), *steps]
    return ".".join(step for step in shown if step and step not in _WRAPPINGS)


def forget() -> None:
    """A new recording has nothing of an earlier one."""
    _forget_codes()
    for known in (_roots, _with_tensors, _became):
        known.clear()
