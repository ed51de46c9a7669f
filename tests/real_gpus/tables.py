"""Work that all sources share: reading a clone, asking a Python for its packages, keeping rows."""

import csv
import json
import os
import subprocess


def git(clone, *arguments):
    return subprocess.run(["git", "-C", str(clone), *arguments], check=True, stdout=subprocess.PIPE).stdout


def packages_of(how, names):
    """The versions of the packages that the programs will have, such as {"torch": "2.11.0"}."""
    ask = ("import importlib.metadata as m, json, sys\n"
           "def version(name):\n"
           "    try: return m.version(name).split('+')[0]\n"
           "    except m.PackageNotFoundError: return ''\n"
           "print(json.dumps({name: version(name) for name in sys.argv[1:]}))")
    path = os.pathsep.join(how.path)
    told = subprocess.run([how.python, "-c", ask, *names], check=True, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path}).stdout
    return json.loads(told)


def unpack(clone, commit, places, folder):
    """The sources below these places as they were at a commit, without data and recordings."""
    names = git(clone, "ls-tree", "-r", "-z", "--name-only", commit, *places).decode().split("\0")
    sources = [name for name in names if name.endswith((".py", ".json", ".yaml"))]
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=git(clone, "archive", commit, "--", *sources), check=True)


def add_package(folder, name, version):
    """Adds a package of this version to a folder for PYTHONPATH, for programs that ask for their own version."""
    facts = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    facts.mkdir(parents=True, exist_ok=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")


def write(path, rows):
    """Adds rows to a table; columns that only one of the two has are empty in the other."""
    before = []
    if os.path.exists(path):
        with open(path, encoding="utf-8", newline="") as file:
            before = list(csv.DictReader(file))
    columns = list(dict.fromkeys(column for row in before[:1] + rows for column in row))
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(before + rows)
