"""The log lies on a file server. Here that is sshfs, whose server is a program of this machine."""

import os
import shutil
import signal
import subprocess
import tempfile
import unittest

from faults import FaultTest

SERVER = "/usr/lib/openssh/sftp-server"
STEPS, AFTER = ("world:5", "self:5000"), ("self:9000", "world:5", "threads:2:10")


class Mount:
    """A folder by way of sshfs. Its files are beside it, in the folder that the server gives out."""

    def __init__(self, folder, *options):
        self.folder = os.path.join(folder, "mounted")
        self.pid_file = os.path.join(folder, "server.pid")
        files, start = os.path.join(folder, "files"), os.path.join(folder, "start")
        os.mkdir(self.folder)
        os.mkdir(files)
        with open(start, "w", encoding="ascii") as script:
            script.write(f"#!/bin/sh\necho $$ > {self.pid_file}\nexec {SERVER}\n")
        os.chmod(start, 0o755)
        words = ["sshfs", "-o", f"ssh_command={start}", *options, f"none:{files}", self.folder]
        self.is_there = subprocess.run(words, capture_output=True, check=False, timeout=20).returncode == 0

    def server(self):
        with open(self.pid_file, encoding="ascii") as file:
            return int(file.read())

    def end(self):
        subprocess.run(["fusermount", "-u", "-z", self.folder], capture_output=True, check=False)


def can_mount_sshfs():
    if not (os.path.exists(SERVER) and shutil.which("sshfs") and shutil.which("fusermount")):
        return False
    with tempfile.TemporaryDirectory() as folder:
        mount = Mount(folder)
        mount.end()
        return mount.is_there


@unittest.skipUnless(can_mount_sshfs(), "no sshfs to be had (Debian: sshfs, openssh-sftp-server)")
class FileServers(FaultTest):
    def mounted(self, *options):
        mount = Mount(self.folder, *options)
        self.addCleanup(mount.end)
        self.assertTrue(mount.is_there)
        return mount

    def test_served(self):
        """Nothing is unusual: pages of the server's files can be mapped."""
        result = self.endure(2, *STEPS, *AFTER, log=os.path.join(self.mounted().folder, "logs"))
        self.assertEqual(result.warnings, [], result.everything())
        self.assert_whole(result)

    def test_no_shared_pages(self):
        """The log is whole. What a killed program would lose is said."""
        mount = self.mounted("-o", "direct_io")
        result = self.endure(2, *STEPS, *AFTER, log=os.path.join(mount.folder, "logs"))
        self.assertIn("stay in memory until the end", result.warnings[0])
        self.assert_whole(result)

    def lost_server(self, *options):
        """The server ends while the program runs."""
        mount = self.mounted(*options)
        step = f"shell:kill -{int(signal.SIGKILL)} {mount.server()}"
        result = self.attacked(2, *STEPS, step, *AFTER, log=os.path.join(mount.folder, "logs"))
        self.assert_as_bare(result, self.bare(2, *STEPS, *AFTER))
        self.assertEqual(len(result.warnings), 1, result.everything())
        self.assertIn("records dropped", result.closing_line)

    def test_lost_server(self):
        """The records lie in pages that nobody could fetch any more."""
        self.lost_server()

    def test_lost_server_without_shared_pages(self):
        self.lost_server("-o", "direct_io")


if __name__ == "__main__":
    unittest.main()
