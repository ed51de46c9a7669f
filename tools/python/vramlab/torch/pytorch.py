"""Every use of PyTorch that its documentation does not promise."""

import contextlib
import os
import sys
import threading
from types import FrameType
from typing import Any, Callable, Dict, Iterator, Optional

import torch

Observer = Callable[[int, int, int, int], None]

_STACKS_BY_SYMBOLS = "TORCH_SYMBOLIZE_MODE"


def when_cuda_is_up(action: Callable[[], None]) -> None:
    """Now, or when the program first uses CUDA. Nothing happens without CUDA."""
    torch.cuda._lazy_call(action)


def is_recording() -> bool:
    """False for versions that do not tell. In a dry run a recording of another is always on; the
    program's own begins without ending that. PyTorch crashes if it is asked before the first use of
    CUDA, when nothing records yet."""
    if "VRAMLAB_DRY_RUN" in os.environ or not torch.cuda.is_initialized():
        return False
    tell = getattr(torch._C, "_cuda_isHistoryEnabled", None)
    return bool(tell and tell())


#: The stacks of the recording that we began; empty without one.
_stacks_of_ours = ""


def begin_recording(max_entries: int, stacks: str) -> None:
    """From now on PyTorch keeps a history of memory."""
    global _stacks_of_ours
    torch.cuda.memory._record_memory_history("all", "all", stacks, max_entries)
    _stacks_of_ours = stacks


def end_recording() -> None:
    """Forgets the history, too."""
    global _stacks_of_ours
    torch.cuda.memory._record_memory_history(None)
    _stacks_of_ours = ""


def snapshot() -> Dict[str, Any]:
    """The history and the state. Frames of C++ are named by exported symbols: looking up their lines
    takes seconds and much memory. Without such frames the environment stays as it is, which other
    threads may read meanwhile."""
    names = (contextlib.nullcontext() if _stacks_of_ours == "python"
             else _environment(_STACKS_BY_SYMBOLS, "dladdr"))
    with names:
        found: Dict[str, Any] = torch.cuda.memory._snapshot()
        return found


@contextlib.contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    if name in os.environ:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


def write(found: Dict[str, Any], path: str) -> None:
    """Writes a snapshot; the file is there whole or not at all."""
    import pickle

    unfinished = f"{path}.unfinished"
    try:
        with open(unfinished, "wb") as file:
            pickle.dump(found, file, protocol=4)
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(unfinished)
        raise


def watch_failures(observer: Observer) -> None:
    """Calls it at each request that fails, before the program is told. It stays for ever."""
    torch._C._cuda_attach_out_of_memory_observer(observer)


def after_each_step(hook: Callable[..., None]) -> Any:
    """Calls it with each optimizer after each of its steps; `remove()` of what returns ends that."""
    from torch.optim import optimizer

    return optimizer.register_optimizer_step_post_hook(hook)


def statistics(device: Optional[int] = None) -> Dict[str, int]:
    """Statistics of a device, or sums of all devices. None for a device brings no CUDA up."""
    if not torch.cuda.is_initialized():
        return {}
    if device is not None:
        return dict(torch.cuda.memory_stats(device))
    sums: Dict[str, int] = {}
    for each in statistics_by_device().values():
        for name, value in each.items():
            sums[name] = sums.get(name, 0) + value
    return sums


def statistics_by_device() -> Dict[int, Dict[str, int]]:
    """Statistics of each device; none before CUDA is up, which this does not bring up."""
    if not torch.cuda.is_initialized():
        return {}
    return {device: torch.cuda.memory_stats(device) for device in range(torch.cuda.device_count())}


def rank() -> Optional[int]:
    """The process's number in its job: of torch.distributed, else of its launcher; None without."""
    distributed = getattr(torch, "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    for name in ("RANK", "LOCAL_RANK"):
        if os.environ.get(name, "").isdecimal():
            return int(os.environ[name])
    return None


def calling_place() -> str:
    """The line of the program that is running: of this thread, or of the main one, for a backward
    pass runs in threads of its own."""
    for frame in (sys._getframe(1), _frame_of_main_thread()):
        found = _users_frame(frame)
        if found is not None:
            code = found.f_code
            name = getattr(code, "co_qualname", code.co_name)
            return f"{os.path.relpath(code.co_filename)}:{found.f_lineno} {name}"
    return "an unknown line"


def _frame_of_main_thread() -> Optional[FrameType]:
    return sys._current_frames().get(threading.main_thread().ident or 0)


def _users_frame(frame: Optional[FrameType]) -> Optional[FrameType]:
    # As they stand in the frames, which need not be absolute.
    ours = (os.path.dirname(torch.__file__), os.path.dirname(os.path.dirname(__file__)),
            os.path.dirname(threading.__file__))
    while frame is not None:
        path = frame.f_code.co_filename
        if not path.startswith(ours) and not path.startswith("<"):
            return frame
        frame = frame.f_back
    return None
