"""Phases of an inference engine, for `vramlab serve`: marks at the beginning and the end of its functions.
Each has its place in PyTorch's history, the allocator's own figures then, and how much of the device is in use
outside of PyTorch.

A file for each engine (vllm_phases, sglang_phases) names its functions. A name that the engine does not have is told.
"""

import functools
import os
import sys
import threading
import time

from vramlab_dry_run import callbacks, import_watch, report, unrecorded

# By device: counters and the mark, in order.
_marks = {}
# Says which size of the engine a capture is for, by its frame.
_label_of_capture = None
# By device: which of its marks is the end of the last step.
_last_steps = {}
_times_idle = 0
# No step was made since the history was written.
_is_all_written = False
_SECONDS_FOR_STEPS = 60
_SECONDS_BETWEEN_LOOKS = 0.2


def watch():
    """Called when the interpreter starts."""
    from vramlab_dry_run import sglang_phases, vllm_phases

    report.values["serving"] = {"engine": None, "version": None, "missing": [], "says": {}, "marks": [],
                                "failed_in": None, "is_ready": False}
    import_watch.call_after_import("torch.cuda.graphs", _watch_captures)
    vllm_phases.watch()
    sglang_phases.watch()


def serving():
    return report.values["serving"]


def is_engine(name, label_of_capture):
    """`label_of_capture`: what is told of a graph, by the frame that begins to capture it."""
    global _label_of_capture
    _label_of_capture = label_of_capture
    serving()["engine"] = name


def told_missing(name):
    if name not in serving()["missing"]:
        serving()["missing"].append(name)


def stand_around(module, name, phase, tell=None):
    """Marks the beginning and the end of a function, such as `Worker.load_model`. `tell` gets its arguments and its
    result."""
    _stand(module, name, functools.partial(_marked, phase, ("begin", "end"), tell))


def stand_from(module, first, last, phase, tell=None):
    """Marks the beginning of one function and the end of another one, which calls it: CUDA may not be up yet when that
    begins."""
    _stand(module, first, functools.partial(_marked, phase, ("begin",), None))
    _stand(module, last, functools.partial(_marked, phase, ("end",), tell))


def _marked(phase, stages, tell, function, *args, **kwargs):
    if "begin" in stages:
        _mark(phase, "begin")
    try:
        result = function(*args, **kwargs)
    except BaseException:
        # At once, as an engine may kill its processes when one of them failed.
        if _note_failure(phase):
            report.guarded(_write_history)()
        raise
    if "end" in stages:
        _mark(phase, "end")
    if tell:
        report.guarded(tell)(args, kwargs, result)
    return result


def _stand(module, name, around):
    """`around` is called in place of the function, which it gets first."""
    class_name, _, function_name = name.rpartition(".")
    of = getattr(module, class_name, None) if class_name else module
    function = getattr(of, function_name, None)
    if function is None:
        told_missing("%s:%s" % (module.__name__, name))
        return

    @functools.wraps(function)
    def stands(*args, **kwargs):
        return around(function, *args, **kwargs)

    setattr(of, function_name, stands)


def stand_around_steps(module, name, size_of_step):
    """Counts calls of a function that makes a step of the engine once that is ready, and marks the beginning of the
    first and the end of the last one. `size_of_step` gets its arguments: how many tokens are in it, 0 if it only ends
    requests; None if that is told of another function of the same step."""

    def around(function, *args, **kwargs):
        if not _count_steps():
            return function(*args, **kwargs)
        size = report.guarded(size_of_step)(*args, **kwargs)
        _step_begins(size)
        try:
            result = function(*args, **kwargs)
        except BaseException:
            _note_failure("steps")
            _mark_last_step()
            _write_steps()
            raise
        _mark_last_step()
        if size == 0:
            _is_idle()
        return result

    _stand(module, name, around)


def stand_around_idling(module, name, is_idle):
    """A function that the engine calls again and again while it has nothing to do. `is_idle` gets its arguments:
    whether a step was made since it last said so, and nothing is left to do."""

    def around(function, *args, **kwargs):
        result = function(*args, **kwargs)
        if _count_steps() and report.guarded(is_idle)(*args, **kwargs):
            _is_idle()
        return result

    _stand(module, name, around)


def read(told, of, name):
    """Adds a value that the engine has, such as `model_runner.model_memory_usage` of its worker."""
    value = of
    for part in name.split("."):
        value = getattr(value, part, None)
        if value is None:
            told_missing("%s.%s" % (type(of).__name__, name))
            return
    serving()["says"][told] = value


def device_bytes():
    cuda = sys.modules["torch"].cuda
    return cuda.mem_get_info(cuda.current_device())[1]


def in_use():
    """Bytes of the device, by whomever."""
    cuda = sys.modules["torch"].cuda
    free, total = cuda.mem_get_info(cuda.current_device())
    return total - free


def pinned():
    """Bytes of the host that PyTorch has pinned; None before 2.7, which does not count them."""
    stats = getattr(sys.modules["torch"].cuda, "host_memory_stats", None)
    return stats().get("allocated_bytes.current", 0) if stats else None


