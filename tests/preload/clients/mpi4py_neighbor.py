"""The blocking neighbourhood collectives from Python, through mpi4py's buffer interface: random graphs without repeated
neighbours, and grids of one to three dimensions. What must arrive is computed from the lists of neighbours of all ranks.

Standard library buffers only (array), so that nothing beyond python3-mpi4py is needed.
"""

import random
import sys
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()
calls = dict.fromkeys(("neighbor_alltoall", "neighbor_alltoallv", "neighbor_allgather", "neighbor_allgatherv"), 0)
digest = 0
EDGES = "graph of edges"  # MPI lists its neighbours as messages arrive: they are not the same in every run


def item(source, slot, index, number):
    return source * 1000000 + slot * 10000 + number * 100 + index


def made(name, found, wanted, topology):
    """A call has ended, on all ranks of the world."""
    global digest
    calls[name] += 1
    for at, value in enumerate(found) if topology != EDGES else ():
        digest += (value + 7) * (at + 13 * (rank + 1))
    if list(found) != list(wanted):
        print(f"FAILED: {name} on {topology}, rank {rank}: got {list(found)}, not {list(wanted)}", flush=True)
        world.Abort(1)


class Topology:
    """A communicator, the neighbours, and for each slot the slot of the source whose block comes into it."""

    def __init__(self, name, comm):
        self.name, self.comm = name, comm
        if comm.Get_topology() == MPI.CART:
            self.sources = [peer for dimension in range(comm.Get_dim()) for peer in comm.Shift(dimension, 1)]
            self.destinations = list(self.sources)
            self.partners = [slot ^ 1 for slot in range(len(self.sources))]
        else:
            both = comm.Get_topology() == MPI.GRAPH
            self.sources = list(comm.Get_neighbors(rank) if both else comm.Get_dist_neighbors()[0])
            self.destinations = self.sources if both else list(comm.Get_dist_neighbors()[1])
            of_all = [world.bcast(self.destinations, root) for root in range(ranks)]  # a collective that is not routed
            self.partners = [of_all[source].index(rank) for source in self.sources]


def places(counts, gap):
    """Blocks lie backwards in memory."""
    displacements, at = [0] * len(counts), gap
    for slot in reversed(range(len(counts))):
        displacements[slot] = at
        at += counts[slot] + gap
    return displacements, at


def blocks(length, filled):
    """`filled`: place -> items."""
    buffer = array("i", [-1] * (length + 1))
    for at, items in filled:
        buffer[at:at + len(items)] = array("i", items)
    return buffer


def block(source, slot, count, number):
    return [item(source, slot, i, number) for i in range(count)]


def check_alltoall(t, number):
    send = blocks(3 * len(t.destinations), [(3 * k, block(rank, k, 3, number)) for k in range(len(t.destinations))])
    recv = blocks(3 * len(t.sources), [])
    wanted = blocks(3 * len(t.sources), [(3 * k, block(source, t.partners[k], 3, number))
                                         for k, source in enumerate(t.sources) if source != MPI.PROC_NULL])
    t.comm.Neighbor_alltoall([send, 3, MPI.INT], [recv, 3, MPI.INT])
    made("neighbor_alltoall", recv, wanted, t.name)


def check_alltoallv(t, number):
    def count_of(source, slot):
        return (source + 2 * slot + number) % 5
    sendcounts = [count_of(rank, k) for k in range(len(t.destinations))]
    recvcounts = [2 if source == MPI.PROC_NULL else count_of(source, t.partners[k]) for k, source in enumerate(t.sources)]
    sdispls, sent = places(sendcounts, 1)
    rdispls, received = places(recvcounts, 2)
    send = blocks(sent, [(sdispls[k], block(rank, k, count, number)) for k, count in enumerate(sendcounts)])
    recv = blocks(received, [])
    wanted = blocks(received, [(rdispls[k], block(source, t.partners[k], recvcounts[k], number))
                               for k, source in enumerate(t.sources) if source != MPI.PROC_NULL])
    t.comm.Neighbor_alltoallv([send, (sendcounts, sdispls), MPI.INT], [recv, (recvcounts, rdispls), MPI.INT])
    made("neighbor_alltoallv", recv, wanted, t.name)


