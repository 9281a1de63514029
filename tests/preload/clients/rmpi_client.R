# The collectives that Rmpi has, from R. What must arrive is computed.
suppressMessages(library(Rmpi))

world <- 0
rank <- mpi.comm.rank(world)
peers <- 0:(mpi.comm.size(world) - 1)
calls <- 0L
digest <- 0

expect <- function(found, wanted, what) {
  calls <<- calls + 1L
  digest <<- digest + sum(found * (seq_along(found) + 13 * (rank + 1)))
  if (!identical(as.integer(found), as.integer(wanted))) {
    cat("FAILED:", what, "of rank", rank, "got", found, "not", wanted, "\n")
    mpi.abort(world)
  }
}

for (number in 1:5) {
  block <- function(peer) 100L * peer + 10L * number + 1:3
  expect(mpi.allgather(as.integer(block(rank)), 1, integer(3 * length(peers)), world), unlist(lapply(peers, block)),
         "allgather")
  counts <- (2 * peers + number) %% 5
  ragged <- function(peer) 100L * peer + seq_len(counts[peer + 1])
  expect(mpi.allgatherv(as.integer(ragged(rank)), 1, integer(sum(counts)), as.integer(counts), world),
         unlist(lapply(peers, ragged)), "allgatherv")
}
if (rank == 0) cat(sprintf("ok calls=%d digest=%08x\n", calls, as.integer(digest)))
invisible(mpi.finalize())
