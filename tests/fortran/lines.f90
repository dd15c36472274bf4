! Long lines.
module of_lines
  use checks
  implicit none
  private
  public :: long_lines

contains

  ! Two waves have two modes, in either order and precision.
  subroutine long_lines()
    integer(c_int64_t), parameter :: n = 60
    type(weft_long_line) :: line
    type(weft_options) :: options
    complex(c_double_complex), allocatable :: u(:), u_hat(:), v(:), w(:)
    integer(c_int64_t) :: lo, hi, first, last, p, k
    integer :: natural, ierr
    complex(c_double_complex) :: expected
    real(c_double) :: worst
    do natural = 0, 1
      call options%set('natural_output', natural == 1)
      if (natural == 0) call line%create(MPI_COMM_WORLD, n, options)
      if (natural == 1) call line%create(MPI_COMM_WORLD%MPI_VAL, n, options)
      call expect(line%rows() == 6 .and. line%columns() == 10 .and. abs(line%scale() * n - 1) < 1e-15, 'how it is cut')
      call line%input_bounds(lo, hi)
      call line%output_bounds(first, last)
      p = hi - lo + 1
      call MPI_Allreduce(MPI_IN_PLACE, p, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
      call expect(p == n, 'every point belongs to a rank')
      allocate (u(lo:hi), v(lo:hi), u_hat(first:last))
      do p = lo, hi
        u(p) = (2 + natural) * wave(7_c_int64_t, p) + wave(41_c_int64_t, p)
      end do
      call line%forward(u, u_hat)
      worst = 0
      do p = first, last
        k = line%mode(p)
        if (natural == 1) call expect(k == p - 1, 'natural order')
        expected = 0
        if (k == 7) expected = (2 + natural) * n
        if (k == 41) expected = n
        worst = max(worst, abs(u_hat(p) - expected))
      end do
      call expect(worst < 1e-12, 'the modes of two waves')
      call line%backward(u_hat, v)
      call expect(all(abs(v * line%scale() - u) < 1e-14), 'and back')
      allocate (w(max(size(u), size(u_hat))))
      w(1:size(u)) = u
      call line%forward(w, w)
      call expect(all(w(1:size(u_hat)) == u_hat), 'from an array to itself')
      call expect(index(line%describe(), trim(merge('natural  ', 'scrambled', natural == 1))) > 0, 'words')
      if (size(u) > 1) then
        call line%forward(u(lo + 1:), u_hat, ierr)
        call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'are needed') > 0, 'an array too short')
        call line%forward(real(u), u_hat, ierr)
        call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'complex(c_double_complex)') > 0, 'another type')
      end if
      deallocate (u, v, w, u_hat)
    end do
    call single()
    k = line%mode(n + 1, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'allowed: 0 to 59') > 0, 'no such element')
    call line%create(MPI_COMM_WORLD, 0_c_int64_t, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'give at least 1') > 0, 'a line without points')
    call options%set('batch', 2)
    call line%create(MPI_COMM_WORLD, n, options, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'option "batch"') > 0, 'no batch')
    call expect(line%rows(ierr) == 0 .and. ierr == WEFT_ERROR, 'no line')
  contains
    complex(c_double_complex) function wave(of, at)
      integer(c_int64_t), intent(in) :: of, at
      wave = exp(cmplx(0, 2 * pi * modulo(of * (at - 1), n) / n, c_double))
    end function
    subroutine single()
      type(weft_long_line) :: short
      complex(c_float_complex), allocatable :: x(:), y(:)
      call short%create(MPI_COMM_WORLD, n, precision='single', rows=4_c_int64_t)
      call expect(short%rows() == 4 .and. short%mode(17_c_int64_t) == 5, 'four rows')
      call short%input_bounds(lo, hi)
      call short%output_bounds(first, last)
      allocate (x(lo:hi), y(first:last))
      x = 1
      call short%forward(x, y)
      do p = first, last
        call expect(abs(y(p) - merge(60, 0, short%mode(p) == 0)) < 1e-4, 'a constant in single precision')
      end do
    end subroutine
  end subroutine

end module
