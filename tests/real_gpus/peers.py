"""The source `peers` of run.py: what other estimators say of the programs of NiuHuangxiaozi/assignment2-systems, whose
memory a real GPU's recordings tell. The clone is that of the programs; --path names folders with the estimators."""

import csv
import json
import os
import pathlib
import re
import subprocess
import tempfile

import tables

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = "NiuHuangxiaozi/assignment2-systems"
#: By the name in peers_inside.py: the package with its version.
PACKAGES = {"mem_tracker": "torch", "preflight": "torch-preflight", "kitsune": "torch-kitsune",
            "deepspeed": "deepspeed", "accelerate": "accelerate"}


def recordings():
    with open(HERE / "rows/recordings.csv", encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["source"] == SOURCE]


def words_of(program):
    """Mode, context and precision of a recording's program, such as `profile_memory.py --mode forward …`."""
    mode = re.search(r"--mode (\w+)", program).group(1)
    return ["forward" if mode == "forward" else "training", re.search(r"--context_length (\d+)", program).group(1),
            "mixed" if "--use_mixed_precision" in program else "plain"]


def asked(how, folder, peer, row):
    command = [how.vramlab, "dry-run", "-q", "--gpu", row["gpu"], "--", how.python, str(HERE / "peers_inside.py"), peer,
               *words_of(row["program"])]
    told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *how.path])})
    lines = [line for line in told.stdout.splitlines() if line.startswith("PEER ")]
    if not lines:
        raise RuntimeError(f"{peer}: {told.stderr[-500:]}")
    return json.loads(lines[-1][5:])


def repeat(how):
    versions = tables.packages_of(how, list(PACKAGES.values()))
    with tempfile.TemporaryDirectory() as scratch:
        for row in recordings():
            folder = pathlib.Path(scratch) / row["commit"]
            if not folder.exists():
                tables.unpack(how.clone, row["commit"], ["cs336_basics"], folder)
            for peer, package in PACKAGES.items():
                found = asked(how, folder, peer, row)
                made = {"source": SOURCE, "recording": row["recording"], "commit": row["commit"], "torch": row["torch"],
                        "peer": peer, "package": package, "version": versions[package],
                        "real_peak_allocated": row["real_peak_allocated"], "told": found.get("bytes", ""),
                        "refused": found.get("refused", "")}
                print(peer, *words_of(row["program"]), made["real_peak_allocated"], made["told"], made["refused"])
                if how.out:
                    tables.write(how.out, [made])
    return 0
