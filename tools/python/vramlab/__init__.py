"""vramlab from Python: ask about the GPU memory of a recorded PyTorch program.

>>> rec = open("traces/samples/gpt_training.pickle.gz")
>>> rec.replay(conf="expandable_segments:True").peak_reserved
14275313664

Each function runs the program `vramlab` and reads the JSON that it prints, so every figure and every
name is that of the command line (docs/guide/python.md, docs/reference/schemas).
"""

from vramlab.commands import (
    advise,
    ask,
    capacity,
    conform,
    dry_run,
    explain,
    fit,
    generate,
    merge,
    open,  # pylint: disable=redefined-builtin
    record,
    replay,
    run,
    sample,
    samples,
    serve,
    sweep,
    top,
    workloads,
)
from vramlab.errors import Error, InputError, LimitError, MissingFileError, OptionError, ProgramNotFound
from vramlab.many import map  # pylint: disable=redefined-builtin
from vramlab.program import Progress, find_program
from vramlab.recording import Recording
from vramlab.values import Table, Value
from vramlab.version import __version__



def load_ipython_extension(ipython: object) -> None:
    """`%load_ext vramlab`: then `%%vramlab` shows the memory of a cell."""
    from vramlab import magic

    magic.load_ipython_extension(ipython)


__all__ = [
    "Error", "InputError", "LimitError", "MissingFileError", "OptionError", "ProgramNotFound", "Progress", "Recording", "Table",
    "Value", "__version__", "advise", "ask", "capacity", "conform", "dry_run", "explain", "find_program", "fit", "generate",
    "map", "merge", "open", "record", "replay", "run", "sample", "samples", "serve", "sweep", "top", "workloads",
]
