"""Counts of instructions on record, instructions.json: {"compiler": NAME, "counts": {GROUP: {WHAT: NUMBER}}}."""

import json
import re
import subprocess
import sys
from pathlib import Path

FILE = Path(__file__).resolve().with_name("instructions.json")
MOST = 1.01  # times the count on record
SKIPPED = 77


def compiler():
    """The name and the version, without the number of a distribution's package."""
    said = subprocess.run(["c++", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"\S+ .*?(\d+\.\d+)\.\d+", said)
    return f"GCC {found[1]}" if found and "Free Software Foundation" in said else said.partition("\n")[0]


def on_record():
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"compiler": compiler(), "counts": {}}


def skip_with_another_compiler():
    if on_record()["compiler"] != compiler():
        print(f"the counts on record are of {on_record()['compiler']}, not of {compiler()}")
        sys.exit(SKIPPED)


def record(found):
    """Replaces the groups in `found`."""
    counts = on_record()["counts"] if on_record()["compiler"] == compiler() else {}
    content = {"compiler": compiler(), "counts": {**counts, **found}}
    FILE.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def check(found):
    """Prints each count that is too high, not on record, or on record and not found. Whether there is such a count, or no count at all."""
    wrong = not found
    for group, counts in found.items():
        known = on_record()["counts"].get(group, {})
        for what in counts.keys() | known.keys():
            before, now = known.get(what), counts.get(what)
            if before is None or now is None or not 0 < now <= MOST * before:
                wrong = True
                print(f"{group}, {what}: {now} instructions, {before} on record")
            elif now < before / MOST:
                print(f"{group}, {what}: {now} instructions, {before} on record. Fewer: record them anew")
    return wrong
