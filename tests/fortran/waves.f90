! Plane waves and kept boxes.
module of_waves
  use checks
  implicit none
  private
  public :: spheres, kept_boxes

contains

  ! One plane wave, on a grid with three different extents and a metric of three different lengths.
  subroutine spheres()
    integer, parameter :: n(3) = [12, 10, 14]
    type(weft_plan) :: waves, listed
    type(weft_cutoff) :: below
    complex(c_double_complex), pointer :: c(:), psi(:,:,:)
    complex(c_double_complex), allocatable :: d(:), e(:)
    integer(c_int64_t), allocatable :: g(:,:), again(:,:)
    real(c_double), allocatable :: potential(:), uneven(:,:,:)
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
    allocate (uneven(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3)), e(2 * size(c)))
    do l = lo(3), hi(3)
      do j = lo(2), hi(2)
        do i = lo(1), hi(1)
          uneven(i, j, l) = number([i, j, l], 3)
        end do
      end do
    end do
    call listed%apply(uneven, c, d)
    call listed%backward_map_forward(c, e, times_uneven)
    call expect(all(abs(d - e(1:size(c)) * listed%scale()) < 1e-13), 'a potential that differs from point to point')
    if (size(c) > 1) then
      call listed%backward(e(::2), psi, ierr)
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the strides (2)') > 0, 'every second coefficient')
    end if
    call real_sphere(n)
    call waves%create(MPI_COMM_WORLD, weft_sphere([8, 8], below), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'grid of 2 axes') > 0, 'a grid of two axes')
    call waves%create(MPI_COMM_WORLD, weft_sphere(n, below, balance='by hand'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'by hand') > 0, 'no such rule')
  end subroutine

  ! Half a sphere stands for all of a real function: one coefficient is a cosine.
  subroutine real_sphere(n)
    integer, intent(in) :: n(3)
    type(weft_plan) :: waves, listed
    type(weft_cutoff) :: below
    complex(c_double_complex), pointer :: c(:)
    real(c_double), pointer :: u(:,:,:)
    integer(c_int64_t), allocatable :: g(:,:)
    integer :: count, i, j, l, ierr
    real(c_double) :: worst
    below%squared = 4.5d0
    below%half = .true.
    call waves%create(MPI_COMM_WORLD, weft_sphere(n, below), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'belongs to real functions') > 0, 'half a sphere')
    call waves%create(MPI_COMM_WORLD, weft_sphere(n, below, of_real=.true.))
    g = waves%vectors()
    count = size(g, 2)
    call MPI_Allreduce(MPI_IN_PLACE, count, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(count == 17, 'half of 33 vectors, and the one in the middle')
    call listed%create(MPI_COMM_WORLD, weft_sphere(n, g, of_real=.true.))
    call listed%output(c)
    call listed%input(u)
    do i = 1, size(g, 2)
      c(lbound(c, 1) + i - 1) = merge(0.5d0, 0d0, all(g(:, i) == [1, -1, 0]))
    end do
    call listed%backward(c, u)
    worst = 0
    do l = lbound(u, 3), ubound(u, 3)
      do j = lbound(u, 2), ubound(u, 2)
        do i = lbound(u, 1), ubound(u, 1)
          worst = max(worst, abs(u(i, j, l) - cos(2 * pi * ((i - 1d0) / n(1) - (j - 1d0) / n(2)))))
        end do
      end do
    end do
    call expect(worst < 1e-13, 'a real wave in real space')
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
    call expect(part%wavenumber(1, 1) == -2 .and. part%wavenumber(2, 1) == -1 .and. part%wavenumber(3, 1) == 0, &
      'where it begins')
    call part%create(MPI_COMM_WORLD, weft_kept_box(n, [5, 3]), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'kept has 2') > 0, 'a box of two axes')
  end subroutine

  ! Doubles the lines of real space, whose bounds it checks.
  subroutine double_all(line)
    type(weft_line), intent(inout) :: line
    complex(c_double_complex), pointer :: z(:)
    call line%values(z)
    if (line%axes /= 3 .or. lbound(z, 1) /= line%first(line%axis) .or. size(z) /= line%count) line%status = 3
    z = 2 * z
  end subroutine

  subroutine times_uneven(line)
    type(weft_line), intent(inout) :: line
    complex(c_double_complex), pointer :: z(:)
    integer :: at(3), i
    call line%values(z)
    at = int(line%first(1:3))
    do i = lbound(z, 1), ubound(z, 1)
      at(line%axis) = i
      z(i) = z(i) * number(at, 3)
    end do
  end subroutine

end module
