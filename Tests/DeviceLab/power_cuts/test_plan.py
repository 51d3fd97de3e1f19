"""The plan of a run: a value that needs no guest. `python3 -m unittest` in DeviceLab runs it."""

import unittest

from power_cuts.plan import KINDS, plan


class PlanTests(unittest.TestCase):
    def test_a_seed_gives_the_same_plan_again_and_another_seed_another(self):
        self.assertEqual(plan(7, 50), plan(7, 50))
        self.assertNotEqual(plan(7, 50), plan(8, 50))

    def test_a_shorter_run_is_the_beginning_of_a_longer_one(self):
        self.assertEqual(plan(7, 12), plan(7, 50)[:12])

    def test_every_kind_comes_once_in_every_round(self):
        cuts = plan(3, 4 * len(KINDS))
        for start in range(0, len(cuts), len(KINDS)):
            self.assertEqual(sorted(cut.kind for cut in cuts[start : start + len(KINDS)]), sorted(KINDS))


if __name__ == "__main__":
    unittest.main()
