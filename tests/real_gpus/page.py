"""Writes docs/reference/real_gpus.md from the rows of figures in `rows`, and holds it to them.

usage: page.py [--write]

Without an option it says whether the page is what the rows say; every row that is not equal needs one entry in
`differences.json`, with its class and, above 1 %, its cause.
"""

import collections
import csv
import json
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/reference/real_gpus.md"
HOW_EXACT = HERE.parents[1] / "docs/reference/how_exact.md"
SHORT_HEAD = ("measured by others on their GPUs, run dry without one", "GPUs", "equal", "at most 1 % apart")
MIB = 2 ** 20
WIDTH = 120


class Row:
    """One published figure or recording beside its dry run: the figures that are compared, and where they are from."""

    def __init__(self, source, facts, compared):
        self.source = source
        self.facts = facts
        self.compared = compared  # name of a figure: (real, dry)
        self.kind = None  # the entry of differences.json, if the row is not equal

    def is_equal(self):
        return all(real == dry for real, dry in self.compared.values())

    def largest_difference(self):
        """The largest difference of the figures in bytes, as a share of the real one, with its sign."""
        shares = [(dry - real) / real for name, (real, dry) in self.compared.items() if name != "events"]
        return max(shares, key=abs)

    def matches(self, wanted):
        return all(re.search(pattern, self.facts.get(column, "")) for column, pattern in wanted.items())


def read(name):
    with open(HERE / "rows" / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def figure_rows():
    for facts in read("liger.csv"):
        yield Row("linkedin/Liger-Kernel", facts, {"peak": (float(facts["real"]), float(facts["dry"]))})


def recording_rows():
    for facts in read("recordings.csv"):
        compared = {name: (int(facts[f"real_{name}"]), int(facts[f"dry_{name}"]))
                    for name in ("peak_allocated", "peak_reserved")}
        same = facts["first_difference"] == ""
        compared["events"] = (facts["real_events"], facts["dry_events"] if same else "another order")
        yield Row(facts["source"], facts, compared)


def told(rows, differences):
    """Gives each row that is not equal its entry; says what is missing or too much."""
    used = collections.Counter()
    for row in rows:
        if row.is_equal():
            continue
        fitting = [entry for entry in differences if row.matches(entry["rows"])]
        if len(fitting) != 1:
            raise SystemExit(f"real_gpus: {len(fitting)} entries of differences.json for {row.facts}")
        row.kind = fitting[0]
        used[fitting[0]["name"]] += 1
    unused = [entry["name"] for entry in differences if not used[entry["name"]]]
    if unused:
        raise SystemExit(f"real_gpus: no row for {unused} of differences.json")
    return used


def paragraph(text):
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
                     + ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines])


def percent(part, whole):
    return f"{100 * part / whole:.1f} %"


def signed(share):
    return "0" if share == 0 else f"{100 * share:+.2f} %"


def join(values):
    """Each value once, versions in their order."""
    numbers = {value: [int(part) if part.isdigit() else 0 for part in value.split(".")] for value in set(values)}
    return ", ".join(sorted(numbers, key=lambda value: (numbers[value], value)))


def counted(rows):
    """Rows, equal ones, those at most 1 % apart (equal ones included), explained and open ones."""
    apart = [row for row in rows if not row.is_equal()]
    return (len(rows), len(rows) - len(apart), sum(abs(row.largest_difference()) <= 0.01 for row in rows),
            sum(row.kind["class"] == "explained" for row in apart), sum(row.kind["class"] == "open" for row in apart))


def gpu_of(row, names):
    return names[row.facts["gpu"]] if row.facts["gpu"] in names else row.facts["gpu"].replace("NVIDIA ", "")


def summary(rows, sources):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row.source, gpu_of(row, sources["gpus"])].append(row)
    lines = [(source, gpu, join(row.facts["torch"] for row in group), *counted(group))
             for (source, gpu), group in groups.items()]
    lines.append(("**all**", "", "", *(f"**{count}**" for count in counted(rows))))
    return table(("source", "GPU", "PyTorch", "rows", "equal", "within 1 %", "explained", "open"), lines)


def source_table(rows, sources):
    used = {row.source for row in rows}
    lines = [(f"[{name}](https://github.com/{name})", f"`{facts['commit'][:8]}`", facts["licence"], facts["what"])
             for name, facts in sources["sources"].items() if {name, facts.get("needed_by")} & used]
    return table(("source", "read at", "licence", "what"), lines)


def short_config(text):
    config = json.loads(text) if text else {}
    return ", ".join(f"{key} {str(value).removeprefix('torch.')}" for key, value in config.items()
                     if value is not None)


def mib(value):
    return f"{value:,.2f}"


