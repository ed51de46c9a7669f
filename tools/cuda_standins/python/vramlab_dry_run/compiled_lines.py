"""The model's lines of code that inductor made. Its files are gone after the run, and its own comments
name no lines: each kernel's comment gets the line of the model that the kernel computes, and each
frame in such a file is followed, inwards, by that line.
"""

import functools
import os
import re

from vramlab_dry_run import place, report

_FRAME = re.compile(r'File "(.+)", line (\d+), in (.+)')
_NOTED = re.compile(r'# .*Source Nodes: .* of "(.+)", line (\d+), in (.+)$')
_ALLOCATES = re.compile(r"\bempty_strided\w*\(")

# By file: the line of the model, or nothing, for each of its lines.
_lines_of_files = {}


def prepare(utils):
    """Called when `torch._inductor.utils` was imported, before others take the function from it."""
    name = "get_kernel_metadata"
    if not hasattr(utils, name) or not hasattr(utils, "aggregate_origins"):
        return
    metadata_of = getattr(utils, name)

    @functools.wraps(metadata_of)
    def with_line(node_schedule, wrapper):
        comment, details = metadata_of(node_schedule, wrapper)
        line = report.guarded(_line_of_nodes)(utils.aggregate_origins(node_schedule))
        return comment + (' of "%s", line %s, in %s' % line if line else ""), details

    setattr(utils, name, with_line)


def _line_of_nodes(nodes):
    """The innermost line outside PyTorch of the last node, whose result the kernel stores."""
    graphs = dict.fromkeys(node.graph for node in nodes)
    in_order = (node for graph in graphs for node in reversed(graph.nodes) if node in nodes)
    for node in in_order:
        frames = _FRAME.findall(node.meta.get("stack_trace") or "")
        for frame in reversed(frames):
            if not place.is_of_library(frame[0]):
                return frame
    return None


def add_to(stacks):
    """To stacks of a snapshot (stacks.Stacks), whose innermost frame comes first."""
    folder = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    if not folder:
        return
    folder = os.path.join(folder, "")
    of_frames = {}
    for frames, compiled in stacks.with_frames(lambda frame: frame["filename"].startswith(folder)):
        at, frame = next((at, frame) for at, frame in enumerate(frames) if id(frame) in compiled)
        if id(frame) not in of_frames:
            of_frames[id(frame)] = _frame_before(frame)
        if of_frames[id(frame)]:
            frames.insert(at, of_frames[id(frame)])


def _frame_before(frame):
    """The frame of the model's line; None where nobody knows it."""
    line = _line_of(frame["filename"], frame["line"])
    return dict(frame, filename=line[0], line=int(line[1]), name=line[2]) if line else None


def _line_of(filename, number):
    if filename not in _lines_of_files:
        _lines_of_files[filename] = _lines_in(filename)
    lines = _lines_of_files[filename]
    return lines[number - 1] if 0 < number <= len(lines) else None


def _lines_in(filename):
    """Memory of a kernel's result is requested above its comment; an operator that is called
    requests its own below it."""
    with open(filename, encoding="utf-8") as file:
        text = file.read().splitlines()
    lines, above = [], None
    for line in text:
        noted = _NOTED.search(line)
        above = noted.groups() if noted else above
        lines.append(above)
    below = None
    for at in range(len(text) - 1, -1, -1):
        noted = _NOTED.search(text[at])
        below = noted.groups() if noted else below
        if _ALLOCATES.search(text[at]):
            lines[at] = below
    return lines
