"""Runs out of memory in stranded memory, and explain_oom() says so: it names the line, who holds
most, and an option string. Run with 1 GiB: without options it fails, and with the options that are
named it passes."""
import os
import tempfile
import time

import figures
import torch
import vramlab_module

import vramlab.torch

MIB = 1 << 20
WAY_OUT = "expandable_segments:True"


def make_holes():
    """40 MiB of each 100 that were reserved stay free."""
    batches = [torch.empty(100 * MIB, dtype=torch.uint8, device="cuda") for _ in range(8)]
    batches.clear()
    kept = []
    for _ in range(8):
        kept.append(torch.empty(60 * MIB, dtype=torch.uint8, device="cuda"))
    return kept


def ask_for_much():
    return torch.empty(300 * MIB, dtype=torch.uint8, device="cuda")


def check_text(text, folder):
    lines = text.splitlines()
    assert len(lines) <= 20, text
    line = ask_for_much.__code__.co_firstlineno + 1
    place = "/".join(__file__.split(os.sep)[-2:])
    assert f"300.00 MiB requested at {place}:{line} ask_for_much" in lines[0], text
    assert any("holds most" in each and "make_holes" in each for each in lines), text
    assert any("stranded" in each for each in lines), text
    # PYTORCH_CUDA_ALLOC_CONF or, of later versions, PYTORCH_ALLOC_CONF.
    assert f"ALLOC_CONF={WAY_OUT} " in text, text
    names = sorted(os.listdir(folder))
    assert [name.rpartition(".")[2] for name in names] == ["html", "pickle"], names
    assert vramlab.open(os.path.join(folder, names[1])).verify().label == "exact"


def main():
    told = []
    with tempfile.TemporaryDirectory() as folder:
        vramlab.torch.explain_oom(folder, write=told.append)
        kept = make_holes()
        begin = time.monotonic()
        try:
            ask_for_much()
            failures = 0
        except torch.cuda.OutOfMemoryError:
            failures = 1
        assert time.monotonic() - begin < 10
        print("".join(told))
        assert failures == (0 if WAY_OUT in os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "") else 1)
        if failures:
            check_text("".join(told), folder)
    print("EXPLAINED", len(kept))


main()
