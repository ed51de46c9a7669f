#!/usr/bin/env python3
"""Writes the objects below the first level of each answer as classes for editors and type checkers:

    python3 tools/python/write_shapes.py >tools/python/vramlab/shapes.py

They come from docs/reference/schemas, so a field that is new there is here once this was run again, which
a test demands."""

import collections
import json
import keyword
import pathlib

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "schemas"
TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
LINE = 120
#: Texts of more than these are a `str`.
MOST_TEXTS = 6

HEADER = '''"""The objects in answers, for editors and type checkers: annotate with them, and make none. Written by
tools/python/write_shapes.py from docs/reference/schemas. An object without a schema of its own is a Value."""

from typing import List, Literal, Mapping, Union

from vramlab.values import Value
'''


def title(name):
    """
    >>> title("smallest_gpu"), title("dry-run")
    ('SmallestGpu', 'DryRun')
    """
    return "".join(part.capitalize() for part in name.replace("-", "_").split("_"))


def singular(name):
    """The name of one of a list.

    >>> singular("devices"), singular("best")
    ('device', 'best')
    """
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


class Shapes:
    """The classes of all schemas, by name. A definition that several schemas share is one class."""

    def __init__(self):
        self.schemas = {path.name.partition(".")[0]: json.loads(path.read_text(encoding="utf-8"))
                        for path in sorted(SCHEMAS.glob("*.schema.json"))}
        self.classes = {}
        self._texts = collections.defaultdict(list)
        for schema in self.schemas.values():
            for name, part in schema.get("$defs", {}).items():
                self._texts[name].append(json.dumps(part, sort_keys=True))

    def write(self):
        for name, schema in self.schemas.items():
            for field, part in schema.get("properties", {}).items():
                self.type_of(part, name, title(name) + title(singular(field)))
            for definition in schema.get("$defs", {}):
                self.definition(name, definition)
        return "\n\n\n".join([HEADER.rstrip("\n"), *(self.classes[name] for name in sorted(self.classes))])

    def definition(self, schema, name):
        """The type of a definition of the schema."""
        texts = self._texts[name]
        is_shared = len(texts) > 1 and len(set(texts)) == 1
        class_name = title(name) if is_shared else title(schema) + title(name)
        return self.type_of(self.schemas[schema]["$defs"][name], schema, class_name)

    def type_of(self, part, schema, class_name):
        if "$ref" in part:
            local = part["$ref"].partition("#/$defs/")[2]
            return self.definition(schema, local) if local else "Value"
        choices = part.get("anyOf") or part.get("oneOf")
        if choices:
            numbers = ["" if choice is choices[-1] else str(i + 1) for i, choice in enumerate(choices)]
            return union(self.type_of(choice, schema, class_name + number)
                         for choice, number in zip(choices, numbers))
        if "const" in part or "enum" in part:
            return literal(part.get("enum", [part.get("const")]))
        kinds = part.get("type", "object")
        return union(self.type_of_kind(kind, part, schema, class_name)
                     for kind in (kinds if isinstance(kinds, list) else [kinds]))

    def type_of_kind(self, kind, part, schema, class_name):
        if kind == "array":
            return f"List[{self.type_of(part.get('items', {}), schema, class_name)}]"
        if kind in TYPES:
            return TYPES[kind]
        if "properties" in part:
            self.add_class(part, schema, class_name)
            return f'"{class_name}"'
        others = part.get("additionalProperties")
        if isinstance(others, dict):
            return f"Mapping[str, {self.type_of(others, schema, class_name)}]"
        return "Value"

    def add_class(self, part, schema, class_name):
        if class_name in self.classes:
            return
        self.classes[class_name] = ""
        lines = [f"class {class_name}(Value):", f'    """A part of {self.schemas[schema]["title"]}."""', "",
                 "    __slots__ = ()"]
        for field, inner in part["properties"].items():
            if keyword.iskeyword(field) or not field.isidentifier():
                continue
            kind = self.type_of(inner, schema, class_name + title(singular(field)))
            lines += wrapped_line(f"    {field}: {kind}")
        self.classes[class_name] = "\n".join(lines)


def literal(values):
    texts = [json.dumps(value) for value in values if isinstance(value, str)]
    rest = [{bool: "bool", int: "int", type(None): "None"}[type(value)] for value in values
            if not isinstance(value, str)]
    known = f"Literal[{', '.join(texts)}]" if len(texts) <= MOST_TEXTS else "str"
    return union([*([known] if texts else []), *rest])


def union(kinds):
    known = list(dict.fromkeys(kinds))
    return known[0] if len(known) == 1 else f"Union[{', '.join(known)}]"


def wrapped_line(line):
    if len(line) <= LINE:
        return [line]
    head, _, rest = line.partition("[")
    return [head + "[", f"        {rest[:-1]},", "    ]"]


if __name__ == "__main__":
    print(Shapes().write())