def series_lines(group):
    """One line for the figures of one provider, mode and configuration."""
    series = collections.defaultdict(list)
    for row in group:
        series[tuple(row.facts[name] for name in ("provider", "mode", "x_name", "config"))].append(row)
    for (provider, mode, x_name, config), rows in series.items():
        sizes = "; ".join(row.facts["x"] for row in rows)
        real = "; ".join(mib(row.compared["peak"][0]) for row in rows)
        yield (provider, mode, f"{x_name} {sizes}", short_config(config), real, *difference_of(rows))


def difference_of(rows):
    """The dry figures of a line, their differences and classes."""
    apart = [row for row in rows if not row.is_equal()]
    if not apart:
        return "equal", "0", "equal"
    kinds = sorted({f"{row.kind['class']}: {row.kind['name']}" for row in apart})
    return ("; ".join(mib(row.compared["peak"][1]) for row in rows),
            "; ".join(signed(row.largest_difference()) for row in rows), ", ".join(kinds))


def groups_of_figures(rows):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row.facts["table"], row.facts["commit"], row.facts["gpu"], row.facts["kernel"]].append(row)
    return groups


def figures(rows):
    """A table of the runs, kernel by kernel, then each figure."""
    groups = groups_of_figures(rows)
    overview, details = [], []
    for (name, commit, gpu, kernel), group in groups.items():
        facts = group[0].facts
        gpu = gpu.replace("NVIDIA ", "")
        largest = max((row.largest_difference() for row in group), key=abs)
        packages = f"{facts['torch']}, transformers {facts['transformers']}"
        if any(row.facts["provider"].startswith("deepspeed") for row in group):
            packages += f", DeepSpeed {facts['deepspeed']}"
        overview.append((kernel, gpu, name.removeprefix("all_benchmark_data").removesuffix(".csv").lstrip("_") or "all",
                         f"`{commit[:8]}`", facts["measured"], packages, *counted(group)[:2], signed(largest)))
        details += [f"#### {kernel}, {gpu}, {commit[:8]}", "",
                    table(("provider", "mode", "size", "configuration", "real, MiB", "dry, MiB", "difference", "class"),
                          series_lines(group)), ""]
    head = ("kernel", "GPU", "table", "commit", "measured", "PyTorch and packages of the dry run", "rows", "equal",
            "largest difference")
    return [table(head, overview), "", "### Every figure", "",
            paragraph("Sizes, real and dry figures of a line belong together in their order. The exact figures are in "
                      "`tests/real_gpus/rows/liger.csv`."), "", *details]


def name_of(facts):
    return f"`{facts['recording'].removesuffix('.pickle')}` at {facts['commit'][:8]}"


def recordings(rows, sources):
    lines = []
    for row in rows:
        facts, compared = row.facts, row.compared
        events = f"{int(facts['real_events']):,}"
        events += ", all the same" if facts["first_difference"] == "" else f", {place_of_difference(facts)} the same"
        kind = "equal" if row.is_equal() else f"{row.kind['class']}: {row.kind['name']}"
        peaks = []
        for name in ("peak_allocated", "peak_reserved"):
            real, dry = compared[name]
            peaks.append(mib(real / MIB) + ("" if real == dry else f" / {mib(dry / MIB)}"))
        lines.append((facts["source"].split("/")[0], name_of(facts),
                      gpu_of(row, sources["gpus"]), facts["torch"], events, *peaks, kind))
    return table(("by", "recording", "GPU", "PyTorch", "events", "peak allocated, MiB", "peak reserved, MiB",
                  "class"), lines)


def place_of_difference(facts):
    return f"the first {json.loads(facts['first_difference'])['event']:,}"


def commands(rows):
    """How each recording was made again."""
    lines = []
    for row in rows:
        facts = row.facts
        edits = "" if not facts["edits"] else f"`{facts['edits']}`"
        lines.append((facts["source"].split("/")[0], name_of(facts), f"`{facts['program']}`", edits))
    return table(("by", "recording", "program", "edited line"), lines)


def differences_text(rows, differences, used):
    parts = []
    for entry in differences:
        mine = [row for row in rows if row.kind is entry]
        shares = [row.largest_difference() for row in mine]
        low, high = min(shares), max(shares)
        extent = signed(low) if low == high else f"{signed(low)} to {signed(high)}"
        begin = f"**{entry['class'].capitalize()}**, {used[entry['name']]} rows, {extent}."
        parts += [f"### {entry['name']}", "", paragraph(f"{begin} {entry['text']}"), ""]
    return parts


def not_run(text):
    return [table(("source", "kernel or recording", "commit", "GPU", "providers", "figures", "why"),
                  [(row["source"], row["kernel"], f"`{row['commit'][:8]}`", row["gpu"].replace("NVIDIA ", ""),
                    row["providers"], row["rows"], row["why"]) for row in text])]


