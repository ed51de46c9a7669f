#!/usr/bin/env python3
"""Two builds of the program give the same bytes for the same questions, as those for two processors must:
    python3 tests/packaging/same_answers.py ONE OTHER FILE...
ONE and OTHER are command lines of programs; an emulator may stand before the second. Each question is
asked about each file; exit status, both outputs and a written file are compared."""

import pathlib
import shlex
import subprocess
import sys
import tempfile

#: {file} is the recording, {written} a file that the program may write.
QUESTIONS = [
    "info {file}",
    "info --json {file}",
    "replay --json {file}",
    "replay --conf expandable_segments:True,garbage_collection_threshold:0.8 --json {file}",
    "verify {file}",
    "verify --json {file}",
    "explain {file}",
    "explain --json {file}",
    "top {file}",
    "top --json {file}",
    "snapshot {file}",
    "steps --count 50 {file}",
    "sweep {file} max_split_size_mb=none|64 expandable_segments=True|False --format csv",
    "advise --json {file}",
    "pack --json {file}",
    "policies --json {file}",
    "streams --json {file}",
    "table {file} -o {written}",
    "convert {file} --format pickle -o {written}",
    "report {file} -o {written}",
]
#: An emulated program takes about twenty times as long.
LONGEST_SECONDS = 1200


def answer(program, question, path, folder):
    """The program's answer to a question, in parts that have names."""
    written = folder / "written"
    written.unlink(missing_ok=True)
    arguments = [part.format(file=path, written=written.name) for part in question.split()]
    done = subprocess.run([*program, *arguments], capture_output=True, cwd=folder, stdin=subprocess.DEVNULL,
                          timeout=LONGEST_SECONDS, check=False)
    return {"exit status": done.returncode, "output": done.stdout, "errors": done.stderr,
            "written file": written.read_bytes() if written.exists() else None}


def first_difference(one, other):
    """The first lines that differ, shortened."""
    lines = [(one or b"").splitlines(), (other or b"").splitlines()]
    for pair in zip(*lines):
        if pair[0] != pair[1]:
            return " | ".join(line.decode(errors="replace")[:160] for line in pair)
    return f"{len(lines[0])} lines | {len(lines[1])} lines"


def compare(programs, question, path, folder):
    """Differences, as text; none where both give the same. And whether it was answered at all."""
    one, other = (answer(program, question, path, folder) for program in programs)
    found = [f"{question} of {path.name}: {part}: " +
             (f"{one[part]} | {other[part]}" if part == "exit status" else first_difference(one[part], other[part]))
             for part in one if one[part] != other[part]]
    return found, one["exit status"] == 0


def main():
    programs = [shlex.split(words) for words in sys.argv[1:3]]
    paths = [pathlib.Path(name).resolve() for name in sys.argv[3:]]
    differences, compared, answered = [], 0, dict.fromkeys(QUESTIONS, 0)
    with tempfile.TemporaryDirectory() as scratch:
        for path in paths:
            for question in QUESTIONS:
                found, is_answered = compare(programs, question, path, pathlib.Path(scratch))
                differences += found
                compared += 1
                answered[question] += is_answered
    for line in differences:
        print(f"differs: {line}")
    unanswered = [question for question, count in answered.items() if not count]
    for question in unanswered:
        print(f"answered for no file: {question}")
    print(f"{compared} answers compared for {len(paths)} files, {sum(answered.values())} of them without an error")
    return 1 if differences or unanswered or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
