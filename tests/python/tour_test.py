"""docs/guide/tour.ipynb and allocator.ipynb: every cell runs, and shows the output that is written
below it. Jupyter is not needed; if nbclient is installed, it runs the notebooks, too.

    python3 -B tests/python/tour_test.py PROGRAM    writes the outputs anew
"""

import ast
import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

NOTEBOOKS = [os.path.abspath(f"docs/guide/{name}.ipynb") for name in ("tour", "allocator")]


def read(notebook):
    with open(notebook, encoding="utf-8") as file:
        return json.load(file)


def outputs_of(code, names):
    """The outputs that a cell shows: its prints, and its last expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)  # pylint: disable=exec-used
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    shown = []
    if printed.getvalue():
        shown.append({"name": "stdout", "output_type": "stream",
                      "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        shown.append({"data": bundle_of(value), "metadata": {}, "output_type": "execute_result"})
    return shown


def bundle_of(value):
    bundle = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        bundle["text/html"] = value._repr_html_().splitlines(keepends=True)
    return bundle


def run_cells(notebook):
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            yield cell, outputs_of("".join(cell["source"]), names)


@contextlib.contextmanager
def in_folder_of_its_own():
    """The notebook writes its sample into the current folder."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


class Tour(unittest.TestCase):
    """The notebook."""

    def test_every_cell_shows_what_is_written_below_it(self):
        for notebook in NOTEBOOKS:
            with in_folder_of_its_own():
                for cell, shown in run_cells(read(notebook)):
                    kept = [{key: value for key, value in output.items() if key != "execution_count"}
                            for output in cell["outputs"]]
                    self.assertEqual(kept, shown, "".join(cell["source"]))

    def test_the_stations_are_those_of_the_page(self):
        found = subprocess.run([sys.executable, "-B", "tools/dev/write_stations.py", "--check"],
                               capture_output=True, text=True, check=False)
        self.assertEqual((found.stdout, found.returncode), ("", 0))

    @unittest.skipUnless(importlib.util.find_spec("nbclient")
                         and importlib.util.find_spec("ipykernel"), "nbclient is not installed")
    def test_jupyter_runs_it(self):
        import nbclient
        import nbformat

        for name in NOTEBOOKS:
            notebook = nbformat.read(name, as_version=4)
            with in_folder_of_its_own():
                paths = os.pathsep.join(path for path in sys.path if path)
                os.environ["PYTHONPATH"] = paths
                nbclient.NotebookClient(notebook, timeout=120).execute()


def write(name):
    notebook = read(name)
    with in_folder_of_its_own():
        for number, (cell, shown) in enumerate(run_cells(notebook), start=1):
            cell["execution_count"] = number
            cell["outputs"] = [{**output, "execution_count": number}
                               if output["output_type"] == "execute_result" else output
                               for output in shown]
    with open(name, "w", encoding="utf-8") as file:
        json.dump(notebook, file, indent=1, ensure_ascii=False, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    os.environ["VRAMLAB_PROGRAM"] = os.path.abspath(sys.argv.pop(1))
    sys.path.insert(0, os.path.abspath("tools/python"))
    for each in NOTEBOOKS:
        write(each)
