"""The lists of metrics in docs/schemas, made from the tables of docs/metrics.md.

A new metric has its row in docs/metrics.md. `python3 tests/schemas/metric_lists.py` then writes it
into each schema that lists metrics; schemas_test.py compares.
"""

import copy
import json
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COUNT = {"type": "integer", "minimum": 0}
RATIO = {"type": "number", "minimum": 0, "maximum": 1}
# A run with cudaMallocAsync has no figure for it.
OPTIONAL_IN_A_SWEEP = {"stranded_at_peak"}
LISTED_IN = ["replay", "snapshot", "diff", "sweep", "advise", "vramlab-budget"]


def file_of(schema):
    return f"{TOP}/docs/schemas/{schema}.schema.json"


def read_page():
    """Names with units, in the order of the page: of a state, of a run, of a comparison."""
    with open(TOP + "/docs/metrics.md", encoding="utf-8") as page:
        parts = page.read().split("\n## Metrics of a ")[1:]
    tables = [dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", part, re.MULTILINE)) for part in parts]
    assert len(tables) == 3 and all(tables), "docs/metrics.md has three tables of metrics"
    return tables


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
                               [name for name in run if name not in OPTIONAL_IN_A_SWEEP])
    row["properties"] = properties


def filled(name, schema):
    """The schema with the metrics that the page has."""
    state, run, comparison = read_page()
    of_one, every = {**state, **run}, {**state, **run, **comparison}
    schema = copy.deepcopy(schema)
    definitions = schema["$defs"]
    if name in ("replay", "snapshot"):
        definitions["metrics"]["properties"] = {
            metric: RATIO if unit == "ratio" else COUNT for metric, unit in of_one.items()}
    elif name == "diff":
        schema["properties"]["changes"]["properties"] = {
            metric: {"$ref": "#/$defs/" + unit} for metric, unit in of_one.items()}
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


def check_metric_lists():
    for name in LISTED_IN:
        with open(file_of(name), encoding="utf-8") as file:
            schema = json.load(file)
        assert text_of(filled(name, schema)) == text_of(schema), (
            f"{name}.schema.json does not list the metrics of docs/metrics.md: "
            "python3 tests/schemas/metric_lists.py writes it")


def main():
    for name in LISTED_IN:
        with open(file_of(name), encoding="utf-8") as file:
            schema = filled(name, json.load(file))
        with open(file_of(name), "w", encoding="utf-8") as file:
            file.write(text_of(schema))


if __name__ == "__main__":
    main()
