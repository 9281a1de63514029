"""Ranks in containers of their own: they cannot open each other's files below /proc, or have the same process id."""

import unittest

from faults import FEW_RANKS, OPENMPI, POLICY, SHARED, FaultTest, client, works

CALLS = ("world:20", "self:5000", "threads:2:20")
USER = ("unshare", "-r")
PROCESSES = ("unshare", "-rpf", "--mount-proc")
MOUNTS = ("unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=8m none /dev/shm && exec "$@"', "sh")


class Containers(FaultTest):
    def check(self, inside):
        if not works(*inside, "true"):
            self.skipTest("no such namespaces to be had")
        for options in (SHARED, POLICY):
            with self.subTest(options=options):
                result = self.endure(2, *CALLS, inside=inside, options=options)
                self.assertEqual(result.warnings, [], result.everything())
                self.assert_whole(result)

    def test_users(self):
        self.check(USER)

    @unittest.skipUnless(OPENMPI, "UCX, below Debian's MPICH, does not start there")
    @unittest.skipUnless(works(*USER, "true"), "no such namespaces to be had")
    def test_users_share_memory(self):
        """No rank may look into another rank's /proc."""
        result = self.launch(FEW_RANKS, *USER, client("c_comms"), 20, force=SHARED[1])
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual(result.digest, self.plain_once(FEW_RANKS, client("c_comms"), 20).digest)
        lines = self.assert_logged(result)
        self.assertGreaterEqual(sum(line["algorithm"] == "shared" for line in lines), 20)

    def test_processes(self):
        """Every rank is process 1."""
        self.check(PROCESSES)

    def test_shared_memory(self):
        """Every rank has a /dev/shm of its own."""
        self.check(MOUNTS)


if __name__ == "__main__":
    unittest.main()
