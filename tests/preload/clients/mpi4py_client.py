"""All collectives from Python, through mpi4py's buffer interface: ragged, in place, on the world, a dup, a split.

Standard library buffers only (array), so that nothing beyond python3-mpi4py is needed. What must arrive is computed.
"""

import sys
from array import array

from mpi4py import MPI

calls = 0
digest = 0


def count_call(comm):
    """One log line stands for one call of a whole communicator: only its rank 0 counts."""
    global calls
    if comm.Get_rank() == 0:
        calls += 1


def item(source, destination, index, number):
    return source * 1000000 + destination * 10000 + number * 100 + index


def expect(found, wanted, what):
    global digest
    rank = MPI.COMM_WORLD.Get_rank()
    for at, value in enumerate(found):
        digest += (value + 7) * (at + 13 * (rank + 1))
    if list(found) != list(wanted):
        print(f"FAILED: {what}, rank {rank}: got {list(found)}, not {list(wanted)}", flush=True)
        MPI.COMM_WORLD.Abort(1)


def places(counts):
    """Blocks lie backwards in memory."""
    displacements, at = [0] * len(counts), 0
    for peer in reversed(range(len(counts))):
        displacements[peer] = at
        at += counts[peer]
    return displacements, at


def check_alltoallv(comm, number):
    rank, ranks = comm.Get_rank(), comm.Get_size()
    sendcounts = [(rank + 2 * peer + number) % 5 for peer in range(ranks)]
    recvcounts = [(peer + 2 * rank + number) % 5 for peer in range(ranks)]
    sdispls, sent = places(sendcounts)
    rdispls, received = places(recvcounts)
    send, recv, wanted = array("i", [0] * (sent + 1)), array("i", [-1] * (received + 1)), [-1] * (received + 1)
    for peer in range(ranks):
        for i in range(sendcounts[peer]):
            send[sdispls[peer] + i] = item(rank, peer, i, number)
        for i in range(recvcounts[peer]):
            wanted[rdispls[peer] + i] = item(peer, rank, i, number)
    comm.Alltoallv([send, (sendcounts, sdispls), MPI.INT], [recv, (recvcounts, rdispls), MPI.INT])
    count_call(comm)
    expect(recv, wanted, "alltoallv")


def check_alltoallw(comm, number):
    """Every second block has a type with gaps."""
    rank, ranks = comm.Get_rank(), comm.Get_size()
    gaps = MPI.INT.Create_vector(3, 1, 2).Commit()
    steps = [1 + (peer + rank) % 2 for peer in range(ranks)]
    counts = [3 if step == 1 else 1 for step in steps]
    types = [MPI.INT if step == 1 else gaps for step in steps]
    bytes_at = [4 * 6 * (ranks - 1 - peer) for peer in range(ranks)]
    send, recv, wanted = array("i", [-1] * 6 * ranks), array("i", [-1] * 6 * ranks), [-1] * 6 * ranks
    for peer, step in enumerate(steps):
        for i in range(3):
            send[bytes_at[peer] // 4 + step * i] = item(rank, peer, i, number)
            wanted[bytes_at[peer] // 4 + step * i] = item(peer, rank, i, number)
    comm.Alltoallw([send, counts, bytes_at, types], [recv, counts, bytes_at, types])
    count_call(comm)
    expect(recv, wanted, "alltoallw")
    comm.Alltoallw(MPI.IN_PLACE, [send, counts, bytes_at, types])
    count_call(comm)
    expect(send, wanted, "alltoallw in place")
    gaps.Free()


def check_fixed(comm, number):
    rank, ranks = comm.Get_rank(), comm.Get_size()
    send = array("i", [item(rank, peer, i, number) for peer in range(ranks) for i in range(3)])
    recv = array("i", [0] * (3 * ranks))
    comm.Alltoall([send, 3, MPI.INT], [recv, 3, MPI.INT])
    count_call(comm)
    expect(recv, [item(peer, rank, i, number) for peer in range(ranks) for i in range(3)], "alltoall")
    comm.Allgather([send, 3, MPI.INT], [recv, 3, MPI.INT])
    count_call(comm)
    expect(recv, [item(peer, 0, i, number) for peer in range(ranks) for i in range(3)], "allgather")


def check_allgatherv(comm, number):
    rank, ranks = comm.Get_rank(), comm.Get_size()
    counts = [(2 * peer + number) % 5 for peer in range(ranks)]
    displacements, received = places(counts)
    send = array("i", [item(rank, 0, i, number) for i in range(counts[rank])] + [-9])
    recv, wanted = array("i", [-1] * (received + 1)), [-1] * (received + 1)
    for peer in range(ranks):
        for i in range(counts[peer]):
            wanted[displacements[peer] + i] = item(peer, 0, i, number)
    comm.Allgatherv([send, counts[rank], MPI.INT], [recv, (counts, displacements), MPI.INT])
    count_call(comm)
    expect(recv, wanted, "allgatherv")
    recv = array("i", [-1] * (received + 1))
    for i in range(counts[rank]):
        recv[displacements[rank] + i] = send[i]
    comm.Allgatherv(MPI.IN_PLACE, [recv, (counts, displacements), MPI.INT])
    count_call(comm)
    expect(recv, wanted, "allgatherv in place")


def check_in_place(comm, number):
    rank, ranks = comm.Get_rank(), comm.Get_size()
    data = array("i", [item(rank, peer, 1, number) for peer in range(ranks)])
    ones, dense = [1] * ranks, list(range(ranks))
    comm.Alltoallv(MPI.IN_PLACE, [data, (ones, dense), MPI.INT])
    count_call(comm)
    expect(data, [item(peer, rank, 1, number) for peer in range(ranks)], "alltoallv in place")
    comm.Alltoall(MPI.IN_PLACE, [data, 1, MPI.INT])
    count_call(comm)
    expect(data, [item(rank, peer, 1, number) for peer in range(ranks)], "alltoall in place")
    data[rank] = item(rank, 99, 1, number)
    comm.Allgather(MPI.IN_PLACE, [data, 1, MPI.INT])
    count_call(comm)
    expect(data, [item(peer, 99, 1, number) for peer in range(ranks)], "allgather in place")


def check_all(comm):
    for number in range(5):
        check_alltoallv(comm, number)
        check_fixed(comm, number)
        check_in_place(comm, number)
        check_allgatherv(comm, number)
        check_alltoallw(comm, number)


def main():
    world = MPI.COMM_WORLD
    dup, half = world.Dup(), world.Split(world.Get_rank() % 2, -world.Get_rank())
    for comm in (world, dup, half):
        check_all(comm)
    dup.Free()
    half.Free()
    # Lower-case reduce: a pickled message, none of the calls counted here.
    totals = world.reduce((calls, digest), op=lambda a, b: (a[0] + b[0], a[1] + b[1]))
    if world.Get_rank() == 0:
        print(f"ok calls={totals[0]} digest={totals[1] & (1 << 64) - 1:016x}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
