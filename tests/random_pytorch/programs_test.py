"""Programs are what their rules say, without PyTorch: python3 -B tests/random_pytorch/programs_test.py"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import by_hand
from programs import FAMILIES, operations_of
from shrink import made_valid

SEEDS = range(15)
ASKED = [(name, seed) for name, family in FAMILIES.items() if family.asked for seed in SEEDS]


def places_of(kind, operations):
    return [place for place, operation in enumerate(operations) if operation[0] == kind]


class Programs(unittest.TestCase):
    def test_a_seed_makes_one_program(self):
        for name in FAMILIES:
            self.assertEqual(operations_of(name, 7), operations_of(name, 7))
            self.assertNotEqual(operations_of(name, 7), operations_of(name, 8))

    def test_a_block_is_freed_before_each_empty_cache(self):
        for name, seed in ASKED:
            operations = operations_of(name, seed)
            for place in places_of("empty_cache", operations):
                self.assertEqual(operations[place - 1][0], "free", (name, seed))
                self.assertTrue(str(operations[place - 1][1]).startswith("marker"), (name, seed))

    def test_no_cache_is_emptied_in_the_scope_of_a_pool(self):
        for name, seed in ASKED:
            depth = 0
            for kind, *_ in operations_of(name, seed):
                depth += (kind in ("pool_enter", "capture_begin")) - (kind in ("pool_exit", "capture_end"))
                self.assertFalse(kind == "empty_cache" and depth, (name, seed))

    def test_an_empty_cache_shows_the_end_of_a_pool(self):
        for name, seed in ASKED:
            operations = operations_of(name, seed)
            for place in places_of("pool_end", operations) + places_of("graph_end", operations):
                following = [operation[0] for operation in operations[place + 1:place + 4]]
                self.assertEqual(following, ["alloc", "free", "empty_cache"], (name, seed))

    def test_no_capture_empties_the_cache(self):
        for name, seed in ASKED:
            operations = operations_of(name, seed)
            for place in places_of("capture_begin", operations):
                self.assertEqual(operations[place][3], "raw", (name, seed))


class Shortened(unittest.TestCase):
    def test_a_program_stays_as_it_is(self):
        for name, seed in ASKED:
            self.assertEqual(made_valid(operations_of(name, seed)), operations_of(name, seed))
        for _, operations in by_hand.PROGRAMS.values():
            self.assertEqual(made_valid(operations), operations)

    def test_uses_of_what_is_gone_go_too(self):
        operations = [["alloc", 1, 512, 0, 0], ["record", 2, 1, 0], ["free", 1], ["free", 1], ["pool_enter", 0],
                      ["pool_exit"], ["graph_replay", 0], ["empty_cache"]]
        self.assertEqual(made_valid(operations), [["alloc", 1, 512, 0, 0], ["free", 1], ["empty_cache"]])

    def test_scopes_and_captures_are_closed(self):
        operations = [["pool_new", 0, {}], ["pool_enter", 0], ["capture_begin", 1, 0, "raw"]]
        self.assertEqual(made_valid(operations),
                         [["pool_new", 0, {}], ["pool_enter", 0], ["capture_begin", 1, None, "raw"], ["capture_end"],
                          ["pool_exit"]])


if __name__ == "__main__":
    unittest.main()
