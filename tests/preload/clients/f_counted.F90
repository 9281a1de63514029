! Every collective that is only counted, from Fortran. Compiled three times: HOST_F08 (`use mpi_f08`), HOST_MPI (`use mpi`), else mpif.h.
! Prints how many calls of each it made; what must arrive is summed up, and compared with a run without the shim.
#ifdef HOST_F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
program f_counted
#ifdef HOST_F08
  use mpi_f08
#elif defined(HOST_MPI)
  use mpi
#endif
  implicit none
#if !defined(HOST_F08) && !defined(HOST_MPI)
  include 'mpif.h'
#endif
  integer, parameter :: long = selected_int_kind(18), items = 3
  integer :: world_rank, ranks, ierror, i, root, ring(2)
  integer(long) :: digest = 0, total
  HANDLE(MPI_Comm) :: graph
  HANDLE(MPI_Request) :: request
  integer, allocatable :: send(:), recv(:), counts(:), places(:), byte_places(:)
  integer(MPI_ADDRESS_KIND), allocatable :: addresses(:)
  HANDLE(MPI_Datatype), allocatable :: types(:)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  ! A ring. (MPICH 4.0's MPI_Neighbor_alltoallw of mpi_f08 takes no other topology.)
  ring = [modulo(world_rank - 1, ranks), modulo(world_rank + 1, ranks)]
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, ring, [1, 1], 2, ring, [1, 1], MPI_INFO_NULL, .false., graph, ierror)
  i = max(ranks, 2)
  allocate (send(i*items), recv(i*items), counts(i), places(i), byte_places(i), addresses(i), types(i))
  counts = items
  do i = 1, size(places)
    places(i) = items*(i - 1)
  end do
  byte_places = 4*places
  addresses = byte_places
  types = MPI_INTEGER
  root = ranks - 1
  do i = 1, size(send)
    send(i) = 100*world_rank + i
  end do
  recv = world_rank

#define WORLD MPI_COMM_WORLD
#define ENDED(name, sent) call ended(name, sent)
  call MPI_Barrier(WORLD, ierror)
  ENDED('barrier', 0)
  call MPI_Bcast(recv, items, MPI_INTEGER, root, WORLD, ierror)
  ENDED('bcast', at_root(items))
  call MPI_Gather(send, items, MPI_INTEGER, recv, items, MPI_INTEGER, root, WORLD, ierror)
  ENDED('gather', items)
  call MPI_Gatherv(send, items, MPI_INTEGER, recv, counts, places, MPI_INTEGER, root, WORLD, ierror)
  ENDED('gatherv', items)
  call MPI_Scatter(send, items, MPI_INTEGER, recv, items, MPI_INTEGER, root, WORLD, ierror)
  ENDED('scatter', at_root(items*ranks))
  call MPI_Scatterv(send, counts, places, MPI_INTEGER, recv, items, MPI_INTEGER, root, WORLD, ierror)
  ENDED('scatterv', at_root(items*ranks))
  call MPI_Reduce(send, recv, items, MPI_INTEGER, MPI_SUM, root, WORLD, ierror)
  ENDED('reduce', items)
  call MPI_Allreduce(send, recv, items, MPI_INTEGER, MPI_SUM, WORLD, ierror)
  ENDED('allreduce', items)
  call MPI_Allreduce(MPI_IN_PLACE, recv, items, MPI_INTEGER, MPI_SUM, WORLD, ierror)
  ENDED('allreduce', items)
  call MPI_Reduce_scatter(send, recv, counts, MPI_INTEGER, MPI_SUM, WORLD, ierror)
  ENDED('reduce_scatter', items*ranks)
  call MPI_Reduce_scatter_block(send, recv, items, MPI_INTEGER, MPI_SUM, WORLD, ierror)
  ENDED('reduce_scatter_block', items*ranks)
  call MPI_Scan(send, recv, items, MPI_INTEGER, MPI_SUM, WORLD, ierror)
  ENDED('scan', items)
  call MPI_Exscan(send, recv, items, MPI_INTEGER, MPI_SUM, WORLD, ierror)
  ENDED('exscan', items)
  call MPI_Neighbor_allgather(send, items, MPI_INTEGER, recv, items, MPI_INTEGER, graph, ierror)
  ENDED('neighbor_allgather', items)
  call MPI_Neighbor_allgatherv(send, items, MPI_INTEGER, recv, counts, places, MPI_INTEGER, graph, ierror)
  ENDED('neighbor_allgatherv', items)
  call MPI_Neighbor_alltoall(send, items, MPI_INTEGER, recv, items, MPI_INTEGER, graph, ierror)
  ENDED('neighbor_alltoall', 2*items)
  call MPI_Neighbor_alltoallv(send, counts, places, MPI_INTEGER, recv, counts, places, MPI_INTEGER, graph, ierror)
  ENDED('neighbor_alltoallv', 2*items)
  call MPI_Neighbor_alltoallw(send, counts, addresses, types, recv, counts, addresses, types, graph, ierror)
  ENDED('neighbor_alltoallw', 2*items)

