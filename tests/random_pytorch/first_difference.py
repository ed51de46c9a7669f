"""Shows where the replay of a recording leaves it: the first event that the replay's own history has otherwise.

    python3 tests/random_pytorch/first_difference.py VRAMLAB RECORDING [OPTION of replay...]"""

import gzip
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

# Entries that are no events of the allocator.
NOTES = ("snapshot", "annotate", "workspace_snapshot")
SHOWN_BEFORE, SHOWN_AFTER = 6, 8


def events_of(trace):
    """Completed frees that follow each other have no order that means something: by address."""
    events, completed = [], []
    for entry in trace:
        if entry["action"] in NOTES:
            continue
        # A failed request has the free memory of the device where others have an address.
        address = None if entry["action"] == "oom" else entry["addr"]
        event = (entry["action"], address, entry["size"], entry["stream"])
        if entry["action"] == "free_completed":
            completed.append(event)
        else:
            events += sorted(completed) + [event]
            completed = []
    return events + sorted(completed)


def traces_of(data):
    return [events_of(trace) for trace in pickle.loads(data)["device_traces"]]


def replayed(program, recording, options):
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "replayed.pickle")
        subprocess.run([program, "replay", "-q", "--on-oom", "skip", *options, recording, "--snapshot-out", made],
                       stdout=subprocess.DEVNULL, check=True)
        return traces_of(pathlib.Path(made).read_bytes())


def show(device, ours, theirs):
    place = next((place for place, (one, other) in enumerate(zip(ours, theirs)) if one != other),
                 min(len(ours), len(theirs)) if len(ours) != len(theirs) else None)
    print(f"device {device}: {len(theirs)} events recorded, {len(ours)} replayed,",
          "all equal" if place is None else f"first difference at {place}")
    if place is None:
        return
    for name, events in (("recorded", theirs), ("replayed", ours)):
        for index in range(max(0, place - SHOWN_BEFORE), min(len(events), place + SHOWN_AFTER)):
            action, address, size, stream = events[index]
            print(f"  {name} {index} {action} {'' if address is None else hex(address)} {size} {stream}")


def main():
    program, recording, *options = sys.argv[1:]
    data = pathlib.Path(recording).read_bytes()
    theirs = traces_of(gzip.decompress(data) if recording.endswith(".gz") else data)
    for device, (ours, own) in enumerate(zip(replayed(program, recording, options), theirs)):
        show(device, ours, own)


main()
