! What the modules of the test share: what is expected, and numbers that tell where an element comes from.
module checks
  use mpi_f08
  use weft
  implicit none
  integer :: wrong = 0, rank, ranks
  real(c_double), parameter :: pi = acos(-1d0)

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

  ! The text of a file; of one that is not there none.
  function contents(file) result(text)
    character(len=*), intent(in) :: file
    character(len=:), allocatable :: text
    integer :: unit, failed, length
    text = ''
    open (newunit=unit, file=file, status='old', access='stream', form='unformatted', iostat=failed)
    if (failed /= 0) return
    inquire (unit=unit, size=length)
    text = repeat(' ', length)
    read (unit) text
    close (unit)
  end function

  subroutine remove(file)
    character(len=*), intent(in) :: file
    integer :: unit, failed
    open (newunit=unit, file=file, status='old', iostat=failed)
    call expect(failed == 0, 'the file is there')
    if (failed == 0) close (unit, status='delete')
  end subroutine

end module
