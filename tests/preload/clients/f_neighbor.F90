! The blocking neighbourhood collectives from Fortran, on graphs and on a grid. Compiled three times: HOST_F08
! (`use mpi_f08`), HOST_MPI (`use mpi`), else mpif.h. What must arrive is computed: from Fortran PMPI_ names are calls
! of the application, too. No rank is another one's neighbour twice, so that all MPIs agree on the order of the blocks.
#ifdef HOST_F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
program f_neighbor
#ifdef HOST_F08
  use mpi_f08
#elif defined(HOST_MPI)
  use mpi
#endif
  implicit none
#if !defined(HOST_F08) && !defined(HOST_MPI)
  include 'mpif.h'
#endif
  integer, parameter :: long = selected_int_kind(18), most = 8, room = 12*most
  character(*), parameter :: names(4) = [character(19) :: 'neighbor_alltoall', 'neighbor_alltoallv', &
                                         'neighbor_allgather', 'neighbor_allgatherv']
  integer :: rank, ranks, ierror, i, round
  integer :: calls(4) = 0
  integer(long) :: digest = 0, total
  HANDLE(MPI_Datatype) :: every_other
  ! Of the topology in use. Into slot j comes the block from slot partners(j) of rank sources(j).
  HANDLE(MPI_Comm) :: comm
  integer :: indegree, outdegree, sources(most), destinations(most), partners(most)
  character(24) :: topology

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, every_other, ierror)
  call MPI_Type_commit(every_other, ierror)
  call check_distances()
  call check_star()
  call check_old_ring()
  call check_grid()
  call MPI_Type_free(every_other, ierror)
  call MPI_Reduce(digest, total, 1, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  if (rank == 0) then
    do i = 1, 4
      write (*, '(3a, i0)') 'made ', trim(names(i)), ' calls=', calls(i)
    end do
    write (*, '(a, i0, a, z16.16)') 'ok calls=', sum(calls), ' digest=', total
  end if
  call MPI_Finalize(ierror)

contains

  ! The rank itself, the next ones and the ones before.
  subroutine check_distances()
    topology = 'distances'
    indegree = min(ranks, 3)
    outdegree = indegree
    do i = 1, indegree
      destinations(i) = modulo(rank + i - 1, ranks)
      sources(i) = modulo(rank - i + 1, ranks)
      partners(i) = i
    end do
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, indegree, sources, MPI_UNWEIGHTED, outdegree, destinations, &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., comm, ierror)
    call check_all()
  end subroutine

  ! All ranks send to the last one, which receives backwards.
  subroutine check_star()
    integer :: weights(most)
    topology = 'star'
    weights = 2
    indegree = 0
    outdegree = 1
    destinations(1) = ranks - 1
    if (rank == ranks - 1) then
      indegree = min(ranks, most)
      do i = 1, indegree
        sources(i) = indegree - i
        partners(i) = 1
      end do
    end if
    if (rank >= most) outdegree = 0
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, indegree, sources, weights, outdegree, destinations, &
                                        weights, MPI_INFO_NULL, .false., comm, ierror)
    call check_all()
  end subroutine

  ! The graph of MPI-1: the rank before and the next one, as far as they are others.
  subroutine check_old_ring()
    integer :: ends(ranks), edges(2*ranks), degree
    topology = 'graph of MPI-1'
    degree = min(ranks - 1, 2)
    do i = 0, ranks - 1
      ends(i + 1) = degree*(i + 1)
      if (degree == 1) edges(i + 1) = 1 - i
      if (degree == 2) edges(2*i + 1:2*i + 2) = [modulo(i - 1, ranks), modulo(i + 1, ranks)]
    end do
    call MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, edges, .false., comm, ierror)
    indegree = degree
    outdegree = degree
    if (degree == 1) partners(1) = 1
    if (degree == 2) partners(1:2) = [2, 1]
    sources(1:degree) = edges(degree*rank + 1:degree*(rank + 1))
    destinations = sources
    call check_all()
  end subroutine

  ! A row of ranks; with more than two a ring. At the ends there are slots without a neighbour.
  subroutine check_grid()
    integer :: extents(1)
    logical :: periodic(1)
    topology = 'grid'
    extents = ranks
    periodic = ranks > 2 .and. mod(ranks, 2) == 1
    call MPI_Cart_create(MPI_COMM_WORLD, 1, extents, periodic, .false., comm, ierror)
    indegree = 2
    outdegree = 2
    call MPI_Cart_shift(comm, 0, 1, sources(1), sources(2), ierror)
    destinations = sources
    partners(1:2) = [2, 1]
    call check_all()
  end subroutine

  subroutine check_all()
    do round = 1, 4
      call check_fixed()
      call check_typed()
      call check_counted()
      call check_gathered()
    end do
    call MPI_Comm_free(comm, ierror)
  end subroutine

  integer function item(source, slot, index)
    integer, intent(in) :: source, slot, index
    item = source*1000000 + slot*10000 + round*100 + index
  end function

  integer function items_of(source, slot)
    integer, intent(in) :: source, slot
    items_of = mod(source + 2*slot + round, 4)
  end function

  subroutine made(which)
    integer, intent(in) :: which
    calls(which) = calls(which) + 1
  end subroutine

  subroutine expect(recv, wanted, which)
    integer, intent(in) :: recv(:), wanted(:), which
    do i = 1, size(recv)
      digest = digest + (int(recv(i), long) + 7)*(i + 13*(rank + 1))
      if (recv(i) /= wanted(i)) then
        write (*, *) 'FAILED: ', names(which), ' on ', topology, ', rank', rank, 'round', round, 'at', i, 'got', recv(i), &
          'not', wanted(i)
        flush (6)
        call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
      end if
    end do
  end subroutine

  ! Blocks of three.
  subroutine check_fixed()
    integer :: send(room), recv(room), wanted(room), slot, index
    send = -2
    recv = -1
    wanted = -1
    do slot = 1, outdegree
      do index = 1, 3
        send(3*slot - 3 + index) = item(rank, slot, index)
      end do
    end do
    do slot = 1, indegree
      if (sources(slot) == MPI_PROC_NULL) cycle
      do index = 1, 3
        wanted(3*slot - 3 + index) = item(sources(slot), partners(slot), index)
      end do
    end do
    call MPI_Neighbor_alltoall(send, 3, MPI_INTEGER, recv, 3, MPI_INTEGER, comm, ierror)
    call made(1)
    call expect(recv, wanted, 1)
    ! The first block of all to everybody.
    recv = -1
    do index = 1, 3
      send(index) = item(rank, 0, index)
    end do
    do slot = 1, indegree
      if (sources(slot) == MPI_PROC_NULL) cycle
      do index = 1, 3
        wanted(3*slot - 3 + index) = item(sources(slot), 0, index)
      end do
    end do
    call MPI_Neighbor_allgather(send, 3, MPI_INTEGER, recv, 3, MPI_INTEGER, comm, ierror)
    call made(3)
    call expect(recv, wanted, 3)
  end subroutine

  ! Two integers leave together, and arrive with a gap between them.
  subroutine check_typed()
    integer :: send(room), recv(room), wanted(room), slot
    send = -2
    recv = -1
    wanted = -1
    do slot = 1, outdegree
      send(2*slot - 1:2*slot) = [item(rank, slot, 1), item(rank, slot, 2)]
    end do
    do slot = 1, indegree
      if (sources(slot) == MPI_PROC_NULL) cycle
      wanted(3*slot - 2) = item(sources(slot), partners(slot), 1)
      wanted(3*slot) = item(sources(slot), partners(slot), 2)
    end do
    call MPI_Neighbor_alltoall(send, 2, MPI_INTEGER, recv, 1, every_other, comm, ierror)
    call made(1)
    call expect(recv, wanted, 1)
  end subroutine

  ! Blocks of 0 to 3, backwards and with gaps.
  subroutine check_counted()
    integer :: send(room), recv(room), wanted(room), slot, index
    integer :: sendcounts(most), sdispls(most), recvcounts(most), rdispls(most)
    send = -2
    recv = -1
    wanted = -1
    do slot = 1, outdegree
      sendcounts(slot) = items_of(rank, slot)
      sdispls(slot) = 5*(outdegree - slot)
      do index = 1, sendcounts(slot)
        send(sdispls(slot) + index) = item(rank, slot, index)
      end do
    end do
    do slot = 1, indegree
      rdispls(slot) = 6*(indegree - slot) + 2
      recvcounts(slot) = 3
      if (sources(slot) == MPI_PROC_NULL) cycle
      recvcounts(slot) = items_of(sources(slot), partners(slot))
      do index = 1, recvcounts(slot)
        wanted(rdispls(slot) + index) = item(sources(slot), partners(slot), index)
      end do
    end do
    call MPI_Neighbor_alltoallv(send, sendcounts, sdispls, MPI_INTEGER, recv, recvcounts, rdispls, MPI_INTEGER, comm, ierror)
    call made(2)
    call expect(recv, wanted, 2)
  end subroutine

  subroutine check_gathered()
    integer :: send(room), recv(room), wanted(room), recvcounts(most), rdispls(most), slot, index
    recv = -1
    wanted = -1
    do index = 1, room
      send(index) = item(rank, 0, index)
    end do
    do slot = 1, indegree
      rdispls(slot) = 4*(indegree - slot) + 1
      recvcounts(slot) = 2
      if (sources(slot) == MPI_PROC_NULL) cycle
      recvcounts(slot) = items_of(sources(slot), 0)
      do index = 1, recvcounts(slot)
        wanted(rdispls(slot) + index) = item(sources(slot), 0, index)
      end do
    end do
    call MPI_Neighbor_allgatherv(send, items_of(rank, 0), MPI_INTEGER, recv, recvcounts, rdispls, MPI_INTEGER, comm, ierror)
    call made(4)
    call expect(recv, wanted, 4)
  end subroutine

end program