def check_allgather(t, number):
    send = blocks(3, [(0, block(rank, 0, 3, number))])
    recv = blocks(3 * len(t.sources), [])
    wanted = blocks(3 * len(t.sources), [(3 * k, block(source, 0, 3, number))
                                         for k, source in enumerate(t.sources) if source != MPI.PROC_NULL])
    t.comm.Neighbor_allgather([send, 3, MPI.INT], [recv, 3, MPI.INT])
    made("neighbor_allgather", recv, wanted, t.name)


def check_allgatherv(t, number):
    count = (3 * rank + number) % 5
    recvcounts = [1 if source == MPI.PROC_NULL else (3 * source + number) % 5 for source in t.sources]
    rdispls, received = places(recvcounts, 1)
    send, recv = blocks(count, [(0, block(rank, 0, count, number))]), blocks(received, [])
    wanted = blocks(received, [(rdispls[k], block(source, 0, recvcounts[k], number))
                               for k, source in enumerate(t.sources) if source != MPI.PROC_NULL])
    t.comm.Neighbor_allgatherv([send, count, MPI.INT], [recv, (recvcounts, rdispls), MPI.INT])
    made("neighbor_allgatherv", recv, wanted, t.name)


def random_graph(numbers, share):
    """Edges, self loops among them, each once; both ends list them in an order of their own."""
    edges = [(a, b) for a in range(ranks) for b in range(ranks) if numbers.random() < share]
    own = random.Random(1000 * rank + len(edges))
    sources, destinations = [a for a, b in edges if b == rank], [b for a, b in edges if a == rank]
    own.shuffle(sources)
    own.shuffle(destinations)
    return world.Create_dist_graph_adjacent(sources, destinations)


def graph_of_edges(numbers):
    """Each rank gives the edges of the next one."""
    edges = [(a, b) for a in range(ranks) for b in range(ranks) if numbers.random() < 0.5]
    node = (rank + 1) % ranks
    given = [b for a, b in edges if a == node]
    return world.Dup().Create_dist_graph([node], [len(given)], given)  # its own world: see topologies.h


def old_graph(numbers):
    pairs = {(a, b) for a in range(ranks) for b in range(a) if numbers.random() < 0.6}
    lists = [[b for b in range(ranks) if (a, b) in pairs or (b, a) in pairs] for a in range(ranks)]
    ends = [sum(map(len, lists[:a])) for a in range(ranks + 1)]  # mpi4py takes a leading zero, or takes the first one for it
    return world.Create_graph(ends, [b for neighbours in lists for b in neighbours])


def grid(dimensions):
    """Periodic where no neighbour occurs twice."""
    extents = MPI.Compute_dims(ranks, dimensions)
    return world.Create_cart(extents, periods=[extent > 2 for extent in extents])


def topologies():
    numbers = random.Random(42)
    for share in (0.0, 0.3, 0.6, 1.0):
        yield f"random graph of {share}", random_graph(numbers, share)
    yield EDGES, graph_of_edges(numbers)
    yield "graph of MPI-1", old_graph(numbers)
    for dimensions in (1, 2, 3):
        yield f"grid of {dimensions}", grid(dimensions)


def main():
    for name, comm in topologies():
        t = Topology(name, comm)
        for number in range(4):
            check_alltoall(t, number)
            check_alltoallv(t, number)
            check_allgather(t, number)
            check_allgatherv(t, number)
        comm.Free()
    total = world.reduce(digest)
    if rank == 0:
        for name, number in calls.items():
            print(f"made {name} calls={number}")
        print(f"ok calls={sum(calls.values())} digest={total & (1 << 64) - 1:016x}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