@report.guarded
def save():
    """Tells the launcher all that is known by now, as an engine may kill its processes while it ends."""
    report.save()


@report.guarded
def ready():
    """The history so far is written, for the same reason. Where requests come, it is written after their steps: that
    takes long."""
    serving()["is_ready"] = True
    if _has_load():
        _tell_busy()
        report.save()
        threading.Thread(target=_write_unless_steps_come, daemon=True).start()
    else:
        _write_history()


@report.guarded
def _write_unless_steps_come():
    """All requests may be refused, or come late."""
    end = time.monotonic() + _SECONDS_FOR_STEPS
    while "steps" not in serving()["says"]:
        if _is_load("over") or time.monotonic() >= end:
            return _write_steps()
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def is_all_written():
    """A server is ended by the launcher once its history is written. What it gives back after that is no part of it."""
    return _is_all_written and os.environ.get("VRAMLAB_DRY_RUN_SERVER") == "1"


def _write_history():
    global _is_all_written
    from vramlab_dry_run import recording

    # Before it is, as another thread may begin a step meanwhile.
    _is_all_written = True
    recording.dump()
    report.save()
    callbacks.write_notes()


@report.guarded
def _step_begins(size):
    global _is_all_written
    _is_all_written = False
    says = serving()["says"]
    if "steps" not in says:
        says.update(steps=0, tokens_in_step=0)
        _mark("steps", "begin")
    if size:
        says["steps"] += 1
        says["tokens_in_step"] = max(says["tokens_in_step"], size)
        _tell_busy()


def _mark_last_step():
    """One mark, which moves on."""
    device = _mark("steps", "end")
    if device is None:
        return
    if device in _last_steps:
        del _marks[device][_last_steps[device]]
    _last_steps[device] = len(_marks[device]) - 1


def _count_steps():
    """Requests that a server makes by itself are no part of the load."""
    return serving()["is_ready"] and (not _has_load() or _is_load("sent"))


def _is_load(moment):
    """Whether the launcher has noted that moment of the load."""
    return os.path.exists(os.path.join(os.environ["VRAMLAB_DRY_RUN_NOTES"], "load.%s" % moment))


def _busy_file():
    """There while the engine makes steps whose history is not written: the launcher waits for its end."""
    return os.path.join(os.environ["VRAMLAB_DRY_RUN_NOTES"], "busy.%d" % os.getpid())


def _has_load():
    return os.environ.get("VRAMLAB_DRY_RUN_LOAD") == "1"


def _tell_busy():
    if _has_load():
        open(_busy_file(), "w").close()


@report.guarded
def _is_idle():
    """All requests have ended. A program of its own may reach this often: the first time is written."""
    global _times_idle
    _times_idle += 1
    if _has_load() or _times_idle == 1:
        _write_steps()


@report.guarded
def _write_steps():
    _write_history()
    if _has_load() and os.path.exists(_busy_file()):
        os.unlink(_busy_file())


@report.guarded
def _note_failure(phase):
    """The innermost phase is told. Whether it is this one."""
    if serving()["failed_in"]:
        return False
    serving()["failed_in"] = phase
    return True


@report.guarded
def _mark(phase, stage, label=None):
    """Returns the device; None in a process without a history."""
    from vramlab_dry_run import recording

    if not recording.is_of_this_process():
        return None
    torch = sys.modules["torch"]
    device = torch.cuda.current_device()
    stats = torch._C._cuda_memoryStats(device)
    mark = {"phase": phase, "stage": stage, "label": label,
            "allocated": stats["allocated_bytes"]["all"]["current"],
            "reserved": stats["reserved_bytes"]["all"]["current"], "outside": None}
    if phase != "capture":
        free, total = torch.cuda.mem_get_info(device)
        mark["outside"] = total - free - mark["reserved"]
    _marks.setdefault(device, []).append((unrecorded.counted_on(device), mark))
    return device


def _watch_captures(graphs):
    graph = graphs.CUDAGraph
    begin, end = graph.capture_begin, graph.capture_end

    @functools.wraps(begin)
    def capture_begin(self, *args, **kwargs):
        _mark("capture", "begin", report.guarded(_label)(sys._getframe(1)))
        return begin(self, *args, **kwargs)

    @functools.wraps(end)
    def capture_end(self, *args, **kwargs):
        result = end(self, *args, **kwargs)
        _mark("capture", "end")
        return result

    graph.capture_begin, graph.capture_end = capture_begin, capture_end


def _label(frame):
    return _label_of_capture(frame) if _label_of_capture else None


def are_wanted():
    return os.environ.get("VRAMLAB_DRY_RUN_PHASES") == "1"


def totals():
    """As unrecorded.totals()."""
    return {device: unrecorded.counted_on(device) for device in _marks}


def find_places(snapshot, counted):
    """Tells the marks with the number of entries before each."""
    if are_wanted():
        serving()["marks"] = unrecorded.placed_in(snapshot, _marks, counted)
