! The Poisson equation in Fortran: laplace(p) = f on a periodic cube, with a real transform there and back.
program poisson
  use mpi_f08
  use weft
  implicit none
  integer, parameter :: nx = 48, ny = 32, nz = 40
  real(c_double), parameter :: pi = acos(-1d0)
  real(c_double), pointer :: p(:,:,:)
  complex(c_double_complex), pointer :: p_hat(:,:,:)
  real(c_double) :: k(3), error
  integer :: i, j, l, axes(3)

  call MPI_Init()
  block
    type(weft_plan) :: fft  ! ends with the block, and so before MPI_Finalize
    call fft%create(MPI_COMM_WORLD, weft_kinds([nx, ny, nz], 'r2c'))
    call fft%input(p)       ! this rank's part: its bounds are global indices
    call fft%output(p_hat)
    do l = lbound(p, 3), ubound(p, 3)
      do j = lbound(p, 2), ubound(p, 2)
        do i = lbound(p, 1), ubound(p, 1)
          p(i, j, l) = -14 * wave(i, j, l)
        end do
      end do
    end do
    call fft%forward(p, p_hat)

    axes = fft%output_axes()  ! the transform may turn the array: its dimension d is axis axes(d)
    do l = lbound(p_hat, 3), ubound(p_hat, 3)
      do j = lbound(p_hat, 2), ubound(p_hat, 2)
        do i = lbound(p_hat, 1), ubound(p_hat, 1)
          k(axes) = [fft%wavenumber(axes(1), i), fft%wavenumber(axes(2), j), fft%wavenumber(axes(3), l)]
          if (any(k /= 0)) p_hat(i, j, l) = -p_hat(i, j, l) * fft%scale() / sum(k**2)
        end do
      end do
    end do
    call fft%backward(p_hat, p)

    error = 0
    do l = lbound(p, 3), ubound(p, 3)
      do j = lbound(p, 2), ubound(p, 2)
        do i = lbound(p, 1), ubound(p, 1)
          error = max(error, abs(p(i, j, l) - wave(i, j, l)))
        end do
      end do
    end do
  end block
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (.not. error < 1e-12) error stop 'the solution is wrong'

contains

  ! Wavenumbers 1, 2 and 3: its Laplacian is -14 times itself.
  real(c_double) function wave(i, j, l)
    integer, intent(in) :: i, j, l
    wave = sin(2 * pi * (i - 1) / nx) * cos(4 * pi * (j - 1) / ny) * sin(6 * pi * (l - 1) / nz)
  end function

end program
