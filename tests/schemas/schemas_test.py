#!/usr/bin/env python3
"""Output for other programs is as docs/reference/schemas says: every --json output and the JUnit
output match their schemas, the schemas can say no, and snapshots load in Python.

Usage: bash tests/schemas/run.sh PROGRAM
"""

import json
import os
import sys
import tempfile

import jsonschema

from budgets import check_budgets
from documents import Vramlab, commands_with_json, documents_of, with_samples
from junit import check_junit
from kubernetes import check_kubernetes
from metric_lists import check_metric_lists
from refusals import Refusals
from snapshots import check_snapshots

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCHEMAS = TOP + "/docs/reference/schemas/"

# A command that takes --json has the schemas that are named after it: top has top and top-growth.
# These differ; convert and record write files and print nothing.
OTHERWISE_NAMED = {"live": ["live", "device-calls"], "merge": ["sweep"], "convert": [], "record": [],
                   "dry-run": ["dry-run"], "fit": ["fit"], "bisect": ["bisect"],
                   "serve": ["serve"]}
BUDGET = "vramlab-budget"
# Files that are read, and that nothing here writes.
READ_ONLY = [BUDGET]


def read_schemas():
    documents = {}
    for file in sorted(os.listdir(SCHEMAS)):
        name, ending, _ = file.partition(".schema.json")
        if not ending:
            continue
        with open(SCHEMAS + file, encoding="utf-8") as text:
            documents[name] = json.load(text)
        jsonschema.Draft202012Validator.check_schema(documents[name])
    return {name: jsonschema.Draft202012Validator(with_files_referred_to(schema, documents))
            for name, schema in documents.items()}


def with_files_referred_to(schema, documents):
    """The schema with the files beside it that it names as definitions of its own."""
    text = json.dumps(schema)
    parts = {name: {**part, "$id": f"{name}.schema.json"} for name, part in documents.items()
             if f'"$ref": "{name}.schema.json"' in text}
    return {**schema, "$defs": {**schema.get("$defs", {}), **parts}} if parts else schema


def check_names(commands, schemas):
    """Every command has a schema, and every schema a command."""
    named = list(READ_ONLY)
    for command in commands:
        own = command.replace(" ", "-")
        found = OTHERWISE_NAMED.get(
            command, [name for name in schemas if name == own or name.startswith(own + "-")])
        assert found or command in OTHERWISE_NAMED, f"{SCHEMAS}{own}.schema.json is missing"
        named += found
    assert sorted(set(named)) == sorted(schemas), f"schemas: {sorted(schemas)}, of commands: {named}"


def check_documents(vramlab, commands, schemas, scratch):
    refusals = {name: Refusals(name, schema.is_valid) for name, schema in schemas.items()}
    seen = dict.fromkeys(schemas, 0)
    documents = documents_of(vramlab, scratch)
    for name, document in with_samples(vramlab, documents, set(commands) - set(OTHERWISE_NAMED)):
        for error in schemas[name].iter_errors(document):
            place = "/".join(map(str, error.absolute_path))
            raise AssertionError(f"{name}.schema.json: {place}: {error.message[:300]}")
        refusals[name].try_all(document)
        seen[name] += 1
    for name, schema in schemas.items():
        if name in READ_ONLY:
            continue
        if name in ("bisect", "dry-run", "fit", "serve") and not vramlab.hook:
            print(f"{name}: SKIPPED, as the stand-ins for CUDA's libraries are not built")
            continue
        if name in OTHERWISE_NAMED["live"] and not vramlab.fake_driver:
            print(f"{name}: SKIPPED, as the fake driver is not built")
            continue
        assert seen[name] > 0 and refusals[name].count > 0, f"nothing was held against {name}"
        print(f"{name}: {seen[name]} documents match, {refusals[name].count} faults refused")


def main():
    vramlab = Vramlab(os.path.abspath(sys.argv[1]), TOP)
    schemas = read_schemas()
    commands = commands_with_json(vramlab)
    check_names(commands, schemas)
    check_metric_lists()
    check_kubernetes(TOP)
    with tempfile.TemporaryDirectory() as scratch:
        check_documents(vramlab, commands, schemas, scratch)
        check_budgets(vramlab, schemas[BUDGET], scratch)
        check_junit(vramlab, SCHEMAS + "junit.xsd", scratch)
        check_snapshots(vramlab, scratch)


if __name__ == "__main__":
    main()
