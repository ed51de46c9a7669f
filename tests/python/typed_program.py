"""A program of a user, for typing_test.py: mypy refuses the lines that end in `wrong`, and no other."""

import io

import vramlab


def peak_of(path: str) -> int:
    recording = vramlab.open(path)
    replay = recording.replay(conf="expandable_segments:True")
    last: int = replay.devices[0].curve.reserved_bytes[-1]
    failures = replay.out_of_memory
    line: str = failures[0].call_site  # wrong
    print(line, last)
    return replay.metrics.peak_reserved


def more_of(path: str) -> str:
    recording = vramlab.open(io.BytesIO(b"bytes"))
    held: int = recording.top().devices[0].groups[0].bytes
    row = recording.capacity().rows[0]
    least: str = row.least_bytes  # wrong
    answer = vramlab.sample("leak").explain().answer
    headline: str = answer.headline  # wrong
    recording.replay(confs="")  # wrong
    vramlab.open(3)  # wrong
    label: str = recording.verify().label
    return label + least + headline + str(held) + vramlab.__version__
