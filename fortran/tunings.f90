! Tuning: the search for the fastest way to do what options leave open.
module weft_tunings
  use weft_base
  use weft_settings
  use weft_problems
  use weft_traces
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: weft_tuning

  type :: weft_tuning
    type(c_ptr) :: handle = c_null_ptr  ! of weft.h
  contains
    procedure, private :: create_f08, create_integer, remember_f08, remember_integer, assign_tuning
    generic :: create => create_f08, create_integer
    generic :: remember => remember_f08, remember_integer
    generic :: assignment(=) => assign_tuning
    procedure :: choice, reason, describe, seconds, candidates
    procedure :: destroy => end_tuning
    final :: finalize_tuning
  end type

  interface
    integer(c_int) function weft_tune_f(tuning, comm, problem, options, seconds, skew_seconds, exhaustive, trace, &
      progress, context) bind(c)
      import
      type(c_ptr), intent(out) :: tuning
      integer(c_int), value :: comm, exhaustive
      type(c_ptr), value :: problem, options, trace, context
      real(c_double), value :: seconds, skew_seconds
      type(c_funptr), value :: progress
    end function
    subroutine weft_tuning_destroy(tuning) bind(c)
      import
      type(c_ptr), intent(inout) :: tuning
    end subroutine
    integer(c_int) function weft_tuning_choice(tuning, options) bind(c)
      import
      type(c_ptr), value :: tuning
      type(c_ptr), intent(out) :: options
    end function
    integer(c_int) function weft_tuning_reason(tuning, text, room, length) bind(c)
      import
      type(c_ptr), value :: tuning, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_tuning_describe(tuning, json, text, room, length) bind(c)
      import
      type(c_ptr), value :: tuning, text
      integer(c_int), value :: json
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_tuning_seconds(tuning, seconds) bind(c)
      import
      type(c_ptr), value :: tuning
      real(c_double), intent(inout) :: seconds
    end function
    integer(c_int) function weft_tuning_count(tuning, candidates) bind(c)
      import
      type(c_ptr), value :: tuning
      integer(c_int64_t), intent(inout) :: candidates
    end function
    integer(c_int) function weft_remember_f(comm, problem, options, tuning, text, room, length) bind(c)
      import
      integer(c_int), value :: comm
      type(c_ptr), value :: problem, options, tuning
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
  end interface

