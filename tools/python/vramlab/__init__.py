"""vramlab from Python: ask about the GPU memory of a recorded PyTorch program.

>>> rec = open("traces/samples/gpt_training.pickle.gz")
>>> rec.replay(conf="expandable_segments:True").peak_reserved
14275313664

Each function runs the program `vramlab` and reads the JSON that it prints, so every figure and every
name is that of the command line (docs/guide/python.md, docs/reference/schemas).
"""

from vramlab.commands import (
    ask,
    conform,
    dry_run,
    generate,
    merge,
    open,  # pylint: disable=redefined-builtin
    record,
    run,
    sweep,
    workloads,
)
from vramlab.errors import Error, InputError, LimitError, ProgramNotFound
from vramlab.program import Progress, find_program
from vramlab.recording import Recording
from vramlab.values import Table, Value

__all__ = [
    "Error", "InputError", "LimitError", "ProgramNotFound", "Progress", "Recording", "Table",
    "Value", "ask", "conform", "dry_run", "find_program", "generate", "merge", "open",
    "record", "run", "sweep", "workloads",
]
