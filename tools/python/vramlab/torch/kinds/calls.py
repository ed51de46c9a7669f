"""Calls that begin and end a phase: of modules, of backward passes and of optimizers' steps.

The call of a module is seen by a function around `Module.__call__`. Hooks of modules would change
their stacks, cost more, and are part of what compilers look at.
"""

import functools
import sys
from time import time_ns
from typing import Any, Callable, Dict, List, Optional

from . import modules, notes, scans
from .notes import BACKWARD, END, FORWARD, INFERENCE, RECOMPUTED, STEP, threads

#: What puts everything back as it was.
_undo: List[Callable[[], None]] = []
_is_on = False
#: What ends a call for somebody else.
Ending = Callable[[], None]
#: Called with a module and its arguments before its call, by the module's class; None is for all others. May
#: return what is called after it.
beginnings: Dict[Any, Callable[[Any, Any, Any], Optional[Ending]]] = {}
#: How often each root was called, by its number.
_calls: Dict[int, int] = {}


def is_on() -> bool:
    """Whether calls are seen."""
    return _is_on


def begin(torch: Any) -> None:
    """From now on marks and scans are noted. `watch_modules` may have been called before."""
    global _is_on
    if _is_on:
        return
    scans.begin(torch)
    if not _undo:
        watch_modules(torch)
        scans.find_roots()
    _watch_backward(torch)
    _watch_steps(torch)
    _is_on = True


def end() -> None:
    """Calls are seen no more, and notes are forgotten."""
    global _is_on
    _is_on = False
    while _undo:
        _undo.pop()()
    notes.forget()
    scans.forget()
    modules.forget()
    beginnings.clear()
    _calls.clear()


def forget_along(facts: Dict[int, Any]) -> None:
    """Facts by id of a module, which go where modules may be gone."""
    modules.along.append(facts)


def _put(owner: Any, name: str, value: Any) -> None:
    before = getattr(owner, name)
    setattr(owner, name, value)
    _undo.append(lambda: setattr(owner, name, before))


def watch_modules(torch: Any) -> None:
    """As early as possible, as compilers compare the function of a module's call with what it was when
    they were imported."""
    module = sys.modules["torch.nn.modules.module"]
    original = module.Module.__call__
    around = _around_call(original, torch)
    _put(module.Module, "__call__", around)
    for name in ("torch._dynamo.utils", "torch._dynamo.variables.nn_module"):
        if getattr(sys.modules.get(name), "unpatched_nn_module_call", None) is original:
            _put(sys.modules[name], "unpatched_nn_module_call", around)
    for register, note in (
            (module.register_module_module_registration_hook, modules.note_part),
            (module.register_module_parameter_registration_hook, modules.note_tensor),
            (module.register_module_buffer_registration_hook, modules.note_tensor)):
        _undo.append(register(note).remove)


def not_compiled(torch: Any, function: Any) -> None:
    """A compiler runs a frame of this function as it is, and compiles what it calls."""
    frames = torch._C._dynamo.eval_frame
    if hasattr(frames, "skip_code"):
        frames.skip_code(function.__code__)
    else:
        frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(
            frames._FrameAction.SKIP, frames._FrameAction.DEFAULT))


