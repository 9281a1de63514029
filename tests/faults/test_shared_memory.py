"""Little /dev/shm, a full one, one that takes no files, none at all: the program runs as without the shim."""

import unittest

from faults import (FEW_RANKS, POLICY, SHARED, SWITCHYARD, FaultTest, Result, can_mount, clean_environment,
                    finish, client, launcher, with_own_mounts)

STEPS = ("world:40", "self:10", "threads:1:40")
# A folder of devices without shm. The terminals stay.
NO_SHM = """mkdir -p dev && mount -t tmpfs none dev && mkdir dev/pts && mount --bind /dev/pts dev/pts
for name in null zero full random urandom tty ptmx; do touch dev/$name; mount --bind /dev/$name dev/$name; done
mount --rbind dev /dev"""
KINDS = {
    "1 MB": "mount -t tmpfs -o size=1m none /dev/shm",
    "30 MB": "mount -t tmpfs -o size=30m none /dev/shm",
    "full": "mount -t tmpfs -o size=1m none /dev/shm && { cat /dev/zero > /dev/shm/filler 2> /dev/null || true; }",
    "without inodes": "mount -t tmpfs -o nr_inodes=1 none /dev/shm",
    "read-only": "mount -t tmpfs -o ro none /dev/shm",
    "absent": NO_SHM,
}


@unittest.skipUnless(can_mount(), "no namespace of mounts to be had")
class SmallDevShm(FaultTest):
    def check(self, kind):
        self.assert_whole(self.endure(2, *STEPS, around=with_own_mounts(KINDS[kind]), options=SHARED))

    def test_1_mb(self):
        self.check("1 MB")

    def test_30_mb(self):
        """As containers have it, or less."""
        self.check("30 MB")

    def test_full(self):
        self.check("full")

    def test_without_inodes(self):
        self.check("without inodes")

    def test_read_only(self):
        self.check("read-only")

    def test_absent(self):
        self.check("absent")

    def test_many_communicators(self):
        """Containers have a /dev/shm of 64 MB. A page of it that is not there kills who touches it."""
        around = with_own_mounts(KINDS["30 MB"])
        for number, options in enumerate((SHARED, POLICY)):
            with self.subTest(options=options):
                log = self.path(f"many-{number}")
                command = [*around, *launcher(FEW_RANKS, {}), SWITCHYARD, "run", "--log", log, *options, "--",
                           client("c_comms"), "100"]
                settings = dict(clean_environment(), SWITCHYARD_SHARED_BYTES=str(16 << 20))
                result = Result(*finish(command, settings, self.folder, 60), log)
                self.assert_ended_well(result)
                self.assert_quiet(result)
                lines = self.assert_logged(result)
                self.assertIn("shared", {line["algorithm"] for line in lines})


if __name__ == "__main__":
    unittest.main()
