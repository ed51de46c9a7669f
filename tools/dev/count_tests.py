"""Counts what a run of ctest did, test by test: `python3 tools/dev/count_tests.py BUILD`.

An entry of ctest that runs a suite of googletest counts by googletest's own report of it, any other
as one test. A test that was to run and is in no report counts as failed: its program ended early.
The last line is `N passed, N failed, N skipped`, the exit status 1 where anything failed.
"""
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def outcome_of_test(case):
    if case.find("failure") is not None:
        return "failed"
    return "passed" if case.get("result") == "completed" else "skipped"


def outcome_of_entry(entry):
    if entry.get("status") == "run":
        return "passed"
    reason = entry.find("skipped")
    # In the same words ctest says that it found no program to run, which is a failure.
    was_skipped = reason is not None and reason.get("message").startswith("SKIP_")
    return "skipped" if was_skipped else "failed"


def reported_tests(report):
    """From the name of each test in a report of googletest to how it ended."""
    if not report.exists():
        return {}
    suites = ElementTree.fromstring(report.read_text(errors="replace"))
    return {f"{case.get('classname')}.{case.get('name')}": outcome_of_test(case)
            for case in suites.iter("testcase")}


def count_suite(entry, reports):
    """How many tests of an entry ended how, and what is to be said of it."""
    file = entry.get("name").replace("/", ".")
    wanted = (reports / f"{file}.tests").read_text().split()
    reported = reported_tests(reports / f"{file}.xml")
    counts = collections.Counter(reported.values())
    missing = [test for test in wanted if test not in reported]
    if missing:
        counts["failed"] += len(missing)
        begun = re.findall(r"^\[ RUN      \] (.*)", entry.findtext("system-out", ""), re.MULTILINE)
        return counts, f"ended in {begun[-1] if begun else 'no test'}: {len(missing)} without a result"
    if outcome_of_entry(entry) == "failed" and not counts["failed"]:
        counts["failed"] += 1
        return counts, "failed after its last test"
    return counts, None


def main(build):
    testing = pathlib.Path(build) / "Testing"
    totals = collections.Counter()
    names = set()
    for entry in ElementTree.parse(testing / "entries.xml").iter("testcase"):
        if entry.get("name") in names:
            print(f"{entry.get('name')} is a suite of two programs, so one report replaced the other")
            totals["failed"] += 1
        names.add(entry.get("name"))
        if (testing / "gtest" / f"{entry.get('name').replace('/', '.')}.tests").exists():
            counts, note = count_suite(entry, testing / "gtest")
            if note:
                print(f"{entry.get('name')} {note}")
            totals += counts
        else:
            totals[outcome_of_entry(entry)] += 1
    print(", ".join(f"{totals[outcome]} {outcome}" for outcome in ("passed", "failed", "skipped")))
    return 1 if totals["failed"] else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 tools/dev/count_tests.py BUILD")
    sys.exit(main(sys.argv[1]))
