"""Collectives that are only counted, from Python: of buffers, and of objects, which mpi4py sends with several calls of MPI."""

from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
ITEMS = 3
digest = 0


def blocks(number=1):
    return array("i", range(rank, rank + ITEMS * number))


def made(name, received, sent_by_all, requests=()):
    """A call has ended, which every rank made once."""
    global digest
    for request in requests:
        request.Wait()
    digest += sum((value + 7) * (at + 13 * (rank + 1)) for at, value in enumerate(received))
    if rank == 0:
        print(f"seen {name} calls={ranks} bytes={4 * sent_by_all}")


send, all_blocks, recv, all_recv = blocks(), blocks(ranks), blocks(), blocks(ranks)
comm.Barrier()
made("barrier", [], 0)
comm.Bcast(recv, root=ranks - 1)
made("bcast", recv, ITEMS)
comm.Allreduce(send, recv)
made("allreduce", recv, ITEMS * ranks)
comm.Allreduce(MPI.IN_PLACE, recv)
made("allreduce", recv, ITEMS * ranks)
comm.Reduce(send, recv, root=0)
made("reduce", recv, ITEMS * ranks)
comm.Gather(send, all_recv if rank == 0 else None, root=0)
made("gather", all_recv, ITEMS * ranks)
comm.Scatter(all_blocks if rank == 0 else None, recv, root=0)
made("scatter", recv, ITEMS * ranks)
comm.Scan(send, recv)
made("scan", recv, ITEMS * ranks)
made("iallreduce", recv, ITEMS * ranks, [comm.Iallreduce(send, recv)])
made("ialltoall", all_recv, ITEMS * ranks * ranks, [comm.Ialltoall(all_blocks, all_recv)])
made("ibarrier", [], 0, [comm.Ibarrier()])
cart = comm.Create_cart([ranks], periods=[True])
two = blocks(2)
cart.Neighbor_alltoall(blocks(2), two)
made("neighbor_alltoall", two, 2 * ITEMS * ranks)
cart.Free()
print(f"ok digest={digest:x}" if rank == 0 else "", flush=True)
