! Long lines: one transform along one axis that is cut over all ranks.
module weft_long_lines
  use weft_base
  use weft_settings
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: weft_long_line

  type, bind(c) :: c_parts
    integer(c_int64_t) :: rows, columns, input_first, input_elements, output_first, output_elements
    real(c_double) :: scale
  end type

  type :: weft_long_line
    type(c_ptr) :: handle = c_null_ptr  ! of weft.h
    character(len=4), private :: type = ''
    integer(c_int64_t), private :: room_in = 0, room_out = 0
  contains
    procedure, private :: create_f08, create_integer, assign_line
    generic :: create => create_f08, create_integer
    generic :: assignment(=) => assign_line
    procedure :: forward, backward, input_bounds, output_bounds, rows, columns, mode
    procedure :: scale => line_scale
    procedure :: describe => line_describe
    procedure :: destroy => end_line
    final :: finalize_line
  end type

  interface
    integer(c_int) function weft_long_line_create_rows_f(line, comm, precision, n, rows, options) bind(c)
      import
      type(c_ptr), intent(out) :: line
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: precision(*)
      integer(c_int64_t), value :: n, rows
      type(c_ptr), value :: options
    end function
    subroutine weft_long_line_destroy(line) bind(c)
      import
      type(c_ptr), intent(inout) :: line
    end subroutine
    integer(c_int) function weft_long_line_forward(line, in, out) bind(c)
      import
      type(c_ptr), value :: line, in, out
    end function
    integer(c_int) function weft_long_line_backward(line, in, out) bind(c)
      import
      type(c_ptr), value :: line, in, out
    end function
    integer(c_int) function weft_long_line_tell(line, parts) bind(c)
      import
      type(c_ptr), value :: line
      type(c_parts), intent(inout) :: parts
    end function
    integer(c_int) function weft_long_line_mode(line, element, mode) bind(c)
      import
      type(c_ptr), value :: line
      integer(c_int64_t), value :: element
      integer(c_int64_t), intent(inout) :: mode
    end function
    integer(c_int) function weft_long_line_describe(line, text, room, length) bind(c)
      import
      type(c_ptr), value :: line, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
  end interface

