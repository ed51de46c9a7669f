"""Budget files: what the schema accepts the program reads, and what is wrong both refuse."""

import copy
import json
import re

from refusals import Refusals

SAMPLE = "traces/samples/leak.vtrace"
PAGE = "docs/guide/diff.md"
GOOD_LIMITS = ["peak_reserved > +2%", "stranded > 512MiB", "  largest_free<= 1.5 GiB ",
               "external_fragmentation > 0.25", "usable_share < 20%", "device_allocs >= +10",
               "peak_allocated < -1.25 %", "new_groups > 0", "reserved > 100 kB"]
BAD_LIMITS = ["speed > 1", "peak_reserved", "peak_reserved = 1", "peak_reserved > ", "",
              "peak_reserved > x", "peak_reserved > 1.2345678GiB", "peak_reserved > 1 XB",
              "peak_reserved > 1 and more", "peak_reserved > +-1"]


def examples(top):
    """The repository's own budget, and those on the page."""
    with open(top + "/.vramlab.json", encoding="utf-8") as file:
        yield json.load(file)
    with open(f"{top}/{PAGE}", encoding="utf-8") as file:
        blocks = re.findall(r"^```json\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    budgets = [json.loads(block) for block in blocks]
    found = [budget for budget in budgets if "fail_if" in budget or "budgets" in budget]
    assert len(found) >= 2, f"{PAGE} shows two budgets"
    yield from found


class Reader:
    """The program, as a judge of budget files."""

    def __init__(self, vramlab, scratch):
        self.vramlab = vramlab
        self.file = scratch + "/budget.json"

    def accepts(self, budget):
        with open(self.file, "w", encoding="utf-8") as target:
            json.dump(budget, target)
        # Bad input is exit status 2; whether a limit is broken doesn't matter here.
        try:
            self.vramlab.run("diff", SAMPLE, SAMPLE, "--budget", self.file, statuses=(0, 1))
        except AssertionError as refusal:
            assert "left with 2" in str(refusal), refusal
            return False
        return True


def check_budgets(vramlab, schema, scratch):
    reader = Reader(vramlab, scratch)
    # A limit is judged only where both files tell its metric: files that nothing matches.
    whole = {"schema_version": 1, "fail_if": ["peak_reserved > +2%"],
             "budgets": [{"files": "none", "fail_if": [limit]} for limit in GOOD_LIMITS]}
    for budget in [whole, {"schema_version": 1}, *examples(vramlab.top)]:
        assert schema.is_valid(budget), list(schema.iter_errors(budget))
        for entry in budget.get("budgets", []):
            entry["files"] = "none"
        assert reader.accepts(budget), budget
    for limit in BAD_LIMITS:
        budget = {"schema_version": 1, "fail_if": [limit]}
        assert not schema.is_valid(budget), f"the schema accepts the limit '{limit}'"
        assert not reader.accepts(budget), f"the program accepts the limit '{limit}'"
    for budget in [{"fail_if": []}, {"schema_version": 2}, [], "text"]:
        assert not schema.is_valid(budget) and not reader.accepts(budget), budget
    refusals = Refusals("vramlab-budget",
                        lambda budget: schema.is_valid(budget) or reader.accepts(budget))
    refusals.try_all(copy.deepcopy(whole))
    print(f"vramlab-budget: examples match, {refusals.count + len(BAD_LIMITS)} faults refused by "
          "schema and program")


