#!/usr/bin/env python3
"""One figure, one value: every command answers the same question about a file with the same number.
Each file is given to info, explain, replay, snapshot, top, diff, report, streams, pack, sweep, capacity and
advise; each figure that two of them share is compared. The line of a failed request is read from the
recording itself, too, and so are the counts of a replay under the recorded options. Without files, the
samples and some recordings of tests/truth are asked; VRAMLAB_RECORDINGS may name more files and folders,
separated by colons.

    python3 tests/figures/shared_figures.py PROGRAM [FILE or FOLDER ...]
"""

import base64
import concurrent.futures
import gzip
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SAMPLES = os.path.join(ROOT, "traces", "samples")
# Recordings with slack in blocks, waiting blocks, other roundings, expandable segments and pools.
TRUTH = ["frag_2400", "frag_2400.exp", "frag_2400.nonsplit", "chunks_4.split128", "toggles",
         "pooltight", "pooltight_440", "poolloop_all.exp", "retry_late_tight",
         "oversize_late_tight.exp", "clear_random.split32", "serve"]
# Searches take long on long files.
MOST_SEARCHED_EVENTS = 60_000


def recordings_in(path):
    if not os.path.isdir(path):
        return [path]
    names = sorted(os.listdir(path))
    return [os.path.join(path, name) for name in names
            if re.search(r"\.(pickle|pickle\.gz|vtrace|vtrace\.jsonl)$", name)]


class Answers:
    """The answers about one file: figures by name and device, and who said which."""

    def __init__(self, program, file):
        self.program = program
        self.file = file
        self.figures = {}
        self.wrong = []

    def ask(self, *words):
        command = [self.program, *words]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if not result.stdout.startswith("{"):
            return None
        return json.loads(result.stdout)

    def say(self, figure, device, who, value):
        if value is not None:
            self.figures.setdefault((figure, device), []).append((who, value))

    def contradictions(self):
        found = list(self.wrong)
        for (figure, device), said in self.figures.items():
            if len({value for _, value in said}) > 1:
                by_value = {}
                for who, value in said:
                    by_value.setdefault(value, []).append(who)
                found.append(f"{figure} of device {device}: " + "; ".join(
                    f"{value} ({', '.join(names)})" for value, names in by_value.items()))
        return found

    def comparisons(self):
        return sum(len(said) - 1 for said in self.figures.values())


def say_recorded_counts(answers, number, counts):
    """The events of a recording, as a replay under the recorded options counts them."""
    answers.say("device_allocs", number, "the recording", counts.get("segment_alloc", 0))
    answers.say("device_frees", number, "the recording", counts.get("segment_free", 0))
    answers.say("out_of_memory", number, "the recording", counts.get("oom", 0))
    answers.say("requests", number, "the recording", counts.get("alloc", 0) + counts.get("oom", 0))


METRICS_OF_RUN = ["peak_allocated", "peak_active", "peak_requested", "peak_reserved",
                  "end_allocated", "end_reserved", "device_allocs", "device_frees", "out_of_memory"]


def say_run(answers, device, who, metrics):
    for name in METRICS_OF_RUN:
        answers.say(name, device, who, metrics.get(name))


def ask_replay(answers):
    document = answers.ask("replay", "--json", "--on-oom", "skip", answers.file)
    for device in (document or {}).get("devices", []):
        number = device["device"]
        say_run(answers, number, "replay", device["metrics"])
        answers.say("requests", number, "replay", device["requests"])
        answers.say("classic segments", number, "replay", device["end"]["segments"])
        for name in ("peak_allocated", "peak_reserved"):
            peak = device[name]
            answers.say(name, number, f"replay's {name}", peak["bytes"])
            if peak["time_ns"] is not None:
                answers.say(f"event of {name}", number, "replay", peak["event"])
        answers.say("peak_requested", number, "replay's older figure",
                    device["peak_requested_bytes"])
        answers.say("peak_active", number, "replay's older figure", device["peak_active_bytes"])
        answers.say("peak_requested", number, "replay's recorded peak",
                    device["recorded_peak_requested_bytes"])
        answers.say("peak_reserved", number, "replay's recorded peak",
                    device["recorded_peak_reserved_bytes"])
    return document


