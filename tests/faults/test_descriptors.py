"""Programs that close descriptors which they did not open, and open files of their own under the same numbers."""

import unittest

from faults import MESSAGES, SHARED, FaultTest

CALLS = ("world:5", "self:5000")
MORE = ("self:20000", "world:5", "threads:2:20")


class TakenDescriptors(FaultTest):
    def check(self, *steps, equipment=(SHARED,)):
        """The program's files stay open and empty, and the log is whole."""
        for options in equipment:
            with self.subTest(options=options):
                result = self.endure(2, *steps, options=options)
                self.assertEqual(result.warnings, [], result.everything())
                self.assert_whole(result)
                self.assertEqual(result.run_json()["records_dropped"], 0)

    def test_all_from_48(self):
        self.check(*CALLS, "close:48", *MORE)

    def test_exactly_ours(self):
        """The files of the log, and memory that the node shares. (No MPI bears a program that closes all from 3.)"""
        self.check(*CALLS, "close_of:switchyard", *MORE, equipment=(MESSAGES, SHARED))

    def test_before_the_first_call(self):
        self.check("close_of:switchyard", *MORE)

    def test_again_and_again(self):
        self.check(*["world:2", "self:4500", "close_of:switchyard"] * 4, "world:2")


if __name__ == "__main__":
    unittest.main()
