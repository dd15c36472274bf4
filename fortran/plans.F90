! Plans: arrays as pointers whose bounds are global indices, transforms, and what is done between two of them.
module weft_plans
  use weft_base
  use weft_layouts
  use weft_settings
  use weft_problems
  use weft_traces
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: weft_plan, weft_line, weft_map, weft_mode

  ! One end of a plan, as arrays.cpp has it: dimensions are the fastest first, indices count from 1.
  type, bind(c) :: side
    integer(c_int64_t) :: axes, reach
    integer(c_int64_t), dimension(WEFT_MAX_AXES) :: first, extents, strides, axis
    character(kind=c_char) :: type(4)
  end type

  type :: weft_plan
    type(c_ptr) :: handle = c_null_ptr  ! of weft.h
    type(side), private :: in, out
    integer(c_int), private :: in_place = 0
    integer, private :: axes = 0  ! of the problem
  contains
    procedure, private :: create_f08, create_integer, assign_plan
    generic :: create => create_f08, create_integer
    generic :: assignment(=) => assign_plan
    procedure :: forward, backward, forward_map_backward, backward_map_forward, apply
    procedure :: describe, explain, wavenumber, mode, output_axes, vectors, map_bounds
    procedure :: input_layout, output_layout, effective, record, bytes_owned, workspace_bytes, use_workspace
    procedure, private :: modes_f4, modes_f8, modes_c8, modes_c16
    generic :: for_each_mode => modes_f4, modes_f8, modes_c8, modes_c16
    procedure :: scale => plan_scale
    procedure :: destroy => end_plan
    procedure, private :: input_f4_1, input_f4_2, input_f4_3, input_f4_4, input_f4_5
    procedure, private :: input_f8_1, input_f8_2, input_f8_3, input_f8_4, input_f8_5
    procedure, private :: input_c8_1, input_c8_2, input_c8_3, input_c8_4, input_c8_5
    procedure, private :: input_c16_1, input_c16_2, input_c16_3, input_c16_4, input_c16_5
    procedure, private :: output_f4_1, output_f4_2, output_f4_3, output_f4_4, output_f4_5
    procedure, private :: output_f8_1, output_f8_2, output_f8_3, output_f8_4, output_f8_5
    procedure, private :: output_c8_1, output_c8_2, output_c8_3, output_c8_4, output_c8_5
    procedure, private :: output_c16_1, output_c16_2, output_c16_3, output_c16_4, output_c16_5
    ! The plan's own arrays, valid while it is. The pointer has the type and the rank of the array; dimension d is the
    ! d-th fastest in memory, which of the input is axis d, and of the output what output_axes says.
    generic :: input => input_f4_1, input_f4_2, input_f4_3, input_f4_4, input_f4_5, &
      input_f8_1, input_f8_2, input_f8_3, input_f8_4, input_f8_5, &
      input_c8_1, input_c8_2, input_c8_3, input_c8_4, input_c8_5, &
      input_c16_1, input_c16_2, input_c16_3, input_c16_4, input_c16_5
    generic :: output => output_f4_1, output_f4_2, output_f4_3, output_f4_4, output_f4_5, &
      output_f8_1, output_f8_2, output_f8_3, output_f8_4, output_f8_5, &
      output_c8_1, output_c8_2, output_c8_3, output_c8_4, output_c8_5, &
      output_c16_1, output_c16_2, output_c16_3, output_c16_4, output_c16_5
    final :: finalize_plan
  end type

  ! What weft.h gives a map.
  type, bind(c) :: c_line
    integer(c_int64_t) :: axes, first(WEFT_MAX_AXES), axis, count
    type(c_ptr) :: values
  end type

  ! A line of the transformed array between forward and backward, of real space between backward and forward: values at
  ! first(1), first(2), ... and those that follow along `axis`. Axes are those of the array, components and batch
  ! included, from the fastest on.
  type :: weft_line
    integer :: axes = 0, axis = 0, status = 0            ! status: other than 0 is a failure of the map
    integer(c_int64_t) :: first(WEFT_MAX_AXES) = 1, count = 0  ! global indices, from 1 on
    type(c_ptr), private :: address = c_null_ptr
    character(len=4), private :: type = ''
    logical, private :: misread = .false.
  contains
    procedure, private :: line_f4, line_f8, line_c8, line_c16
    ! call line%values(z): z(lbound(z, 1):) are the values, and the bounds of z the global indices along the axis. A
    ! pointer of another type than the array's is empty, and the call that maps fails.
    generic :: values => line_f4, line_f8, line_c8, line_c16
  end type

  abstract interface
    ! Works on a line. May run on several threads at once (option "threads").
    subroutine weft_map(line)
      import weft_line
      type(weft_line), intent(inout) :: line
    end subroutine
  end interface

  ! What goes through C to `mapped`, and what comes back.
  type :: mapping
    procedure(weft_map), pointer, nopass :: map => null()
    character(len=4) :: type = ''
    logical :: misread = .false.
  end type

  ! One value of the output: its signed wavenumbers k, an entry for each axis of the problem; `odd`, which is k but 0
  ! where the array has no mode -k beside it; how many modes of the whole spectrum it stands for;
  ! and its indices `at`, as the array has them.
  type :: weft_mode
    integer :: axes = 0, status = 0  ! of the problem; status: other than 0 is a failure of the visit
    real(c_double), dimension(WEFT_MAX_AXES) :: k = 0, odd = 0
    real(c_double) :: weight = 1
    integer(c_int64_t) :: at(WEFT_MAX_AXES) = 1
  end type

  abstract interface
    subroutine visit_f4(mode, value)
      import
      type(weft_mode), intent(inout) :: mode
      real(c_float), intent(inout) :: value
    end subroutine
    subroutine visit_f8(mode, value)
      import
      type(weft_mode), intent(inout) :: mode
      real(c_double), intent(inout) :: value
    end subroutine
    subroutine visit_c8(mode, value)
      import
      type(weft_mode), intent(inout) :: mode
      complex(c_float_complex), intent(inout) :: value
    end subroutine
    subroutine visit_c16(mode, value)
      import
      type(weft_mode), intent(inout) :: mode
      complex(c_double_complex), intent(inout) :: value
    end subroutine
  end interface

  ! What goes through C to `visited`: the procedure of one type, and the order of the array's dimensions.
  type :: visiting
    procedure(visit_f4), pointer, nopass :: f4 => null()
    procedure(visit_f8), pointer, nopass :: f8 => null()
    procedure(visit_c8), pointer, nopass :: c8 => null()
    procedure(visit_c16), pointer, nopass :: c16 => null()
    integer :: dimensions = 0, axis(WEFT_MAX_AXES) = 0
  end type

  type, bind(c) :: c_mode
    integer(c_int64_t) :: axes
    real(c_double), dimension(WEFT_MAX_AXES) :: k, odd
    real(c_double) :: weight
  end type

  interface
    integer(c_int) function weft_plan_create_in_f(plan, comm, problem, options, memory) bind(c)
      import
      type(c_ptr), intent(out) :: plan
      integer(c_int), value :: comm
      type(c_ptr), value :: problem, options
      character(kind=c_char), intent(in) :: memory(*)
    end function
    integer(c_int) function weft_plan_workspace_bytes(plan, bytes) bind(c)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(inout) :: bytes
    end function
    integer(c_int) function weft_plan_use_workspace(plan, memory, bytes) bind(c)
      import
      type(c_ptr), value :: plan, memory
      integer(c_int64_t), value :: bytes
    end function
    integer(c_int) function weft_plan_for_each_mode(plan, data, visit, context) bind(c)
      import
      type(c_ptr), value :: plan, data, context
      type(c_funptr), value :: visit
    end function
    subroutine weft_plan_destroy(plan) bind(c)
      import
      type(c_ptr), intent(inout) :: plan
    end subroutine
    integer(c_int) function weft_plan_forward(plan, in, out) bind(c)
      import
      type(c_ptr), value :: plan, in, out
    end function
    integer(c_int) function weft_plan_backward(plan, in, out) bind(c)
      import
      type(c_ptr), value :: plan, in, out
    end function
    integer(c_int) function weft_plan_forward_map_backward(plan, in, out, map, context) bind(c)
      import
      type(c_ptr), value :: plan, in, out, context
      type(c_funptr), value :: map
    end function
    integer(c_int) function weft_plan_backward_map_forward(plan, in, out, map, context) bind(c)
      import
      type(c_ptr), value :: plan, in, out, context
      type(c_funptr), value :: map
    end function
    integer(c_int) function weft_plan_apply(plan, potential, points, in, out) bind(c)
      import
      type(c_ptr), value :: plan, potential, in, out
      integer(c_int64_t), value :: points
    end function
    integer(c_int) function weft_plan_scale(plan, scale) bind(c)
      import
      type(c_ptr), value :: plan
      real(c_double), intent(inout) :: scale
    end function
    integer(c_int) function weft_plan_describe(plan, text, room, length) bind(c)
      import
      type(c_ptr), value :: plan, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_plan_explain(plan, json, text, room, length) bind(c)
      import
      type(c_ptr), value :: plan, text
      integer(c_int), value :: json
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_plan_input(plan, data) bind(c)
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: data
    end function
    integer(c_int) function weft_plan_output(plan, data) bind(c)
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: data
    end function
    integer(c_int) function weft_plan_input_layout(plan, layout) bind(c)
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_plan_output_layout(plan, layout) bind(c)
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_plan_effective(plan, options) bind(c)
      import
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: options
    end function
    integer(c_int) function weft_plan_record(plan, trace) bind(c)
      import
      type(c_ptr), value :: plan, trace
    end function
    integer(c_int) function weft_plan_bytes_owned(plan, bytes) bind(c)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(inout) :: bytes
    end function
    integer(c_int) function weft_plan_map_view(plan, view) bind(c)
      import
      type(c_ptr), value :: plan
      type(c_view), intent(out) :: view
    end function
    integer(c_int) function weft_plan_vectors(plan, g, room, count) bind(c)
      import
      type(c_ptr), value :: plan, g
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int) function weft_plan_wavenumber(plan, axis, index, wavenumber) bind(c)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), value :: axis, index
      real(c_double), intent(inout) :: wavenumber
    end function
    integer(c_int) function weft_plan_mode(plan, point, mode) bind(c)
      import
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(in) :: point(*)
      type(c_mode), intent(out) :: mode
    end function
    integer(c_int) function weft_fortran_sides(plan, in, out, in_place) bind(c)
      import
      type(c_ptr), value :: plan
      type(side), intent(out) :: in, out
      integer(c_int), intent(out) :: in_place
    end function
    integer(c_int) function weft_fortran_fit(in, out, from, to, in_place, text, room, length) bind(c)
      import
      type(*), intent(in) :: in(..), out(..)
      type(side), intent(in) :: from, to
      integer(c_int), value :: in_place
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
  end interface