contains

  ! Collective: looks for the fastest way to do what the options leave open, and measures for `seconds` (absent: 5; 0:
  ! only the model's choice), ranks `skew_seconds` apart. exhaustive = .true.: all there is.
  subroutine create_f08(tuning, comm, problem, options, seconds, skew_seconds, exhaustive, trace, ierr)
    class(weft_tuning), intent(inout) :: tuning
    type(MPI_Comm), intent(in) :: comm
    type(weft_problem), intent(in) :: problem
    type(weft_options), intent(in), optional :: options
    real(c_double), intent(in), optional :: seconds, skew_seconds
    logical, intent(in), optional :: exhaustive
    type(weft_trace), intent(in), optional :: trace
    integer, intent(out), optional :: ierr
    call create_integer(tuning, comm%MPI_VAL, problem, options, seconds, skew_seconds, exhaustive, trace, ierr)
  end subroutine
  subroutine create_integer(tuning, comm, problem, options, seconds, skew_seconds, exhaustive, trace, ierr)
    class(weft_tuning), intent(inout) :: tuning
    integer, intent(in) :: comm
    type(weft_problem), intent(in) :: problem
    type(weft_options), intent(in), optional :: options
    real(c_double), intent(in), optional :: seconds, skew_seconds
    logical, intent(in), optional :: exhaustive
    type(weft_trace), intent(in), optional :: trace
    integer, intent(out), optional :: ierr
    type(c_ptr) :: made, of_trace
    real(c_double) :: measured, skew
    integer(c_int) :: status, all
    call weft_tuning_destroy(tuning%handle)
    call begin()
    measured = 5
    if (present(seconds)) measured = seconds
    skew = 0
    if (present(skew_seconds)) skew = skew_seconds
    all = 0
    if (present(exhaustive)) all = merge(1_c_int, 0_c_int, exhaustive)
    of_trace = c_null_ptr
    if (present(trace)) of_trace = trace%handle
    call make_problem(problem, made, status)
    if (status == WEFT_OK) status = weft_tune_f(tuning%handle, int(comm, c_int), made, options_handle(options), &
      measured, skew, all, of_trace, c_null_funptr, c_null_ptr)
    call weft_problem_destroy(made)
    call ended(status, ierr)
  end subroutine

  ! Options with nothing left open.
  subroutine choice(tuning, options, ierr)
    class(weft_tuning), intent(in) :: tuning
    type(weft_options), intent(inout) :: options
    integer, intent(out), optional :: ierr
    call begin()
    call weft_options_destroy(options%handle)
    call ended(weft_tuning_choice(tuning%handle, options%handle), ierr)
  end subroutine

  function reason(tuning, ierr) result(text)
    class(weft_tuning), intent(in) :: tuning
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = told(weft_tuning_reason, tuning%handle, ierr)
  end function

  ! Many lines for people, or, with json = .true., one JSON object.
  function describe(tuning, json, ierr) result(text)
    class(weft_tuning), intent(in) :: tuning
    logical, intent(in), optional :: json
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    logical :: as_json
    as_json = .false.
    if (present(json)) as_json = json
    if (as_json) then
      text = told(in_json, tuning%handle, ierr)
    else
      text = told(in_lines, tuning%handle, ierr)
    end if
  end function
  integer(c_int) function in_lines(handle, text, room, length) bind(c, name='')
    type(c_ptr), value :: handle, text
    integer(c_int64_t), value :: room
    integer(c_int64_t), intent(out) :: length
    in_lines = weft_tuning_describe(handle, 0_c_int, text, room, length)
  end function
  integer(c_int) function in_json(handle, text, room, length) bind(c, name='')
    type(c_ptr), value :: handle, text
    integer(c_int64_t), value :: room
    integer(c_int64_t), intent(out) :: length
    in_json = weft_tuning_describe(handle, 1_c_int, text, room, length)
  end function

  ! How long it took.
  function seconds(tuning, ierr) result(spent)
    class(weft_tuning), intent(in) :: tuning
    integer, intent(out), optional :: ierr
    real(c_double) :: spent
    call begin()
    spent = 0
    call ended(weft_tuning_seconds(tuning%handle, spent), ierr)
  end function

  ! How many there were.
  function candidates(tuning, ierr) result(count)
    class(weft_tuning), intent(in) :: tuning
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: count
    call begin()
    count = 0
    call ended(weft_tuning_count(tuning%handle, count), ierr)
  end function

  ! Collective: keeps what was found, in this process and in the user's own file; the text says where, or why not. The
  ! problem and the options are those that were tuned.
  subroutine remember_f08(tuning, comm, problem, options, said, ierr)
    class(weft_tuning), intent(in) :: tuning
    type(MPI_Comm), intent(in) :: comm
    type(weft_problem), intent(in) :: problem
    type(weft_options), intent(in), optional :: options
    character(len=:), allocatable, intent(out), optional :: said
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    integer(c_int) :: status
    call keep(tuning, comm%MPI_VAL, problem, text, status, options)
    if (present(said)) said = text
    call ended(status, ierr)
  end subroutine
  subroutine remember_integer(tuning, comm, problem, options, said, ierr)
    class(weft_tuning), intent(in) :: tuning
    integer, intent(in) :: comm
    type(weft_problem), intent(in) :: problem
    type(weft_options), intent(in), optional :: options
    character(len=:), allocatable, intent(out), optional :: said
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    integer(c_int) :: status
    call keep(tuning, comm, problem, text, status, options)
    if (present(said)) said = text
    call ended(status, ierr)
  end subroutine

  subroutine keep(tuning, comm, problem, said, status, options)
    class(weft_tuning), intent(in) :: tuning
    integer, intent(in) :: comm
    type(weft_problem), intent(in) :: problem
    character(len=:), allocatable, intent(out) :: said
    integer(c_int), intent(out) :: status
    type(weft_options), intent(in), optional :: options
    type(c_ptr) :: made
    character(kind=c_char) :: text(5000)
    integer(c_int64_t) :: length
    call begin()
    call make_problem(problem, made, status)
    length = 0
    if (status == WEFT_OK) status = weft_remember_f(int(comm, c_int), made, options_handle(options), tuning%handle, &
      text, size(text, kind=c_int64_t), length)
    call weft_problem_destroy(made)
    said = ''
    if (status == WEFT_OK) said = joined(text(1:min(length, size(text, kind=c_int64_t) - 1)))
  end subroutine

  subroutine assign_tuning(to, from)
    class(weft_tuning), intent(inout) :: to
    class(weft_tuning), intent(in) :: from
    if (.not. c_associated(to%handle, from%handle)) call refuse_assignment('weft_tuning')
  end subroutine
  subroutine end_tuning(tuning)
    class(weft_tuning), intent(inout) :: tuning
    call weft_tuning_destroy(tuning%handle)
  end subroutine
  subroutine finalize_tuning(tuning)
    type(weft_tuning), intent(inout) :: tuning
    call weft_tuning_destroy(tuning%handle)
  end subroutine

end module
