! Two-dimensional turbulence: the vorticity w of a periodic flow without friction, dw/dt = -(u, v) . grad w, by a
! pseudo-spectral method with the 2/3 rule and fourth-order Runge-Kutta. Energy and enstrophy must stay as they are.
program turbulence
  use mpi_f08
  use weft
  implicit none
  integer, parameter :: n = 48, steps = 20
  real(c_double), parameter :: pi = acos(-1d0), step = 0.01d0
  type(weft_plan) :: fft
  real(c_double), pointer :: field(:,:)                   ! this rank's parts: their bounds are global indices
  complex(c_double_complex), pointer :: spectrum(:,:)
  complex(c_double_complex), allocatable, dimension(:,:) :: w, k1, k2, k3, k4
  real(c_double), allocatable, dimension(:,:) :: kx, ky, square, weight
  real(c_double) :: before(2), after(2)
  integer :: s

  call MPI_Init()
  call fft%create(MPI_COMM_WORLD, weft_kinds([n, n], 'r2c'))
  call fft%input(field)
  call fft%output(spectrum)
  call set_wavenumbers()
  call set_vortices()
  before = integrals(w)
  do s = 1, steps
    k1 = slope(w)
    k2 = slope(w + step / 2 * k1)
    k3 = slope(w + step / 2 * k2)
    k4 = slope(w + step * k3)
    w = w + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
  end do
  after = integrals(w)
  call fft%destroy()  ! before MPI_Finalize
  call MPI_Finalize()
  if (.not. before(1) > 0.1) error stop 'there is no flow'
  if (.not. all(abs(after / before - 1) < 1e-9)) error stop 'energy or enstrophy is not conserved'

contains

  subroutine set_wavenumbers()
    real(c_double) :: k(2), odd(2)
    integer :: i, j
    associate (a => lbound(spectrum), b => ubound(spectrum))
      allocate (kx(a(1):b(1), a(2):b(2)), ky(a(1):b(1), a(2):b(2)))
      allocate (square(a(1):b(1), a(2):b(2)), weight(a(1):b(1), a(2):b(2)))
    end associate
    do j = lbound(spectrum, 2), ubound(spectrum, 2)
      do i = lbound(spectrum, 1), ubound(spectrum, 1)
        call fft%mode([i, j], k, odd, weight(i, j))
        kx(i, j) = odd(1)
        ky(i, j) = odd(2)
        square(i, j) = merge(sum(k**2), 1d0, any(k /= 0))  ! the mean is zero
        if (any(abs(k) >= n / 3d0)) weight(i, j) = 0      ! the 2/3 rule: nothing is kept there
      end do
    end do
  end subroutine

  ! A few vortices of different sizes.
  subroutine set_vortices()
    real(c_double) :: x, y
    integer :: i, j
    do j = lbound(field, 2), ubound(field, 2)
      y = 2 * pi * (j - 1) / n
      do i = lbound(field, 1), ubound(field, 1)
        x = 2 * pi * (i - 1) / n
        field(i, j) = 3 * sin(x) * cos(2 * y) + 2 * cos(3 * x + y) + sin(4 * y - x)
      end do
    end do
    w = transformed(field)
  end subroutine

  ! -(u, v) . grad w of a vorticity, both as spectra: psi = w / k^2, u = d psi / dy, v = -d psi / dx.
  function slope(w) result(change)
    complex(c_double_complex), intent(in) :: w(:,:)
    complex(c_double_complex), allocatable :: change(:,:)
    complex(c_double_complex), parameter :: i = (0, 1)
    change = -transformed(physical(i * ky * w / square) * physical(i * kx * w) - &
      physical(i * kx * w / square) * physical(i * ky * w))
  end function

  function transformed(u) result(modes)
    real(c_double), intent(in) :: u(:,:)
    complex(c_double_complex), allocatable :: modes(:,:)
    field = u
    call fft%forward(field, spectrum)
    modes = merge(spectrum * fft%scale(), (0d0, 0d0), weight > 0)
  end function

  function physical(modes) result(u)
    complex(c_double_complex), intent(in) :: modes(:,:)
    real(c_double), allocatable :: u(:,:)
    spectrum = modes
    call fft%backward(spectrum, field)
    u = field
  end function

  ! Energy and enstrophy.
  function integrals(w) result(both)
    complex(c_double_complex), intent(in) :: w(:,:)
    real(c_double) :: both(2)
    both = [sum(weight * abs(w)**2 / square), sum(weight * abs(w)**2)] / 2
    call MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function

end program
