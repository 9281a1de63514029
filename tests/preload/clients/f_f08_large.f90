! Large counts through `use mpi_f08` (MPI 4): the generic names with integer(MPI_COUNT_KIND) counts.
program f_f08_large
  use mpi_f08
  implicit none
  integer, parameter :: long = selected_int_kind(18)
  integer :: rank, ranks, round
  integer(long) :: calls = 0, digest = 0, totals(2)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  do round = 1, 5
    call check_alltoallv(round)
    call check_fixed(round)
    call check_allgatherv(round)
    call check_alltoallw(round)
  end do
  call MPI_Reduce([calls, digest], totals, 2, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) write (*, '(a, i0, a, z16.16)') 'ok calls=', totals(1), ' digest=', totals(2)
  call MPI_Finalize()

contains

  integer function item(source, destination, index, round)
    integer, intent(in) :: source, destination, index, round
    item = source*1000000 + destination*10000 + round*100 + index
  end function

  ! One log line stands for one call of a whole communicator: only its rank 0 counts.
  subroutine count_call()
    if (rank == 0) calls = calls + 1
  end subroutine

  subroutine expect(found, wanted, at, what)
    integer, intent(in) :: found, wanted, at
    character(*), intent(in) :: what
    digest = digest + (int(found, long) + 7)*(int(at, long) + 13*(rank + 1))
    if (found /= wanted) then
      write (*, *) 'FAILED: ', what, ', rank', rank, 'at', at, 'got', found, 'not', wanted
      flush (6)
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
  end subroutine

  subroutine check_alltoallv(round)
    integer, intent(in) :: round
    integer :: peer, i
    integer(MPI_COUNT_KIND) :: sendcounts(ranks), recvcounts(ranks)
    integer(MPI_ADDRESS_KIND) :: displs(ranks)
    integer :: send(5*ranks), recv(5*ranks)
    recv = -1
    do peer = 1, ranks
      sendcounts(peer) = mod(rank + 2*(peer - 1) + round, 5)
      recvcounts(peer) = mod(peer - 1 + 2*rank + round, 5)
      displs(peer) = 5*(peer - 1)
      do i = 1, 5
        send(5*(peer - 1) + i) = item(rank, peer - 1, i, round)
      end do
    end do
    call MPI_Alltoallv(send, sendcounts, displs, MPI_INTEGER, recv, recvcounts, displs, MPI_INTEGER, MPI_COMM_WORLD)
    call count_call()
    do peer = 1, ranks
      do i = 1, 5
        call expect(recv(5*(peer - 1) + i), merge(item(peer - 1, rank, i, round), -1, i <= recvcounts(peer)), &
                    5*(peer - 1) + i, 'alltoallv')
      end do
    end do
  end subroutine

  subroutine check_alltoallw(round)
    integer, intent(in) :: round
    integer :: peer, i
    integer(MPI_COUNT_KIND) :: sendcounts(ranks), recvcounts(ranks)
    integer(MPI_ADDRESS_KIND) :: displs(ranks)
    type(MPI_Datatype) :: types(ranks)
    integer :: send(5*ranks), recv(5*ranks)
    recv = -1
    types = MPI_INTEGER
    do peer = 1, ranks
      sendcounts(peer) = mod(rank + 2*(peer - 1) + round, 5)
      recvcounts(peer) = mod(peer - 1 + 2*rank + round, 5)
      displs(peer) = 4*5*(peer - 1)
      do i = 1, 5
        send(5*(peer - 1) + i) = item(rank, peer - 1, i, round)
      end do
    end do
    call MPI_Alltoallw(send, sendcounts, displs, types, recv, recvcounts, displs, types, MPI_COMM_WORLD)
    call count_call()
    do peer = 1, ranks
      do i = 1, 5
        call expect(recv(5*(peer - 1) + i), merge(item(peer - 1, rank, i, round), -1, i <= recvcounts(peer)), &
                    5*(peer - 1) + i, 'alltoallw')
      end do
    end do
  end subroutine

  subroutine check_allgatherv(round)
    integer, intent(in) :: round
    integer :: peer, i
    integer(MPI_COUNT_KIND) :: counts(ranks)
    integer(MPI_ADDRESS_KIND) :: displs(ranks)
    integer :: send(5), recv(5*ranks)
    recv = -1
    do peer = 1, ranks
      counts(peer) = mod(2*(peer - 1) + round, 5)
      displs(peer) = 5*(peer - 1)
    end do
    do i = 1, 5
      send(i) = item(rank, 0, i, round)
    end do
    call MPI_Allgatherv(send, counts(rank + 1), MPI_INTEGER, recv, counts, displs, MPI_INTEGER, MPI_COMM_WORLD)
    call count_call()
    do peer = 1, ranks
      do i = 1, 5
        call expect(recv(5*(peer - 1) + i), merge(item(peer - 1, 0, i, round), -1, i <= counts(peer)), &
                    5*(peer - 1) + i, 'allgatherv')
      end do
    end do
  end subroutine

  subroutine check_fixed(round)
    integer, intent(in) :: round
    integer :: peer, i
    integer(MPI_COUNT_KIND), parameter :: three = 3
    integer :: send(3*ranks), recv(3*ranks)
    do peer = 0, ranks - 1
      do i = 1, 3
        send(3*peer + i) = item(rank, peer, i, round)
      end do
    end do
    call MPI_Alltoall(send, three, MPI_INTEGER, recv, three, MPI_INTEGER, MPI_COMM_WORLD)
    call count_call()
    do peer = 0, ranks - 1
      do i = 1, 3
        call expect(recv(3*peer + i), item(peer, rank, i, round), 3*peer + i, 'alltoall')
      end do
    end do
    call MPI_Allgather(send, three, MPI_INTEGER, recv, three, MPI_INTEGER, MPI_COMM_WORLD)
    call count_call()
    do peer = 0, ranks - 1
      do i = 1, 3
        call expect(recv(3*peer + i), item(peer, 0, i, round), 3*peer + i, 'allgather')
      end do
    end do
  end subroutine

end program
