! A program in Fortran that knows FFTW's Fortran 2003 interface alone: sizes, plans, new arrays,
! transposed and real ones. What three waves become is known.
program user
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none
  include 'fftw3-mpi.f03'
  integer(c_intptr_t), parameter :: nx = 12, ny = 10, nz = 8  ! Fortran's order; for FFTW z is the first axis
  real(c_double), parameter :: pi = acos(-1.0_c_double)
  integer :: error, rank, failures = 0
  integer(c_intptr_t) :: room, local_z, first_z, local_y, first_y, ix, iy, iz
  type(c_ptr) :: plan, back, memory(2)
  complex(c_double_complex), pointer :: a(:, :, :), b(:, :, :), t(:, :, :)
  real(c_double), pointer :: r(:, :, :)
  complex(c_double_complex) :: wanted

  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call fftw_mpi_init()
  room = fftw_mpi_local_size_3d_transposed(nz, ny, nx, mpi_comm_world, local_z, first_z, local_y, first_y)
  memory = [fftw_alloc_complex(int(room, c_size_t)), fftw_alloc_complex(int(room, c_size_t))]

  ! complex, natural order, planned with other arrays than executed
  call c_f_pointer(memory(1), a, [nx, ny, local_z])
  call c_f_pointer(memory(2), b, [nx, ny, local_z])
  plan = fftw_mpi_plan_dft_3d(nz, ny, nx, a, a, mpi_comm_world, FFTW_FORWARD, FFTW_MEASURE)
  call fftw_destroy_plan(plan)
  plan = fftw_mpi_plan_dft_3d(nz, ny, nx, a, b, mpi_comm_world, FFTW_FORWARD, FFTW_MEASURE)
  back = fftw_mpi_plan_dft_3d(nz, ny, nx, a, b, mpi_comm_world, FFTW_BACKWARD, FFTW_ESTIMATE)
  do iz = 1, local_z
    do iy = 1, ny
      do ix = 1, nx
        a(ix, iy, iz) = wave(ix - 1, iy - 1, iz - 1 + first_z)
      end do
    end do
  end do
  call fftw_mpi_execute_dft(plan, a, b)
  do iz = 1, local_z
    do iy = 1, ny
      do ix = 1, nx
        call expect(b(ix, iy, iz), spectrum(ix - 1, iy - 1, iz - 1 + first_z), 'forward')
      end do
    end do
  end do
  call fftw_mpi_execute_dft(back, b, a)
  do iz = 1, local_z
    do iy = 1, ny
      do ix = 1, nx
        wanted = real(nx * ny * nz, c_double) * wave(ix - 1, iy - 1, iz - 1 + first_z)
        call expect(a(ix, iy, iz), wanted, 'backward')
      end do
    end do
  end do
  call fftw_destroy_plan(plan)
  call fftw_destroy_plan(back)

  ! real, in place, transposed after
  room = fftw_mpi_local_size_3d_transposed(nz, ny, nx / 2 + 1, mpi_comm_world, local_z, first_z, local_y, first_y)
  call c_f_pointer(memory(1), r, [2 * (nx / 2 + 1), ny, local_z])
  call c_f_pointer(memory(1), t, [nx / 2 + 1, nz, local_y])
  plan = fftw_mpi_plan_dft_r2c_3d(nz, ny, nx, r, t, mpi_comm_world, ior(FFTW_ESTIMATE, FFTW_MPI_TRANSPOSED_OUT))
  do iz = 1, local_z
    do iy = 1, ny
      do ix = 1, nx
        r(ix, iy, iz) = 1 + cos(2 * pi * (3 * real(ix - 1, c_double) / nx + &
                       2 * real(iy - 1, c_double) / ny + real(iz - 1 + first_z, c_double) / nz))
      end do
    end do
  end do
  call fftw_mpi_execute_dft_r2c(plan, r, t)
  do iy = 1, local_y
    do iz = 1, nz
      do ix = 1, nx / 2 + 1
        wanted = 0
        if (all([ix, iy + first_y, iz] == 1)) wanted = nx * ny * nz
        if (all([ix, iy + first_y, iz] == [4, 3, 2])) wanted = 0.5_c_double * nx * ny * nz
        call expect(t(ix, iz, iy), wanted, 'real, transposed')
      end do
    end do
  end do
  call fftw_destroy_plan(plan)
  call fftw_free(memory(1))
  call fftw_free(memory(2))
  call fftw_mpi_cleanup()
  call mpi_allreduce(mpi_in_place, failures, 1, mpi_integer, mpi_sum, mpi_comm_world, error)
  if (rank == 0) print '(i0, a)', failures, ' failures'
  call mpi_finalize(error)
  if (failures > 0) error stop 1

contains

  complex(c_double_complex) function wave(x, y, z)
    integer(c_intptr_t), intent(in) :: x, y, z
    wave = (2, 1) * exp(cmplx(0, 2 * pi * (5 * real(x, c_double) / nx + real(y, c_double) / ny + &
                                           3 * real(z, c_double) / nz), c_double_complex)) + (0, 1)
  end function wave

  complex(c_double_complex) function spectrum(x, y, z)
    integer(c_intptr_t), intent(in) :: x, y, z
    spectrum = 0
    if (all([x, y, z] == 0)) spectrum = cmplx(0, nx * ny * nz, c_double_complex)
    if (all([x, y, z] == [5, 1, 3])) spectrum = (2, 1) * real(nx * ny * nz, c_double)
  end function spectrum

  subroutine expect(got, expected, what)
    complex(c_double_complex), intent(in) :: got, expected
    character(*), intent(in) :: what
    if (abs(got - expected) < 1e-9_c_double) return
    if (failures == 0) print '(2a, 4es12.4)', 'wrong: ', what, got, expected
    failures = failures + 1
  end subroutine expect
end program user
