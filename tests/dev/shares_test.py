"""Shares of long checks (tools/dev/shares.py): a week covers all, and a changed header has a source."""
import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("shares", ROOT / "tools/dev/shares.py")
shares = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(shares)


class Shares(unittest.TestCase):
    def test_each_room_is_in_one_share(self):
        rooms = [room for share in range(shares.SHARES) for room in shares.rooms_of(share)]
        self.assertEqual(len(rooms), len(set(rooms)))
        self.assertEqual(set(rooms), {path.parent.relative_to(ROOT).as_posix()
                                      for path in (ROOT / "tests").rglob("*.cpp")})

    def test_the_nearest_folder_that_a_day_names_counts(self):
        self.assertEqual(shares.DAYS[shares.share_of_room("replay/replayer")][0], "replay/replayer")
        self.assertEqual(shares.DAYS[shares.share_of_room("replay/packing")], ["replay"])
        self.assertIn("vramlab_shim_tests", shares.DAYS[shares.share_of_room("random")])

    def test_each_folder_that_a_day_names_has_tests(self):
        for day in shares.DAYS:
            for name in day:
                if not name.startswith("vramlab_"):
                    self.assertTrue(any((ROOT / "tests" / name).rglob("*_test.cpp")), name)

    def test_all_programs_together_are_those_of_the_days(self):
        by_day = [name for share in range(shares.SHARES) for name in shares.programs_of(share)]
        self.assertEqual(by_day, shares.programs_of(None))

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
