"""The standard ABI of MPI-5, and MPIs and back ends that do not fit: the program runs as without the shim, and one line names
the file and the version.

Here the MPI is a stand-in of one rank. ctest runs the C programs of other modules for a real MPI's ABI, where there is one
(preload.*.standard_abi.*).
"""

import os
import re
import shutil
import subprocess
import unittest

from harness import ROOT, SHIM, PreloadTest, Result, clean_environment, finish, client

BACK_END = os.path.join(os.path.dirname(SHIM), "libswitchyard-abi.so")
HEADER = os.path.join(ROOT, "shim", "back_end", "standard_abi", "mpi.h")
ABI_INCLUDE = os.environ.get("SWITCHYARD_TEST_ABI_INCLUDE")
STUB = "stand_in/libmpi_abi.so.1"


class LeftAlone(PreloadTest):
    def run_alone(self, program, *arguments, shim=SHIM, **environment):
        environment = dict(clean_environment(), LD_PRELOAD=shim, SWITCHYARD_LOG=self.path("log"), **environment)
        words = [client(program), *map(client, arguments)]
        return Result(*finish(words, environment, self.folder, 20), self.path("log"))

    def check_left_alone(self, result, *says):
        self.assert_ended_well(result)
        self.assertEqual(len(result.warnings), 1, result.everything())
        self.assertEqual(len(result.stderr.splitlines()), 1, result.everything())
        for text in says:
            self.assertIn(text, result.warnings[0])
        self.assertTrue(result.warnings[0].endswith("nothing is routed"), result.warnings[0])
        self.assertEqual(result.logs, [])


class Versions(LeftAlone):
    def test_an_abi_to_come(self):
        for version in ("2.0", "2.1", "0.9", "11.0"):
            with self.subTest(version=version):
                result = self.run_alone("c_standard_abi", STUB_ABI_VERSION=version)
                self.check_left_alone(result, STUB, f"version {version} of MPI's standard ABI", "knows version 1")

    def test_an_abi_without_a_version(self):
        for version in ("-1.-1", "fails"):
            with self.subTest(version=version):
                result = self.run_alone("c_standard_abi", STUB_ABI_VERSION=version)
                self.check_left_alone(result, STUB, "does not say which version")

    def test_an_abi_that_lacks_functions(self):
        """A later 1.x has more functions, never fewer. The stand-in has next to none, so the back end cannot be loaded."""
        for version in ("1.0", "1.7"):
            with self.subTest(version=version):
                result = self.run_alone("c_standard_abi", STUB_ABI_VERSION=version)
                self.check_left_alone(result, BACK_END, "undefined symbol: PMPI_")

    def test_an_mpi_that_nobody_knows(self):
        self.check_left_alone(self.run_alone("c_unknown_mpi"), "stand_in/libmpi_unknown.so.1", "(Nobody's MPI 7.5)")

    def test_off_says_nothing(self):
        for program in ("c_standard_abi", "c_unknown_mpi"):
            result = self.run_alone(program, SWITCHYARD="off", STUB_ABI_VERSION="2.0")
            self.assert_ended_well(result)
            self.assertEqual(result.stderr, "")


class BackEnds(LeftAlone):
    """The back end that lies beside a copy of the shim."""

    def run_beside(self, content):
        shim = self.path("libswitchyard.so")
        shutil.copy(SHIM, shim)
        self.beside = self.path("libswitchyard-abi.so")
        if content is not None:
            with open(self.beside, "wb") as file:
                file.write(content)
        return self.run_alone("c_standard_abi", shim=shim)

    def contents_of(self, path):
        with open(path, "rb") as file:
            return file.read()

    def test_missing(self):
        self.check_left_alone(self.run_beside(None), self.beside, "is missing", STUB)

    def test_of_another_version(self):
        content = self.contents_of(client("stub_back_end.so"))
        self.check_left_alone(self.run_beside(content), self.beside, "another version", "9999")

    def test_no_library(self):
        good = self.contents_of(BACK_END)
        for content in (b"", b"#!/bin/sh\n", good[:1000]):
            with self.subTest(bytes=len(content)):
                self.check_left_alone(self.run_beside(content), self.beside)

    def test_another_library(self):
        content = self.contents_of(client("c_layer.so"))
        self.check_left_alone(self.run_beside(content), self.beside)