def ask_info(answers, is_exact):
    file = answers.ask("info", "--json", answers.file)["files"][0]
    if file["program"] is not None or file["log"] is not None:
        return
    for device in file["devices"]:
        number = device["device"]
        answers.say("end_reserved", number, "info", device["segments"]["reserved_bytes"])
        answers.say("end_allocated", number, "info", device["segments"]["allocated_bytes"])
        for name in ("peak_requested", "peak_active", "peak_allocated", "peak_reserved"):
            answers.say(name, number, "info", device.get(name + "_bytes"))
        if is_exact and device["events"] > 1:
            say_recorded_counts(answers, number, device["events_by_action"])
            segments = device["segments"]
            answers.say("classic segments", number, "info",
                        segments["count"] - segments["expandable"])


def ask_explain(answers):
    """The table of all devices, and the device that is explained."""
    document = answers.ask("explain", "--quick", "--json", answers.file)
    for row in (document or {}).get("recordings", []):
        if row["events"] > 0:
            answers.say("peak_allocated", row["device"], "explain's table",
                        row["peak_allocated_bytes"])
    answer = (document or {}).get("answer")
    if not answer:
        return
    say_run(answers, answer["device"], "explain", answer["metrics"])
    if not answer["out_of_memory"] and answer["metrics"].get("peak_allocated"):
        answers.say("peak_allocated", answer["device"], "explain's holders", answer["held_bytes"])


