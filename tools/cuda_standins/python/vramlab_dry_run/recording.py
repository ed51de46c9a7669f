"""PyTorch's own recording of memory: switched on when CUDA comes up, dumped when it is asked for.

A program that records by itself gets from its calls what it would have got: its own calls neither
end nor shorten our recording, and its snapshots begin where it began to record.
"""

import contextlib
import ctypes
import functools
import gc
import inspect
import os
import platform
import sys

from vramlab_dry_run import (compiled_lines, computed, endings, labels, phases, place,
                             programs_recording, report, stacks, steps, unrecorded, values)

_MOST_FAILURES_TOLD = 3

_snapshot = None
_record = None
# Arguments of our recording that only newer versions of PyTorch take.
_more = {}
# The process in which CUDA came up; a forked child has none of its own.
_process = None
_is_dumped_after_failure = False


@report.guarded
def prepare(torch_cuda):
    """Called when `torch.cuda` was imported, in the middle of `import torch`."""
    torch = sys.modules["torch"]
    version = sys.modules.get("torch.version")
    report.values["torch"] = getattr(version, "__version__", None)
    report.values["torch_cuda"] = getattr(version, "cuda", None)
    report.values["cuda_came_up"] = False
    report.values["has_cuda"] = hasattr(torch._C, "_cuda_getDeviceCount")
    endings.note_process()
    endings.watch_requests_to_end()
    if not report.values["has_cuda"]:
        return
    report.guarded(_tell_cudnn_version)(torch)
    place.prepare(os.path.dirname(os.path.abspath(torch.__file__)))
    _wrap(sys.modules["torch.cuda.memory"])
    report.guarded(unrecorded.watch)(torch)
    computed.prepare(torch)
    torch_cuda._lazy_call(_cuda_came_up)


def _kernel_code(torch):
    """The architectures that PyTorch has kernels for, such as sm_90. Asked once CUDA is up: PyTorch refuses CUDA to the
    forks of a process that asked before."""
    flags = getattr(torch._C, "_cuda_getArchFlags", None)
    return (flags() or "").split() if flags else []


