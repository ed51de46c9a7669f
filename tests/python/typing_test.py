"""The annotations: they agree with the schemas, and with what mypy finds."""

import ast
import importlib.util
import json
import os
import subprocess
import sys
import typing
import unittest

from vramlab import answers
from vramlab.values import BYTE_FIGURES, TIME_FIGURES, Mapping, Table, Value

SCHEMAS = "docs/reference/schemas"
#: The schema of each class, and the part of it that the class holds.
ANSWERS = {
    "Info": ("info", "file"), "Explanation": ("explain", None), "Verification": ("verify", "file"), "Replay": ("replay", None),
    "Sweep": ("sweep", None), "Advice": ("advise", None), "Capacity": ("capacity", None),
    "Holdings": ("top", None), "Growth": ("top-growth", None), "State": ("snapshot", None),
    "Difference": ("diff", None), "Packing": ("pack", None), "Policies": ("policies", None),
    "Steps": ("steps", None), "Replays": ("replay-files", None), "Capacities": ("capacity-files", None),
    "HoldingsOfFiles": ("top-files", None),
    "Report": ("report", None), "DryRun": ("dry-run", None), "Fit": ("fit", None), "Serving": ("serve", None),
}
#: Metrics that a replay passes on.
PASSED_ON = {"Replay": {"peak_allocated", "peak_reserved"}}


def schema(name):
    with open(f"{SCHEMAS}/{name}.schema.json", encoding="utf-8") as file:
        return json.load(file)


def names_of(node):
    """All properties of a schema, at any depth."""
    if isinstance(node, list):
        return {name for item in node for name in names_of(item)}
    if not isinstance(node, dict):
        return set()
    own = set(node["properties"]) if isinstance(node.get("properties"), dict) else set()
    return own | {name for item in node.values() for name in names_of(item)}


class Annotations(unittest.TestCase):
    """Beside the schemas."""

    def test_every_field_is_one_of_the_schema(self):
        for name, (file, part) in ANSWERS.items():
            with self.subTest(name):
                document = schema(file)
                fields = (document["$defs"][part] if part else document)["properties"]
                known = set(fields) | PASSED_ON.get(name, set())
                annotated = {field for field in vars(answers)[name].__annotations__
                             if not field.startswith("_")}
                self.assertEqual(annotated - known, set())

    def test_every_class_has_a_schema(self):
        classes = {name for name, kind in vars(answers).items()
                   if isinstance(kind, type) and issubclass(kind, Value)}
        self.assertEqual(classes - {"Value", "Table", "Streams", "OfFiles"}, set(ANSWERS))

    def test_no_field_is_hidden_by_a_method(self):
        for file in os.listdir(SCHEMAS):
            if not file.endswith(".schema.json"):
                continue
            hidden = names_of(schema(file[:-len(".schema.json")])) & set(dir(Mapping))
            self.assertEqual(hidden, set(), file)
        self.assertEqual(set(vars(Table)) & names_of(schema("verify")), set())

    def test_the_oldest_python_can_read_it(self):
        for folder, _, names in os.walk("tools/python/vramlab"):
            for name in names:
                if name.endswith(".py"):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        ast.parse(file.read(), name, feature_version=(3, 9))

    def test_sizes_are_known_by_name(self):
        with open("docs/reference/metrics.md", encoding="utf-8") as file:
            rows = [line.split("|") for line in file if line.startswith("| `")]
        sizes = {row[1].strip(" `") for row in rows if row[2].strip() == "bytes"}
        self.assertGreater(len(sizes), 15)
        times = {row[1].strip(" `") for row in rows if row[2].strip() == "nanoseconds"}
        self.assertEqual({name for name in times if not name.endswith("_ns")}, TIME_FIGURES)
        named = {name for name in sizes if not name.endswith("_bytes")}
        self.assertEqual(named - BYTE_FIGURES, set())

    def test_shapes_are_those_of_the_schemas(self):
        words = [sys.executable, "-B", "tools/python/write_shapes.py"]
        written = subprocess.check_output(words, text=True)
        with open("tools/python/vramlab/shapes.py", encoding="utf-8") as file:
            self.assertEqual(file.read(), written)

    def test_every_shape_that_an_answer_names_is_written(self):
        from vramlab import shapes

        for name in ANSWERS:
            with self.subTest(name):
                typing.get_type_hints(vars(answers)[name], {**vars(answers), "shapes": shapes})

    def test_options_are_those_of_the_program(self):
        words = [sys.executable, "-B", "tools/python/write_options.py", os.environ["VRAMLAB_PROGRAM"]]
        written = subprocess.check_output(words, text=True)
        with open("tools/python/vramlab/options.py", encoding="utf-8") as file:
            self.assertEqual(file.read(), written)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_mypy_finds_nothing(self):
        words = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports",
                 "--cache-dir", os.devnull, "tools/python/vramlab"]
        result = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_mypy_knows_what_is_below_the_first_level(self):
        words = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--follow-imports=silent",
                 "--cache-dir", os.devnull, "tests/python/typed_program.py"]
        environment = {**os.environ, "MYPYPATH": "tools/python"}
        result = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
        found = {int(line.split(":")[1]) for line in result.stdout.splitlines() if ": error: " in line}
        with open("tests/python/typed_program.py", encoding="utf-8") as file:
            wrong = {number for number, line in enumerate(file, start=1) if line.endswith("# wrong\n")}
        self.assertEqual(found, wrong, result.stdout)


if __name__ == "__main__":
    unittest.main()
