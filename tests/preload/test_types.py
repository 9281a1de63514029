"""Derived datatypes, absolute addresses and blocks of more than 2 GiB, native and through every algorithm."""

import os
import unittest

from harness import OPENMPI, PreloadTest, client
from test_bindings import FORCED, smallest, spelled

RANKS = (1, 2, 3, 5) if OPENMPI else (1, 2)
NEEDED_MEMORY_KB = 14 * 1024 * 1024


def free_memory_kb():
    with open("/proc/meminfo", encoding="ascii") as file:
        values = dict(line.split(":") for line in file)
    return int(values["MemAvailable"].split()[0])


class Types(PreloadTest):
    def check(self, np, program, *arguments, force=None):
        plain = self.plain_once(np, program, *arguments)
        shimmed = self.launch(np, program, *arguments, force=force)
        self.assert_ended_well(shimmed)
        self.assert_quiet(shimmed)
        self.assertEqual(shimmed.digest, plain.digest)
        return self.assert_logged(shimmed)

    def test_native(self):
        for np in RANKS:
            with self.subTest(ranks=np):
                self.check(np, client("c_datatypes"))

    def test_every_algorithm(self):
        for np in RANKS:
            for forced in FORCED:
                with self.subTest(ranks=np, force=spelled(forced)):
                    lines = self.check(np, client("c_datatypes"), force=spelled(forced))
                    if all(np >= smallest(parameters) for _, parameters in forced.values()):
                        self.assertTrue(any(line["reason"] == "forced" for line in lines))

    def test_bytes_are_counted_as_data(self):
        """Blocks are logged by the size of their data, whatever the extent: these are two items of each type of the
        client program. A rank's own block is not sent."""
        lines = [line for line in self.check(2, client("c_datatypes")) if line["collective"] == "alltoall"]
        sizes = [0, 3, 4, 6, 8, 12, 13, 16, 24, 32, 48]
        self.assertEqual(sorted({line["max_block_bytes"] for line in lines}), [2 * size for size in sizes])
        for line in lines:
            self.assertEqual(line["sent_bytes"]["max"], (line["ranks"] - 1) * line["max_block_bytes"], line)


@unittest.skipIf(os.environ.get("SWITCHYARD_TEST_SKIP_BIG"), "asked to leave the big blocks out")
@unittest.skipIf(free_memory_kb() < NEEDED_MEMORY_KB, "less than 14 GiB of memory free")
class BigBlocks(PreloadTest):
    """The program verifies its bytes itself; a plain run would only take as long again."""

    def check(self, shape, force):
        result = self.launch(2, client("c_big"), shape, force=force, timeout=120)
        self.assert_ended_well(result)
        (line,) = self.assert_logged(result)
        self.assertEqual(line["max_block_bytes"], 2200 << 20)
        self.assertEqual(line["sent_bytes"]["max"], 2200 << 20)
        if force:
            self.assertEqual(line["reason"], "forced", line)

    def test_contiguous_block_spread_out(self):
        self.check("contiguous", "alltoallv:spread_out")

    def test_block_larger_than_all_memory_of_the_node(self):
        """One rank has gigabytes, the other nothing."""
        self.check("contiguous", "alltoallv:shared")

    def test_packed_block_tuna(self):
        self.check("vector", "alltoallv:tuna:radix=2:metadata=separate")


if __name__ == "__main__":
    unittest.main()
