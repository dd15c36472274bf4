! What the Fortran module has beside plans of dense transforms, on any number of ranks: maps, plane waves, layouts,
! redistribution, halos, files, tuning, traces, and what happens when handles or MPI have ended.
module of_the_test
  use, intrinsic :: iso_c_binding, only: c_null_ptr
  use mpi_f08
  use weft
  implicit none
  integer :: wrong = 0, rank, ranks
  real(c_double), parameter :: pi = acos(-1d0)
  type(weft_plan) :: fft  ! of maps, which are given lines alone

contains

  subroutine expect(so, what)
    logical, intent(in) :: so
    character(len=*), intent(in) :: what
    if (so) return
    wrong = wrong + 1
    print '(a, i0, 5a)', 'rank ', rank, ': not so: ', what, ' (', weft_message(), ')'
  end subroutine

  ! A number that tells where an element comes from; `round` makes every execution different.
  pure real(c_double) function number(at, round)
    integer, intent(in) :: at(:), round
    integer :: d
    number = round
    do d = 1, size(at)
      number = number * 31 + at(d)
    end do
    number = sin(number)
  end function

  ! Multiplies by i k of axis 1 and the scale.
  subroutine differentiate(line)
    type(weft_line), intent(inout) :: line
    complex(c_double_complex), pointer :: z(:)
    integer :: i, at
    call line%values(z)
    at = int(line%first(1))
    do i = lbound(z, 1), ubound(z, 1)
      if (line%axis == 1) at = i
      z(i) = z(i) * cmplx(0, fft%wavenumber(1, at), c_double) * fft%scale()
    end do
  end subroutine

  subroutine fail(line)
    type(weft_line), intent(inout) :: line
    line%status = 5
  end subroutine

  subroutine misread(line)
    type(weft_line), intent(inout) :: line
    real(c_double), pointer :: x(:)
    call line%values(x)
    if (size(x) > 0) x = 7
  end subroutine

  ! Doubles the lines of real space, whose bounds it checks.
  subroutine double_all(line)
    type(weft_line), intent(inout) :: line
    complex(c_double_complex), pointer :: z(:)
    call line%values(z)
    if (line%axes /= 3 .or. lbound(z, 1) /= line%first(line%axis) .or. size(z) /= line%count) line%status = 3
    z = 2 * z
  end subroutine

end module

program whole
  use of_the_test
  implicit none
  type(weft_redistribution) :: late_move
  type(weft_halo) :: late_halo
  call early()
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call maps()
  call spheres()
  call kept_boxes()
  call layouts()
  call redistributions()
  call halos()
  call lists()
  call files()
  call tuning()
  call ended_handles()
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(i0, a, i0, a)', wrong, ' failures on ', ranks, ' ranks'
  call MPI_Finalize()
  call late()
  if (wrong /= 0) error stop 1

