"""Proofs that a schema can say no: valid documents, changed at one place after another."""

from contextlib import contextmanager

# Objects whose keys come from the file, or some of which may be missing, by the keys that lead
# there; "*" is any place in a list or any key of such an object.
OPEN = {
    "info": {("files", "*", "settings"), ("files", "*", "devices", "*", "events_by_action"),
             ("files", "*", "host", "events_by_action"), ("files", "*", "program", "events_by_kind")},
    "replay": {("host", "statistics", "bucket_allocation")},
    "dry-run": {("processes", "*", "devices", "*", "metrics")},
    "fit": {("rows", "*", "placeholders"), ("runs", "*", "placeholders")},
}
SPARSE = {
    "explain": {("answer", "metrics"), ("answer", "state")},
    "replay": {("metrics",), ("devices", "*", "metrics")},
    "snapshot": {("metrics",), ("devices", "*", "metrics"), ("devices", "*", "pools", "*", "metrics"),
                 ("devices", "*", "streams", "*", "metrics")},
    "diff": {("changes",)},
    "steps": {("rules",)},
    "sweep": {("rows", "*"), ("rows", "*", "files", "*")},
    "advise": {(*row, *below) for row in (("best",), ("runner_up",), ("no_options",), ("recorded",),
                                          ("phases", "best"), ("phases", "single"))
               for below in ((), ("files", "*"))},
    "vramlab-budget": {()},
}
for parts in (OPEN, SPARSE):
    parts["replay-files"] = {("files", "*", *path) for path in parts["replay"]}


@contextmanager
def changed(holder, key, value):
    """The place with another value while the block runs; the order of keys doesn't matter."""
    before = holder[key]
    holder[key] = value
    yield
    holder[key] = before


@contextmanager
def without(holder, key):
    before = holder.pop(key)
    yield
    holder[key] = before


@contextmanager
def with_more(holder, key, value):
    holder[key] = value
    yield
    del holder[key]


def wrong_value(value):
    """A value of a type that is allowed in no place where the given value stands."""
    return {"wrong": [None]} if not isinstance(value, (dict, list)) else "wrong"


def places(value, path=()):
    """Every object and list, with the keys that lead there."""
    yield path, value
    if isinstance(value, dict):
        for key in list(value):
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for item in value:
            yield from places(item, path + ("*",))


def shape_of(value):
    """Values of one shape have the same kinds of places."""
    if isinstance(value, dict):
        return frozenset((key, shape_of(item)) for key, item in value.items())
    if isinstance(value, list):
        return frozenset(map(shape_of, value))
    return type(value)


def shortened(value):
    """The value with the first item of each shape in its lists: each fault is looked for in the whole document."""
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        first = {}
        for item in value:
            first.setdefault(shape_of(item), item)
        return [shortened(item) for item in first.values()]
    return value


class Refusals:
    """Tries each kind of place once; a schema treats all of a kind alike."""

    def __init__(self, name, is_valid):
        self.name = name
        self.is_valid = is_valid
        self.tried = set()
        self.count = 0

    def expect_refused(self, document, what):
        self.count += 1
        if self.is_valid(document):
            raise AssertionError(f"{self.name}.schema.json accepts a document with {what}")

    def is_new(self, *what):
        before = len(self.tried)
        self.tried.add(what)
        return len(self.tried) > before

    def try_all(self, document):
        shorter = shortened(document)
        # Some lists have a length that is asked for.
        document = shorter if self.is_valid(shorter) else document
        for path, value in list(places(document)):
            if isinstance(value, dict):
                self.try_object(document, path, value)
            elif isinstance(value, list) and value and self.is_new("list", path):
                with changed(value, 0, wrong_value(value[0])):
                    self.expect_refused(document, f"a wrong type in the list {'.'.join(path)}")

    def try_object(self, document, path, value):
        if path in OPEN.get(self.name, ()):
            return
        where = ".".join(path)
        kind = tuple(sorted(value))
        if self.is_new("more", path, kind):
            with with_more(value, "no_such_key", 1):
                self.expect_refused(document, f"an unknown key in {where}")
        for key in list(value):
            if not self.is_new("key", path, kind, key, type(value[key])):
                continue
            if path not in SPARSE.get(self.name, ()):
                with without(value, key):
                    self.expect_refused(document, f"no {key} in {where}")
            with changed(value, key, wrong_value(value[key])):
                self.expect_refused(document, f"a wrong type of {key} in {where}")