def _around_call(original: Any, torch: Any) -> Any:
    codes, own, clock, others = modules.codes, threads, time_ns, beginnings
    has_gradients = torch._C.is_grad_enabled
    is_compiled = sys.modules["torch.compiler"].is_dynamo_compiling
    # None while no compiler looks at frames of this thread.
    set_compiler = torch._C._dynamo.eval_frame.set_eval_frame

    @functools.wraps(original)
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        # A compiler that looks at this function sees the constant True.
        if is_compiled() or not _is_on:
            return original(self, *args, **kwargs)
        # Our own functions are not compiled.
        compiler = set_compiler(None)
        ends = None
        thread = own.own
        depth = thread.depth
        try:
            if not depth:
                thread.phase = _begin_outermost(thread, torch, self, args, kwargs)
            phase = thread.phase
            if phase == INFERENCE and has_gradients():
                phase = FORWARD
            if phase != END:
                begins = others.get(type(self)) or others.get(None)
                ends = begins and begins(self, args, kwargs)
                thread.depth = depth + 1
                thread.note_time(clock())
                thread.note_code((codes.get(id(self)) or modules.code_of(self)) | phase)
        finally:
            if compiler is not None:
                set_compiler(compiler)
        try:
            return original(self, *args, **kwargs)
        finally:
            if phase != END:
                if compiler is not None:
                    set_compiler(None)
                thread.note_time(clock())
                thread.note_code(END)
                thread.depth = depth
                if ends:
                    ends()
                if compiler is not None:
                    set_compiler(compiler)

    not_compiled(torch, __call__)
    return __call__


def _begin_outermost(thread: Any, torch: Any, module: Any, args: Any, kwargs: Any) -> int:
    if thread.steps:
        _end_failed_steps(thread)
    try:
        number = modules.number_of(module)
        if modules.is_made_by_compiler(number):
            # Part of a forward or a backward, of which it does not say.
            return END
        if torch._C._current_graph_task_id() != -1:
            return RECOMPUTED
        calls = _calls[number] = _calls.get(number, 0) + 1
        # Parameters rarely move: at the first, second, fourth, eighth … call, and at the end.
        if scans.is_due(calls):
            scans.scan_parameters(module)
        scans.scan_inputs(module, args, kwargs)
    except Exception as error:  # pylint: disable=broad-except
        notes.trouble("call of a module", error)
    return FORWARD if torch.is_grad_enabled() else INFERENCE


def _watch_backward(torch: Any) -> None:
    """Both `backward()` and `grad()` pass this place."""
    original = torch.autograd.graph._engine_run_backward

    @functools.wraps(original)
    def run_backward(*args: Any, **kwargs: Any) -> Any:
        thread = threads.own
        if thread.steps:
            _end_failed_steps(thread)
        thread.note(BACKWARD)
        try:
            return original(*args, **kwargs)
        finally:
            thread.note(END)
            if torch._C._current_graph_task_id() == -1:
                scans.scan_gradients()

    not_compiled(torch, run_backward)
    for owner in (torch.autograd.graph, torch.autograd):
        if getattr(owner, "_engine_run_backward", None) is original:
            _put(owner, "_engine_run_backward", run_backward)


def _watch_steps(torch: Any) -> None:
    from torch.optim import optimizer

    def before(stepping: Any, args: Any, kwargs: Any) -> None:
        thread = threads.own
        if thread.steps:
            _end_failed_steps(thread, about_to_begin=1)
        if torch._C._current_graph_task_id() != -1:
            # A step in the middle of a backward pass, whose gradients are gone at its end.
            scans.scan_gradients()
        scans.note_optimizer(stepping)
        thread.steps += 1
        thread.note(STEP)

    def after(stepping: Any, args: Any, kwargs: Any) -> None:
        thread = threads.own
        if thread.steps:
            thread.note(END)
            thread.steps -= 1
        scans.note_step(stepping)

    _undo.append(optimizer.register_optimizer_step_pre_hook(before).remove)
    _undo.append(optimizer.register_optimizer_step_post_hook(after).remove)


def _end_failed_steps(thread: Any, about_to_begin: int = 0) -> None:
    """A step that ends by an exception tells nobody, but is on the stack no more. A step that is about
    to begin is on it already."""
    under_way = -about_to_begin
    frame: Any = sys._getframe(1)
    while frame is not None:
        under_way += (frame.f_code.co_name == "wrapper"
                      and frame.f_code.co_filename.endswith("optimizer.py"))
        frame = frame.f_back
    while thread.steps > max(under_way, 0):
        thread.note(END)
        thread.steps -= 1
