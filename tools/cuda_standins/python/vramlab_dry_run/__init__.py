"""The start-up hook of a dry run: it records PyTorch's memory history and dumps it at the end.

Requires: nothing in here may make the program fail. What goes wrong is noted for the report.
Modules that cost time are imported when torch.cuda is, so a program without PyTorch pays nothing.
"""

import os


def begin():
    """Called once, when the interpreter starts."""
    if os.environ.get("VRAMLAB_DRY_RUN") != "1":
        return
    from vramlab_dry_run import alone, endings, import_watch

    endings.watch()
    alone.prepare()
    if os.environ.get("VRAMLAB_DRY_RUN_FILES") == "1":
        from vramlab_dry_run import files_read

        files_read.watch()
    if os.environ.get("VRAMLAB_DRY_RUN_PHASES") == "1":
        from vramlab_dry_run import phases

        phases.watch()
    import_watch.call_before_import("torch", _torch_is_found)
    import_watch.call_after_import("torch.cuda", _torch_cuda_is_there)


def _torch_is_found(spec):
    from vramlab_dry_run import import_watch, missing_functions

    missing_functions.provide(spec)
    folder = os.path.dirname(spec.origin or "")
    if os.path.isdir(os.path.join(folder, "compiler")):
        import_watch.call_after_import("torch.compiler", _modules_are_there)
    if os.path.isdir(os.path.join(folder, "distributed")):
        import_watch.call_after_import("torch.distributed.distributed_c10d", _ranks_may_meet)


def _ranks_may_meet(c10d):
    from vramlab_dry_run import alone, leaving, objects

    alone.remove_others(c10d)
    objects.watch(c10d)
    leaving.watch(c10d)


def _torch_cuda_is_there(module):
    import importlib.util

    from vramlab_dry_run import compiled_lines, errors, import_watch, recording, vllm_runtime

    recording.prepare(module)
    errors.show_without_own_frames()
    if importlib.util.find_spec("vllm"):
        vllm_runtime.watch()
    if importlib.util.find_spec("torch._inductor"):
        import_watch.call_after_import("torch._inductor.utils", compiled_lines.prepare)
    if importlib.util.find_spec("triton"):
        import_watch.call_after_import("triton.testing", _autotuning_is_there)


def _modules_are_there(_):
    from vramlab_dry_run import labels

    labels.watch_modules()


def _autotuning_is_there(module):
    from vramlab_dry_run import timings

    timings.prepare(module)