class DataOnly(pickle.Unpickler):
    """Snapshots are lists and dicts; a pickle that names a class is none."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}")


def is_of_user(frame):
    path = frame["filename"].replace("\\", "/")
    installed = ("/site-packages/", "/dist-packages/", "/lib/python", "/torch/", "torch/", "<",
                 "/torchinductor_")
    return path.endswith(".py") and not any(part in path for part in installed)


def line_of(frames):
    """The first frame of user code, as answers name it; None if no frame is of user code."""
    for frame in filter(is_of_user, frames):
        folder_and_file = "/".join(frame["filename"].replace("\\", "/").split("/")[-2:])
        return f"{folder_and_file}:{frame['line']} {frame['name']}"
    return None


def ask_failing_lines(answers):
    """The line of the first failed request of each device, from the entry itself."""
    if not re.search(r"\.pickle(\.gz)?$", answers.file):
        return
    opened = gzip.open if answers.file.endswith(".gz") else open
    with opened(answers.file, "rb") as file:
        snapshot = DataOnly(file).load()
    for number, trace in enumerate(snapshot["device_traces"]):
        failed = [(event, entry) for event, entry in enumerate(trace) if entry["action"] == "oom"]
        if not failed:
            continue
        event, entry = failed[0]
        line = line_of(entry.get("frames", []))
        explained = answers.ask("explain", "--quick", "--json", "--device", str(number),
                                answers.file)["answer"]["out_of_memory"]
        answers.say("event of the first failure", number, "the entry", event)
        answers.say("event of the first failure", number, "explain", explained["event"])
        answers.say("line of the first failure", number, "the entry", line)
        answers.say("line of the first failure", number, "explain", line and explained["call_site"])
        state = answers.ask("snapshot", "--at", "oom", "--quick", "--json", answers.file)
        for failure in (state or {}).get("out_of_memory", []):
            if failure["device"] == number:
                answers.say("line of the first failure", number, "snapshot",
                            line and failure["call_site"])


def ask_state(answers, at):
    """snapshot and top at one moment."""
    state = answers.ask("snapshot", "--at", at, "--json", answers.file)
    for device in (state or {}).get("devices", []):
        number, metrics = device["device"], device["metrics"]
        answers.say(f"allocated at {at}", number, "snapshot", metrics["allocated"])
        answers.say(f"blocks at {at}", number, "snapshot", metrics["live_blocks"])
        if metrics["waiting"] == 0:
            answers.say(f"requested at {at}", number, "snapshot", metrics["requested"])
        if at == "peak":
            answers.say("peak_allocated", number, "snapshot", metrics["allocated"])
            answers.say("event of peak_allocated", number, "snapshot", device["event"])
        elif at == "peak_reserved":
            answers.say("peak_reserved", number, "snapshot", metrics["reserved"])
        else:
            answers.say("end_allocated", number, "snapshot", metrics["allocated"])
            answers.say("end_reserved", number, "snapshot", metrics["reserved"])
    top = answers.ask("top", "--at", at, "--json", answers.file)
    for device in (top or {}).get("devices", []):
        number = device["device"]
        answers.say(f"allocated at {at}", number, "top", device["bytes"])
        answers.say(f"allocated at {at}", number, "top's groups",
                    sum(group["bytes"] for group in device["groups"]))
        answers.say(f"blocks at {at}", number, "top", device["blocks"])
        answers.say(f"requested at {at}", number, "top", device["requested_bytes"])
        if at == "peak":
            answers.say("event of peak_allocated", number, "top", device["event"])
        if device["bytes_are"] != "blocks":
            answers.wrong.append(f"top at {at} counts {device['bytes_are']}")
    return state, top


def ask_diff(answers, count, top):
    document = answers.ask("diff", "--json", answers.file, answers.file)
    if document is None or count != 1:
        return
    values = {name: change["base"] for name, change in document["changes"].items()}
    number = top["devices"][0]["device"]
    say_run(answers, number, "diff", values)
    answers.say("allocated at peak", number, "diff", values.get("allocated"))
    answers.say("event of peak_allocated", number, "diff", document["base"]["event"])


def packed_runs(page):
    for text in re.findall(r"H4sI[A-Za-z0-9+/=]{100,}", page):
        content = gzip.decompress(base64.b64decode(text))
        length = int.from_bytes(content[:4], "little")
        yield json.loads(content[4:4 + length])


def ask_report(answers):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        if answers.ask("report", answers.file, "-o", path, "--json") is None:
            return
        with open(path, encoding="utf-8") as file:
            page = file.read()
    for run in packed_runs(page):
        for device in run.get("devices", []):
            number = device["device"]
            if number < 0 or number > 1000:
                continue
            answers.say("peak_allocated", number, "report", device["peak_allocated"]["allocated"])
            answers.say("peak_reserved", number, "report", device["peak_reserved"]["reserved"])
            answers.say("end_allocated", number, "report", device["last"]["allocated"])


def ask_streams(answers):
    """Waiting frees of a recording."""
    document = answers.ask("streams", "--json", answers.file)
    for device in (document or {}).get("devices", []):
        replays = device["if_completed_at_once"]
        if replays is None or replays.get("as_recorded") is None:
            continue
        for name in ("peak_allocated", "peak_active", "peak_requested", "peak_reserved"):
            answers.say(name, device["device"], "streams", replays["as_recorded"][name + "_bytes"])


def ask_pack(answers):
    document = answers.ask("pack", "--json", "--time", "50ms", answers.file)
    for group in (document or {}).get("groups", []):
        answers.say("peak_requested", group["device"], "pack",
                    group["lower_bounds"]["peak_requested"])
        answers.say("peak_reserved", group["device"], "pack", group["peak_reserved"])


def ask_searches(answers, replay, verified):
    """Commands that try settings: one device, whose figures are those of the file."""
    number = replay["devices"][0]["device"]
    sweep = answers.ask("sweep", "--json", "--recorded", "--on-oom", "skip", answers.file)
    for row in (sweep or {}).get("rows", []):
        if row["as_recorded"]:
            say_run(answers, number, "sweep", row)
    advice = answers.ask("advise", "--json", answers.file)
    capacity = answers.ask("capacity", "--json", answers.file)
    if advice is None or capacity is None:
        return
    # A program's requests that failed are not asked again where a search stops at the first.
    if advice["recorded"]["refused"] is None and replay["metrics"]["out_of_memory"] == 0:
        say_run(answers, number, "advise", advice["recorded"])
    # Packers keep memory that waits for other streams, live bounds do not; and requests that failed
    # are in one of them.
    if (replay["metrics"]["peak_active"] != replay["metrics"]["peak_allocated"] or
            has_awaited_frees(verified) or replay["metrics"]["out_of_memory"] > 0):
        capacity["packing"]["groups"], advice["best_packing"] = [], None
    say_capacity(answers, number, capacity, "the recorded options")
    best = answers.ask("capacity", "--json", "--conf", advice["conf"], answers.file)
    say_capacity(answers, number, best, "the best options")
    for name in ("live_requested_bytes", "live_rounded_bytes"):
        answers.say(f"{name} under the best options", number, "advise", advice[name])
    packing = advice["best_packing"]
    answers.say("live_rounded_bytes under the best options", number, "advise's packing",
                packing and packing["load_bound"])


def has_awaited_frees(verified):
    """Frees that a refused request waited for wait longer where nothing is refused."""
    return verified is not None and any(device["inferred"]["awaited_frees"] > 0
                                        for device in verified["files"][0]["devices"])


def say_capacity(answers, number, capacity, options):
    bounds = capacity["rows"][-1]["lower_bounds"]
    for name in ("live_requested_bytes", "live_rounded_bytes"):
        answers.say(f"{name} under {options}", number, "capacity", bounds and bounds[name])
    if options == "the recorded options":
        for group in capacity["packing"]["groups"]:
            answers.say(f"live_rounded_bytes under {options}", number, "capacity's packing",
                        group["lower_bounds"]["peak_rounded"])


def ask_everything(program, file):
    answers = Answers(program, file)
    verified = answers.ask("verify", "--json", file)
    label = "exact" if verified is None else verified["files"][0]["label"]
    is_exact = label in ("exact", "final state only")
    if label in ("approximate", "not replayed"):
        # No allocator can have done what the events say, or a replay does otherwise.
        return answers
    ask_info(answers, verified is not None and label == "exact")
    ask_failing_lines(answers)
    ask_explain(answers)
    replay = ask_replay(answers) if is_exact else None
    top = None
    for at in ("peak", "peak_reserved", "end"):
        _, top = ask_state(answers, at)
    if top is not None:
        ask_diff(answers, len(top["devices"]), top)
    ask_report(answers)
    if replay and replay["metrics"]["out_of_memory"] == 0:
        ask_streams(answers)
        ask_pack(answers)
    if replay and len(replay["devices"]) == 1 and replay["allocator_calls"] <= MOST_SEARCHED_EVENTS:
        ask_searches(answers, replay, verified)
    return answers


def main():
    program, files = os.path.abspath(sys.argv[1]), []
    named = sys.argv[2:]
    if not named:
        named = [SAMPLES] + [os.path.join(ROOT, "tests", "truth", name + ".pickle.gz")
                             for name in TRUTH]
        named += [path for path in os.environ.get("VRAMLAB_RECORDINGS", "").split(":") if path]
    for path in named:
        files += recordings_in(path)
    contradictions, compared = 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for answers in pool.map(lambda file: ask_everything(program, file), files):
            compared += answers.comparisons()
            for sentence in answers.contradictions():
                contradictions += 1
                print(f"{os.path.relpath(answers.file, ROOT)}: {sentence}", flush=True)
    print(f"{len(files)} files, {compared} comparisons, {contradictions} contradictions")
    return 1 if contradictions or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
