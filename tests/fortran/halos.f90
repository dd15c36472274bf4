! Halo exchange.
module of_halos
  use checks
  implicit none
  private
  public :: halos, lists

contains

  ! Another width on each axis and each side, so that no two can be taken for another.
  subroutine halos()
    integer, parameter :: n(3) = [6, 8, 5], width(3) = [2, 1, 0], behind(3) = [1, 2, 1]
    type(weft_layout) :: parts
    type(weft_halo) :: halo
    type(weft_options) :: options
    type(weft_trace) :: none
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
    call halo%record(none, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'trace is NULL') > 0, 'no trace')

    call halo%create(MPI_COMM_WORLD, parts, 8, width, behind, [.true., .true., .false.], corners=.false.)
    call fill_own(u, own_lo, own_hi, 3)
    call halo%execute(u)
    if (owns) then
      call expect(u(lo(1), own_lo(2), 1) == number([around(lo(1), n(1)), own_lo(2), 1], 3), 'a side')
      call expect(u(lo(1), lo(2), 1) == -7, 'a corner is left as it is')
    end if

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

  ! Wrapped around a periodic axis.
  pure integer function around(i, n)
    integer, intent(in) :: i, n
    around = modulo(i - 1, n) + 1
  end function

  ! A lattice in even and odd sites, and its ghost sites as lists.
  subroutine lists()
    type(weft_layout) :: parts, lattice, ghosts, even, odd
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
    call weft_checkerboard_ghosts(even, parts, [1, 1], [.true., .true.], parity=0)
    call weft_checkerboard_ghosts(odd, parts, [1, 1], [.true., .true.], parity=1)
    call expect(even%points(rank) + odd%points(rank) == ghosts%points(rank), 'every ghost site is even or odd')
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

end module
