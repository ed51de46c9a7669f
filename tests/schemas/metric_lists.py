"""docs/reference/metrics.md and the lists of metrics in docs/reference/schemas, from one table.

A new metric has its row in replay/metrics/metrics.cpp. `python3 tests/schemas/metric_lists.py` then
writes it into the page and into each schema that lists metrics; schemas_test.py compares.
"""

import copy
import json
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COUNT = {"type": "integer", "minimum": 0}
RATIO = {"type": "number", "minimum": 0, "maximum": 1}
# A run with cudaMallocAsync has no figure for it.
UNKNOWN_TO_ORDERED = {"stranded_at_peak"}
LISTED_IN = ["replay", "snapshot", "explain", "diff", "sweep", "advise", "vramlab-budget"]


def file_of(schema):
    return f"{TOP}/docs/reference/schemas/{schema}.schema.json"


PAGE = TOP + "/docs/reference/metrics.md"
KINDS = ["state", "run", "kind", "comparison"]


def is_always_known(name):
    """Figures of pinned host memory need a program with events about it."""
    return name not in UNKNOWN_TO_ORDERED and not name.startswith("host_")


def read_table():
    """Rows of the table in the program's source: name, unit, of what, worse, sentence."""
    with open(TOP + "/replay/metrics/metrics.cpp", encoding="utf-8") as source:
        rows = re.findall(r'\{"(\w+)",\s*(\w+),\s*(\w+),\s*(\w+),\s*"([^"]*)"\}', source.read())
    assert {row[2] for row in rows} == set(KINDS), "metrics.cpp has a table of metrics"
    return rows


def units_of(kind):
    return {name: unit for name, unit, of_what, _, _ in read_table() if of_what == kind}


def filled_page(text):
    """The page with the rows of the table below each heading."""
    for kind in KINDS:
        rows = "".join(f"| `{name}` | {unit} | {worse} | {sentence} |\n"
                       for name, unit, of_what, worse, sentence in read_table() if of_what == kind)
        text, count = re.subn(rf"(## Metrics of a {kind}\n.*?\|---\|\n)(?:\| `.*?\n)+",
                              lambda found: found[1] + rows, text, flags=re.DOTALL)
        assert count == 1, f"docs/reference/metrics.md has a table below 'Metrics of a {kind}'"
    return text


def with_run(names, run):
    """A list of a sweep's row, with the metrics of a run in place of those it has."""
    first = next(at for at, name in enumerate(names) if name in run)
    old_count = sum(name in run for name in names)
    return names[:first] + list(run) + names[first + old_count:]


def fill_row(row, run):
    shape = row["properties"]["requests"]
    properties = {name: row["properties"].get(name, shape)
                  for name in with_run(list(row["properties"]), run)}
    row["required"] = with_run(row["required"],
                               [name for name in run if is_always_known(name)])
    row["properties"] = properties


def filled(name, schema):
    """The schema with the metrics of the table."""
    state, run, kind, comparison = map(units_of, KINDS)
    of_one, every = {**state, **run}, {**state, **run, **kind, **comparison}
    schema = copy.deepcopy(schema)
    definitions = schema["$defs"]
    if name in ("replay", "snapshot", "explain"):
        definitions["metrics"]["properties"] = {
            metric: RATIO if unit == "ratio" else COUNT for metric, unit in of_one.items()}
    elif name == "diff":
        schema["properties"]["changes"]["properties"] = {
            metric: {"$ref": "#/$defs/" + unit} for metric, unit in {**of_one, **kind}.items()}
        definitions["limit"]["properties"]["metric"]["enum"] = list(every)
    elif name in ("sweep", "advise"):
        fill_row(definitions["figures"], run)
        fill_row(definitions["row"], run)
    else:
        limit = definitions["limit"]
        limit["pattern"] = re.sub(r"\(allocated\|[\w|]*\)", f"({'|'.join(every)})",
                                  limit["pattern"])
    return schema


def text_of(schema):
    """As the files are written, so that the order of the lists counts."""
    return json.dumps(schema, indent=2) + "\n"


def outdated():
    """The texts that the page and the schemas should hold and do not, by file."""
    texts = {}
    for file in [PAGE] + [file_of(name) for name in LISTED_IN]:
        with open(file, encoding="utf-8") as source:
            texts[file] = source.read()
    wanted = {file_of(name): text_of(filled(name, json.loads(texts[file_of(name)])))
              for name in LISTED_IN}
    wanted[PAGE] = filled_page(texts[PAGE])
    return {file: text for file, text in wanted.items() if text != texts[file]}


def check_metric_lists():
    files = sorted(outdated())
    assert not files, f"python3 tests/schemas/metric_lists.py writes {files} anew"


def main():
    for file, text in outdated().items():
        with open(file, "w", encoding="utf-8") as target:
            target.write(text)
        print(file)


if __name__ == "__main__":
    main()
