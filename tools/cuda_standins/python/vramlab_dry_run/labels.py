"""Kinds of memory (`vramlab_dry_run.kinds`) in a dry run, whose history gets them."""

import os
import sys

from vramlab_dry_run import report

# The package, once it notes kinds.
_noting = None


def _are_wanted():
    """There are none without modules: programs can use parts of PyTorch."""
    return (os.environ.get("VRAMLAB_DRY_RUN_KINDS", "1") != "0"
            and "torch.nn.modules.module" in sys.modules)


@report.guarded
def watch_modules():
    """Called when `torch.compiler` was imported, near the end of `import torch`."""
    if _are_wanted():
        from vramlab_dry_run import kinds

        kinds.watch_modules(sys.modules["torch"])


def begin():
    """Called when CUDA comes up."""
    global _noting
    if _are_wanted():
        from vramlab_dry_run import kinds

        kinds.begin(sys.modules["torch"])
        _noting = kinds


@report.guarded
def scan():
    """Before a snapshot is taken."""
    if _noting:
        _noting.scan_everything()


@report.guarded
def add_to(snapshot):
    if not _noting:
        return
    document = _noting.document(snapshot)
    snapshot[_noting.KEY] = document
    for text in document["troubles"]:
        report.trouble("kinds", RuntimeError(text))