contains

  subroutine early()
    integer :: ierr
    rank = -1
    call fft%create(0, weft_kinds([4, 4], 'c2c'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is not initialised') > 0, 'before MPI_Init')
    call expect(len(weft_version()) > 2, 'a version')
  end subroutine

  ! The derivative of a wave, without its spectrum being stored.
  subroutine maps()
    integer, parameter :: n(3) = [8, 6, 10]
    real(c_double), pointer :: u(:,:,:)
    real(c_double), allocatable :: v(:,:,:), k(:)
    type(weft_options) :: options
    real(c_double) :: worst, weight, odd(3)
    integer :: i, j, l, ierr, round, lines
    call options%set('strategy', 'alltoallv')
    call fft%create(MPI_COMM_WORLD, weft_kinds(n, 'r2c'), options)
    call fft%input(u)
    allocate (v, mold=u)
    do round = 1, 2
      do l = lbound(u, 3), ubound(u, 3)
        do j = lbound(u, 2), ubound(u, 2)
          do i = lbound(u, 1), ubound(u, 1)
            u(i, j, l) = sin(4 * pi * (i - 1) / 8 + 2 * pi * (j - 1) / 6) * round + cos(6 * pi * (l - 1) / 10)
          end do
        end do
      end do
      v = -7
      call fft%forward_map_backward(u, v, differentiate)
      worst = 0
      do l = lbound(v, 3), ubound(v, 3)
        do j = lbound(v, 2), ubound(v, 2)
          do i = lbound(v, 1), ubound(v, 1)
            worst = max(worst, abs(v(i, j, l) - 2 * round * cos(4 * pi * (i - 1) / 8 + 2 * pi * (j - 1) / 6)))
          end do
        end do
      end do
      call expect(worst < 1e-13, 'the derivative of a wave')
    end do
    lines = size(u)
    call fft%forward_map_backward(u, v, fail, ierr)
    if (lines > 0) call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the map returned 5') > 0, &
      'a map that fails')
    call fft%forward_map_backward(u, v, misread, ierr)
    if (lines > 0) call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'values of another type') > 0, &
      'a map that reads other values')
    if (lines > 0) then
      call fft%forward_map_backward(u, v(:, :, lbound(v, 3):ubound(v, 3) - 1), differentiate, ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the array for the result') > 0, 'an array too short')
    end if
    allocate (k(3))
    call fft%mode([20, 1, 1], k, odd, weight, ierr)  ! outside of the half spectrum
    call expect(ierr == WEFT_ERROR, 'no such mode')
    call mode_of([2, 6, 10], k, odd, weight)
    call expect(all(k == [1, -1, -1]) .and. weight == 2 .and. all(odd == k), 'a mode')
    call mode_of([5, 4, 1], k, odd, weight)
    call expect(all(abs(k) == [4, 3, 0]) .and. weight == 1 .and. all(odd == 0), 'a mode at the ends')
    call fft%mode([1, 1], k, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'this plan has 3') > 0, 'a mode of too few indices')
    call expect(fft%bytes_owned() > 0, 'bytes')
    call expect(index(fft%explain(), 'alltoallv') > 0, 'an explanation')
    call fft%effective(options)
    call expect(options%get('strategy') == 'alltoallv', 'what is done')
    call expect(index(options%describe(), 'alltoallv') > 0, 'options describe themselves')
  end subroutine

  ! Of axes, whatever dimension of the output each is.
  subroutine mode_of(axes, k, odd, weight)
    integer, intent(in) :: axes(3)
    real(c_double), intent(out) :: k(:), odd(:), weight
    call fft%mode(axes(fft%output_axes()), k, odd, weight)
  end subroutine

  ! One plane wave, on a grid with three different extents and a metric of three different lengths.
  subroutine spheres()
    integer, parameter :: n(3) = [12, 10, 14]
    type(weft_plan) :: waves, listed
    type(weft_cutoff) :: below
    complex(c_double_complex), pointer :: c(:), psi(:,:,:)
    complex(c_double_complex), allocatable :: d(:)
    integer(c_int64_t), allocatable :: g(:,:), again(:,:)
    real(c_double), allocatable :: potential(:)
    integer :: i, j, l, count, all_of_them, lo(3), hi(3), ierr
    real(c_double) :: worst
    below%squared = 16
    below%metric = reshape([1d0, 0d0, 0d0, 0d0, 2d0, 0d0, 0d0, 0d0, 0.5d0], [3, 3])
    below%k = [0.1d0, 0d0, 0.2d0]
    call waves%create(MPI_COMM_WORLD, weft_sphere(n, below))
    g = waves%vectors()
    count = size(g, 2)
    call MPI_Allreduce(MPI_IN_PLACE, count, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    all_of_them = 0
    do l = -7, 6
      do j = -5, 4
        do i = -6, 5
          if ((i + 0.1d0)**2 + 2 * j**2 + 0.5d0 * (l + 0.2d0)**2 <= 16) all_of_them = all_of_them + 1
        end do
      end do
    end do
    call expect(count == all_of_them, 'as many vectors as there are')
    call expect(all((g(1, :) + 0.1d0)**2 + 2 * g(2, :)**2 + 0.5d0 * (g(3, :) + 0.2d0)**2 <= 16), 'all below the cutoff')
    call listed%create(MPI_COMM_WORLD, weft_sphere(n, g))
    again = listed%vectors()
    call expect(size(again, 2) == size(g, 2), 'a sphere of vectors')
    if (size(again, 2) == size(g, 2)) call expect(all(again == g), 'their order is kept')
    call listed%output(c)
    call listed%input(psi)
    call expect(size(c) == size(g, 2), 'a coefficient for each vector')
    do i = 1, size(g, 2)
      c(lbound(c, 1) + i - 1) = merge(1, 0, all(g(:, i) == [2, -1, 3]))
    end do
    call listed%backward(c, psi)
    worst = 0
    do l = lbound(psi, 3), ubound(psi, 3)
      do j = lbound(psi, 2), ubound(psi, 2)
        do i = lbound(psi, 1), ubound(psi, 1)
          worst = max(worst, abs(psi(i, j, l) - exp(cmplx(0, 2 * pi * (2 * (i - 1) / 12d0 - (j - 1) / 10d0 + &
            3 * (l - 1) / 14d0), c_double))))
        end do
      end do
    end do
    call expect(worst < 1e-13, 'a plane wave in real space')
    do i = 1, size(g, 2)
      c(lbound(c, 1) + i - 1) = cmplx(number(int(g(:, i)), 1), number(int(g(:, i)), 2), c_double)
    end do
    allocate (d(size(c)))
    call listed%backward_map_forward(c, d, double_all)
    call expect(all(abs(d * listed%scale() - 2 * c) < 1e-13), 'a map in real space')
    call listed%map_bounds(lo, hi)
    allocate (potential(product(max(hi - lo + 1, 0))))
    potential = 3
    call listed%apply(potential, c, d)
    call expect(all(abs(d - 3 * c) < 1e-13), 'a constant potential')
    count = size(potential)
    if (count > 0) then
      call listed%apply(potential(1:count - 1), c, d, ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'this plan needs') > 0, 'a potential too short')
      call listed%apply(real(potential), c, d, ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'potential is of another type') > 0, &
        'a potential of another type')
    end if
    call waves%create(MPI_COMM_WORLD, weft_sphere([8, 8], below), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'grid of 2 axes') > 0, 'a grid of two axes')
    call waves%create(MPI_COMM_WORLD, weft_sphere(n, below, balance='by hand'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'by hand') > 0, 'no such rule')
  end subroutine

  ! The spectrum of a smaller grid; of real functions its first axis is halved.
  subroutine kept_boxes()
    integer, parameter :: n(3) = [12, 10, 8], kept(3) = [6, 5, 3]
    type(weft_plan) :: part
    type(weft_layout) :: layout
    real(c_double), pointer :: u(:,:,:)
    complex(c_double_complex), pointer :: c(:,:,:)
    integer :: i, j, l, axes(3), at(3), ierr
    real(c_double) :: worst
    call part%create(MPI_COMM_WORLD, weft_kept_box(n, kept, of_real=.true.))
    call part%output_layout(layout)
    call expect(all(layout%shape() == [4, 5, 3]), 'the kept spectrum')
    call part%input_layout(layout)
    call expect(all(layout%shape() == n) .and. layout%ranks() == ranks, 'the grid')
    call part%input(u)
    call part%output(c)
    axes = part%output_axes()
    c = 0
    do l = lbound(c, 3), ubound(c, 3)
      do j = lbound(c, 2), ubound(c, 2)
        do i = lbound(c, 1), ubound(c, 1)
          at(axes) = [i, j, l]
          if (all(at == [3, 2, 3])) c(i, j, l) = 0.5d0  ! modes 2, 1, -1
        end do
      end do
    end do
    call part%backward(c, u)
    worst = 0
    do l = lbound(u, 3), ubound(u, 3)
      do j = lbound(u, 2), ubound(u, 2)
        do i = lbound(u, 1), ubound(u, 1)
          worst = max(worst, abs(u(i, j, l) - cos(2 * pi * (2 * (i - 1) / 12d0 + (j - 1) / 10d0 - (l - 1) / 8d0))))
        end do
      end do
    end do
    call expect(worst < 1e-13, 'a wave of the kept spectrum')
    call part%create(MPI_COMM_WORLD, weft_kept_box(n, [5, 3, 4], low=[-2, -1, 0]))
    call part%output_layout(layout)
    call expect(all(layout%shape() == [5, 3, 4]), 'a box of indices')
    call part%create(MPI_COMM_WORLD, weft_kept_box(n, [5, 3]), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'kept has 2') > 0, 'a box of two axes')
  end subroutine

  subroutine layouts()
    type(weft_layout) :: slabs, pencils, other, unmade
    integer(c_int64_t), allocatable :: first(:), length(:)
    integer, allocatable :: counts(:)
    integer :: lo(2), hi(2), r, points, ierr, los(2, ranks), his(2, ranks)
    call slabs%slab([7, 9], 2, ranks)
    call slabs%check()
    points = 0
    do r = 0, ranks - 1
      call slabs%bounds(r, lo, hi)
      los(:, r + 1) = lo
      his(:, r + 1) = hi
      call expect(lo(1) == 1 .and. hi(1) == 7, 'the first axis is whole')
      points = points + product(max(hi - lo + 1, 0))
      call expect(slabs%points(r) == product(max(hi - lo + 1, 0)), 'points of a rank')
    end do
    call expect(points == 63, 'all points')
    call pencils%boxes([7, 9], los, his)
    call expect(pencils == slabs, 'the same boxes')
    call pencils%boxes([7, 9], los, his, order=[2, 1], padding=[0, 2])
    call expect(.not. pencils == slabs, 'another order')
    call other%ordered(slabs, [2, 1], [0, 2])
    call expect(pencils == other, 'ordered')
    call slabs%bounds(0, lo, hi)
    call expect(all(other%strides(0) == [hi(2) - lo(2) + 3, 1]), 'the second axis is the fastest, and padded')
    call expect(other%elements(0) >= other%points(0), 'room for all')
    other = slabs
    call expect(other == slabs, 'a copy')
    call other%slab([7, 9], 1, ranks, split='blocks')
    call other%grid([4, 6], [ranks, 1], splits='even;blocks')
    call other%bounds(ranks - 1, lo, hi)
    call expect(hi(1) == 4 .or. ranks > 4, 'the last rank has the end of the first axis')
    call expect(lo(2) == 1 .and. hi(2) == 6, 'and all of the second')
    call other%replicated([3, 5], ranks)
    call expect(other%points(ranks - 1) == 15 .and. all(other%shape() == [3, 5]), 'all on every rank')
    call other%grown(slabs, [1, 2])
    call other%bounds(0, lo, hi)
    call expect(lo(1) == 0 .and. hi(1) == 8 .and. lo(2) == -1, 'grown')
    allocate (counts(ranks))
    counts = 0
    counts(1) = 2
    call other%runs([7, 9], counts, [60_c_int64_t, 1_c_int64_t], [4_c_int64_t, 10_c_int64_t])
    call other%list(0, first, length)
    call expect(size(first) == 2, 'two runs')
    if (size(first) == 2) call expect(all(first == [60, 1]) .and. all(length == [4, 10]), 'their points')
    call expect(len(other%describe()) > 5, 'a line')
    call other%check(ierr)
    call expect(ierr == WEFT_ERROR, 'points without owner')
    call other%slab([7, 9], 3, ranks, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'allowed: 1 to 2') > 0, 'no third axis')
    call other%slab([7, 9], 1, ranks, order=[1], ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the order has 1 entries') > 0, 'half an order')
    call other%boxes([7, 9], los(:, 2:), his, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'give both for each rank') > 0, 'lo without hi')
    call other%runs([7, 9], counts, [60_c_int64_t], [4_c_int64_t], ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the counts of runs are 2') > 0, &
      'runs that do not add up')
    counts = unmade%shape(ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'layout is NULL') > 0, 'no layout')
    call slabs%bounds(ranks, lo, hi, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'allowed: 0 to') > 0, 'no such rank')
  end subroutine

  subroutine redistributions()
    integer, parameter :: n(3) = [5, 6, 7]
    type(weft_layout) :: from, to
    type(weft_redistribution) :: move
    type(weft_options) :: options
    type(weft_trace) :: trace
    real(c_double), allocatable :: u(:,:,:), v(:,:,:), w(:,:,:)
    integer :: lo(3), hi(3), i, j, l, ierr, round
    call from%slab(n, 3, ranks)
    call to%slab(n, 2, ranks)
    call options%set('strategy', 'isend')
    call move%create(MPI_COMM_WORLD, from, to, 8, options=options)
    call expect(move%strategy() == 'isend' .and. len(move%describe()) > 20, 'a redistribution')
    call trace%create(MPI_COMM_WORLD%MPI_VAL, spans=100)
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
    call trace%write('weft_fortran_trace.json')
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) call remove('weft_fortran_trace.json')
    call options%set('batch', 2)
    call move%create(MPI_COMM_WORLD, from, to, 8, options=options, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), "a redistribution has no option 'batch'") > 0, &
      'no batch')
    call move%create(MPI_COMM_WORLD, from, to, 8, periodic=[.true.], ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'periodic has 1') > 0, 'one flag')
    call move%execute(u, v, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'redistribution is NULL') > 0, 'nothing to execute')
  end subroutine

  subroutine remove(file)
    character(len=*), intent(in) :: file
    integer :: unit, failed
    open (newunit=unit, file=file, status='old', iostat=failed)
    call expect(failed == 0, 'the file is there')
    if (failed == 0) close (unit, status='delete')
  end subroutine

  ! Wrapped around a periodic axis.
  pure integer function around(i, n)
    integer, intent(in) :: i, n
    around = modulo(i - 1, n) + 1
  end function

  ! Another width on each axis and each side, so that no two can be taken for another.
  subroutine halos()
    integer, parameter :: n(3) = [6, 8, 5], width(3) = [2, 1, 0], behind(3) = [1, 2, 1]
    type(weft_layout) :: parts
    type(weft_halo) :: halo
    type(weft_options) :: options
    real(c_double), allocatable :: u(:,:,:), v(:,:,:)
    integer(c_int64_t), allocatable :: ones(:,:,:)
    integer(c_int64_t) :: ghosts, got
    integer :: lo(3), hi(3), own_lo(3), own_hi(3), ierr, round
    logical :: owns, done
    call parts%slab(n, 2, ranks)
    call parts%bounds(rank, own_lo, own_hi)
    owns = all(own_hi >= own_lo)
    call options%set('strategy', 'isend')
    call halo%create(MPI_COMM_WORLD, parts, 8, width, behind, [.true., .true., .false.], fields=2, options=options)
    call expect(halo%strategy() == 'isend' .and. index(halo%describe(), 'fields 2') > 0, 'a halo of two fields')
    call halo%bounds(lo, hi)
    if (owns) call expect(all(lo == own_lo - width) .and. all(hi == own_hi + behind), 'bounds with ghost points')
    allocate (u(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3)), v(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3)))
    call expect(halo%elements() == size(u), 'elements')
    do round = 1, 2
      call fill_own(u, own_lo, own_hi, round)
      call fill_own(v, own_lo, own_hi, round + 10)
      if (round == 1) then
        call halo%execute(u, v)
      else
        call halo%start(u, v)
        done = halo%test()
        call halo%finish()
      end if
      call check_all(u, n, round)
      call check_all(v, n, round + 10)
    end do
    if (owns) then
      call halo%execute(u, v(:, :, 1:4), ierr=ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the second array of a halo has') > 0, 'too short')
      call halo%execute(u, ierr=ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'give one for each field') > 0, 'one array of two')
    end if
    call halo%finish(ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'call start before') > 0, 'nothing was started')

    ! Ghost points hold 1, own points 0: what comes together is the number of ghost points that are
    ! copies of some point.
    call halo%create(MPI_COMM_WORLD%MPI_VAL, parts, 8, width, behind, [.true., .true., .false.], adds=.true.)
    allocate (ones(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3)))
    ones = 1
    if (owns) ones(own_lo(1):own_hi(1), own_lo(2):own_hi(2), own_lo(3):own_hi(3)) = 0
    ghosts = count(ones(:, :, lbound(ones, 3):min(ubound(ones, 3), 5)) == 1)
    call halo%add(ones)
    got = 0
    if (owns) got = sum(ones(own_lo(1):own_hi(1), own_lo(2):own_hi(2), own_lo(3):own_hi(3)))
    call MPI_Allreduce(MPI_IN_PLACE, ghosts, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, got, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    call expect(ghosts > 0 .and. got == ghosts, 'all ghost points were added')
    call halo%create(MPI_COMM_WORLD, parts, 8, [1, 1], ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the width has 2') > 0, 'two widths')
    call halo%create(MPI_COMM_WORLD, parts, 8, [1, 1, -1], ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), '0 or more') > 0, 'a width below zero')
    call halo%add(ones, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'halo is NULL') > 0, 'no halo')
  end subroutine

  subroutine fill_own(u, lo, hi, round)
    real(c_double), allocatable, intent(inout) :: u(:,:,:)
    integer, intent(in) :: lo(3), hi(3), round
    integer :: i, j, l
    u = -7
    do l = lo(3), hi(3)
      do j = lo(2), hi(2)
        do i = lo(1), hi(1)
          u(i, j, l) = number([i, j, l], round)
        end do
      end do
    end do
  end subroutine

  ! The third axis is not periodic: what lies behind it is as it was.
  subroutine check_all(u, n, round)
    real(c_double), allocatable, intent(in) :: u(:,:,:)
    integer, intent(in) :: n(3), round
    integer :: i, j, l, bad
    bad = 0
    do l = lbound(u, 3), ubound(u, 3)
      do j = lbound(u, 2), ubound(u, 2)
        do i = lbound(u, 1), ubound(u, 1)
          if (l > n(3)) then
            if (u(i, j, l) /= -7) bad = bad + 1
          else
            if (u(i, j, l) /= number([around(i, n(1)), around(j, n(2)), l], round)) bad = bad + 1
          end if
        end do
      end do
    end do
    call expect(bad == 0, 'ghost points have the values of those that they are copies of')
  end subroutine

  ! A lattice in even and odd sites, and its ghost sites as lists.
  subroutine lists()
    type(weft_layout) :: parts, lattice, ghosts
    type(weft_halo) :: halo
    integer :: los(2, ranks), his(2, ranks), r, ierr
    integer(c_int64_t), allocatable :: first(:), length(:)
    complex(c_float_complex), allocatable :: u(:)
    integer(c_int64_t) :: own, place, i
    integer :: part
    call parts%slab([4, 8], 2, ranks)
    do r = 0, ranks - 1
      call parts%bounds(r, los(:, r + 1), his(:, r + 1))
    end do
    call lattice%checkerboard([4, 8], los, his)
    call weft_checkerboard_ghosts(ghosts, parts, [1, 1], [.true., .true.])
    call halo%create(MPI_COMM_WORLD, lattice, ghosts, 8)
    own = lattice%points(rank)
    allocate (u(halo%elements()))
    call expect(size(u) == own + ghosts%points(rank), 'own points and ghosts')
    u = -7
    place = 0
    do part = 1, 2
      if (part == 1) call lattice%list(rank, first, length)
      if (part == 2) then
        call halo%execute(u)
        call ghosts%list(rank, first, length)
      end if
      do r = 1, size(first)
        do i = first(r), first(r) + length(r) - 1
          place = place + 1
          if (part == 1) u(place) = cmplx(number([int(i)], 1), number([int(i)], 2), c_float)
          if (part == 2) call expect(u(place) == cmplx(number([int(i)], 1), number([int(i)], 2), c_float), &
            'a ghost site')
        end do
      end do
    end do
    call expect(place == size(u), 'all of the array')
    call halo%create(MPI_COMM_WORLD, lattice, ghosts, 0, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'give at least 1') > 0, 'elements of no bytes')
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

  subroutine tuning()
    type(weft_tuning) :: found
    type(weft_options) :: options
    type(weft_plan) :: plan
    type(weft_problem) :: problem
    character(len=:), allocatable :: said, wisdom
    integer :: ierr
    problem = weft_kinds([8, 8, 8], 'c2c', 'single')
    call found%create(MPI_COMM_WORLD, problem, seconds=0.3d0)
    call expect(found%candidates() > 0 .and. found%seconds() > 0, 'candidates that were measured')
    call expect(len(found%reason()) > 0 .and. index(found%describe(json=.true.), '{') == 1, 'a reason, and JSON')
    call expect(index(found%describe(), '{') /= 1, 'text')
    call found%choice(options)
    call expect(ranks == 1 .or. options%get('strategy') /= 'auto', 'a strategy is chosen where there are exchanges')
    call plan%create(MPI_COMM_WORLD, problem, options)
    call found%remember(MPI_COMM_WORLD, problem, said=said)
    call expect(len(said) > 0, 'it is said where it is kept')
    wisdom = weft_export_wisdom()
    call expect(index(wisdom, 'weft_wisdom') > 0, 'wisdom')
    call weft_forget_wisdom()
    if (rank == 0) call expect(len(weft_export_wisdom()) < len(wisdom), 'it is forgotten')
    call weft_import_wisdom(wisdom)
    call expect(weft_export_wisdom() == wisdom, 'it is as it was')
    call weft_import_wisdom('nonsense', ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'JSON') > 0, 'no wisdom')
    call weft_forget_wisdom()
    call expect(weft_wisdom_files() == '', 'there are no files')
    call found%destroy()
    call found%choice(options, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'tuning is NULL') > 0, 'no tuning')
  end subroutine

  ! Handles that have ended, and communicators that are none.
  subroutine ended_handles()
    complex(c_double_complex), pointer :: u(:,:)
    type(weft_layout) :: layout
    type(weft_plan) :: stale
    character(len=:), allocatable :: text
    integer :: ierr
    call fft%create(MPI_COMM_WORLD, weft_kinds([6, 4], 'c2c'))
    stale%handle = fft%handle
    call fft%destroy()
    text = stale%describe(ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'one that has been destroyed') > 0, 'a stale handle')
    stale%handle = c_null_ptr
    call fft%create(123456789, weft_kinds([6, 4], 'c2c'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the communicator is') > 0, 'no communicator')
    call fft%create(MPI_COMM_WORLD, weft_kinds([6, 4], 'c2c'))
    call fft%output(u)
    call layout%slab([6, 4], 2, ranks)
    call late_move%create(MPI_COMM_WORLD, layout, layout, 8)
    call late_halo%create(MPI_COMM_WORLD, layout, 8, [1, 1])
  end subroutine

  ! When MPI has ended.
  subroutine late()
    complex(c_double_complex), pointer :: u(:,:), v(:,:)
    real(c_double) :: list(1000)
    type(weft_plan) :: plan
    integer :: ierr
    call fft%input(u)
    call fft%output(v)
    call fft%forward(u, v, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a plan')
    call late_move%execute(list, list, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a redistribution')
    call late_halo%execute(list, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a halo')
    call plan%create(0, weft_kinds([4, 4], 'c2c'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a new plan')
    call fft%destroy()
  end subroutine

end program