contains

  ! Collective. n complex points; precision 'double' (also absent) or 'single'. Options are those of a plan, except
  ! input, output, grid, batch, components and placement. Without 'natural_output' modes come in another order, which
  ! saves an exchange: `mode` tells it. `rows`, a divisor of n, says how the line is cut (absent:
  ! the largest that is not above its square root).
  subroutine create_f08(line, comm, n, options, precision, rows, ierr)
    class(weft_long_line), intent(inout) :: line
    type(MPI_Comm), intent(in) :: comm
    integer(c_int64_t), intent(in) :: n
    type(weft_options), intent(in), optional :: options
    character(len=*), intent(in), optional :: precision
    integer(c_int64_t), intent(in), optional :: rows
    integer, intent(out), optional :: ierr
    call create_integer(line, comm%MPI_VAL, n, options, precision, rows, ierr)
  end subroutine
  subroutine create_integer(line, comm, n, options, precision, rows, ierr)
    class(weft_long_line), intent(inout) :: line
    integer, intent(in) :: comm
    integer(c_int64_t), intent(in) :: n
    type(weft_options), intent(in), optional :: options
    character(len=*), intent(in), optional :: precision
    integer(c_int64_t), intent(in), optional :: rows
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: chosen
    integer(c_int64_t) :: chosen_rows
    type(c_parts) :: parts
    integer(c_int) :: status
    call weft_long_line_destroy(line%handle)
    call begin()
    chosen = 'double'
    if (present(precision)) chosen = precision
    chosen_rows = 0
    if (present(rows)) chosen_rows = rows
    status = weft_long_line_create_rows_f(line%handle, int(comm, c_int), in_c(chosen), n, chosen_rows, &
      options_handle(options))
    if (status == WEFT_OK) status = weft_long_line_tell(line%handle, parts)
    if (status == WEFT_OK) then
      line%type = merge('c8 ', 'c16', chosen == 'single')
      line%room_in = parts%input_elements
      line%room_out = parts%output_elements
    end if
    call ended(status, ierr)
  end subroutine

  ! Collective. Contiguous complex arrays with room for this rank's parts, which `input_bounds` and
  ! `output_bounds` tell. Both may be one array that has room for either. Unnormalised.
  subroutine forward(line, in, out, ierr)
    class(weft_long_line), intent(in) :: line
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    call begin()
    call check_arrays(line, in, out, line%room_in, line%room_out, status)
    if (status == WEFT_OK) status = weft_long_line_forward(line%handle, c_loc(in), c_loc(out))
    call ended(status, ierr)
  end subroutine
  subroutine backward(line, in, out, ierr)
    class(weft_long_line), intent(in) :: line
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    call begin()
    call check_arrays(line, in, out, line%room_out, line%room_in, status)
    if (status == WEFT_OK) status = weft_long_line_backward(line%handle, c_loc(in), c_loc(out))
    call ended(status, ierr)
  end subroutine

  subroutine check_arrays(line, in, out, room_in, room_out, status)
    class(weft_long_line), intent(in) :: line
    type(*), intent(in) :: in(..), out(..)
    integer(c_int64_t), intent(in) :: room_in, room_out
    integer(c_int), intent(out) :: status
    status = WEFT_OK
    if (.not. c_associated(line%handle)) return
    call check_one(in, room_in, 'the array to transform', status)
    if (status == WEFT_OK) call check_one(out, room_out, 'the array for the result', status)
  contains
    subroutine check_one(array, elements, what, status)
      type(*), intent(in) :: array(..)
      integer(c_int64_t), intent(in) :: elements
      character(len=*), intent(in) :: what
      integer(c_int), intent(out) :: status
      character(kind=c_char) :: name(4)
      integer(c_int64_t) :: there, of_one
      call weft_fortran_list(array, name, there, of_one)
      status = WEFT_OK
      if (elements > 0 .and. short_text(name) /= line%type) then
        call refuse(what // ' is of another type; this line needs ' // in_fortran(trim(line%type)), status)
      else
        call check_room(array, elements * of_one, what, status)
      end if
    end subroutine
  end subroutine

  ! This rank's part of the line, before forward and after it: elements lo to hi, from 1 on.
  subroutine input_bounds(line, lo, hi, ierr)
    class(weft_long_line), intent(in) :: line
    integer(c_int64_t), intent(out) :: lo, hi
    integer, intent(out), optional :: ierr
    type(c_parts) :: parts
    integer(c_int) :: status
    call tell(line, parts, status)
    lo = parts%input_first + 1
    hi = parts%input_first + parts%input_elements
    call ended(status, ierr)
  end subroutine
  subroutine output_bounds(line, lo, hi, ierr)
    class(weft_long_line), intent(in) :: line
    integer(c_int64_t), intent(out) :: lo, hi
    integer, intent(out), optional :: ierr
    type(c_parts) :: parts
    integer(c_int) :: status
    call tell(line, parts, status)
    lo = parts%output_first + 1
    hi = parts%output_first + parts%output_elements
    call ended(status, ierr)
  end subroutine

  subroutine tell(line, parts, status)
    class(weft_long_line), intent(in) :: line
    type(c_parts), intent(out) :: parts
    integer(c_int), intent(out) :: status
    call begin()
    parts = c_parts(0, 0, 0, 0, 0, 0, 0)
    status = weft_long_line_tell(line%handle, parts)
  end subroutine

  ! The line is cut as rows * columns points.
  function rows(line, ierr) result(count)
    class(weft_long_line), intent(in) :: line
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: count
    type(c_parts) :: parts
    integer(c_int) :: status
    call tell(line, parts, status)
    count = parts%rows
    call ended(status, ierr)
  end function
  function columns(line, ierr) result(count)
    class(weft_long_line), intent(in) :: line
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: count
    type(c_parts) :: parts
    integer(c_int) :: status
    call tell(line, parts, status)
    count = parts%columns
    call ended(status, ierr)
  end function

  ! What backward(forward(u)) is to be multiplied by to give u.
  function line_scale(line, ierr) result(factor)
    class(weft_long_line), intent(in) :: line
    integer, intent(out), optional :: ierr
    real(c_double) :: factor
    type(c_parts) :: parts
    integer(c_int) :: status
    call tell(line, parts, status)
    factor = parts%scale
    call ended(status, ierr)
  end function

  ! The mode, 0 to n - 1, that an element of the whole output is, from 1 on.
  function mode(line, element, ierr) result(k)
    class(weft_long_line), intent(in) :: line
    integer(c_int64_t), intent(in) :: element
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: k
    call begin()
    k = -1
    call ended(weft_long_line_mode(line%handle, element - 1, k), ierr)
  end function

  ! Its two parts, as plans describe themselves.
  function line_describe(line, ierr) result(text)
    class(weft_long_line), intent(in) :: line
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = told(weft_long_line_describe, line%handle, ierr)
  end function

  subroutine assign_line(to, from)
    class(weft_long_line), intent(inout) :: to
    class(weft_long_line), intent(in) :: from
    if (.not. c_associated(to%handle, from%handle)) call refuse_assignment('weft_long_line')
  end subroutine
  subroutine end_line(line)
    class(weft_long_line), intent(inout) :: line
    call weft_long_line_destroy(line%handle)
  end subroutine
  subroutine finalize_line(line)
    type(weft_long_line), intent(inout) :: line
    call weft_long_line_destroy(line%handle)
  end subroutine

end module