contains

  ! Collective. `memory` says whose the memory is that the plan works in: 'own' (also absent),
  ! 'callers' (give it some by use_workspace before the first execution), or 'none': it says how
  ! much it would take, and cannot execute.
  subroutine create_f08(plan, comm, problem, options, memory, ierr)
    class(weft_plan), intent(inout) :: plan
    type(MPI_Comm), intent(in) :: comm
    type(weft_problem), intent(in) :: problem
    type(weft_options), intent(in), optional :: options
    character(len=*), intent(in), optional :: memory
    integer, intent(out), optional :: ierr
    call create_integer(plan, comm%MPI_VAL, problem, options, memory, ierr)
  end subroutine

  subroutine create_integer(plan, comm, problem, options, memory, ierr)
    class(weft_plan), intent(inout) :: plan
    integer, intent(in) :: comm
    type(weft_problem), intent(in) :: problem
    type(weft_options), intent(in), optional :: options
    character(len=*), intent(in), optional :: memory
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: works_in
    type(c_ptr) :: made_problem
    integer(c_int) :: status
    call weft_plan_destroy(plan%handle)
    call begin()
    plan%axes = 0
    if (allocated(problem%shape)) plan%axes = size(problem%shape)
    call make_problem(problem, made_problem, status)
    works_in = 'own'
    if (present(memory)) works_in = memory
    if (status == WEFT_OK) status = weft_plan_create_in_f(plan%handle, int(comm, c_int), made_problem, &
      options_handle(options), in_c(works_in))
    call weft_problem_destroy(made_problem)
    if (status == WEFT_OK) status = weft_fortran_sides(plan%handle, plan%in, plan%out, plan%in_place)
    call ended(status, ierr)
  end subroutine

  ! Ends the plan and its own arrays. A plan that goes out of scope ends by itself; that must be before MPI_Finalize.
  subroutine end_plan(plan)
    class(weft_plan), intent(inout) :: plan
    call weft_plan_destroy(plan%handle)
  end subroutine
  subroutine finalize_plan(plan)
    type(weft_plan), intent(inout) :: plan
    call weft_plan_destroy(plan%handle)
  end subroutine

  ! A plan belongs to one variable, which ends it.
  subroutine assign_plan(to, from)
    class(weft_plan), intent(inout) :: to
    class(weft_plan), intent(in) :: from
    if (.not. c_associated(to%handle, from%handle)) call refuse_assignment('weft_plan')
  end subroutine

  ! Collective. This rank's arrays, of the type, the extents and the strides of those of input and output, or contiguous
  ! lists of as many elements. In place both are the same array.
  subroutine forward(plan, in, out, ierr)
    class(weft_plan), intent(in) :: plan
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    call begin()
    status = WEFT_OK
    if (c_associated(plan%handle)) call check(in, out, plan%in, plan%out, plan%in_place, status)
    if (status == WEFT_OK) status = weft_plan_forward(plan%handle, c_loc(in), c_loc(out))
    call ended(status, ierr)
  end subroutine
  subroutine backward(plan, in, out, ierr)
    class(weft_plan), intent(in) :: plan
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    call begin()
    status = WEFT_OK
    if (c_associated(plan%handle)) call check(in, out, plan%out, plan%in, plan%in_place, status)
    if (status == WEFT_OK) status = weft_plan_backward(plan%handle, c_loc(in), c_loc(out))
    call ended(status, ierr)
  end subroutine

  ! Collective: forward, `map` on every line of the transformed array, backward, without storing the transformed array.
  ! in and out are both arrays as `input` gives them, and may be the same.
  subroutine forward_map_backward(plan, in, out, map, ierr)
    class(weft_plan), intent(in) :: plan
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    procedure(weft_map) :: map
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    type(mapping), target :: context
    call begin()
    status = WEFT_OK
    context%map => map
    if (c_associated(plan%handle)) then
      context%type = short_text(plan%out%type)
      call check(in, out, plan%in, plan%in, plan%in_place, status)
    end if
    if (status == WEFT_OK) then
      status = weft_plan_forward_map_backward(plan%handle, c_loc(in), c_loc(out), c_funloc(mapped), c_loc(context))
      call check_map(context, status)
    end if
    call ended(status, ierr)
  end subroutine

  ! Collective, plane waves only: backward, `map` on every line of real space, forward. in and out
  ! are both coefficients, as `output` gives them.
  subroutine backward_map_forward(plan, in, out, map, ierr)
    class(weft_plan), intent(in) :: plan
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    procedure(weft_map) :: map
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    type(mapping), target :: context
    call begin()
    status = WEFT_OK
    context%map => map
    if (c_associated(plan%handle)) then
      context%type = short_text(plan%in%type)
      call check(in, out, plan%out, plan%out, plan%in_place, status)
    end if
    if (status == WEFT_OK) then
      status = weft_plan_backward_map_forward(plan%handle, c_loc(in), c_loc(out), c_funloc(mapped), c_loc(context))
      call check_map(context, status)
    end if
    call ended(status, ierr)
  end subroutine

  subroutine check_map(context, status)
    type(mapping), intent(in) :: context
    integer(c_int), intent(inout) :: status
    if (context%misread) call refuse('a map asks for values of another type than the array''s, which are ' // &
      in_fortran(trim(context%type)), status)
  end subroutine

  ! Called by C for each line.
  integer(c_int) function mapped(line, context) bind(c, name='')
    type(c_line), intent(in) :: line
    type(c_ptr), value :: context
    type(mapping), pointer :: of
    type(weft_line) :: in_fortran_order
    integer :: n
    call c_f_pointer(context, of)
    n = int(line%axes)
    in_fortran_order%axes = n
    in_fortran_order%axis = n - int(line%axis)
    in_fortran_order%first(1:n) = line%first(n:1:-1) + 1
    in_fortran_order%count = line%count
    in_fortran_order%address = line%values
    in_fortran_order%type = of%type
    call of%map(in_fortran_order)
    mapped = int(in_fortran_order%status, c_int)
    if (in_fortran_order%misread) of%misread = .true.
  end function

  ! Collective, plane waves only: a local potential: out = forward(potential * backward(in)) * scale. `potential` has a
  ! real number of the plan's precision for each point of map_bounds, one behind the other; a batch shares it.
  subroutine apply(plan, potential, in, out, ierr)
    class(weft_plan), intent(in) :: plan
    type(*), intent(in), target :: potential(..), in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    character(kind=c_char) :: type(4)
    integer(c_int64_t) :: points, bytes
    call begin()
    status = WEFT_OK
    points = 0
    if (c_associated(plan%handle)) then
      call check(in, out, plan%out, plan%out, plan%in_place, status)
      call weft_fortran_list(potential, type, points, bytes)
      if (status == WEFT_OK .and. points > 0 .and. short_text(type) /= merge('f4', 'f8', plan%in%type(2) == '4' .or. &
        short_text(plan%in%type) == 'c8')) call refuse('the potential is of another type; ' // &
        'give real numbers of the plan''s precision', status)
      if (status == WEFT_OK .and. points == -1) call refuse('the potential does not lie in memory without gaps; ' // &
        'give a contiguous array', status)
      points = max(points, 0_c_int64_t)
    end if
    if (status == WEFT_OK) status = weft_plan_apply(plan%handle, c_loc(potential), points, c_loc(in), c_loc(out))
    call ended(status, ierr)
  end subroutine

  subroutine check(in, out, from, to, in_place, status)
    type(*), intent(in) :: in(..), out(..)
    type(side), intent(in) :: from, to
    integer(c_int), intent(in) :: in_place
    integer(c_int), intent(out) :: status
    character(kind=c_char) :: text(1000)
    integer(c_int64_t) :: length
    status = weft_fortran_fit(in, out, from, to, in_place, text, size(text, kind=c_int64_t), length)
    if (status /= WEFT_OK) call refuse(joined(text(1:length)), status)
  end subroutine

  ! What backward(forward(u)) is to be multiplied by to give u.
  function plan_scale(plan, ierr) result(factor)
    class(weft_plan), intent(in) :: plan
    integer, intent(out), optional :: ierr
    real(c_double) :: factor
    call begin()
    factor = 0
    call ended(weft_plan_scale(plan%handle, factor), ierr)
  end function

  ! The signed wavenumber of a global index of the output along an axis of the problem, both from 1 on.
  function wavenumber(plan, axis, index, ierr) result(k)
    class(weft_plan), intent(in) :: plan
    integer, intent(in) :: axis, index
    integer, intent(out), optional :: ierr
    real(c_double) :: k
    integer(c_int) :: status
    call begin()
    k = 0
    if (axis < 1 .or. axis > plan%axes) then
      call refuse('the wavenumber of axis ' // number_text(axis) // ' is asked for; allowed: 1 to ' // &
        number_text(plan%axes), status)
    else
      status = weft_plan_wavenumber(plan%handle, int(plan%axes - axis, c_int64_t), int(index - 1, c_int64_t), k)
    end if
    call ended(status, ierr)
  end function

  ! The signed wavenumbers k of a point of the output, `at` as its array's indices are, an entry for each axis of the
  ! problem; `odd` is k, but 0 where the array has no mode -k beside it: what odd derivatives multiply by. `weight`: how
  ! many modes of the whole spectrum the value stands for.
  subroutine mode(plan, at, k, odd, weight, ierr)
    class(weft_plan), intent(in) :: plan
    integer, intent(in) :: at(:)
    real(c_double), intent(out) :: k(:)
    real(c_double), intent(out), optional :: odd(:), weight
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: point(WEFT_MAX_AXES)
    type(c_mode) :: found
    integer(c_int) :: status
    integer :: n, d
    call begin()
    status = WEFT_OK
    k = 0
    if (present(odd)) odd = 0
    if (present(weight)) weight = 0
    n = int(plan%out%axes)
    if (.not. c_associated(plan%handle)) then
      status = weft_plan_mode(plan%handle, point, found)
    else if (size(at) /= n .or. size(k) /= plan%axes) then
      call refuse('a mode of ' // number_text(size(at)) // ' indices and ' // number_text(size(k)) // &
        ' wavenumbers is asked for; this plan has ' // number_text(n) // ' and ' // number_text(plan%axes), status)
    else if (present(odd)) then
      if (size(odd) /= plan%axes) call refuse('odd has ' // number_text(size(odd)) // ' entries; give ' // &
        number_text(plan%axes), status)
    end if
    if (status == WEFT_OK) then
      do d = 1, n
        point(n - plan%out%axis(d) + 1) = at(d) - 1
      end do
      status = weft_plan_mode(plan%handle, point, found)
    end if
    if (status == WEFT_OK) then
      k = found%k(plan%axes:1:-1)
      if (present(odd)) odd = found%odd(plan%axes:1:-1)
      if (present(weight)) weight = found%weight
    end if
    call ended(status, ierr)
  end subroutine

  ! What C tells of a mode, in Fortran's order.
  subroutine turn_mode(told, point, dimensions, axis, mode)
    type(c_mode), intent(in) :: told
    integer(c_int64_t), intent(in) :: point(WEFT_MAX_AXES)
    integer, intent(in) :: dimensions, axis(WEFT_MAX_AXES)
    type(weft_mode), intent(out) :: mode
    integer :: n, d
    n = int(told%axes)
    mode%axes = n
    mode%k(1:n) = told%k(n:1:-1)
    mode%odd(1:n) = told%odd(n:1:-1)
    mode%weight = told%weight
    do d = 1, dimensions
      mode%at(d) = point(dimensions - axis(d) + 1) + 1
    end do
  end subroutine

  ! Plane waves only: this rank's G-vectors in the order of its coefficients, three integers each.
  function vectors(plan, ierr) result(g)
    class(weft_plan), intent(in) :: plan
    integer, intent(out), optional :: ierr
    integer(c_int64_t), allocatable :: g(:,:)
    integer(c_int64_t), allocatable, target :: in_c_order(:,:)
    integer(c_int64_t) :: count
    integer(c_int) :: status
    call begin()
    count = 0
    status = weft_plan_vectors(plan%handle, c_null_ptr, 0_c_int64_t, count)
    allocate (in_c_order(3, count + 1))
    if (status == WEFT_OK) status = weft_plan_vectors(plan%handle, c_loc(in_c_order), count, count)
    g = in_c_order(3:1:-1, 1:count)
    call ended(status, ierr)
  end function

  ! Plane waves only: the part of real space that backward_map_forward maps on this rank, without the batch.
  subroutine map_bounds(plan, lo, hi, ierr)
    class(weft_plan), intent(in) :: plan
    integer, intent(out) :: lo(3), hi(3)
    integer, intent(out), optional :: ierr
    type(c_view) :: view
    integer(c_int) :: status
    call begin()
    lo = 1
    hi = 0
    status = weft_plan_map_view(plan%handle, view)
    if (status == WEFT_OK) then
      lo = int(view%lo(3:1:-1)) + 1
      hi = int(view%hi(3:1:-1))
    end if
    call ended(status, ierr)
  end subroutine

  ! Components and batch are included.
  subroutine input_layout(plan, layout, ierr)
    class(weft_plan), intent(in) :: plan
    type(weft_layout), intent(inout) :: layout
    integer, intent(out), optional :: ierr
    call layout%destroy()
    call begin()
    call ended(weft_plan_input_layout(plan%handle, layout%handle), ierr)
  end subroutine
  subroutine output_layout(plan, layout, ierr)
    class(weft_plan), intent(in) :: plan
    type(weft_layout), intent(inout) :: layout
    integer, intent(out), optional :: ierr
    call layout%destroy()
    call begin()
    call ended(weft_plan_output_layout(plan%handle, layout%handle), ierr)
  end subroutine

  ! What is done of what was asked for.
  subroutine effective(plan, options, ierr)
    class(weft_plan), intent(in) :: plan
    type(weft_options), intent(inout) :: options
    integer, intent(out), optional :: ierr
    call begin()
    call weft_options_destroy(options%handle)
    call ended(weft_plan_effective(plan%handle, options%handle), ierr)
  end subroutine

  ! Records every execution from now on. The trace may end before the plan.
  subroutine record(plan, trace, ierr)
    class(weft_plan), intent(in) :: plan
    type(weft_trace), intent(in) :: trace
    integer, intent(out), optional :: ierr
    call begin()
    call ended(weft_plan_record(plan%handle, trace%handle), ierr)
  end subroutine

  ! Bytes that the plan owns on this rank.
  function bytes_owned(plan, ierr) result(bytes)
    class(weft_plan), intent(in) :: plan
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: bytes
    call begin()
    bytes = 0
    call ended(weft_plan_bytes_owned(plan%handle, bytes), ierr)
  end function

  ! Bytes of the plan's workspace on this rank, which holds nothing between executions.
  function workspace_bytes(plan, ierr) result(bytes)
    class(weft_plan), intent(in) :: plan
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: bytes
    call begin()
    bytes = 0
    call ended(weft_plan_workspace_bytes(plan%handle, bytes), ierr)
  end function

  ! From now on the plan, made with memory='callers', works in this contiguous array of any type. Plans that do not
  ! execute at the same time may share it. It must stay until the last execution.
  subroutine use_workspace(plan, workspace, ierr)
    class(weft_plan), intent(in) :: plan
    type(*), intent(inout), target :: workspace(..)
    integer, intent(out), optional :: ierr
    character(kind=c_char) :: type(4)
    integer(c_int64_t) :: elements, of_one
    integer(c_int) :: status
    call begin()
    call weft_fortran_list(workspace, type, elements, of_one)
    status = WEFT_OK
    if (elements < 0) call refuse('the workspace is not there, or has gaps; give a contiguous array', status)
    if (status == WEFT_OK) status = weft_plan_use_workspace(plan%handle, c_loc(workspace), elements * of_one)
    call ended(status, ierr)
  end subroutine

  ! Many lines: stages, exchanges, memory.
  function describe(plan, ierr) result(text)
    class(weft_plan), intent(in) :: plan
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = told(weft_plan_describe, plan%handle, ierr)
  end function

  ! How what was left open was chosen: many lines.
  function explain(plan, ierr) result(text)
    class(weft_plan), intent(in) :: plan
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = told(in_lines, plan%handle, ierr)
  end function
  integer(c_int) function in_lines(handle, text, room, length) bind(c, name='')
    type(c_ptr), value :: handle, text
    integer(c_int64_t), value :: room
    integer(c_int64_t), intent(out) :: length
    in_lines = weft_plan_explain(handle, 0_c_int, text, room, length)
  end function

  ! For each dimension of the output's array the axis that it is: those of components, problem and batch, from 1 on.
  function output_axes(plan, ierr) result(axes)
    class(weft_plan), intent(in) :: plan
    integer, intent(out), optional :: ierr
    integer, allocatable :: axes(:)
    integer(c_int) :: status
    call begin()
    status = WEFT_OK
    allocate (axes(0))
    if (c_associated(plan%handle)) then
      axes = int(plan%out%axis(1:plan%out%axes))
    else
      call refuse('the plan has not been made; call create', status)
    end if
    call ended(status, ierr)
  end function

  ! Whether a pointer of so many dimensions and this type can be an array of the side.
  subroutine check_pointer(of, axes, type_name, status)
    type(side), intent(in) :: of
    integer, intent(in) :: axes
    character(len=*), intent(in) :: type_name
    integer(c_int), intent(out) :: status
    character(len=:), allocatable :: own
    own = trim(short_text(of%type))
    status = WEFT_OK
    if (of%axes /= axes .or. own /= type_name) call refuse('an array of ' // number_text(int(of%axes)) // &
      ' dimensions of type ' // in_fortran(own) // ' is asked for by a pointer of ' // number_text(axes) // &
      ' dimensions of type ' // in_fortran(type_name) // &
      '; give a pointer of the plan''s own type and number of axes', status)
  end subroutine

  ! The extents that memory has: those of the side, with padding.
  function extents_in_memory(of) result(extents)
    type(side), intent(in) :: of
    integer(c_int64_t) :: extents(WEFT_MAX_AXES)
    integer :: d
    extents = of%extents
    if (of%reach == 0) return
    do d = 1, int(of%axes) - 1
      extents(d) = max(extents(d), of%strides(d + 1) / of%strides(d))
    end do
  end function

#define PASTE(x) x
#define RANK 1
#define DIMS :
#define AT(a) a(1):
#define CUT(a) :a(1)
#include "weft_types.inc"
#define RANK 2
#define DIMS :,:
#define AT(a) a(1):, a(2):
#define CUT(a) :a(1), :a(2)
#include "weft_types.inc"
#define RANK 3
#define DIMS :,:,:
#define AT(a) a(1):, a(2):, a(3):
#define CUT(a) :a(1), :a(2), :a(3)
#include "weft_types.inc"
#define RANK 4
#define DIMS :,:,:,:
#define AT(a) a(1):, a(2):, a(3):, a(4):
#define CUT(a) :a(1), :a(2), :a(3), :a(4)
#include "weft_types.inc"
#define RANK 5
#define DIMS :,:,:,:,:
#define AT(a) a(1):, a(2):, a(3):, a(4):, a(5):
#define CUT(a) :a(1), :a(2), :a(3), :a(4), :a(5)
#include "weft_types.inc"

end module
