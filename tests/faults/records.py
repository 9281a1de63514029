"""The record files of a run that did not reach its end, read without any code of switchyard."""

import json
import os
import struct

SLOT = struct.Struct("<IIQ32s8sBBBBI")  # shim/common/log/record.hpp
CALL = 1
RING_BYTES, NAMES_AT = 8192 * SLOT.size, 8192 * SLOT.size + 8192  # shim/common/log/ring_file.hpp


def content_of(folder, rank, kind):
    """Nothing where the rank had no need of the file."""
    path = os.path.join(folder, f"{rank}.{kind}")
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def slots_in(content):
    return [SLOT.unpack_from(content, at) for at in range(0, len(content) - SLOT.size + 1, SLOT.size)]


def has_names(folder, rank):
    return bool(names_text(folder, rank))


def names_text(folder, rank):
    beside_ring = content_of(folder, rank, "ring")[NAMES_AT:].split(b"\0")[0]
    return (beside_ring + content_of(folder, rank, "names")).decode()


def calls_of_rank(folder, rank):
    """The sequence numbers of a rank's calls, in a list for each communicator, by its name in the log."""
    in_file = slots_in(content_of(folder, rank, "calls"))[1:]  # behind the header
    next_number = in_file[-1][2] + 1 if in_file else 0
    ring = slots_in(content_of(folder, rank, "ring")[:RING_BYTES])
    in_ring = [slot for slot in ring if slot[8] and slot[2] >= next_number]
    names = {}
    for line in names_text(folder, rank).split("\n")[:-1]:
        name = json.loads(line)
        if "communicator" in name:
            names[name["communicator"]] = name["id"]
    calls = {}
    for slot in in_file + sorted(in_ring, key=lambda slot: slot[2]):
        if slot[8] == CALL:
            calls.setdefault(names[slot[0]], []).append(slot[1])
    return calls
