"""Runs the benchmarks for moments: they measure, and a simulation ends at the same time each time.
How fast they are is asserted nowhere. `run_test.py VRAMLAB_BENCHMARKS VRAMLAB`"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCHMARKS, VRAMLAB = sys.argv[1:3]
CASE = pathlib.Path(__file__).resolve().parents[1] / "conformance/small-1164.json.gz"


def measured(*arguments):
    document = json.loads(subprocess.check_output([BENCHMARKS, *arguments, "--json"], text=True))
    assert document["schema_version"] == 1
    return document["rows"]


class Benchmarks(unittest.TestCase):
    def test_engine_measures_a_case_without_and_with_history(self):
        rows = measured("engine", str(CASE), "--conf", "")
        self.assertEqual([row["history"] for row in rows], [False, True])
        self.assertTrue(all(row["ns_per_call"] > 0 and row["yardstick_ns"] > 0 for row in rows))

    def test_engine_refuses_a_wrong_option_string(self):
        run = subprocess.run([BENCHMARKS, "engine", str(CASE), "--conf", "no_such:1"],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("no_such", run.stderr)

    def test_streams_come_to_the_same_end_in_virtual_time(self):
        first, again = (measured("streams", "--operations", "5000", "--streams", "8")
                        for _ in range(2))
        self.assertEqual(first[0]["end_ns"], again[0]["end_ns"])
        # A call takes a microsecond.
        self.assertGreaterEqual(first[0]["end_ns"], 5_000_000)

    def test_trace_counts_the_events_that_it_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([VRAMLAB, "generate", "training", "--events", "3000", "-o",
                            f"{folder}/a.vtrace", "--quiet"], check=True)
            row, = measured("trace", f"{folder}/a.vtrace")
        self.assertGreaterEqual(row["events"], 3000)
        self.assertGreater(row["requested_bytes"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
