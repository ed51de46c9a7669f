"""Many questions leave nothing behind: no memory, files, threads or children. VRAMLAB_QUESTIONS says
how many (150 by default)."""

import gc
import os
import threading
import unittest

import vramlab

SAMPLE = "traces/samples/leak.vtrace"
QUESTIONS = int(os.environ.get("VRAMLAB_QUESTIONS", "150"))
WARM_UP = 100


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def children():
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return file.read().split()


class Growth(unittest.TestCase):
    """The same questions again and again, answers and refusals."""

    def ask(self, number):
        recording = vramlab.open(SAMPLE)
        kind = number % 4
        if kind == 0:
            self.assertGreater(recording.replay().peak_reserved, 0)
        elif kind == 1:
            self.assertTrue(recording.top().rows)
        elif kind == 2:
            with self.assertRaises(vramlab.InputError):
                vramlab.open("no such file")
        else:
            with self.assertRaises(vramlab.Error):
                recording.replay(conf="no_such_option:1")

    def test_questions_leave_nothing_behind(self):
        for number in range(WARM_UP):
            self.ask(number)
        gc.collect()
        before = resident_bytes(), len(os.listdir("/proc/self/fd")), threading.active_count()
        for number in range(QUESTIONS):
            self.ask(number)
        gc.collect()
        after = resident_bytes(), len(os.listdir("/proc/self/fd")), threading.active_count()
        self.assertLess(after[0] - before[0], 1 << 20)
        self.assertEqual(after[1:], before[1:])
        self.assertEqual(children(), [])


if __name__ == "__main__":
    unittest.main()
