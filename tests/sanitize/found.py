#!/usr/bin/env python3
"""Counts what sanitizers found in code of ours, and prints each kind once. Exit code 1 where there is any.

Usage: found.py FOLDER     with the files of log_path

A leak counts where the first frame outside the runtime and the standard library is ours: other leaks are the MPI's. An indirect
leak is held by memory that leaked before it, such as a communicator that the program never freed. An error of ASan or UBSan
counts wherever it is. A race counts where the first such frame of one of its accesses is ours.
"""

import pathlib
import re
import sys

OURS = re.compile(r"libswitchyard|switchyard::")
PASSED = re.compile(r"lib[atu]b?san|sanitizer|interceptor|libstdc\+\+|operator new|std::|__gnu_cxx|libc\.so|/libc")
FRAME = re.compile(r"^\s+#\d+ ")


def frames_of(part):
    return [line.strip() for line in part.splitlines() if FRAME.match(line)]


def first_beyond(frames):
    """The first frame of somebody who could have done otherwise."""
    named = (frame for frame in frames if " in " in frame or "::" in frame)  # others: a library that was unloaded since
    return next((frame for frame in named if not PASSED.search(frame) or OURS.search(frame)), "")


def leaks(text):
    for part in re.findall(r"(?ms)^Direct leak of .*?\n\n", text):
        if OURS.search(first_beyond(frames_of(part))):
            yield part


def races(text):
    for part in re.findall(r"(?ms)^WARNING: ThreadSanitizer: .*?^SUMMARY", text):
        accesses = re.split(r"(?m)^\s*$", part)[:2]
        if any(OURS.search(first_beyond(frames_of(access))) for access in accesses):
            yield part


def errors(text):
    yield from re.findall(r"(?m)^.*runtime error: .*$(?:\n\s+#.*)*", text)
    yield from re.findall(r"(?ms)^==\d+==ERROR: AddressSanitizer: .*?(?=^SUMMARY)", text)


def signature(part):
    """Equal for findings at one place."""
    ours = [re.sub(r"^#\d+ 0x[0-9a-f]+ ", "", frame) for frame in frames_of(part) if OURS.search(frame)]
    return tuple(ours[:2]) or part.splitlines()[0]


def main():
    files = [path.read_text(errors="replace") for path in sorted(pathlib.Path(sys.argv[1]).iterdir())]
    any_found = False
    for kind, search in (("errors", errors), ("leaks", leaks), ("races", races)):
        found = {}
        for text in files:
            for part in search(text):
                found.setdefault(signature(part), []).append(part)
        print(f"{kind}: {sum(map(len, found.values()))}, at {len(found)} places")
        for parts in found.values():
            print(f"--- {len(parts)} times\n{parts[0]}")
        any_found = any_found or bool(found)
    sys.exit(1 if any_found else 0)


main()