#define STARTED(name, sent) call MPI_Wait(request, MPI_STATUS_IGNORE, ierror); call ended(name, sent)
  call MPI_Ibarrier(WORLD, request, ierror)
  STARTED('ibarrier', 0)
  call MPI_Ibcast(recv, items, MPI_INTEGER, root, WORLD, request, ierror)
  STARTED('ibcast', at_root(items))
  call MPI_Igather(send, items, MPI_INTEGER, recv, items, MPI_INTEGER, root, WORLD, request, ierror)
  STARTED('igather', items)
  call MPI_Igatherv(send, items, MPI_INTEGER, recv, counts, places, MPI_INTEGER, root, WORLD, request, ierror)
  STARTED('igatherv', items)
  call MPI_Iscatter(send, items, MPI_INTEGER, recv, items, MPI_INTEGER, root, WORLD, request, ierror)
  STARTED('iscatter', at_root(items*ranks))
  call MPI_Iscatterv(send, counts, places, MPI_INTEGER, recv, items, MPI_INTEGER, root, WORLD, request, ierror)
  STARTED('iscatterv', at_root(items*ranks))
  call MPI_Iallgather(send, items, MPI_INTEGER, recv, items, MPI_INTEGER, WORLD, request, ierror)
  STARTED('iallgather', items)
  call MPI_Iallgatherv(send, items, MPI_INTEGER, recv, counts, places, MPI_INTEGER, WORLD, request, ierror)
  STARTED('iallgatherv', items)
  call MPI_Ialltoall(send, items, MPI_INTEGER, recv, items, MPI_INTEGER, WORLD, request, ierror)
  STARTED('ialltoall', items*ranks)
  call MPI_Ialltoallv(send, counts, places, MPI_INTEGER, recv, counts, places, MPI_INTEGER, WORLD, request, ierror)
  STARTED('ialltoallv', items*ranks)
  call MPI_Ialltoallw(send, counts, byte_places, types, recv, counts, byte_places, types, WORLD, request, ierror)
  STARTED('ialltoallw', items*ranks)
  call MPI_Ireduce(send, recv, items, MPI_INTEGER, MPI_SUM, root, WORLD, request, ierror)
  STARTED('ireduce', items)
  call MPI_Iallreduce(send, recv, items, MPI_INTEGER, MPI_SUM, WORLD, request, ierror)
  STARTED('iallreduce', items)
  call MPI_Ireduce_scatter(send, recv, counts, MPI_INTEGER, MPI_SUM, WORLD, request, ierror)
  STARTED('ireduce_scatter', items*ranks)
  call MPI_Ireduce_scatter_block(send, recv, items, MPI_INTEGER, MPI_SUM, WORLD, request, ierror)
  STARTED('ireduce_scatter_block', items*ranks)
  call MPI_Iscan(send, recv, items, MPI_INTEGER, MPI_SUM, WORLD, request, ierror)
  STARTED('iscan', items)
  call MPI_Iexscan(send, recv, items, MPI_INTEGER, MPI_SUM, WORLD, request, ierror)
  STARTED('iexscan', items)
  call MPI_Ineighbor_allgather(send, items, MPI_INTEGER, recv, items, MPI_INTEGER, graph, request, ierror)
  STARTED('ineighbor_allgather', items)
  call MPI_Ineighbor_allgatherv(send, items, MPI_INTEGER, recv, counts, places, MPI_INTEGER, graph, request, ierror)
  STARTED('ineighbor_allgatherv', items)
  call MPI_Ineighbor_alltoall(send, items, MPI_INTEGER, recv, items, MPI_INTEGER, graph, request, ierror)
  STARTED('ineighbor_alltoall', 2*items)
  call MPI_Ineighbor_alltoallv(send, counts, places, MPI_INTEGER, recv, counts, places, MPI_INTEGER, graph, request, ierror)
  STARTED('ineighbor_alltoallv', 2*items)
  call MPI_Ineighbor_alltoallw(send, counts, addresses, types, recv, counts, addresses, types, graph, request, ierror)
  STARTED('ineighbor_alltoallw', 2*items)

