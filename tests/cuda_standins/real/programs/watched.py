"""Starts itself below `vramlab watch`, which knows its peaks and explains its out-of-memory, though the
program has no line for it. Run with 1 GiB."""
import json
import os
import subprocess
import sys
import tempfile

MIB = 1 << 20


def ask_for_too_much(torch):
    return torch.empty(2048 * MIB, dtype=torch.uint8, device="cuda")


def watched():
    """The program that is watched."""
    import figures  # noqa: F401
    import torch

    kept = [torch.empty(60 * MIB, dtype=torch.uint8, device="cuda") for _ in range(8)]
    del kept[::2]
    try:
        ask_for_too_much(torch)
    except torch.cuda.OutOfMemoryError:
        pass
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        statistics = torch.cuda.memory_stats()
        json.dump({name: statistics[theirs] for name, theirs in (
            ("peak_allocated_bytes", "allocated_bytes.all.peak"),
            ("peak_reserved_bytes", "reserved_bytes.all.peak"),
            ("failures", "num_ooms"))}, file)


def main():
    import vramlab_module  # noqa: F401
    from vramlab.program import find_program

    with tempfile.TemporaryDirectory() as folder:
        summary, own = os.path.join(folder, "summary.json"), os.path.join(folder, "own.json")
        subprocess.run([find_program(), "watch", "-o", folder, "--json", summary, "--",
                        sys.executable, __file__, own], check=True)
        with open(summary, encoding="utf-8") as file:
            (process,) = json.load(file)["processes"]
        with open(own, encoding="utf-8") as file:
            expected = json.load(file)
        (device,) = process["devices"]
        assert process["state"] == "ended" and expected["failures"] == 1, process
        assert {name: device[name] for name in expected} == expected, (device, expected)
        with open(process["explanation"], encoding="utf-8") as file:
            text = file.read()
        assert "2.00 GiB requested at" in text and "ask_for_too_much" in text, text
        print("WATCHED", process["program"])


if len(sys.argv) > 1:
    watched()
else:
    main()
