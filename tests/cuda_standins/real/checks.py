"""Checks of the runs of one program. Each gives sentences about what is wrong."""

import itertools
import json
import pickle

import figures_compared
import kinds_found
import pinned_compared
from runs import last_words


def ended_as_it_should(program, run):
    if run.status != 0:
        return [f"ended with {run.status}: {last_words(run.errors)}"]
    if program.says not in run.output:
        return [f"did not say {program.says!r}"]
    if len(run.processes) != program.processes:
        return [f"{len(run.processes)} of {program.processes} processes told their figures"]
    return [f"process {process.pid} left no history" for process in run.processes
            if not process.history.exists()]


def history_is_exact(bench, run):
    answers = [bench.verify(process.history) for process in run.processes]
    return ["verify: " + answer.replace("\n", " ")[:400] for answer in answers if answer]


def replay_has_the_figures(bench, program, run):
    """The replay of each process's history ends with the figures that the process told."""
    wrong = []
    for process in run.processes:
        wanted = figures_compared.of_program(process.devices, run.option_string)
        found = figures_compared.of_replay(bench.replay(process.history))
        wrong += ["replay: " + text for text in figures_compared.differences(wanted, found)]
    return wrong


def answers_what_if(bench, program, run, other):
    """A replay under the other run's options says what that run did."""
    wrong = []
    for process, reference in zip(run.processes, other.processes):
        options = ["--conf", other.option_string]
        wanted = figures_compared.of_program(reference.devices, other.option_string)
        found = figures_compared.of_replay(bench.replay(process.history, *options))
        wrong += [f"what if {other.option_string!r} after {run.option_string!r}: {text}"
                  for text in figures_compared.differences(wanted, found)]
    return wrong


def histories_are_the_same(run, other):
    """But for times and pinned memory, which are those of the host."""
    wrong = []
    for process, again in zip(run.processes, other.processes):
        if _without_times(process.history) != _without_times(again.history):
            wrong.append(f"another run of process {process.pid} has another history")
    return wrong


def events_are_the_same(run, other, ordered=True):
    """The events of each process, whichever told its figures first; not the stacks, in which a detour
    shows. Without an order, which may follow from addresses of the host: actions and sizes."""
    wanted, found = (sorted(_events(process.history) if ordered else _sizes(process.history)
                            for process in each.processes) for each in (run, other))
    if wanted == found:
        return []
    return [f"{sum(map(len, ours))} events instead of {sum(map(len, theirs))}, or others"
            for theirs, ours in zip(wanted, found) if theirs != ours] or ["other processes"]


def histories_were_seen(runs, other):
    """Each process of the other has the events of one of theirs."""
    known = [_events(process.history) for run in runs for process in run.processes]
    return all(_events(process.history) in known for process in other.processes)


def kinds_are_known(run):
    """No trouble on the way, and at the end of each step the sums that the program told (objects_told)."""
    documents = [_snapshot(process.history)["vramlab_kinds"] for process in run.processes]
    wrong = [f"kinds: {text}" for document in documents for text in document["troubles"]]
    told = _told(run, "KINDS ")
    for process in run.processes:
        of_process = [each for each in told if each["pid"] == process.pid]
        if of_process:
            wrong += kinds_found.differences(_snapshot(process.history), of_process)
    return wrong


def _told(run, word):
    """Processes may write on one line."""
    read = json.JSONDecoder().raw_decode
    return [read(text)[0] for text in run.output.split(word)[1:]]


def nearly_all_has_a_kind(bench, run):
    """At least 98 % of the bytes at the peak, and the summary tells of them."""
    wrong = [] if "\n  kinds  " in run.errors else ["kinds: the summary does not tell them"]
    for process in run.processes:
        answer = json.loads(bench.ask("top", "--by", "kind", "--json", str(process.history)).stdout)
        for device in answer["devices"]:
            unknown = sum(group["bytes"] for group in device["groups"] if group["key"] == "not labelled")
            if 50 * unknown > device["bytes"]:
                wrong.append(f"kinds: {unknown} of {device['bytes']} bytes at the peak are not labelled")
    return wrong


