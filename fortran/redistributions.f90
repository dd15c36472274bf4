! Redistribution: from any layout to any other, without a transform.
module weft_redistributions
  use weft_base
  use weft_layouts
  use weft_settings
  use weft_traces
  use mpi_f08, only: MPI_Comm, MPI_Comm_rank
  implicit none
  private
  public :: weft_redistribution

  ! From any layout to any other, any number of times.
  type :: weft_redistribution
    type(c_ptr) :: handle = c_null_ptr  ! of weft.h
    integer(c_int64_t), private :: in_bytes = 0, out_bytes = 0
  contains
    procedure, private :: create_f08, create_integer, assign_redistribution
    generic :: create => create_f08, create_integer
    generic :: assignment(=) => assign_redistribution
    procedure :: execute, record
    procedure :: strategy => redistribution_strategy
    procedure :: describe => redistribution_describe
    procedure :: destroy => end_redistribution
    final :: finalize_redistribution
  end type

  interface
    integer(c_int) function weft_redistribution_create_f(redistribution, comm, from, to, element_bytes, periodic, &
      options) bind(c)
      import
      type(c_ptr), intent(out) :: redistribution
      integer(c_int), value :: comm
      type(c_ptr), value :: from, to, periodic, options
      integer(c_int64_t), value :: element_bytes
    end function
    subroutine weft_redistribution_destroy(redistribution) bind(c)
      import
      type(c_ptr), intent(inout) :: redistribution
    end subroutine
    integer(c_int) function weft_redistribution_execute(redistribution, in, out) bind(c)
      import
      type(c_ptr), value :: redistribution, in, out
    end function
    integer(c_int) function weft_redistribution_record(redistribution, trace) bind(c)
      import
      type(c_ptr), value :: redistribution, trace
    end function
    integer(c_int) function weft_redistribution_strategy(redistribution, text, room, length) bind(c)
      import
      type(c_ptr), value :: redistribution, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_redistribution_describe(redistribution, text, room, length) bind(c)
      import
      type(c_ptr), value :: redistribution, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
  end interface

contains

  ! Collective. Of the options only 'strategy', 'nodes' and 'wisdom' may be set. periodic(axis): a destination may reach
  ! beyond the global shape there, and wraps.
  subroutine create_f08(move, comm, from, to, element_bytes, periodic, options, ierr)
    class(weft_redistribution), intent(inout) :: move
    type(MPI_Comm), intent(in) :: comm
    type(weft_layout), intent(in) :: from, to
    integer, intent(in) :: element_bytes
    logical, intent(in), optional :: periodic(:)
    type(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call create_integer(move, comm%MPI_VAL, from, to, element_bytes, periodic, options, ierr)
  end subroutine
  subroutine create_integer(move, comm, from, to, element_bytes, periodic, options, ierr)
    class(weft_redistribution), intent(inout) :: move
    integer, intent(in) :: comm
    type(weft_layout), intent(in) :: from, to
    integer, intent(in) :: element_bytes
    logical, intent(in), optional :: periodic(:)
    type(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    integer(c_int), target :: wraps(WEFT_MAX_AXES)
    type(c_ptr) :: periodic_axes
    integer(c_int) :: status
    integer :: rank
    call weft_redistribution_destroy(move%handle)
    call begin()
    status = WEFT_OK
    periodic_axes = c_null_ptr
    if (present(periodic)) then
      call check_flags(from, size(periodic), status)
      if (status == WEFT_OK) wraps(1:size(periodic)) = turned_flags(periodic)
      periodic_axes = c_loc(wraps)
    end if
    if (status == WEFT_OK) status = weft_redistribution_create_f(move%handle, int(comm, c_int), from%handle, &
      to%handle, int(element_bytes, c_int64_t), periodic_axes, options_handle(options))
    if (status == WEFT_OK) then
      call MPI_Comm_rank(MPI_Comm(comm), rank)
      move%in_bytes = from%elements(rank) * element_bytes
      move%out_bytes = to%elements(rank) * element_bytes
    end if
    call ended(status, ierr)
  end subroutine

  subroutine check_flags(layout, entries, status)
    type(weft_layout), intent(in) :: layout
    integer, intent(in) :: entries
    integer(c_int), intent(out) :: status
    integer :: failed
    integer, allocatable :: shape(:)
    shape = layout%shape(failed)
    status = int(failed, c_int)
    if (status == WEFT_OK .and. entries /= size(shape)) call refuse('periodic has ' // number_text(entries) // &
      ' entries; give one for each of ' // number_text(size(shape)) // ' axes', status)
  end subroutine

  ! Collective. Contiguous arrays with room for what the layouts say; they do not overlap but where the C++ interface
  ! lets them.
  subroutine execute(move, in, out, ierr)
    class(weft_redistribution), intent(in) :: move
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    call begin()
    status = WEFT_OK
    if (c_associated(move%handle)) call check_room(in, move%in_bytes, 'the array to redistribute', status)
    if (c_associated(move%handle) .and. status == WEFT_OK) &
      call check_room(out, move%out_bytes, 'the array for the result', status)
    if (status == WEFT_OK) status = weft_redistribution_execute(move%handle, c_loc(in), c_loc(out))
    call ended(status, ierr)
  end subroutine

  subroutine record(move, trace, ierr)
    class(weft_redistribution), intent(in) :: move
    type(weft_trace), intent(in) :: trace
    integer, intent(out), optional :: ierr
    call begin()
    call ended(weft_redistribution_record(move%handle, trace%handle), ierr)
  end subroutine

  function redistribution_strategy(move, ierr) result(text)
    class(weft_redistribution), intent(in) :: move
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = told(weft_redistribution_strategy, move%handle, ierr)
  end function

  ! Strategy, bytes and messages, memory.
  function redistribution_describe(move, ierr) result(text)
    class(weft_redistribution), intent(in) :: move
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = told(weft_redistribution_describe, move%handle, ierr)
  end function

  subroutine assign_redistribution(to, from)
    class(weft_redistribution), intent(inout) :: to
    class(weft_redistribution), intent(in) :: from
    if (.not. c_associated(to%handle, from%handle)) call refuse_assignment('weft_redistribution')
  end subroutine
  subroutine end_redistribution(move)
    class(weft_redistribution), intent(inout) :: move
    call weft_redistribution_destroy(move%handle)
  end subroutine
  subroutine finalize_redistribution(move)
    type(weft_redistribution), intent(inout) :: move
    call weft_redistribution_destroy(move%handle)
  end subroutine

end module
