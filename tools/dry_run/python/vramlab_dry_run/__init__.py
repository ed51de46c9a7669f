"""The start-up hook of a dry run: it records PyTorch's memory history and dumps it at the end.

Requires: nothing in here may make the program fail. What goes wrong is noted for the report.
Modules that cost time are imported when torch.cuda is, so a program without PyTorch pays nothing.
"""

import os


def begin():
    """Called once, when the interpreter starts."""
    if os.environ.get("VRAMLAB_DRY_RUN") != "1":
        return
    from vramlab_dry_run import endings, import_watch

    endings.watch()
    import_watch.call_before_import("torch", _torch_is_found)
    import_watch.call_after_import("torch.cuda", _torch_cuda_is_there)


def _torch_is_found(spec):
    from vramlab_dry_run import missing_functions

    missing_functions.provide(spec)


def _torch_cuda_is_there(module):
    from vramlab_dry_run import recording

    recording.prepare(module)