def _tell_cudnn_version(torch):
    """PyTorch sees the very version of cuDNN that it was built with."""
    cudnn = getattr(torch._C, "_cudnn", None)
    if cudnn is None:
        return
    major, minor, patch = cudnn.getCompileVersion()
    library = ctypes.CDLL("libcudnn.so.%d" % major, mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    tell = getattr(library, "vramlab_dry_run_set_cudnn_version", None)
    if tell:
        tell(ctypes.c_size_t(10000 * major + 100 * minor + patch))


def _wrap(memory):
    global _snapshot, _record
    _snapshot = memory._snapshot
    _record = memory._record_memory_history
    # Since 2.14; a call without it ends the recording of pinned memory.
    if "record_pinned_host_memory" in inspect.signature(_record).parameters:
        _more["record_pinned_host_memory"] = True
    program = programs_recording.ProgramsRecording(_record, _context(), _more)

    @functools.wraps(_record)
    def record_memory_history(*args, **kwargs):
        return program.record(*args, **kwargs)

    @functools.wraps(_snapshot)
    def snapshot(*args, **kwargs):
        return program.shown(_snapshot(*args, **kwargs))

    memory._record_memory_history = record_memory_history
    memory._snapshot = snapshot


@report.guarded
def _cuda_came_up():
    global _process
    _process = os.getpid()
    endings.note_process()
    report.values["cuda_came_up"] = True
    report.values["kernel_code"] = _kernel_code(sys.modules["torch"])
    unrecorded.cuda_came_up()
    _record("all", context=_context(), stacks=_stacks(), max_entries=sys.maxsize, **_more)
    for begin in (_watch_failures, place.register, values.watch, computed.begin, labels.begin,
                  steps.watch, endings.watch_crashes):
        report.guarded(begin)()
    _begin_collecting_anew()


def _begin_collecting_anew():
    """Python's collector counts new objects, those of a dry run among them, and programs have garbage that holds memory
    of the device until its next pass. A pass here, before there is such memory, lets it count from nothing: later ones
    don't depend on what was imported for the run."""
    if gc.isenabled():
        gc.collect()


def _context():
    """Events that have a stack. Those of a history that nobody keeps need none, which are most of its
    costs where graphs are captured. PyTorch 2.11 loses an exception that is under way when memory is
    freed, where it takes the stack of a free."""
    if os.environ.get("VRAMLAB_DRY_RUN_STACKS") == "none":
        return None
    return "alloc" if (report.values["torch"] or "").startswith("2.11.") else "all"


def _stacks():
    """Stacks of C++ name what a backward pass does, whose threads have no frames of Python."""
    return "all" if platform.machine() == "x86_64" else "python"


def _watch_failures():
    import torch

    torch._C._cuda_attach_out_of_memory_observer(_out_of_memory)


@report.guarded
def _out_of_memory(device, requested, device_total, device_free):
    global _is_dumped_after_failure
    failures = report.values.setdefault("out_of_memory", {"count": 0, "first": []})
    failures["count"] += 1
    if len(failures["first"]) < _MOST_FAILURES_TOLD:
        failures["first"].append({
            "device": device, "requested_bytes": requested, "device_bytes": device_total,
            "device_free_bytes": device_free, "place": place.current(sys._getframe(0))})
    # A program that goes on has its history dumped again at its end.
    if not _is_dumped_after_failure:
        _is_dumped_after_failure = True
        dump()


def _taken_snapshot():
    """Frames of C++ are named by the symbols that libraries export. PyTorch would otherwise start
    addr2line for each of its libraries, which takes seconds and memory, and finds no more in them.
    """
    name = "TORCH_SYMBOLIZE_MODE"
    with _without_compiler():
        if name in os.environ:
            return _snapshot()
        os.environ[name] = "dladdr"
        try:
            return _snapshot()
        finally:
            del os.environ[name]


class _NoCompiler:
    """PyTorch's compiler, as far as a snapshot asks it for the lines of compiled code."""

    class codecache:
        class PyCodeCache:
            @staticmethod
            def stack_frames_for_code(*_):
                return None


@contextlib.contextmanager
def _without_compiler():
    """A program that has not imported the compiler has compiled nothing. PyTorch would import it now, which takes a
    second."""
    torch = sys.modules["torch"]
    if "torch._inductor" in sys.modules:
        yield
        return
    torch._inductor = _NoCompiler
    try:
        yield
    finally:
        # Another thread may have imported it meanwhile.
        if vars(torch).get("_inductor") is _NoCompiler:
            del torch._inductor


def _forget_offsets(of_snapshot):
    """A frame of C++ would have its library and an offset in place of file and line. As in
    recordings of GPUs, nothing is known of either."""
    for frame in of_snapshot.frames():
        if ".so" in frame["filename"] or frame["filename"] == sys.executable:
            frame["filename"], frame["line"] = "??", 0


def _leave_out_own_frames(of_snapshot):
    """Frames of functions that stand around others for a dry run are left out."""
    for frames, own in of_snapshot.with_frames(lambda frame: place.is_own(frame["filename"])):
        frames[:] = [frame for frame in frames if id(frame) not in own]


def is_of_this_process():
    return _process == os.getpid()


@report.guarded
def dump():
    """Writes the history up to now; a later dump replaces it."""
    pattern = os.environ.get("VRAMLAB_DRY_RUN_HISTORY")
    if not is_of_this_process() or not pattern:
        return
    import pickle

    collects = gc.isenabled()
    gc.disable()
    try:
        counted = unrecorded.totals()
        counted_at_marks = report.guarded(phases.totals)()
        labels.scan()
        snapshot = _taken_snapshot()
        of_snapshot = stacks.Stacks(snapshot)
        _forget_offsets(of_snapshot)
        _leave_out_own_frames(of_snapshot)
        report.guarded(compiled_lines.add_to)(of_snapshot)
        steps.add_marks(snapshot)
        labels.add_to(snapshot)
        report.guarded(unrecorded.add_to)(snapshot, counted)
        report.guarded(phases.find_places)(snapshot, counted_at_marks)
        path = report.expanded(pattern)
        report.replace_file(path, lambda file: pickle.dump(snapshot, file))
        report.values["history"] = path
    finally:
        if collects:
            gc.enable()
