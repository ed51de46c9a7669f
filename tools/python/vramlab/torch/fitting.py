"""The largest value that a function fits with. The function runs in dry runs, in processes of their own, which import
the module in which it stands."""

import inspect
import os
import sys
from typing import Any, Callable, Dict, List, Sequence, Union

from vramlab import answers, commands

_KINDS = (int, float, str)


def fit(
    step: Callable[..., object],
    *,
    gpu: Union[None, str, Sequence[str]] = None,
    **values_and_options: Any,
) -> answers.Fit:
    """`fit(step, batch=range(1, 513), gpu="rtx4090").best["batch"]`: a range is searched, a list is a grid, and one value
    is passed on. All other keywords are options of `vramlab.fit`."""
    names = inspect.signature(step).parameters
    values = {name: value for name, value in values_and_options.items() if name in names}
    options = {name: value for name, value in values_and_options.items() if name not in names}
    words = [sys.executable, os.path.join(os.path.dirname(__file__), "function_run.py"), *_place_of(step)]
    words += [_word_of(name, value) for name, value in values.items()]
    places = [os.path.abspath(place) for place in sys.path]
    return commands.fit(["PYTHONPATH=" + _literal(os.pathsep.join(places)), *words], gpu=gpu, **options)


def _place_of(step: Callable[..., object]) -> List[str]:
    """The file or the module of the function, and its name there."""
    name = getattr(step, "__qualname__", "<unknown>")
    module = sys.modules.get(getattr(step, "__module__", ""))
    if "<" in name or module is None:
        raise ValueError(f"expected a function at the top of a module, which other processes can import, found {name}")
    if module.__name__ != "__main__":
        return [_literal(module.__name__), _literal(name)]
    path = getattr(module, "__file__", None)
    if path is None:
        raise ValueError("expected a function in a file, found one of an interactive session")
    return [_literal(os.path.abspath(path)), _literal(name)]


def _word_of(name: str, value: Any) -> str:
    """Such as `batch:int={batch:1..512}`.

    >>> _word_of("batch", range(8, 65, 8)), _word_of("seq", [512, 1024]), _word_of("kind", "full")
    ('batch:int={batch:8..64:8}', 'seq:int={seq:512,1024}', 'kind:str=full')
    """
    if isinstance(value, range):
        if not value or value.step < 0 or value.start < 0:
            raise ValueError(f"expected a rising range from 0 on for {name}, found {value}")
        step = "" if value.step == 1 else f":{value.step}"
        return f"{name}:int={{{name}:{value.start}..{value[-1]}{step}}}"
    if isinstance(value, (list, tuple)) and value:
        return f"{name}:{_kind_of(name, *value)}={{{name}:{','.join(map(str, value))}}}"
    return f"{name}:{_kind_of(name, value)}={_literal(str(value))}"


def _kind_of(name: str, *values: Any) -> str:
    for kind in _KINDS:
        if all(type(value) is kind for value in values) and "," not in "".join(map(str, values)):
            return kind.__name__
    raise ValueError(f"expected integers, numbers or texts without commas for {name}, found {list(values)}")


def _literal(text: str) -> str:
    """A text in which no brace begins a placeholder."""
    return text.replace("{", "{{")
