"""The page of figures from real GPUs is what its rows say, and its rules can say no.

    python3 -B tests/real_gpus/page_test.py
"""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import page

SAME = {"first_difference": "", "real_events": "7", "dry_events": "7"}


def figure(real, dry):
    return page.Row("a source", {"kernel": "softmax", "provider": "liger"}, {"peak": (real, dry)})


class ThePage(unittest.TestCase):
    def test_is_what_its_rows_say(self):
        self.assertEqual(page.PAGE.read_text(encoding="utf-8"), page.page())

    def test_has_its_counts_in_the_readme(self):
        self.assertIn(page.short_table(), page.HOW_EXACT.read_text(encoding="utf-8"))

    def test_names_a_full_commit_for_every_row(self):
        for row in [*page.figure_rows(), *page.recording_rows()]:
            self.assertRegex(row.facts["commit"], "^[0-9a-f]{40}$")

    def test_has_a_source_and_a_version_for_every_row(self):
        sources = page.json.loads((page.HERE / "sources.json").read_text(encoding="utf-8"))["sources"]
        for row in [*page.figure_rows(), *page.recording_rows()]:
            self.assertIn(row.source, sources)
            self.assertRegex(row.facts["torch"], r"^2\.\d+\.\d+$")

    def test_counts_no_row_twice(self):
        keys = [tuple(row.facts.get(name, "") for name in ("commit", "gpu", "kernel", "provider", "mode", "x_name", "x",
                                                           "config", "table", "recording"))
                for row in [*page.figure_rows(), *page.recording_rows()]]
        self.assertEqual(len(keys), len(set(keys)))


class TheRules(unittest.TestCase):
    def test_row_without_an_entry_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "0 entries"):
            page.told([figure(2.0, 3.0)], [])

    def test_row_with_two_entries_is_refused(self):
        entries = [{"name": name, "rows": {"kernel": "soft"}, "class": "open"} for name in ("a", "b")]
        with self.assertRaisesRegex(SystemExit, "2 entries"):
            page.told([figure(2.0, 3.0)], entries)

    def test_entry_without_a_row_is_refused(self):
        entry = {"name": "a", "rows": {"kernel": "soft"}, "class": "open"}
        with self.assertRaisesRegex(SystemExit, "no row"):
            page.told([figure(2.0, 2.0)], [entry])

    def test_counts_are_those_of_the_rows(self):
        rows = [figure(100.0, 100.0), figure(100.0, 100.5), figure(100.0, 120.0)]
        page.told(rows, [{"name": "a", "rows": {"kernel": "soft"}, "class": "open"}])
        self.assertEqual(page.counted(rows), (3, 1, 2, 0, 2))

    def test_events_in_another_order_are_not_equal(self):
        row = page.Row("a source", SAME, {"peak_allocated": (5, 5), "peak_reserved": (6, 6),
                                          "events": ("7", "another order")})
        self.assertFalse(row.is_equal())
        self.assertEqual(row.largest_difference(), 0)

    def test_lines_of_the_page_are_short(self):
        for line in page.page().split("\n"):
            if not line.startswith("|") and not re.search(r"\]\(", line):
                self.assertLessEqual(len(line), page.WIDTH)


if __name__ == "__main__":
    unittest.main()
