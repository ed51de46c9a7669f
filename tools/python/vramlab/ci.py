"""Memory checks in CI, in one line: two recordings, or dry runs of two commits, compared.

    python3 -m vramlab.ci --run 'python train.py' --base COMMIT --fail-if 'peak_reserved > +2%'
    python3 -m vramlab.ci --run 'python train.py' --kept memory/base.pickle.gz
    python3 -m vramlab.ci --recordings base.pickle new.pickle

It leaves base.pickle, new.pickle, comment.md and memory.xml in a folder. The exit status is 0 within the
limits, 1 if one is broken or the program fails, and 2 where nothing could be compared.
"""

import argparse
import gzip
import os
import shlex
import subprocess
import sys
import tempfile
from typing import List, Optional, Sequence

from vramlab.errors import Error
from vramlab.program import file_word, program_words

#: The first line of a comment, by which the next run finds it again.
MARK = "<!-- vramlab memory -->"


class CannotCompare(Exception):
    """A sentence that says why."""


def arguments_of(words: Sequence[str]) -> argparse.Namespace:
    """The command line, checked."""
    parser = argparse.ArgumentParser(prog="python3 -m vramlab.ci", description="Compare the GPU memory of two "
                                     "commits by dry runs, or that of two recordings.")
    parser.add_argument("--run", metavar="COMMAND", default="", help="the program to run dry")
    parser.add_argument("--base", metavar="COMMIT", default="", help="the commit to compare with")
    parser.add_argument("--kept", metavar="FILE", default="", help="the recording to compare with; written if missing")
    parser.add_argument("--recordings", metavar=("BASE", "NEW"), nargs=2, help="compare these, and run nothing")
    parser.add_argument("--gpu", default="a100-80gb", help="the GPU to have (default: %(default)s)")
    parser.add_argument("--steps", default="3", help="end after so many steps of an optimizer (default: %(default)s)")
    parser.add_argument("--fail-if", metavar="LIMIT", action="append", default=[], help="a limit of vramlab diff, "
                        "or several, one a line; without any, .vramlab.json counts alone")
    parser.add_argument("--to", metavar="FOLDER", default="", help="the folder of the outputs "
                        "(default: vramlab-memory; with --kept, that in .git)")
    asked = parser.parse_args(words)
    if (asked.recordings is None) == (not asked.run):
        parser.error("expected either --run or --recordings")
    if asked.run and bool(asked.base) == bool(asked.kept):
        parser.error("expected --base or --kept beside --run; is this no pull request?")
    asked.fail_if = [line.strip() for text in asked.fail_if for line in text.splitlines() if line.strip()]
    return asked


def git(*words: str, folder: Optional[str] = None) -> str:
    """The words that git prints."""
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotCompare(f"git {' '.join(words)} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def fetch_commit(commit: str) -> None:
    """Clones of CI services hold the newest commit alone."""
    try:
        git("cat-file", "-e", commit + "^{commit}")
    except CannotCompare:
        git("fetch", "--quiet", "--depth=1", "origin", commit)


def dry_run(asked: argparse.Namespace, folder: str, file: str) -> int:
    """Runs the program dry in a folder, and leaves its history; gives its exit status."""
    if os.path.exists(file):
        os.remove(file)
    command = [*program_words(), "dry-run", "--gpu", asked.gpu, "--steps", asked.steps, "-o", file, "--force", "--",
               *shlex.split(asked.run)]
    sys.stdout.flush()
    status = subprocess.run(command, cwd=folder, check=False).returncode
    if not os.path.exists(file):
        raise CannotCompare(f"the dry run in {folder} left no history: exit status {status}")
    return status


def run_base(asked: argparse.Namespace, file: str) -> None:
    """The other commit, in a folder of its own that is gone afterwards. It has the same name, as files of
    call sites are known by their folder too."""
    fetch_commit(asked.base)
    below = git("rev-parse", "--show-prefix")
    with tempfile.TemporaryDirectory() as scratch:
        tree = os.path.join(scratch, os.path.basename(git("rev-parse", "--show-toplevel")))
        git("worktree", "add", "--quiet", "--detach", tree, asked.base)
        try:
            status = dry_run(asked, os.path.join(tree, below), file)
        finally:
            git("worktree", "remove", "--force", tree)
    if status != 0:
        print(f"vramlab.ci: the program of {asked.base} ended with {status}", file=sys.stderr)


def keep(new: str, kept: str) -> None:
    """The first recording to compare with, compressed where its name says so."""
    os.makedirs(os.path.dirname(kept) or ".", exist_ok=True)
    with open(new, "rb") as file:
        data = file.read()
    with open(kept, "wb") as file:
        file.write(gzip.compress(data, mtime=0) if kept.endswith(".gz") else data)


def diff(asked: argparse.Namespace, base: str, new: str, output: Sequence[str]) -> int:
    """The comparison in one format; 1 if a limit is broken."""
    limits = [word for limit in asked.fail_if for word in ("--fail-if", limit)]
    sys.stdout.flush()
    command = [*program_words(), "diff", file_word(base), file_word(new), *limits, *output]
    status = subprocess.run(command, check=False).returncode
    if status not in (0, 1):
        raise CannotCompare(f"vramlab diff ended with {status}")
    return status


def compare(asked: argparse.Namespace, base: str, new: str, folder: str) -> int:
    """The comparison for people, for a comment and for the list of tests."""
    status = diff(asked, base, new, [])
    comment = os.path.join(folder, "comment.md")
    diff(asked, base, new, ["--format", "markdown", "-o", comment, "--force"])
    diff(asked, base, new, ["--format", "junit", "-o", os.path.join(folder, "memory.xml"), "--force"])
    with open(comment, encoding="utf-8") as file:
        text = file.read()
    with open(comment, "w", encoding="utf-8") as file:
        file.write(f"{MARK}\n{text}")
    return status


def judge(asked: argparse.Namespace) -> int:
    """The exit status."""
    folder = asked.to or (git("rev-parse", "--git-path", "vramlab-memory") if asked.kept else "vramlab-memory")
    os.makedirs(folder, exist_ok=True)
    if asked.recordings:
        base, new = asked.recordings
        return compare(asked, base, new, folder)
    base, new = (os.path.join(folder, name) for name in ("base.pickle", "new.pickle"))
    if asked.base:
        run_base(asked, os.path.abspath(base))
    status = dry_run(asked, os.getcwd(), os.path.abspath(new))
    if status != 0:
        print(f"vramlab.ci: the program ended with {status}", file=sys.stderr)
    if asked.kept and not os.path.exists(asked.kept):
        keep(new, asked.kept)
        print(f"vramlab.ci: {asked.kept} is written; add it to the commit", file=sys.stderr)
        return 1
    return max(compare(asked, asked.kept or base, new, folder), min(status, 1))


def main(words: Optional[List[str]] = None) -> int:
    """Expected failures as a line."""
    try:
        return judge(arguments_of(sys.argv[1:] if words is None else words))
    except (CannotCompare, Error, OSError) as error:
        print(f"vramlab.ci: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
