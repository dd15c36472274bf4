! Traces: what every rank did when.
module weft_traces
  use weft_base
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: weft_trace

  type :: weft_trace
    type(c_ptr) :: handle = c_null_ptr  ! of weft.h
  contains
    procedure, private :: create_f08, create_integer, assign_trace
    generic :: create => create_f08, create_integer
    generic :: assignment(=) => assign_trace
    procedure :: write => write_trace
    procedure :: destroy => end_trace
    final :: finalize_trace
  end type

  interface
    integer(c_int) function weft_trace_create_f(trace, comm, spans) bind(c)
      import
      type(c_ptr), intent(out) :: trace
      integer(c_int), value :: comm
      integer(c_int64_t), value :: spans
    end function
    subroutine weft_trace_destroy(trace) bind(c)
      import
      type(c_ptr), intent(inout) :: trace
    end subroutine
    integer(c_int) function weft_trace_write(trace, path) bind(c)
      import
      type(c_ptr), value :: trace
      character(kind=c_char), intent(in) :: path(*)
    end function
  end interface

contains

  ! Collective. `spans`: room for each thread of a rank; absent: 65536.
  subroutine create_f08(trace, comm, spans, ierr)
    class(weft_trace), intent(inout) :: trace
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in), optional :: spans
    integer, intent(out), optional :: ierr
    call create_integer(trace, comm%MPI_VAL, spans, ierr)
  end subroutine
  subroutine create_integer(trace, comm, spans, ierr)
    class(weft_trace), intent(inout) :: trace
    integer, intent(in) :: comm
    integer, intent(in), optional :: spans
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: room
    call weft_trace_destroy(trace%handle)
    call begin()
    room = 0
    if (present(spans)) room = spans
    call ended(weft_trace_create_f(trace%handle, int(comm, c_int), room), ierr)
  end subroutine

  ! Collective: all that was recorded until now, as a file of trace events in JSON.
  subroutine write_trace(trace, path, ierr)
    class(weft_trace), intent(in) :: trace
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: ierr
    call begin()
    call ended(weft_trace_write(trace%handle, in_c(path)), ierr)
  end subroutine

  subroutine assign_trace(to, from)
    class(weft_trace), intent(inout) :: to
    class(weft_trace), intent(in) :: from
    if (.not. c_associated(to%handle, from%handle)) call refuse_assignment('weft_trace')
  end subroutine
  subroutine end_trace(trace)
    class(weft_trace), intent(inout) :: trace
    call weft_trace_destroy(trace%handle)
  end subroutine
  subroutine finalize_trace(trace)
    type(weft_trace), intent(inout) :: trace
    call weft_trace_destroy(trace%handle)
  end subroutine

end module
