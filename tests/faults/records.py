"""The record files of a run that did not reach its end, read without any code of switchyard."""

import json
import os
import struct

SLOT = struct.Struct("<IIQ32s8sBBBBI")  # shim/common/log/record.hpp
CALL = 1


def slots_in(path):
    with open(path, "rb") as file:
        content = file.read()
    return [SLOT.unpack_from(content, at) for at in range(0, len(content) - SLOT.size + 1, SLOT.size)]


def calls_of_rank(folder, rank):
    """The sequence numbers of a rank's calls, in a list for each communicator, by its name in the log."""
    in_file = slots_in(os.path.join(folder, f"{rank}.calls"))[1:]  # behind the header
    next_number = in_file[-1][2] + 1 if in_file else 0
    in_ring = [slot for slot in slots_in(os.path.join(folder, f"{rank}.ring")) if slot[8] and slot[2] >= next_number]
    names = {}
    with open(os.path.join(folder, f"{rank}.names"), encoding="utf-8") as file:
        for line in file.read().split("\n")[:-1]:
            name = json.loads(line)
            if "communicator" in name:
                names[name["communicator"]] = name["id"]
    calls = {}
    for slot in in_file + sorted(in_ring, key=lambda slot: slot[2]):
        if slot[8] == CALL:
            calls.setdefault(names[slot[0]], []).append(slot[1])
    return calls
