"""Kinds of memory (`vramlab_dry_run.kinds`) in a dry run, whose history gets them."""

import os
import sys

from vramlab_dry_run import report


def _are_wanted():
    return os.environ.get("VRAMLAB_DRY_RUN_KINDS", "1") != "0"


@report.guarded
def watch_modules():
    """Called when `torch.compiler` was imported, near the end of `import torch`."""
    if not _are_wanted():
        return
    from vramlab_dry_run import kinds

    kinds.watch_modules(sys.modules["torch"])


def begin():
    """Called when CUDA comes up."""
    if not _are_wanted():
        return
    import torch
    from vramlab_dry_run import kinds

    kinds.begin(torch)


@report.guarded
def scan():
    """Before a snapshot is taken."""
    if _are_wanted():
        from vramlab_dry_run import kinds

        kinds.scan_everything()


@report.guarded
def add_to(snapshot):
    if not _are_wanted():
        return
    from vramlab_dry_run import kinds

    snapshot[kinds.KEY] = kinds.document(snapshot)
    for text in snapshot[kinds.KEY]["troubles"]:
        report.trouble("kinds", RuntimeError(text))
