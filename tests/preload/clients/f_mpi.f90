! All collectives through `use mpi`: ragged, in place, on the world and on a split communicator.
! What must arrive is computed, not asked of PMPI_: from Fortran those names are calls of the application, too.
program f_mpi
  use mpi
  implicit none
  integer, parameter :: long = selected_int_kind(18)
  integer :: world_rank, ierror, round
  integer(long) :: calls = 0, digest = 0, totals(2)
  integer :: half

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank, ierror)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(world_rank, 2), -world_rank, half, ierror)
  do round = 1, 5
    call check_alltoallv(MPI_COMM_WORLD, round)
    call check_alltoallv(half, round)
    call check_fixed(MPI_COMM_WORLD, round)
    call check_fixed(half, round)
    call check_in_place(MPI_COMM_WORLD, round)
    call check_in_place(half, round)
    call check_allgatherv(MPI_COMM_WORLD, round)
    call check_allgatherv(half, round)
    call check_alltoallw(MPI_COMM_WORLD, round)
    call check_alltoallw(half, round)
  end do
  call MPI_Comm_free(half, ierror)
  call MPI_Reduce([calls, digest], totals, 2, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (world_rank == 0) write (*, '(a, i0, a, z16.16)') 'ok calls=', totals(1), ' digest=', totals(2)
  call MPI_Finalize(ierror)

contains

  ! One log line stands for one call of a whole communicator: only its rank 0 counts.
  subroutine count_call(rank)
    integer, intent(in) :: rank
    if (rank == 0) calls = calls + 1
  end subroutine

  integer function item(source, destination, index, round)
    integer, intent(in) :: source, destination, index, round
    item = source*1000000 + destination*10000 + round*100 + index
  end function

  subroutine expect(found, wanted, at, what)
    integer, intent(in) :: found, wanted, at
    character(*), intent(in) :: what
    digest = digest + (int(found, long) + 7)*(int(at, long) + 13*(world_rank + 1))
    if (found /= wanted) then
      write (*, *) 'FAILED: ', what, ', rank', world_rank, 'at', at, 'got', found, 'not', wanted
      flush (6)
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end if
  end subroutine

  subroutine check_alltoallv(comm, round)
    integer, intent(in) :: comm
    integer, intent(in) :: round
    integer :: rank, ranks, peer, i, sent, received
    integer, allocatable :: sendcounts(:), sdispls(:), recvcounts(:), rdispls(:), send(:), recv(:)
    call MPI_Comm_rank(comm, rank, ierror)
    call MPI_Comm_size(comm, ranks, ierror)
    allocate (sendcounts(ranks), sdispls(ranks), recvcounts(ranks), rdispls(ranks), send(5*ranks), recv(5*ranks))
    sent = 0
    received = 0
    do peer = ranks, 1, -1
      sendcounts(peer) = mod(rank + 2*(peer - 1) + round, 5)
      recvcounts(peer) = mod(peer - 1 + 2*rank + round, 5)
      sdispls(peer) = sent
      rdispls(peer) = received
      do i = 1, sendcounts(peer)
        send(sent + i) = item(rank, peer - 1, i, round)
      end do
      sent = sent + sendcounts(peer)
      received = received + recvcounts(peer)
    end do
    recv = -1
    call MPI_Alltoallv(send, sendcounts, sdispls, MPI_INTEGER, recv, recvcounts, rdispls, MPI_INTEGER, comm, ierror)
    call count_call(rank)
    do peer = 1, ranks
      do i = 1, recvcounts(peer)
        call expect(recv(rdispls(peer) + i), item(peer - 1, rank, i, round), rdispls(peer) + i, 'alltoallv')
      end do
    end do
    do i = received + 1, 5*ranks
      call expect(recv(i), -1, i, 'after alltoallv')
    end do
  end subroutine

  subroutine check_fixed(comm, round)
    integer, intent(in) :: comm
    integer, intent(in) :: round
    integer :: rank, ranks, peer, i
    integer, allocatable :: send(:), recv(:)
    call MPI_Comm_rank(comm, rank, ierror)
    call MPI_Comm_size(comm, ranks, ierror)
    allocate (send(3*ranks), recv(3*ranks))
    do peer = 0, ranks - 1
      do i = 1, 3
        send(3*peer + i) = item(rank, peer, i, round)
      end do
    end do
    call MPI_Alltoall(send, 3, MPI_INTEGER, recv, 3, MPI_INTEGER, comm, ierror)
    call count_call(rank)
    do peer = 0, ranks - 1
      do i = 1, 3
        call expect(recv(3*peer + i), item(peer, rank, i, round), 3*peer + i, 'alltoall')
      end do
    end do
    call MPI_Allgather(send, 3, MPI_INTEGER, recv, 3, MPI_INTEGER, comm, ierror)
    call count_call(rank)
    do peer = 0, ranks - 1
      do i = 1, 3
        call expect(recv(3*peer + i), item(peer, 0, i, round), 3*peer + i, 'allgather')
      end do
    end do
  end subroutine

  ! Blocks of integers and of a type with a gap, and displacements of bytes, from a buffer of their own and in place.
  subroutine check_alltoallw(comm, round)
    integer, intent(in) :: comm
    integer, intent(in) :: round
    integer :: rank, ranks, peer, i, sent, unread(1)
    integer :: every_other, nothing(1)
    integer, allocatable :: counts(:), displs(:), send(:), recv(:)
    integer, allocatable :: types(:)
    call MPI_Comm_rank(comm, rank, ierror)
    call MPI_Comm_size(comm, ranks, ierror)
    allocate (counts(ranks), displs(ranks), types(ranks), send(8*ranks), recv(8*ranks))
    call MPI_Type_vector(4, 1, 2, MPI_INTEGER, every_other, ierror)
    call MPI_Type_commit(every_other, ierror)
    nothing = MPI_DATATYPE_NULL
    unread = -1
    send = -1
    sent = 0
    do peer = ranks, 1, -1
      displs(peer) = 4*sent
      if (mod(peer + rank, 2) == 0) then
        counts(peer) = 4
        types(peer) = MPI_INTEGER
      else
        counts(peer) = 1
        types(peer) = every_other
      end if
      do i = 1, 4
        send(sent + step(peer, rank)*(i - 1) + 1) = item(rank, peer - 1, i, round)
      end do
      sent = sent + 8
    end do
    recv = -1
    call MPI_Alltoallw(send, counts, displs, types, recv, counts, displs, types, comm, ierror)
    call count_call(rank)
    call expect_typed(recv, displs, rank, round, 'alltoallw')
    recv = send
    call MPI_Alltoallw(MPI_IN_PLACE, unread, unread, nothing, recv, counts, displs, types, comm, ierror)
    call count_call(rank)
    call expect_typed(recv, displs, rank, round, 'alltoallw in place')
    call MPI_Type_free(every_other, ierror)
  end subroutine

  integer function step(peer, rank)
    integer, intent(in) :: peer, rank
    step = 1 + mod(peer + rank, 2)
  end function

  subroutine expect_typed(recv, displs, rank, round, what)
    integer, intent(in) :: recv(:), displs(:), rank, round
    character(*), intent(in) :: what
    integer :: peer, i, at
    do peer = 1, size(displs)
      do i = 1, 8
        at = displs(peer)/4 + i
        if (i <= 4*step(peer, rank) .and. mod(i - 1, step(peer, rank)) == 0) then
          call expect(recv(at), item(peer - 1, rank, 1 + (i - 1)/step(peer, rank), round), at, what)
        else
          call expect(recv(at), -1, at, what)
        end if
      end do
    end do
  end subroutine

  ! Ragged blocks, backwards, from a buffer of their own and in place.
  subroutine check_allgatherv(comm, round)
    integer, intent(in) :: comm
    integer, intent(in) :: round
    integer :: rank, ranks, peer, i, received
    integer, allocatable :: counts(:), displs(:), send(:), recv(:)
    call MPI_Comm_rank(comm, rank, ierror)
    call MPI_Comm_size(comm, ranks, ierror)
    allocate (counts(ranks), displs(ranks), send(5), recv(5*ranks))
    received = 0
    do peer = ranks, 1, -1
      counts(peer) = mod(2*(peer - 1) + round, 5)
      displs(peer) = received
      received = received + counts(peer)
    end do
    do i = 1, 5
      send(i) = item(rank, 0, i, round)
    end do
    recv = -1
    call MPI_Allgatherv(send, counts(rank + 1), MPI_INTEGER, recv, counts, displs, MPI_INTEGER, comm, ierror)
    call count_call(rank)
    call expect_gathered(recv, counts, displs, received, round, 'allgatherv')
    recv = -1
    recv(displs(rank + 1) + 1:displs(rank + 1) + counts(rank + 1)) = send(1:counts(rank + 1))
    call MPI_Allgatherv(MPI_IN_PLACE, -7, MPI_DATATYPE_NULL, recv, counts, displs, MPI_INTEGER, comm, ierror)
    call count_call(rank)
    call expect_gathered(recv, counts, displs, received, round, 'allgatherv in place')
  end subroutine

  ! `received`: items of all blocks. Behind them nothing may change.
  subroutine expect_gathered(recv, counts, displs, received, round, what)
    integer, intent(in) :: recv(:), counts(:), displs(:), received, round
    character(*), intent(in) :: what
    integer :: peer, i
    do peer = 1, size(counts)
      do i = 1, counts(peer)
        call expect(recv(displs(peer) + i), item(peer - 1, 0, i, round), displs(peer) + i, what)
      end do
    end do
    do i = received + 1, size(recv)
      call expect(recv(i), -1, i, what)
    end do
  end subroutine

  subroutine check_in_place(comm, round)
    integer, intent(in) :: comm
    integer, intent(in) :: round
    integer :: rank, ranks, peer, unread(1)
    integer, allocatable :: counts(:), displs(:), data(:)
    call MPI_Comm_rank(comm, rank, ierror)
    call MPI_Comm_size(comm, ranks, ierror)
    allocate (counts(ranks), displs(ranks), data(ranks))
    unread = -1
    counts = 1
    do peer = 1, ranks
      displs(peer) = ranks - peer
      data(ranks - peer + 1) = item(rank, peer - 1, 1, round)
    end do
    call MPI_Alltoallv(MPI_IN_PLACE, unread, unread, MPI_DATATYPE_NULL, data, counts, displs, MPI_INTEGER, &
                       comm, ierror)
    call count_call(rank)
    do peer = 1, ranks
      call expect(data(ranks - peer + 1), item(peer - 1, rank, 1, round), peer, 'alltoallv in place')
    end do
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, data, 1, MPI_INTEGER, comm, ierror)
    call count_call(rank)
    do peer = 1, ranks
      call expect(data(peer), item(ranks - 1 - rank, peer - 1, 1, round), peer, 'alltoall in place')
    end do
    data(rank + 1) = item(rank, 99, 1, round)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 1, MPI_INTEGER, comm, ierror)
    call count_call(rank)
    do peer = 1, ranks
      call expect(data(peer), item(peer - 1, 99, 1, round), peer, 'allgather in place')
    end do
  end subroutine

end program