def error_of(row):
    """The figure in MiB and its difference from the real one, or that there is none."""
    if not row["told"]:
        return "refused"
    told_bytes, real = int(row["told"]), int(row["real_peak_allocated"])
    return f"{told_bytes / MIB:,.1f} ({signed((told_bytes - real) / real)})"


def peers(rows, recorded):
    """Other estimators beside the dry run, a line for each recording."""
    dry = {row.facts["recording"]: row.compared["peak_allocated"] for row in recorded}
    names = list(dict.fromkeys(f"{row['package']} {row['version']}" for row in rows))
    by_recording = collections.defaultdict(list)
    for row in rows:
        by_recording[row["recording"]].append(error_of(row))
    lines = []
    for recording, told_by in by_recording.items():
        real, ours = dry[recording]
        lines.append((f"`{pathlib.PurePath(recording).name}`", f"{real / MIB:,.1f}",
                      f"{ours / MIB:,.1f} ({signed((ours - real) / real)})", *told_by))
    return table(("recording", "GPU", "dry run", *(name.replace("torch 2", "MemTracker of torch 2") for name in names)), lines)


def page():
    sources = json.loads((HERE / "sources.json").read_text(encoding="utf-8"))
    differences = json.loads((HERE / "differences.json").read_text(encoding="utf-8"))
    prose = json.loads((HERE / "prose.json").read_text(encoding="utf-8"))
    published, recorded = list(figure_rows()), list(recording_rows())
    rows = published + recorded
    used = told(rows, differences)
    count, equal, close, explained, unexplained = counted(rows)
    left = read("not_run.csv")
    missing = sum(int(row["rows"]) for row in left if row["source"] == "linkedin/Liger-Kernel")
    numbers = {"rows": f"{count:,}", "equal": f"{equal:,}", "equal_share": percent(equal, count), "close": f"{close:,}",
               "explained": explained, "open": unexplained, "figures": f"{len(published):,}",
               "recordings": len(recorded), "not_run": f"{missing:,}", "published": f"{len(published) + missing:,}"}

    def say(name):
        return "\n\n".join(part if part.startswith(("* ", "```")) else paragraph(part.format(**numbers))
                           for part in prose[name])

    parts = ["# Dry runs beside real GPUs", say("begin"), "", summary(rows, sources), "", say("words"), "",
             "## Sources", say("sources"), "", source_table(rows, sources), "", "## Recordings", say("recordings"), "",
             recordings(recorded, sources), "", "### Programs", say("programs"), "", commands(recorded), "",
             "## Liger-Kernel's tables", say("liger"), "", *figures(published), "## Other estimators", say("peers"),
             "", peers(read("peers.csv"), recorded), "", "## Differences", say("differences"),
             "", *differences_text(rows, differences, used), "## Not run", say("not_run"), "", *not_run(left), ""]
    return "\n".join(parts)


def short_gpus(rows, names):
    """Names such as RTX 4090, in order; GPUs that nobody names are counted together."""
    told_names = [gpu_of(row, names) for row in rows]
    known = {re.sub("GeForce |-SXM4| 80GB HBM3|-80GB| 16 GB", "", name) for name in told_names
             if not name.startswith("not told")}
    return ", ".join(sorted(known)) + (", others not told" if len(known) < len(set(told_names)) else "")


def short_table():
    """The first table of docs/reference/how_exact.md, which tells the counts of this page."""
    published, recorded = list(figure_rows()), list(recording_rows())
    told(published + recorded, json.loads((HERE / "differences.json").read_text(encoding="utf-8")))
    names = json.loads((HERE / "sources.json").read_text(encoding="utf-8"))["gpus"]
    lines = []
    for rows, what in ((published, "peaks of Liger-Kernel's published tables"),
                       (recorded, "recordings, event for event and both peaks")):
        versions = join(row.facts["torch"] for row in rows).split(", ")
        count, equal, close, _, _ = counted(rows)
        lines.append((f"{what}, PyTorch {versions[0]} to {versions[-1]}", short_gpus(rows, names),
                      f"{equal} of {count}", f"{close} of {count}"))
    return table(SHORT_HEAD, lines)


def with_table(text):
    """The page with the table of today."""
    head = re.escape("| " + " | ".join(SHORT_HEAD) + " |")
    return re.sub(head + r"\n(\|.*\n)*", lambda _: short_table() + "\n", text)


def main():
    text = page()
    if "--write" in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
        HOW_EXACT.write_text(with_table(HOW_EXACT.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == text:
        return 0
    print("docs/reference/real_gpus.md is not what its rows say: python3 tests/real_gpus/page.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
