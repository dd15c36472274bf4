! Dense plans: values at global indices, the order of axes and kinds, padded arrays, and what errors say.
module of_plans
  use checks
  implicit none
  private
  public :: complex_wave, kinds_by_axis, padded_in_place, some_axes, batches, arrays_of_the_caller, copies, errors

contains

  ! A wave with another wavenumber along each axis has one coefficient, at those wavenumbers of those axes.
  subroutine complex_wave()
    integer, parameter :: n(3) = [8, 12, 10], k(3) = [1, 5, 3]
    complex(c_double_complex), pointer :: u(:,:,:), u_hat(:,:,:)
    type(weft_plan) :: fft
    type(weft_options) :: options
    integer :: i, j, l, axes(3), at(3), found, points
    call options%set('strategy', 'alltoallv')
    call options%set('effort', 'estimate')
    call expect(options%get('strategy') == 'alltoallv', 'the strategy that was set')
    call fft%create(MPI_COMM_WORLD%MPI_VAL, weft_kinds(n, 'c2c'), options)
    call fft%input(u)
    call fft%output(u_hat)
    points = size(u)
    call MPI_Allreduce(MPI_IN_PLACE, points, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(points == product(n), 'ranks have all points')
    if (size(u) > 0) call expect(lbound(u, 1) == 1 .and. ubound(u, 1) == n(1), 'the first axis is whole')
    do l = lbound(u, 3), ubound(u, 3)
      do j = lbound(u, 2), ubound(u, 2)
        do i = lbound(u, 1), ubound(u, 1)
          u(i, j, l) = exp(cmplx(0, 2 * acos(-1d0) * (k(1) * (i - 1) / 8d0 + k(2) * (j - 1) / 12d0 + &
            k(3) * (l - 1) / 10d0), c_double))
        end do
      end do
    end do
    call fft%forward(u, u_hat)
    axes = fft%output_axes()
    found = 0
    do l = lbound(u_hat, 3), ubound(u_hat, 3)
      do j = lbound(u_hat, 2), ubound(u_hat, 2)
        do i = lbound(u_hat, 1), ubound(u_hat, 1)
          at(axes) = [i, j, l]
          if (all(at == k + 1)) then
            found = found + 1
            call expect(abs(u_hat(i, j, l) * fft%scale() - 1) < 1e-13, 'the coefficient of the wave')
          else
            call expect(abs(u_hat(i, j, l) * fft%scale()) < 1e-13, 'no other coefficient')
          end if
        end do
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, found, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(found == 1, 'the coefficient is on one rank')
    call expect(len(fft%describe()) > 100, 'the plan describes itself')
    call fft%destroy()
    call fft%destroy()
  end subroutine

  ! r2c along the first axis, sines along the second: the kinds are in the order of Fortran's axes.
  subroutine kinds_by_axis()
    real(c_float), pointer :: u(:,:)
    complex(c_float_complex), pointer :: u_hat(:,:)
    type(weft_plan) :: fft
    integer :: i, j, axes(2), at(2), extents(2)
    real(c_float), allocatable :: before(:,:)
    call fft%create(MPI_COMM_WORLD, weft_kinds([8, 6], 'r2c,dst2', 'single'))
    call fft%input(u)
    call fft%output(u_hat)
    do j = lbound(u, 2), ubound(u, 2)
      do i = lbound(u, 1), ubound(u, 1)
        ! cos(2 pi 2 x / 8) and the sine of k = 3 of dst2
        u(i, j) = real(cos(4 * acos(-1d0) * (i - 1) / 8) * sin(acos(-1d0) * 3 * (j - 0.5d0) / 6), c_float)
      end do
    end do
    before = u
    call fft%forward(u, u_hat)
    axes = fft%output_axes()
    extents = 0
    do j = lbound(u_hat, 2), ubound(u_hat, 2)
      do i = lbound(u_hat, 1), ubound(u_hat, 1)
        at(axes) = [i, j]
        extents = max(extents, at)
        if (all(at == [3, 3])) then
          call expect(abs(u_hat(i, j) - 4 * 6) < 1e-4, 'half of 8 times twice half of 6')
        else
          call expect(abs(u_hat(i, j)) < 1e-4, 'no other coefficient of kinds')
        end if
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, extents, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call expect(all(extents == [5, 6]), 'the first axis is halved')
    call fft%backward(u_hat, u)
    call expect(all(abs(u * real(fft%scale(), c_float) - before) < 1e-5), 'there and back')
  end subroutine

  ! In place the real array is padded; its pointer has the points alone.
  subroutine padded_in_place()
    real(c_double), pointer :: u(:,:,:)
    real(c_double), allocatable :: before(:,:,:)
    real(c_float), allocatable :: single(:,:,:)
    type(weft_plan) :: fft
    type(weft_options) :: options
    integer :: ierr
    call options%set('placement', 'in_place')
    call fft%create(MPI_COMM_WORLD, weft_kinds([6, 5, 4], 'r2c'), options)
    call fft%input(u)
    if (size(u) > 0) call expect(size(u, 1) == 6, 'the padding is not in the pointer')
    allocate (before, mold=u)
    call random_number(before)
    u = before
    call fft%forward(u, u)
    call fft%backward(u, u)
    call expect(all(abs(u * fft%scale() - before) < 1e-13), 'there and back in place')
    if (size(u) > 0) then
      allocate (single(6, 5, 4))
      call fft%forward(single, single, ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'of another type') > 0, 'another type in place')
    end if
  end subroutine

  ! Some axes alone are transformed, and the input lies as a layout says.
  subroutine some_axes()
    type(weft_plan) :: fft
    type(weft_options) :: options
    type(weft_layout) :: given, found
    call given%slab([4, 6, 5], 1, ranks, order=[3, 1, 2])
    call options%set('input', given)
    call fft%create(MPI_COMM_WORLD, weft_kinds([4, 6, 5], 'c2c', axes=[1]), options)
    call expect(abs(fft%scale() * 4 - 1) < 1e-15, 'the first axis is transformed')
    call fft%input_layout(found)
    call expect(found == given, 'the layout that was given')
  end subroutine

  ! A batch is the last axis, components are the first.
  subroutine batches()
    complex(c_double_complex), pointer :: u(:,:,:,:)
    type(weft_plan) :: fft
    type(weft_options) :: options
    call options%set('batch', 3)
    call options%set('components', 2_c_int64_t)
    call options%set('natural_output', .true.)
    call options%set('tune_seconds', 1d0)
    call fft%create(MPI_COMM_WORLD, weft_kinds([4, 8], 'c2c'), options)
    call fft%input(u)
    if (size(u) > 0) call expect(size(u, 1) == 2 .and. size(u, 4) == 3, 'components first, the batch last')
    call expect(all(fft%output_axes() == [1, 2, 3, 4]), 'a natural output is not turned')
  end subroutine

  ! Arrays that are like the plan's own, and lists; others are refused before anything is read or written.
  subroutine arrays_of_the_caller()
    integer, parameter :: n(3) = [6, 5, 4]
    complex(c_double_complex), pointer :: u(:,:,:), none(:,:,:)
    complex(c_double_complex), allocatable :: mine(:,:,:), larger(:,:,:), list(:), back(:)
    complex(c_float_complex), allocatable :: single(:,:,:)
    type(weft_plan) :: fft
    type(weft_options) :: options
    integer :: ierr, lo(3), hi(3)
    logical :: owns
    call options%set('natural_output', .true.)
    call fft%create(MPI_COMM_WORLD, weft_kinds(n, 'c2c'), options)
    call fft%input(u)
    owns = size(u) > 0
    lo = lbound(u)
    hi = ubound(u)
    allocate (mine(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3)), list(size(u)), back(size(u) + 3))
    call fill(u, 2)
    call fft%forward(u, mine, ierr)
    call expect(ierr == WEFT_OK, 'an allocatable array like the plan''s')
    call fft%forward(u, list, ierr)
    call expect(ierr == WEFT_OK .and. all(list == reshape(mine, [size(mine)])), 'a list of as many elements')
    call fft%backward(list, back, ierr)
    call expect(ierr == WEFT_OK, 'a longer list')
    call expect(all(abs(back(1:size(u)) * fft%scale() - reshape(u, [size(u)])) < 1e-13), 'there and back by lists')

    if (.not. owns) return  ! any array will do where there is nothing
    allocate (larger(lo(1):hi(1) + 1, lo(2):hi(2), lo(3):hi(3)), single(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3)))
    larger = 7
    call fft%forward(u, larger, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the array for the result has the extents (7, 5') > 0, &
      'other extents')
    call fft%forward(u, larger(lo(1):hi(1), :, :), ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the strides (1, 7, 35)') > 0, 'other strides')
    call expect(all(larger == 7), 'what was refused is as before')
    call fft%forward(u, back(1:size(u) - 1), ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'contiguous list') > 0, 'a short list')
    call fft%forward(single, u, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the array to transform is of another type') > 0, &
      'another precision')
    nullify (none)
    call fft%backward(none, u, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'not associated') > 0, 'no array')
  end subroutine

  subroutine fill(u, round)
    complex(c_double_complex), pointer, intent(in) :: u(:,:,:)
    integer, intent(in) :: round
    integer :: i, j, l
    do l = lbound(u, 3), ubound(u, 3)
      do j = lbound(u, 2), ubound(u, 2)
        do i = lbound(u, 1), ubound(u, 1)
          u(i, j, l) = cmplx(sin(100d0 * round + 31 * i + 7 * j + l), cos(1d0 * i * j + l * round), c_double)
        end do
      end do
    end do
  end subroutine

  ! Options can be copied; what is set in one is not in the other.
  subroutine copies()
    type(weft_options) :: first, second
    call first%set('batch', 3)
    second = first
    call second%set('batch', 4)
    call expect(first%get('batch') == '3' .and. second%get('batch') == '4', 'a copy is its own')
    first = second
    first = first
    call expect(first%get('batch') == '4', 'of itself, too')
  end subroutine

  subroutine errors()
    real(c_double), pointer :: u(:,:)
    complex(c_double_complex), pointer :: z(:,:,:)
    type(weft_plan) :: fft
    type(weft_options) :: options
    type(weft_problem) :: unmade
    character(len=:), allocatable :: text
    integer, allocatable :: axes(:)
    real(c_double) :: k
    integer :: ierr
    call options%set('strategy', 'pigeon', ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'pigeon') > 0, 'an unknown strategy')
    call fft%create(MPI_COMM_WORLD, weft_kinds([4, 4, 4], 'c2d'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'c2d') > 0, 'an unknown kind')
    call fft%input(z, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'plan is NULL') > 0, 'a plan that was not made')
    call fft%forward(z, z, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'plan is NULL') > 0, 'nothing to execute')
    call expect(size(fft%vectors(ierr)) == 0, 'no vectors')
    call expect(fft%scale(ierr) == 0 .and. fft%bytes_owned(ierr) == 0 .and. fft%workspace_bytes(ierr) == 0, 'no plan')
    axes = fft%output_axes(ierr)
    call expect(size(axes) == 0 .and. ierr == WEFT_ERROR, 'no axes')
    text = fft%describe(ierr)
    call expect(text == '' .and. ierr == WEFT_ERROR, 'nothing to describe')
    text = options%get('speed', ierr)
    call expect(text == '' .and. ierr == WEFT_ERROR .and. index(weft_message(), 'speed') > 0, 'no such option')
    call fft%create(MPI_COMM_WORLD, unmade, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'weft_kinds') > 0, 'a problem that was not made')
    call fft%create(MPI_COMM_NULL, weft_kinds([4, 4, 4], 'c2c'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI_COMM_NULL') > 0, 'no communicator')
    call fft%create(MPI_COMM_WORLD, weft_kinds([4, 4, 4 + rank], 'c2c'), ierr=ierr)
    call expect(ranks == 1 .or. ierr == WEFT_ERROR .and. index(weft_message(), 'ranks disagree about') > 0, &
      'another shape on each rank is an error on all')
    call fft%create(MPI_COMM_WORLD, weft_kinds([4, 4, 4], 'c2c'), ierr=ierr)
    call expect(ierr == WEFT_OK, 'a plan after all')
    call fft%input(u, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), '3 dimensions of type complex(c_double_complex)') > 0, &
      'a pointer of another type')
    call expect(.not. associated(u), 'no array')
    call expect(fft%wavenumber(1, 4) == -1 .and. fft%wavenumber(3, 2) == 1, 'wavenumbers')
    k = fft%wavenumber(4, 1, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'allowed: 1 to 3') > 0, 'no fourth axis')
    call fft%output(z, ierr)
    call expect(ierr == WEFT_OK .and. associated(z), 'the right pointer')
  end subroutine

end module
