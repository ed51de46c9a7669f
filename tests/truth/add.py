#!/usr/bin/env python3
"""Adds runs of another folder of this form, such as one of tests/random_pytorch, to this folder: their rows to
truth.json, their recordings with anonymized names.

    python3 tests/truth/add.py VRAMLAB FOLDER NAME[=NEW NAME]... [--to FOLDER]"""

import argparse
import gzip
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def add_recording(program, recording, place):
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder, "anonymized.pickle")
        subprocess.run([program, "convert", str(recording), "-o", str(made), "--anonymize"], check=True)
        place.write_bytes(gzip.compress(made.read_bytes(), mtime=0))


def add(options):
    truth_file = options.to / "truth.json"
    truth = json.loads(truth_file.read_text(encoding="utf-8"))
    other = json.loads((options.folder / "truth.json").read_text(encoding="utf-8"))
    for names in options.names:
        name, _, new_name = names.partition("=")
        new_name = new_name or name
        add_recording(options.program, options.folder / f"{name}.pickle.gz", options.to / f"{new_name}.pickle.gz")
        truth[new_name] = other[name]
    truth_file.write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--to", type=pathlib.Path, default=HERE)
    add(parser.parse_args())


if __name__ == "__main__":
    main()
