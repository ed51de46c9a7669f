"""Option strings that PyTorch takes, and those that vramlab takes for its version."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/options.md"
SHORTEST_TRACE = ROOT / "traces/samples/missing_record_stream.vtrace.jsonl"
REFUSED = 2


def known_names():
    """The options of the page of options."""
    return sorted(set(re.findall(r"`([a-z][a-z0-9_]+)`", PAGE.read_text(encoding="utf-8"))))


def taken_by_pytorch(run):
    [line] = [line for line in run.output.splitlines() if line.startswith("TAKEN ")]
    return json.loads(line.removeprefix("TAKEN "))


def is_taken(bench, text):
    reference = "%d.%d" % bench.version
    answer = bench.ask("replay", "--reference", reference, "--conf", text, str(SHORTEST_TRACE))
    return answer.returncode != REFUSED


def differences(bench, run):
    taken = taken_by_pytorch(run)
    undescribed = {text.partition(":")[0] for text in taken} - set(known_names())
    wrong = [f"options: {name} is not in {PAGE.name}" for name in sorted(undescribed)]
    for text, by_pytorch in taken.items():
        if is_taken(bench, text) != by_pytorch:
            who = "PyTorch" if by_pytorch else "vramlab"
            wrong.append(f"options: only {who} takes {text!r}")
    return wrong