#ifdef HOST_MPI_4
#define MADE(name) call ended(name, 0)
#define RUN(name, sent) call MPI_Start(request, ierror); STARTED(name, sent)
#define FREED call MPI_Request_free(request, ierror)
  call MPI_Barrier_init(WORLD, MPI_INFO_NULL, request, ierror)
  MADE('barrier_init')
  RUN('barrier_start', 0)
  FREED
  call MPI_Allreduce_init(send, recv, items, MPI_INTEGER, MPI_SUM, WORLD, MPI_INFO_NULL, request, ierror)
  MADE('allreduce_init')
  RUN('allreduce_start', items)
  FREED
  call MPI_Alltoallv_init(send, counts, places, MPI_INTEGER, recv, counts, places, MPI_INTEGER, &
                          WORLD, MPI_INFO_NULL, request, ierror)
  MADE('alltoallv_init')
  RUN('alltoallv_start', items*ranks)
  FREED
#ifdef HOST_F08
  call MPI_Allreduce(send, recv, int(items, MPI_COUNT_KIND), MPI_INTEGER, MPI_SUM, WORLD, ierror)
  ENDED('allreduce', items)
  call MPI_Ibcast(recv, int(items, MPI_COUNT_KIND), MPI_INTEGER, root, WORLD, request, ierror)
  STARTED('ibcast', at_root(items))
#endif
#endif

  ! Counts like the others: from Fortran, PMPI_ names are calls of the application, too.
  call MPI_Allreduce(digest, total, 1, MPI_INTEGER8, MPI_SUM, WORLD, ierror)
  call print_calls('allreduce', 1, 8*ranks)
  if (world_rank == 0) write (*, '(a, z16.16)') 'ok digest=', total
  call MPI_Comm_free(graph, ierror)
  call MPI_Finalize(ierror)

contains

  integer function at_root(ints)
    integer, intent(in) :: ints
    at_root = 0
    if (world_rank == root) at_root = ints
  end function

  ! A call has ended on every rank; this rank sent so many ints.
  subroutine ended(name, ints)
    character(*), intent(in) :: name
    integer, intent(in) :: ints
    integer :: sent
    do i = 1, size(recv)
      digest = digest + int(recv(i) + 7, long)*(i + 13*(world_rank + 1))
    end do
    ! What the root alone sends, and every rank the same of all else.
    sent = 4*ints*ranks
    if (index(name, 'bcast') > 0) sent = 4*items
    if (index(name, 'scatter') > 0 .and. index(name, 'reduce') == 0) sent = 4*items*ranks
    call print_calls(name, 1, sent)
  end subroutine

  subroutine print_calls(name, calls, bytes)
    character(*), intent(in) :: name
    integer, intent(in) :: calls, bytes
    if (world_rank == 0) write (*, '(3a, i0, a, i0)') 'seen ', name, ' calls=', calls*ranks, ' bytes=', bytes
  end subroutine

end program
