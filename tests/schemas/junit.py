"""The JUnit output of vramlab diff matches docs/reference/schemas/junit.xsd, which can say no."""

import json
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

SAMPLES = "traces/samples/"


def is_valid(xml, schema):
    result = subprocess.run(["xmllint", "--noout", "--schema", schema, "-"], input=xml,
                            capture_output=True, check=False)
    # 3: the document does not match; 1: it is no XML at all.
    assert result.returncode in (0, 1, 3), result.stderr.decode("utf-8", "replace")
    return result.returncode == 0


def odd_letters(vramlab, scratch):
    """A snapshot whose call sites have letters that XML or UTF-8 don't know."""
    vramlab.run("snapshot", SAMPLES + "leak.vtrace", "--at", "peak", "-o", f"{scratch}/plain.json")
    with open(f"{scratch}/plain.json", encoding="utf-8") as source:
        snapshot = json.load(source)
    file = f"{scratch}/<&\"'> ]]> \x01.json"
    snapshot["device_traces"] = [[]]
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            for frame in block.get("frames", []):
                frame["name"] = "<b>&\"'\x01\x0b\ud800\ufffe\uffff]]>\n\u00e9\U0001f600" + frame["name"]
    with open(file, "w", encoding="utf-8") as target:
        json.dump(snapshot, target)
    return file


def outputs(vramlab, scratch):
    leak, training = SAMPLES + "leak.vtrace", SAMPLES + "training.vtrace"
    form = ["--format", "junit"]
    yield 0, vramlab.run("diff", leak, leak, *form)
    yield 1, vramlab.run("diff", leak, leak, *form, "--fail-if", "peak_reserved > +2%")
    yield 3, vramlab.run("diff", leak, training, *form, "--fail-if", "peak_reserved > +2%",
                         "--fail-if", "new_groups > 0", "--fail-if", "device_frees > 10",
                         statuses=(1,))
    shutil.copy(f"{vramlab.top}/{leak}", f"{scratch}/empty & <odd>.vtrace")
    yield 1, vramlab.run("diff", f"{scratch}/empty & <odd>.vtrace", odd_letters(vramlab, scratch),
                         *form, "--at", "end", "--fail-if", "new_groups > 0", statuses=(1,))


def check_counts(cases, xml):
    suites = ElementTree.fromstring(xml)
    suite = suites.find("testsuite")
    failures = len(suite.findall("testcase/failure"))
    for holder in (suites, suite):
        assert holder.get("tests") == str(cases) and holder.get("failures") == str(failures)
    assert len(suite.findall("testcase")) == cases


# The text that each fault replaces, where it is first found, and the one that it puts there.
FAULTS = [(' tests="', ' texts="'), (' tests="3"', ' tests="many"'), (' failures="1"', ""),
          (' classname="vramlab.diff"', ""), ('"/>', '">text</testcase>'),
          (' time="0"', ' time="-1"'), ('<failure type="', '<failure kind="'),
          ("</failure>", "</failure><skipped/>"), ("</testsuite>", "<more/></testsuite>")]


def check_junit(vramlab, schema, scratch):
    longest = ""
    for cases, xml in outputs(vramlab, scratch):
        assert is_valid(xml.encode(), schema), f"does not match junit.xsd:\n{xml}"
        check_counts(cases, xml)
        longest = xml if cases == 3 else longest
    for right, wrong in FAULTS:
        assert right in longest, f"no {right} in the JUnit output"
        faulty = longest.replace(right, wrong, 1)
        ElementTree.fromstring(faulty)
        assert not is_valid(faulty.encode(), schema), f"junit.xsd accepts {wrong} for {right}"
    print(f"junit: the outputs match, {len(FAULTS)} faults refused")
