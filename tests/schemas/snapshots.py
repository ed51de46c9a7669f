"""Snapshot files that vramlab writes load in Python, from pickle and from JSON, and are equal."""

import json
import pickle

SAMPLES = "traces/samples/"


def as_lists(value):
    """JSON has no tuples; everything else of a snapshot it has."""
    if isinstance(value, dict):
        assert all(isinstance(key, str) for key in value)
        return {key: as_lists(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_lists(item) for item in value]
    return value


class PlainUnpickler(pickle.Unpickler):
    """Reads what needs no class: a snapshot is made of lists, dicts, texts and numbers."""

    def find_class(self, module, name):
        raise AssertionError(f"the file asks for {module}.{name}")


def load(file):
    if file.endswith(".json"):
        with open(file, encoding="utf-8") as source:
            return json.load(source)
    with open(file, "rb") as source:
        snapshot = pickle.load(source)
        assert source.read() == b"", f"something stands behind the snapshot in {file}"
        source.seek(0)
        assert PlainUnpickler(source).load() == snapshot
    return as_lists(snapshot)


def expect_whole(snapshot):
    assert isinstance(snapshot["segments"], list) and any(snapshot["device_traces"])
    for segment in snapshot["segments"]:
        assert sum(block["size"] for block in segment["blocks"]) == segment["total_size"]


def expect_same(files):
    first = load(files[0])
    expect_whole(first)
    for file in files[1:]:
        assert load(file) == first, f"{file} and {files[0]} are not equal"
    return first


def check_snapshots(vramlab, scratch):
    names = ["leak.vtrace", "experts.vtrace", "graphs.vtrace.jsonl"]
    for name in names:
        at = f"{scratch}/{name}"
        sample = SAMPLES + name
        for ending in ("pickle", "json"):
            vramlab.run("snapshot", sample, "--at", "peak", "-o", f"{at}.peak.{ending}")
            vramlab.run("replay", sample, "--snapshot-out", f"{at}.end.{ending}")
        # Through all formats that hold a snapshot, and back.
        vramlab.run("convert", f"{at}.end.pickle", "-o", f"{at}.2.json")
        vramlab.run("convert", f"{at}.2.json", "-o", f"{at}.3.vtrace")
        vramlab.run("convert", f"{at}.3.vtrace", "-o", f"{at}.4.pickle")
        assert expect_same([f"{at}.peak.pickle", f"{at}.peak.json"])["segments"]
        expect_same([f"{at}.end.pickle", f"{at}.end.json", f"{at}.2.json", f"{at}.4.pickle"])
        vramlab.run("verify", f"{at}.4.pickle", "--require", "exact")
    print(f"snapshots: of {len(names)} samples, written in 6 ways, load in Python and are equal")
