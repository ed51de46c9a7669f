"""Shares of long checks: a seventh for each day of the week, so that a week covers all.

    shares.py today                 prints the share of the day, a number from 0 to 6
    shares.py rooms [SHARE]         prints the rooms of vramlab_tests that are in it, for VRAMLAB_TEST_ROOMS
                                    of CMake; without a share none, which means all
    shares.py programs [SHARE]      prints the test programs that are in it
    shares.py sources               prints all sources that lint looks at
    shares.py sources SHARE         prints those that changed since the last release: the newest tag of
                                    it, or without one the commit that gave CMakeLists.txt its version.
                                    Of more than a hundred it takes this share, and those of the last commit.
"""
import datetime
import pathlib
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The tests of each day: folders of tests/ with all below them that no other day names, and programs
# with tests of their own. Each is about as long to compile as another.
DAYS = [
    ["cli", "what_if"],
    ["allocator"],
    ["replay/replayer", "replay/recording", "vramlab_fake_cuda_tests"],
    ["replay"],
    ["traces", "vramlab_live_tests", "vramlab_torch_tests"],
    ["streams", "contract"],
    ["", "vramlab_shim_tests"],
]
SHARES = len(DAYS)
MOST_CHANGED = 100
CODE_FOLDERS = ["allocator", "streams", "traces", "replay", "tools"]
# WebAssembly's own, which no other build compiles.
NOT_LINTED = "tools/web/page/"


def share_of_today():
    return datetime.date.today().toordinal() % SHARES


def is_in_share(name, share):
    return zlib.crc32(name.encode()) % SHARES == share


def share_of_room(room):
    """The day that names the nearest folder above a room."""
    while True:
        for share, names in enumerate(DAYS):
            if room in names:
                return share
        room = room.rpartition("/")[0]


def rooms_of(share):
    """Folders below tests/ with sources, also those of other programs, whose sources no day's vramlab_tests has."""
    rooms = sorted({path.parent.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests").rglob("*.cpp")})
    return [f"tests/{room}" for room in rooms if share_of_room(room) == share]


def programs_of(share):
    days = DAYS if share is None else [DAYS[share]]
    return [name for day in days for name in day if name.startswith("vramlab_")]


def git(*arguments):
    run = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else ""


def last_release():
    """A commit, or an empty text where there is no history, as in a source archive."""
    return (git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")
            or git("log", "-1", "--format=%H", "-G", r"^project\(vramlab VERSION", "--", "CMakeLists.txt"))


def changed_since(commit):
    """Files of the work tree that differ from a commit, new ones included."""
    return set((git("diff", "--name-only", commit) + "\n"
                + git("ls-files", "--others", "--exclude-standard")).split())


def all_sources():
    found = (path.relative_to(ROOT).as_posix()
             for folder in CODE_FOLDERS for path in (ROOT / folder).rglob("*.cpp"))
    return sorted(path for path in found if not path.startswith(NOT_LINTED))


def sources_that_show(changed, sources):
    """The changed sources, and for each changed header the source of its name, or else the first
    source of the tree that includes it."""
    wanted = changed & set(sources)
    for header in sorted(path for path in changed if path.endswith(".h")):
        own = header.removesuffix(".h") + ".cpp"
        users = (path for path in sources if f'#include "{header}"' in (ROOT / path).read_text())
        if user := own if own in sources else next(users, None):
            wanted.add(user)
    return wanted


def sources_to_lint(share):
    sources = all_sources()
    release = last_release()
    if not release:
        return [path for path in sources if is_in_share(path, share)]
    wanted = sources_that_show(changed_since(release), sources)
    if len(wanted) > MOST_CHANGED:
        newest = sources_that_show(changed_since("HEAD~1"), sources)
        wanted = {path for path in wanted if path in newest or is_in_share(path, share)}
    return sorted(wanted)


def main(what, share=None):
    share = None if share is None else int(share)
    if what == "today":
        print(share_of_today())
    elif what == "rooms":
        print("" if share is None else ";".join(rooms_of(share)))
    elif what == "programs":
        print(" ".join(programs_of(share)))
    elif what == "sources":
        print("\n".join(all_sources() if share is None else sources_to_lint(share)))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
