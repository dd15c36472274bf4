! Maps, modes, memory, and what a plan tells of itself.
module of_maps
  use checks
  implicit none
  private
  public :: maps, modes, memory
  type(weft_plan) :: fft  ! of maps, which are given lines alone

contains

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
    call fft%destroy()
  end subroutine

  ! Tells a value which mode it is, and where.
  subroutine name_mode(mode, value)
    type(weft_mode), intent(inout) :: mode
    complex(c_double_complex), intent(inout) :: value
    if (mode%axes /= 3) mode%status = 3
    value = cmplx(dot_product(mode%k(1:3), [1, 100, 10000]) + mode%weight / 8, &
      number(int(mode%at(1:3)), 5) + sum(mode%odd(1:3)), c_double)
  end subroutine
  subroutine count_up(mode, value)
    type(weft_mode), intent(inout) :: mode
    real(c_float), intent(inout) :: value
    value = value + real(mode%at(1) + 100 * mode%at(2), c_float)
  end subroutine
  subroutine fail_at(mode, value)
    type(weft_mode), intent(inout) :: mode
    complex(c_double_complex), intent(inout) :: value
    if (value == 0) mode%status = 7
  end subroutine

  ! Each value is visited once, as the mode that it is.
  subroutine modes()
    type(weft_plan) :: plan, cosines
    complex(c_double_complex), pointer :: z(:,:,:)
    real(c_float), pointer :: x(:,:)
    real(c_double) :: k(3), odd(3), weight
    integer :: i, j, l, bad, ierr
    call plan%create(MPI_COMM_WORLD, weft_kinds([8, 6, 10], 'r2c'))
    call plan%output(z)
    z = -1
    call plan%for_each_mode(z, name_mode)
    bad = 0
    do l = lbound(z, 3), ubound(z, 3)
      do j = lbound(z, 2), ubound(z, 2)
        do i = lbound(z, 1), ubound(z, 1)
          call plan%mode([i, j, l], k, odd, weight)
          if (z(i, j, l) /= cmplx(dot_product(k, [1, 100, 10000]) + weight / 8, number([i, j, l], 5) + sum(odd), &
            c_double)) bad = bad + 1
        end do
      end do
    end do
    call expect(bad == 0, 'every value is visited as its mode')
    if (size(z) > 0) then
      z(ubound(z, 1), ubound(z, 2), ubound(z, 3)) = 0
      call plan%for_each_mode(z, fail_at, ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'returned 7') > 0, 'a visit that fails')
      call plan%for_each_mode(z(:, :, :ubound(z, 3) - 1), name_mode, ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'this plan needs') > 0, 'an array too small')
    end if
    call cosines%create(MPI_COMM_WORLD, weft_kinds([6, 5], 'dct2', 'single'))
    call cosines%output(x)
    x = 0
    call cosines%for_each_mode(x, count_up)
    do j = lbound(x, 2), ubound(x, 2)
      do i = lbound(x, 1), ubound(x, 1)
        call expect(x(i, j) == i + 100 * j, 'a real value')
      end do
    end do
    call plan%destroy()
    call plan%for_each_mode(z, name_mode, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'plan is NULL') > 0, 'no plan')
  end subroutine

  ! Two plans that work in one array, and one that has none.
  subroutine memory()
    type(weft_plan) :: plans(2), none
    real(c_double), pointer :: u(:,:), v(:,:)
    real(c_double), allocatable :: w(:,:)
    real(c_float), allocatable :: workspace(:)
    integer(c_int64_t) :: needed
    integer :: i, j, p, ierr, round
    call plans(1)%create(MPI_COMM_WORLD, weft_kinds([12, 9], 'dct2'), memory='callers')
    call plans(2)%create(MPI_COMM_WORLD%MPI_VAL, weft_kinds([10, 15], 'dst3'), memory='callers')
    needed = max(plans(1)%workspace_bytes(), plans(2)%workspace_bytes())
    call plans(1)%input(u)
    call plans(1)%output(v)
    call plans(1)%forward(u, v, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'use_workspace') > 0, 'a plan without workspace')
    allocate (workspace(needed / 4 + 1))
    do p = 1, 2
      call plans(p)%use_workspace(workspace)
      call plans(p)%input(u)
      call plans(p)%output(v)
      allocate (w, mold=u)
      do round = 1, 2
        do j = lbound(u, 2), ubound(u, 2)
          do i = lbound(u, 1), ubound(u, 1)
            u(i, j) = number([i, j], round)
          end do
        end do
        call plans(p)%forward(u, v)
        workspace = -1  ! it holds nothing between executions
        call plans(p)%backward(v, w)
        call expect(all(abs(w * plans(p)%scale() - u) < 1e-13), 'there and back in a shared workspace')
      end do
      deallocate (w)
    end do
    if (plans(1)%workspace_bytes() > 4) then
      call plans(1)%use_workspace(workspace(1:int(plans(1)%workspace_bytes() / 4) - 1), ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'bytes given') > 0, 'a workspace too small')
      call plans(1)%use_workspace(workspace(::2), ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'has gaps') > 0, 'a workspace with gaps')
    end if
    call none%create(MPI_COMM_WORLD, weft_kinds([4096, 4096, 4096], 'c2c'), memory='none')
    call expect(none%workspace_bytes() > 0 .and. index(none%describe(), '4096') > 0, 'a plan without memory')
    call none%create(MPI_COMM_WORLD, weft_kinds([4, 4], 'c2c'), memory='mine', ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'own, callers or none') > 0, 'no such memory')
  end subroutine

  ! Of axes, whatever dimension of the output each is.
  subroutine mode_of(axes, k, odd, weight)
    integer, intent(in) :: axes(3)
    real(c_double), intent(out) :: k(:), odd(:), weight
    call fft%mode(axes(fft%output_axes()), k, odd, weight)
  end subroutine

end module
