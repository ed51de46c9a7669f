"""Shares of long checks (tools/dev/shares.py): a week covers all, and a changed header has a source."""
import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("shares", ROOT / "tools/dev/shares.py")
shares = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(shares)

LISTING = "Running main()\nBlocks.\n  split\nAll/Rows.\n  are_equal/0  # GetParam() = 1\nPools/0.  # TypeParam = int\n  x\n"


class Shares(unittest.TestCase):
    def test_each_suite_is_in_one_share(self):
        everything = shares.filter_for(LISTING, None)
        self.assertEqual(everything, "Blocks.*:All/Rows.*:Pools/0.*")
        by_day = [shares.filter_for(LISTING, share) for share in range(shares.SHARES)]
        suites = [suite for part in by_day if part != "none" for suite in part.split(":")]
        self.assertEqual(sorted(suites), sorted(everything.split(":")))

    def test_shares_of_a_week_are_alike(self):
        counts = [sum(shares.is_in_share(f"Suite{i}.", share) for i in range(700))
                  for share in range(shares.SHARES)]
        self.assertTrue(all(60 < count < 140 for count in counts), counts)

    def test_a_share_without_suites_runs_no_test(self):
        self.assertEqual(shares.filter_for("", 0), "none")

    def test_a_changed_header_is_seen_through_its_source_or_a_user(self):
        sources = shares.all_sources()
        self.assertIn("allocator/caching_allocator.cpp", sources)
        shown = shares.sources_that_show({"allocator/caching_allocator.h", "README.md", "gone.cpp"}, sources)
        self.assertEqual(shown, {"allocator/caching_allocator.cpp"})
        shown = shares.sources_that_show({"allocator/types/device.h"}, sources)
        self.assertEqual(len(shown), 1)

    def test_the_last_release_is_found_where_there_is_history(self):
        if shares.git("rev-parse", "--is-shallow-repository") != "false":
            self.skipTest("no history here")
        self.assertTrue(shares.git("cat-file", "-t", shares.last_release()))


if __name__ == "__main__":
    unittest.main()
