"""Recordings that others published with their scripts, and the dry run of the same scripts.

`recordings.json` says for each recording where it is, which script made it, and with which arguments. The two
histories are compared by `vramlab diff`: event for event, and both peaks.
"""

import json
import os
import pathlib
import pickle
import shlex
import subprocess
import tempfile

from tables import add_package, git, packages_of, unpack, write

ROOT = pathlib.Path(__file__).resolve().parent


def run_program(clones, entry, how, folder):
    """Runs the script dry in a copy of its tree; returns the folder in which it ran."""
    code = folder / "code"
    for clone, part in zip(clones, entry["code"]):
        unpack(clone, part["commit"], part["paths"], code / part.get("into", "."))
    for edit in entry.get("edits", []):
        text = (code / edit["file"]).read_text(encoding="utf-8")
        (code / edit["file"]).write_text(text.replace(edit["from"], edit["to"]), encoding="utf-8")
    inside = [how.python, "-B", str(ROOT / "recording_inside.py"), entry.get("host_values", "kept")]
    place = code / entry.get("folder", ".")
    (place / entry["writes"]).parent.mkdir(parents=True, exist_ok=True)
    for name, version in entry.get("installed", {}).items():
        add_package(folder / "facts", name, version)
    path = [*(str(code / part) for part in entry.get("path", [])), str(folder / "facts"), *how.path]
    changed = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    changed.update(entry.get("environment", {}))
    command = [how.vramlab, "dry-run", "--quiet", "--gpu", entry["gpu"], "--device-memory", "none", "--", *inside,
               *shlex.split(entry["program"].format(calls=ROOT / "calls"))]
    subprocess.run(command, cwd=place, check=False, env=changed, stdout=subprocess.DEVNULL)
    return place


def compared(how, real, dry):
    command = [how.vramlab, "diff", "--no-budget", "--device", "0", "--json", str(real), str(dry)]
    return json.loads(subprocess.run(command, check=False, capture_output=True, text=True).stdout)


class PlainValues(pickle.Unpickler):
    """A recording has no classes: those of a file that has some are refused."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"a recording does not need {module}.{name}")


def requests(path):
    """The sizes of a recording's allocations, and of its frees, each in their order."""
    with open(path, "rb") as file:
        events = [event for trace in PlainValues(file).load()["device_traces"] for event in trace]
    return {action: [event["size"] for event in events if event["action"] == action]
            for action in ("alloc", "free_requested")}


def row_of(entry, torch, found, real, dry):
    changes, events = found["changes"], found["events"]
    first = events["first_difference"]
    real, dry = requests(real), requests(dry)
    return {"source": entry["source"], "recording": entry["recording"], "commit": entry["recording_commit"],
            "gpu": entry["gpu"], "torch": torch, "host_values": entry.get("host_values", "kept"),
            "program": entry["program"],
            "edits": "; ".join(f"{edit['file']}: {edit['to']}" for edit in entry.get("edits", [])),
            "real_events": events["base"], "dry_events": events["new"],
            "first_difference": "" if first is None else json.dumps(first, sort_keys=True),
            "same_allocations": real["alloc"] == dry["alloc"],
            "same_frees": real["free_requested"] == dry["free_requested"],
            "same_frees_in_another_order": sorted(real["free_requested"]) == sorted(dry["free_requested"]),
            **{f"{side}_{name}": changes[name][key] for name in ("peak_allocated", "peak_reserved")
               for side, key in (("real", "base"), ("dry", "new"))}}


def runs(entries):
    """The recordings that one run of a program makes."""
    found = {}
    for entry in entries:
        same = {key: value for key, value in entry.items() if key not in ("recording", "recording_commit", "writes")}
        found.setdefault(json.dumps(same, sort_keys=True), []).append(entry)
    return found.values()


def rows_of_run(clones, entries, how, torch):
    """Runs a program once, and compares each recording that it was to write."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        ran_in = run_program(clones, entries[0], how, folder)
        real = folder / "real.pickle"
        for entry in entries:
            dry = ran_in / entry["writes"]
            if not dry.exists():
                print(f"{entry['source']}/{entry['recording']}: the program wrote no recording")
                continue
            real.write_bytes(git(clones[0], "show", f"{entry['recording_commit']}:{entry['recording']}"))
            yield row_of(entry, torch, compared(how, real, dry), real, dry)


def repeat(how):
    """Runs the recordings that were asked for; CLONE is the clone of the source, then those that it needs too."""
    torch = packages_of(how, ("torch",))["torch"]
    described = json.loads((ROOT / "recordings.json").read_text(encoding="utf-8"))
    wanted = [entry for entry in described if entry["torch"] == torch
              and all(text in f"{entry['source']}/{entry['recording']}" for text in how.match)]
    for entries in runs(wanted):
        if how.list:
            print(*(f"{entry['source']}/{entry['recording']}" for entry in entries))
            continue
        for row in rows_of_run(how.clone.split(","), entries, how, torch):
            print(f"{row['source']}/{row['recording']}", *(f"{key}={value}" for key, value in row.items()
                  if key.startswith(("real", "dry", "first"))), flush=True)
            if how.out:
                write(how.out, [row])
    return 0