class TwoMpis(LeftAlone):
    def check_two(self, result, plain):
        self.assert_ended_well(result)
        self.assertEqual(result.stdout, plain.stdout)
        self.assertEqual(len(result.lines_of_ours), 1, result.everything())
        self.assertRegex(result.warnings[0], r"two MPI libraries in one program, \S+ and \S+; nothing is routed")
        self.assertIn(STUB, result.warnings[0])
        self.assertEqual(result.logs, [])

    def test_linked(self):
        """Symbols mean the first one, as without us."""
        plain = self.plain(2, client("c_two_mpis"))
        self.check_two(self.launch(2, client("c_two_mpis"), force="alltoallv:pairwise"), plain)

    def test_in_local_scopes(self):
        """Each plug-in has an MPI of its own, and its calls go there."""
        for plugins in (["c_plugin.so", "c_standard_abi_plugin.so"], ["c_standard_abi_plugin.so", "c_plugin.so"]):
            with self.subTest(plugins=plugins):
                words = [client("c_plugin_loader"), *map(client, plugins)]
                plain = self.plain(1, *words)
                self.check_two(self.launch(1, *words, force="alltoallv:pairwise"), plain)


# Prints what a header says of the names that it is given.
QUESTIONS = """
#include <mpi.h>
#include <cstddef>
#include <cstdio>
#include <type_traits>
#include <typeinfo>
template <typename T> void constant(const char* name, T value) {
    if constexpr (std::is_pointer_v<T>) std::printf("%s: %s %p\\n", name, typeid(T).name(), (void*)value);
    else std::printf("%s: %lld\\n", name, (long long)value);
}
template <typename T> void type(const char* name) { std::printf("%s: %s of %zu\\n", name, typeid(T).name(), sizeof(T)); }
template <typename T> void function(const char* name, T*) { std::printf("%s: %s\\n", name, typeid(T).name()); }
int main() {
#define MEMBER(name) constant(#name, offsetof(MPI_Status, name)), constant(#name, sizeof(MPI_Status::name));
    MEMBER(MPI_SOURCE) MEMBER(MPI_TAG) MEMBER(MPI_ERROR)
    ANSWERS
}
"""


def names_in_header():
    """Types, constants and functions that our mpi.h has."""
    with open(HEADER, encoding="utf-8") as file:
        text = re.sub(r"//.*", "", file.read())
    types = re.findall(r"typedef [^;({]*\b(MPI_\w+);", text) + ["MPI_Status"]
    constants = re.findall(r"#define (MPI_\w+)", text) + re.findall(r"\b(MPI_[A-Z0-9_]+) = ", text)
    return types, constants, re.findall(r"\bint (PMPI_\w+)\(", text)


class Header(PreloadTest):
    def answers(self, *options):
        types, constants, functions = names_in_header()
        calls = ([f'type<{name}>("{name}");' for name in types] + [f'constant("{name}", {name});' for name in constants] +
                 [f'function("{name}", &{name});' for name in functions])
        source = self.write("answers.cpp", QUESTIONS.replace("ANSWERS", "\n    ".join(calls)))
        # No MPI is linked: only the functions' types are asked for.
        command = ["c++", "-std=c++20", "-w", "-Wl,--unresolved-symbols=ignore-all", *options, source, "-o", self.path("answers")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return subprocess.run([self.path("answers")], capture_output=True, text=True, check=True).stdout.splitlines()

    @unittest.skipUnless(ABI_INCLUDE, "this MPI has no mpi.h of the standard ABI to compare ours with")
    def test_says_what_the_mpi_s_says(self):
        ours = self.answers("-I", os.path.dirname(HEADER))
        self.assertGreater(len(ours), 100)
        self.assertEqual(ours, self.answers("-I", ABI_INCLUDE, "-DMPI_ABI"))


class Library(unittest.TestCase):
    """libswitchyard-abi.so wants nothing but the standard's functions, libc and libstdc++."""

    def test_what_it_wants(self):
        declared = set(names_in_header()[2])
        listed = subprocess.run(["nm", "-D", "--undefined-only", BACK_END], capture_output=True, text=True, check=True)
        undefined = dict(reversed(line.split()) for line in listed.stdout.splitlines())
        mpi = {name for name in undefined if "MPI" in name}
        self.assertEqual(mpi, declared)
        others = {name for name, kind in undefined.items() if kind == "U"} - mpi
        self.assertEqual({name for name in others if not re.search("@(GLIBC|GLIBCXX|CXXABI|GCC)_", name)}, set())


if __name__ == "__main__":
    unittest.main()
