! Redistribution and files: what moves as a whole.
module of_redistributions
  use checks
  implicit none
  private
  public :: redistributions, files

contains

  subroutine redistributions()
    integer, parameter :: n(3) = [5, 6, 7]
    type(weft_layout) :: from, to, around
    type(weft_redistribution) :: move
    type(weft_options) :: options
    type(weft_trace) :: trace
    real(c_double), allocatable :: u(:,:,:), v(:,:,:), w(:,:,:), x(:,:,:)
    integer :: lo(3), hi(3), i, j, l, ierr, round
    call from%slab(n, 3, ranks)
    call to%slab(n, 2, ranks)
    call options%set('strategy', 'isend')
    call move%create(MPI_COMM_WORLD, from, to, 8, options=options)
    call expect(move%strategy() == 'isend' .and. len(move%describe()) > 20, 'a redistribution')
    call trace%create(MPI_COMM_WORLD%MPI_VAL, spans=1)
    call move%record(trace)
    call from%bounds(rank, lo, hi)
    allocate (u(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3)))
    call to%bounds(rank, lo, hi)
    allocate (v(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3)), w(lo(1):hi(1) + 1, lo(2):hi(2), lo(3):hi(3)))
    do round = 1, 2
      do l = lbound(u, 3), ubound(u, 3)
        do j = lbound(u, 2), ubound(u, 2)
          do i = lbound(u, 1), ubound(u, 1)
            u(i, j, l) = number([i, j, l], round)
          end do
        end do
      end do
      call move%execute(u, v)
      do l = lbound(v, 3), ubound(v, 3)
        do j = lbound(v, 2), ubound(v, 2)
          do i = lbound(v, 1), ubound(v, 1)
            call expect(v(i, j, l) == number([i, j, l], round), 'an element that moved')
          end do
        end do
      end do
    end do
    if (size(v) > 0 .and. size(u) > 0) then
      call move%execute(u, v(:, :, 1:6), ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'are needed') > 0, 'an array too short')
      call move%execute(u, w(1:5, :, :), ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'without gaps') > 0, 'an array with gaps')
    end if
    call around%grown(from, [1, 0, 0])
    call move%create(MPI_COMM_WORLD, from, around, 8, [.true., .false., .false.])
    allocate (x(0:n(1) + 1, n(2), lbound(u, 3):ubound(u, 3)))
    call move%execute(u, x)
    call expect(all(x(1:n(1), :, :) == u) .and. all(x(0, :, :) == u(n(1), :, :)) .and. &
      all(x(n(1) + 1, :, :) == u(1, :, :)), 'beyond an end of a periodic axis lies the other one')
    call trace%write('no/such/folder.json', ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'no/such/folder.json') > 0, 'no folder')
    call trace%write('weft_fortran_trace.json')
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) call expect(index(contents('weft_fortran_trace.json'), '"left_out":2') > 0, 'two had no room')
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) call remove('weft_fortran_trace.json')
    call trace%destroy()
    call move%record(trace, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'trace is NULL') > 0, 'no trace')
    call options%set('batch', 2)
    call move%create(MPI_COMM_WORLD, from, to, 8, options=options, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), "a redistribution has no option 'batch'") > 0, &
      'no batch')
    call move%create(MPI_COMM_WORLD, from, to, 8, periodic=[.true.], ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'periodic has 1') > 0, 'one flag')
    call move%execute(u, v, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'redistribution is NULL') > 0, 'nothing to execute')
  end subroutine

  subroutine files()
    integer, parameter :: n(2) = [6, 9]
    character(len=*), parameter :: path = 'weft_fortran_file.npy'
    type(weft_layout) :: rows, columns
    real(c_double), allocatable :: u(:,:)
    real(c_float), allocatable :: v(:,:)
    real(c_float), pointer :: none(:,:)
    integer, allocatable :: shape(:)
    character(len=:), allocatable :: type
    integer :: lo(2), hi(2), i, j, ierr
    call rows%slab(n, 2, ranks)
    call columns%slab(n, 1, ranks)
    call rows%bounds(rank, lo, hi)
    allocate (u(lo(1):hi(1), lo(2):hi(2)))
    do j = lo(2), hi(2)
      do i = lo(1), hi(1)
        u(i, j) = number([i, j], 3)
      end do
    end do
    call weft_write(MPI_COMM_WORLD, path, rows, u, 'f4')
    call weft_inspect(MPI_COMM_WORLD, path, shape, type)
    call expect(type == 'f4', 'written in single precision')
    call weft_write(MPI_COMM_WORLD, path, rows, u)
    call weft_inspect(MPI_COMM_WORLD%MPI_VAL, path, shape, type)
    call expect(size(shape) == 2 .and. type == 'f8', 'an npy file')
    if (size(shape) == 2) call expect(all(shape == n), 'its shape')
    call columns%bounds(rank, lo, hi)
    allocate (v(lo(1):hi(1), lo(2):hi(2)))
    v = 0
    call weft_read(MPI_COMM_WORLD, path, columns, v, 'f8')
    do j = lo(2), hi(2)
      do i = lo(1), hi(1)
        call expect(v(i, j) == real(number([i, j], 3), c_float), 'an element of the file, in single precision')
      end do
    end do
    call weft_read(MPI_COMM_WORLD%MPI_VAL, path, columns, v, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'f8') > 0, 'the file is of another type')
    call weft_read(MPI_COMM_WORLD, 'nowhere.npy', columns, v, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'nowhere.npy') > 0, 'no file')
    nullify (none)
    call weft_read(MPI_COMM_WORLD, path, columns, none, 'f8', ierr)
    call expect(ierr == WEFT_ERROR, 'no array')
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) call remove(path)
  end subroutine

end module
