#!/usr/bin/env python3
"""Makes a large snapshot pickle of a small one, for measuring readers:

    python3 tools/dev/stitch_recording.py snapshot.pickle large.pickle --bytes 1000000000

The events of the first device that has any are repeated until the file is large enough, each time
later than before. Everything else is as it was, events of other devices are left out. Stacks and
texts are shared as Python's pickle.dump shares them, and pickle.load opens the file. Addresses
repeat, so the result is not a history that could have happened.
"""
import argparse
import io
import pickle
import struct
import sys

PROTOCOL = 4


class PlainUnpickler(pickle.Unpickler):
    """A snapshot is plain data; anything else is refused."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} is no plain data")


class Output:
    """One pickle, written in parts that share a memo."""

    def __init__(self, file):
        self.file = file
        self.part = io.BytesIO()
        self.pickler = pickle.Pickler(self.part, PROTOCOL)
        self.kept = []
        self.file.write(b"\x80" + bytes([PROTOCOL]))

    def opcodes(self, value):
        """The opcodes of a value, as a list of the frames they came in."""
        self.part.seek(0)
        self.part.truncate()
        self.pickler.dump(value)
        self.kept.append(value)  # The memo goes by identity.
        return frames_of(self.part.getvalue())

    def write(self, frames):
        for frame in frames:
            self.file.write(b"\x95" + struct.pack("<Q", len(frame)) + frame)

    def write_value(self, value):
        self.write(self.opcodes(value))

    def write_again(self, items, memo):
        """More items for the list on top, made of what the memo has; they themselves stay out."""
        self.pickler.memo = memo
        frames = self.opcodes(items)
        self.kept.pop()
        assert frames[0].startswith(b"]\x94("), frames[0][:3]
        frames[0] = frames[0][2:]
        self.write(frames)


def frames_of(pickled):
    at = 2  # Behind the protocol.
    frames = []
    while at < len(pickled) and pickled[at] == 0x95:
        (size,) = struct.unpack_from("<Q", pickled, at + 1)
        frames.append(pickled[at + 9 : at + 9 + size])
        at += 9 + size
    if at < len(pickled):
        frames.append(pickled[at:])
    frames[-1] = frames[-1][:-1]  # Without STOP.
    return [frame for frame in frames if frame]


def time_span(events):
    times = [event["time_us"] for event in events if "time_us" in event]
    return max(times) - min(times) + 1 if times else 0


def later(event, delay):
    moved = dict(event)
    if "time_us" in moved:
        moved["time_us"] += delay
    return moved


def stitch(snapshot, file, wanted_bytes):
    traces = snapshot["device_traces"]
    device = next(i for i, trace in enumerate(traces) if trace)
    events = traces[device]
    output = Output(file)
    output.write_value({})
    output.write([b"("])
    for key, value in snapshot.items():
        if key != "device_traces":
            output.write_value(key)
            output.write_value(value)
    output.write_value("device_traces")
    output.write_value([])
    output.write([b"("])
    for _ in range(device):
        output.write_value([])
    output.write_value(events)
    memo = output.pickler.memo.copy()
    span = time_span(events)
    repeated = 1
    while file.tell() < wanted_bytes:
        output.write_again([later(event, repeated * span) for event in events], memo)
        repeated += 1
    output.write([b"eu."])
    return repeated * len(events)


def without_frames(snapshot):
    for trace in snapshot["device_traces"]:
        for event in trace:
            event.pop("frames", None)
    for segment in snapshot["segments"]:
        segment.pop("frames", None)
        for block in segment["blocks"]:
            block.pop("frames", None)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("input", help="a snapshot pickle with events")
    parser.add_argument("output")
    parser.add_argument("--bytes", type=int, default=10**9, help="at least so large (10^9)")
    parser.add_argument("--strip-frames", action="store_true", help="leave the stacks out")
    arguments = parser.parse_args()
    with open(arguments.input, "rb") as file:
        snapshot = PlainUnpickler(file).load()
    if not isinstance(snapshot, dict) or not any(snapshot.get("device_traces", [])):
        sys.exit(f"{arguments.input}: expected a snapshot with events")
    if arguments.strip_frames:
        without_frames(snapshot)
    with open(arguments.output, "wb") as file:
        event_count = stitch(snapshot, file, arguments.bytes)
        print(f"{arguments.output}: {event_count} events, {file.tell()} bytes")


if __name__ == "__main__":
    main()
