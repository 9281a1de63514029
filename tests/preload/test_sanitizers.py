"""Programs with sanitizers. AddressSanitizer's runtime ends a program in which another object comes before it."""

import os
import subprocess
import unittest

from harness import (DEFAULT_POLICY, HERE, MPI, PYTHON, RUNTIME, SHIM, SWITCHYARD, PreloadTest, Result,
                     clean_environment, finish, client, client_exists, launcher, mpi4py_works)

FORCE = "alltoallv:tuna:radix=2;alltoallw:tuna:radix=2;alltoall:zero_rotation_bruck;allgather:bruck;allgatherv:bruck"
SHARED = "alltoallv:shared;alltoallw:shared;alltoall:shared;allgather:shared;allgatherv:shared"
CALLS_OF_BASIC = 904
# MPIs leak at their ends. UCX, below MPICH, overwrites mmap as the runtimes do. No other object is preloaded:
# the bare program would not start.
AS_USUAL = {"LSAN_OPTIONS": "detect_leaks=0", "UCX_MEM_MMAP_HOOK_MODE": "none", "LD_PRELOAD": ""}


def runtime_of_gcc(name):
    found = subprocess.run(["gcc", "-print-file-name=" + name], capture_output=True, text=True, check=False)
    path = found.stdout.strip()
    return os.path.realpath(path) if os.path.isabs(path) else None


@unittest.skipIf(RUNTIME, "the shim itself is sanitized")
class SanitizerTest(PreloadTest):
    def job(self, program, *arguments, exported=None, **options):
        return self.launch(2, program, *arguments, exported={**AS_USUAL, **(exported or {})}, **options)

    def bare(self, program, *arguments, exported=None):
        """The program by itself. Where its sanitizer does not bear this system or this MPI, nothing is compared."""
        if not os.path.exists(program):
            self.skipTest(f"no {os.path.basename(program)}: the compiler has no such sanitizer, or is not here")
        result = self.plain(2, program, *arguments, exported={**AS_USUAL, **(exported or {})})
        if result.code != 0:
            self.skipTest(f"it does not run with {MPI} alone: {result.stderr[:400]}")
        return result

    def assert_as(self, result, bare):
        """Right results, every call in the log, and the closing line alone on stderr."""
        self.assert_ended_well(result)
        self.assertEqual(result.digest, bare.digest)
        self.assertEqual(result.stderr.splitlines(), [result.closing_line], result.everything())
        return self.assert_logged(result)

    def check(self, program, *arguments, exported=None):
        bare = self.bare(program, *arguments, exported=exported)
        for force in (FORCE, SHARED):
            with self.subTest(force=force):
                result = self.job(program, *arguments, exported=exported, force=force)
                lines = self.assert_as(result, bare)
                self.assertEqual({line["reason"] for line in lines}, {"forced"})
        with self.subTest("the default policy"):
            self.assert_as(self.job(program, *arguments, exported=exported, policy=DEFAULT_POLICY), bare)
        with self.subTest("switched off"):
            result = self.job(program, *arguments, exported={**(exported or {}), "SWITCHYARD": "off"})
            self.assert_ended_well(result)
            self.assertEqual((result.digest, result.stderr), (bare.digest, ""), result.everything())


class Programs(SanitizerTest):
    def test_address(self):
        self.check(client("c_basic_address"))
        self.assertEqual(self.job(client("c_basic_address"), force=FORCE).calls_made, CALLS_OF_BASIC)

    def test_thread(self):
        self.check(client("c_basic_thread"))

    def test_undefined(self):
        self.check(client("c_basic_undefined"))

    def test_address_by_clang(self):
        self.check(client("c_basic_clang_shared"))

    def test_address_by_clang_linked_in(self):
        self.check(client("c_basic_clang_static"))

    @unittest.skipUnless(client_exists("c_address"), "the compiler has no AddressSanitizer")
    def test_children(self):
        """They have our object from their rank, before their own runtime. Theirs works: it finds an error."""
        plain = self.plain_once(2, client("c_steps"), "world:3")
        for argument, told in (("", "a child with a sanitizer"), (" too_far", "heap-buffer-overflow")):
            with self.subTest(argument):
                child = f"shell:{client('c_address')}{argument} 2>&1 | cat"
                result = self.launch(2, client("c_steps"), "world:3", child, force=FORCE)
                self.assert_ended_well(result)
                self.assert_quiet(result)
                self.assert_logged(result)
                self.assertEqual(result.digest, plain.digest)
                self.assertIn(told, result.stdout)


class Runtimes(SanitizerTest):
    """Preloaded by the user, for a program that is not linked with them."""

    def setUp(self):
        super().setUp()
        self.runtime = runtime_of_gcc("libasan.so")
        if self.runtime is None:
            self.skipTest("gcc has no libasan.so")

    def preloaded(self, exported, *arguments):
        words = [SWITCHYARD, "run", *arguments, "--", "/bin/sh", "-c", 'echo "$LD_PRELOAD $ASAN_OPTIONS"']
        command = [*launcher(1, {**AS_USUAL, **exported}), *words]
        result = Result(*finish(command, clean_environment(), self.folder, 30), None)
        self.assertEqual((result.code, result.stderr), (0, ""), result.everything())
        return result.stdout.strip()

    def test_a_runtime_keeps_its_place(self):
        self.check(client("c_basic"), exported={"LD_PRELOAD": self.runtime})

    @unittest.skipUnless(mpi4py_works(), "no mpi4py for this MPI")
    def test_python(self):
        """As for an extension module that was built with the sanitizer."""
        self.check(PYTHON, f"{HERE}/clients/mpi4py_client.py", exported={"LD_PRELOAD": self.runtime})

    def test_what_the_program_gets(self):
        order = "verify_asan_link_order="
        self.assertEqual(self.preloaded({}), f"{SHIM} {order}0")
        self.assertEqual(self.preloaded({"LD_PRELOAD": f"{self.runtime}:libm.so.6"}),
                         f"{self.runtime}:{SHIM}:libm.so.6 {order}0")
        self.assertEqual(self.preloaded({"ASAN_OPTIONS": "color=never"}), f"{SHIM} {order}0:color=never")
        self.assertEqual(self.preloaded({"ASAN_OPTIONS": f"{order}1"}), f"{SHIM} {order}1")

    def test_the_user_s_own_wish(self):
        self.bare(client("c_basic_address"))
        result = self.job(client("c_basic_address"), exported={"ASAN_OPTIONS": "verify_asan_link_order=1"}, force=FORCE)
        self.assertNotEqual(result.code, 0)
        self.assertIn("ASan runtime does not come first", result.stderr)


if __name__ == "__main__":
    unittest.main()
