"""Kinds of memory, and the modules that asked for it: noted while a PyTorch program runs.

A mark says which phase and which module's call begin at a moment, a scan lists the storages that are
known then. Nothing here allocates memory of a device, keeps a tensor or a module alive, or changes
what autograd and compilers see. docs/reference/trace_format.md describes the document.

`vramlab dry-run` brings a copy of this folder into the program as `vramlab_dry_run.kinds`: it needs
neither the rest of the package nor a PyTorch that is fully imported.
"""

from .calls import begin, end, is_on, watch_modules
from .history import KEY, document
from .scans import scan_everything

__all__ = ["KEY", "begin", "document", "end", "is_on", "scan_everything", "watch_modules"]