def modules_are_known(bench, run):
    """The saved activations of each module are those that the program told (modules_told), where a
    request failed."""
    wrong = []
    for told in _told(run, "PATHS "):
        answer = json.loads(bench.ask("top", "--by", "module", "--at", "oom", "--json",
                                      str(run.processes[0].history)).stdout)
        found = {group["key"].removesuffix(", activations"): group["bytes"]
                 for device in answer["devices"] for group in device["groups"]
                 if group["key"].endswith(", activations")}
        if found != told:
            wrong.append(f"kinds: activations {found} instead of {told}")
    return wrong


def _snapshot(history):
    with open(history, "rb") as file:
        return pickle.load(file)


def _events(history):
    traces = _snapshot(history)["device_traces"]
    return [[(entry["action"], entry.get("addr"), entry["size"], entry["stream"]) for entry in trace]
            for trace in traces]


def _sizes(history):
    return [sorted((action, size, stream) for action, _, size, stream in trace)
            for trace in _events(history)]


def _without_times(history):
    snapshot = _snapshot(history)
    for entry in itertools.chain(*snapshot["device_traces"],
                                 snapshot.get("external_annotations", [])):
        entry.pop("time_us", None)
    # Pinned memory lies at addresses of the host, which differ from run to run.
    for part in ("host_segments", "host_traces"):
        snapshot.pop(part, None)
    return snapshot


def compiled_code_is_the_models(program, run):
    """Each frame of code that inductor made follows a line of the model."""
    stacks = [[frame["filename"] for frame in entry.get("frames", [])]
              for process in run.processes for trace in _snapshot(process.history)["device_traces"]
              for entry in trace]
    pairs = [(inner, outer) for files in stacks for inner, outer in itertools.pairwise([""] + files)
             if "/compiled/inductor/" in outer and "/compiled/inductor/" not in inner]
    wrong = [inner for inner, _ in pairs if not inner.endswith("/" + program.compiled_from)]
    if not pairs:
        return ["no stack of compiled code"]
    return [f"{len(wrong)} of {len(pairs)} frames follow {wrong[0] or 'nothing'}"] if wrong else []


def plugin_has_the_figures(native, other_native, with_plugin):
    """All figures of memory_stats, but those that differ between two runs of PyTorch's own."""
    wrong = []
    for device, figures in enumerate(with_plugin.processes[0].devices):
        wanted = native.processes[0].devices[device]
        unsure = other_native.processes[0].devices[device]
        wrong += [f"plug-in: {name} {figures.get(name)} instead of {value}"
                  for name, value in wanted.items()
                  if figures.get(name) != value and unsure[name] == value]
    return wrong


def pinned_memory_is_as_replayed(bench, run):
    """The calls for pinned memory that the dry run's runtime saw, and PyTorch's own figures."""
    host = bench.replay(run.folder / "pinned.vtrace.jsonl", "--frees", "recorded")["host"]
    return pinned_compared.differences(run, host)


def managed_memory_is_counted(run):
    """The summary has the figures that the program tells."""
    [line] = [line for line in run.output.splitlines() if line.startswith("MANAGED ")]
    [process] = json.loads((run.folder / "dry_run.json").read_text())["processes"]
    [gpu] = process["driver"]
    return [f"managed memory: {name} {gpu[name]}, the program {value}"
            for name, value in json.loads(line.removeprefix("MANAGED ")).items()
            if gpu[name] != value] + ([] if "MiB fit, as on " in run.errors else ["no GPU that has room for it"])


def programs_have_the_same_figures(run, other):
    wanted, found = (figures_compared.of_program(each.processes[0].devices, each.option_string)
                     for each in (run, other))
    return figures_compared.differences(wanted, found)
