#!/usr/bin/env python3
"""Includes and links between the folders of the product go in the directions that include_directions.txt allows. No files
include each other in a circle, and folders without MPI reach no mpi.h.

Usage: include_directions.py [--show]      --show prints the lines of include_directions.txt as the code is now
"""

import itertools
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = pathlib.Path(__file__).resolve().with_suffix(".txt")
PRODUCT = ("algorithms", "policy", "shim", "config")
SOURCES = (".cpp", ".hpp", ".c", ".h", ".def")


def allowed_arrows():
    """Folders in the order of the file, each with the folders, files and <libraries> that it may include."""
    lines = (line for line in ALLOWED.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))
    return {folder: words.split() for folder, words in (line.split(":") for line in lines)}


def folder_of(path, folders):
    """The innermost folder of the list that has the file; None where none has it."""
    return next((str(parent) for parent in path.parents if str(parent) in folders), None)


def resolve(name, includer):
    """As the compiler does: beside the file, then from the root."""
    for start in (includer.parent, pathlib.PurePosixPath()):
        path = pathlib.PurePosixPath((ROOT / start / name).resolve().relative_to(ROOT).as_posix())
        if (ROOT / path).is_file():
            return path
    return None


class Sources:
    """The product's files with their includes. Paths are relative to the root."""

    def __init__(self):
        self.own = {}        # file -> [(line, included file)]
        self.libraries = {}  # file -> [(line, library of others)]
        self.unresolved = []
        self.cmake = "".join(cmake_texts().values())
        for top in PRODUCT:
            for file in sorted((ROOT / top).rglob("*")):
                if file.suffix in SOURCES and "apptainer" not in file.parts:  # whose definitions are .def, too
                    self.read(pathlib.PurePosixPath(file.relative_to(ROOT).as_posix()))

    def read(self, path):
        self.own[path], self.libraries[path] = [], []
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', line)
            if found and found[1]:
                self.add(path, number, found[1])
            elif found:
                self.libraries[path].append((number, f"<{re.split('[/.]', found[2])[0]}>"))

    def add(self, path, number, name):
        target = resolve(name, path)
        if target:
            self.own[path].append((number, target))
        elif not re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", self.cmake):  # else CMake writes that file, into the build tree
            self.unresolved.append(f"{path}:{number}: {name}")

    def way_to(self, library, start):
        """The files by which `start` includes a library; None where it does not."""
        ways, seen = [[start]], {start}
        for way in ways:
            if library in (name for _, name in self.libraries.get(way[-1], [])):
                return way
            for _, target in self.own.get(way[-1], []):
                if target not in seen:
                    seen.add(target)
                    ways.append([*way, target])
        return None

    def circle(self):
        """Files that include each other in a circle; None where there is none."""
        done = set()

        def walk(path, way):
            if path in way:
                return way[way.index(path):] + [path]
            if path in done:
                return None
            found = next(filter(None, (walk(target, [*way, path]) for _, target in self.own.get(path, []))), None)
            done.add(path)
            return found
        return next(filter(None, (walk(path, []) for path in self.own)), None)


def cmake_texts():
    """The CMakeLists.txt of the product by folder."""
    return {file.parent.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8")
            for top in PRODUCT for file in (ROOT / top).rglob("CMakeLists.txt")}


def links():
    """(folder, folder that it links, line of CMakeLists.txt) by the names of our libraries."""
    texts = cmake_texts()
    home = {library: folder for folder, text in texts.items() for library in re.findall(r"add_\w+\((switchyard_\w+)", text)}
    for folder, text in texts.items():
        for call in re.finditer(r"target_link_libraries\([^)]*\)", text):
            for library in re.findall(r"\bswitchyard_\w+", call[0]):
                if home.get(library, folder) != folder:
                    yield folder, home[library], text.count("\n", 0, call.start()) + 1


class IncludeDirections(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.allowed = allowed_arrows()
        cls.sources = Sources()

    def arrows(self):
        """(folder, included folder, included file, where) for every include that leaves its folder."""
        named = set(itertools.chain(*self.allowed.values()))
        for path in self.sources.own:
            folder = folder_of(path, self.allowed)
            for number, target in self.sources.own[path]:
                if folder_of(target, self.allowed) != folder:
                    yield folder, folder_of(target, self.allowed), str(target), f"{path}:{number}"
            for number, library in self.sources.libraries[path]:
                if library in named:
                    yield folder, library, library, f"{path}:{number}"

    def must_be_empty(self, findings, what):
        if findings:
            self.fail(f"{what}:\n" + "\n".join(map(str, findings)))

    def test_every_include_is_found(self):
        self.must_be_empty(self.sources.unresolved, "neither beside the file nor from the root")
        self.assertGreater(sum(map(len, self.sources.own.values())), 100)

    def test_every_file_is_in_a_folder_of_the_list(self):
        self.must_be_empty([path for path in self.sources.own if folder_of(path, self.allowed) is None], "in no folder")

    def test_list_goes_down(self):
        order = list(self.allowed)
        for folder, words in self.allowed.items():
            for word in words:
                if not word.startswith("<"):
                    below = order[order.index(folder) + 1:]
                    self.assertIsNotNone(folder_of(pathlib.PurePosixPath(word, "file"), below), f"{folder}: {word}")

    def test_includes(self):
        self.must_be_empty([f"{folder} -> {target}   {where} includes {file}" for folder, target, file, where in self.arrows()
                            if not {target, file} & set(self.allowed.get(folder, []))], "not allowed")

    def allowed_to_link(self, folder):
        """A library may have several folders of the list."""
        return set(itertools.chain(*(words for name, words in self.allowed.items()
                                     if name == folder or name.startswith(folder + "/"))))

    def test_links(self):
        self.must_be_empty([f"{folder} -> {target}   {folder}/CMakeLists.txt:{line}" for folder, target, line in links()
                            if not any(f"{word}/".startswith(f"{target}/") for word in self.allowed_to_link(folder))], "not allowed")

    def test_every_arrow_of_the_list_exists(self):
        """The list is also a document. A folder may reach mpi.h by other folders' files; links are checked above."""
        there = {(folder, word) for folder, *words, _ in self.arrows() for word in words} | {
            (folder, target) for folder, target, _ in links()}
        self.must_be_empty([f"{folder} -> {word}" for folder, words in self.allowed.items() for word in words
                            if (folder, word) not in there and word != "<mpi>"], "no such include")

    def test_no_circle(self):
        self.must_be_empty(self.sources.circle() or [], "files that include each other")

    def test_folders_without_mpi_do_not_reach_it(self):
        for path in self.sources.own:
            folder = folder_of(path, self.allowed)
            if folder and "<mpi>" not in self.allowed[folder]:
                way = self.sources.way_to("<mpi>", path)
                self.assertIsNone(way, "includes mpi.h: " + " -> ".join(map(str, way or [])))


def show():
    allowed = allowed_arrows()
    test = IncludeDirections
    test.setUpClass()
    arrows = {(folder, target) for folder, target, *_ in test().arrows()}
    for folder in allowed:
        order = [*allowed, *sorted({target for _, target in arrows if str(target).startswith("<")})]
        print(f"{folder}:", *(target for target in order if (folder, target) in arrows))


if __name__ == "__main__":
    if sys.argv[1:] == ["--show"]:
        show()
    else:
        unittest.main()
