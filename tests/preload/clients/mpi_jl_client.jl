# The collectives from Julia, by MPI.jl, on the world and on a duplicate of it. What must arrive is computed.
using MPI

calls = 0
digest = UInt64(0)

function expect(found, wanted, what, comm)
    global calls, digest
    MPI.Comm_rank(comm) == 0 && (calls += 1)
    for (at, value) in enumerate(found)
        digest += UInt64(value + 7) * UInt64(at + 13 * (MPI.Comm_rank(MPI.COMM_WORLD) + 1))
    end
    if found != wanted
        println("FAILED: $what: got $found, not $wanted")
        MPI.Abort(MPI.COMM_WORLD, 1)
    end
end

item(source, destination, index, number) = Cint(source * 1000000 + destination * 10000 + number * 100 + index)

function check(comm, number)
    rank, ranks = MPI.Comm_rank(comm), MPI.Comm_size(comm)
    peers = 0:ranks-1
    outgoing = [(rank + 2 * peer + number) % 5 for peer in peers]
    incoming = [(peer + 2 * rank + number) % 5 for peer in peers]
    send = Cint[item(rank, peer, i, number) for peer in peers for i in 1:outgoing[peer+1]]
    recv = zeros(Cint, sum(incoming))
    MPI.Alltoallv!(MPI.VBuffer(send, outgoing), MPI.VBuffer(recv, incoming), comm)
    expect(recv, Cint[item(peer, rank, i, number) for peer in peers for i in 1:incoming[peer+1]], "Alltoallv", comm)
    send = Cint[item(rank, peer, i, number) for peer in peers for i in 1:3]
    recv = zeros(Cint, 3ranks)
    MPI.Alltoall!(MPI.UBuffer(send, 3), MPI.UBuffer(recv, 3), comm)
    expect(recv, Cint[item(peer, rank, i, number) for peer in peers for i in 1:3], "Alltoall", comm)
    MPI.Allgather!(send[1:3], MPI.UBuffer(recv, 3), comm)
    expect(recv, Cint[item(peer, 0, i, number) for peer in peers for i in 1:3], "Allgather", comm)
    counts = [(2 * peer + number) % 5 for peer in peers]
    recv = zeros(Cint, sum(counts))
    MPI.Allgatherv!(Cint[item(rank, 0, i, number) for i in 1:counts[rank+1]], MPI.VBuffer(recv, counts), comm)
    expect(recv, Cint[item(peer, 0, i, number) for peer in peers for i in 1:counts[peer+1]], "Allgatherv", comm)
end

MPI.Init()
for comm in (MPI.COMM_WORLD, MPI.Comm_dup(MPI.COMM_WORLD)), number in 1:5
    check(comm, number)
end
all_digests = MPI.Reduce(digest, +, 0, MPI.COMM_WORLD)
all_calls = MPI.Reduce(calls, +, 0, MPI.COMM_WORLD)
MPI.Comm_rank(MPI.COMM_WORLD) == 0 && println("ok calls=$all_calls digest=", string(all_digests, base = 16, pad = 16))
MPI.Finalize()
