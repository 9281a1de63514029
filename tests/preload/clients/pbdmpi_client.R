# MPI_Allgather and MPI_Alltoallv from R, by pbdMPI. What must arrive is computed.
suppressMessages(library(pbdMPI, quietly = TRUE))

init()
rank <- comm.rank()
ranks <- comm.size()
peers <- 0:(ranks - 1)
calls <- 0L
digest <- 0

expect <- function(found, wanted, what) {
  calls <<- calls + 1L
  digest <<- digest + sum(found * (seq_along(found) + 13 * (rank + 1)))
  if (!identical(as.integer(found), as.integer(wanted))) {
    cat("FAILED:", what, "of rank", rank, "got", found, "not", wanted, "\n")
    comm.abort()
  }
}

starts <- function(counts) as.integer(c(0L, cumsum(counts))[seq_along(counts)])

for (number in 1:5) {
  block <- function(peer) 100L * peer + 10L * number + 1:3
  expect(spmd.allgather.integer(as.integer(block(rank)), integer(3 * ranks)), unlist(lapply(peers, block)), "allgather")
  sent <- function(from, to) 1000L * from + 100L * to + seq_len((from + 2 * to + number) %% 5)
  sends <- lapply(peers, function(peer) sent(rank, peer))
  receives <- lapply(peers, function(peer) sent(peer, rank))
  found <- spmd.alltoallv.integer(as.integer(unlist(sends)), integer(sum(lengths(receives))), lengths(sends),
                                  lengths(receives), starts(lengths(sends)), starts(lengths(receives)))
  expect(found, unlist(receives), "alltoallv")
}
if (rank == 0) cat(sprintf("ok calls=%d digest=%08x\n", calls, as.integer(digest)))
finalize()
