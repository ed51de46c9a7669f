"""pytest with vramlab's plug-in: a test that allocates too much fails, and the line is named."""
import os
import tempfile

import figures
import pytest
import vramlab_module

TESTS = """
import pytest
import torch

MIB = 1 << 20


def take(mib):
    return torch.empty(mib * MIB, dtype=torch.uint8, device="cuda")


@pytest.mark.limit_vram("100MiB")
def test_small():
    take(90)
    take(60)


@pytest.mark.limit_vram("100MiB", of="allocated")
def test_too_much():
    first, second = take(60), take(80)


@pytest.mark.limit_vram("50GiB", gpu="rtx3090")
def test_too_much_for_a_gpu():
    take(30 << 10)


@pytest.mark.limit_vram_growth("1MiB")
def test_that_keeps(request):
    request.config.kept = take(30)
"""


class Outcomes:
    def __init__(self):
        self.texts = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            name = report.nodeid.rpartition(":")[2]
            self.texts[name] = "" if report.passed else str(report.longrepr)


def main():
    found = Outcomes()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test_limits.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(TESTS)
        pytest.main(["-q", "-p", "vramlab.pytest_plugin", "-p", "no:cacheprovider",
                     "--rootdir", folder, path], plugins=[found])
    texts = found.texts
    assert texts["test_small"] == "", texts
    assert "peak allocated 140.00 MiB is more than 100.00 MiB" in texts["test_too_much"], texts
    assert "140.00 MiB" in texts["test_too_much"].splitlines()[2], texts
    assert "test_limits.py:9 take" in texts["test_too_much"], texts
    assert "1 requests fail (replayed with gpu rtx3090)" in texts["test_too_much_for_a_gpu"], texts
    assert "holds 30.00 MiB more at its end" in texts["test_that_keeps"], texts
    print("JUDGED", len(texts))


main()
