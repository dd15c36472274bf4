! weft in Fortran, over the C interface weft.h: distributed FFTs on MPI.
!
!     use weft
!     type(weft_plan) :: fft
!     real(c_double), pointer :: u(:,:,:)
!     complex(c_double_complex), pointer :: u_hat(:,:,:)
!     call fft%create(MPI_COMM_WORLD, weft_kinds([nx, ny, nz], 'r2c'))
!     call fft%input(u)             ! lbound and ubound are this rank's global indices, from 1 on
!     call fft%output(u_hat)
!     call fft%forward(u, u_hat)
!
! Axes are Fortran's: the first is the fastest. Axis a of n is axis n - a of C and of the texts of options, such as
! "grid". Indices count from 1. Communicators are integers or, with mpi_f08, of type(MPI_Comm). Every procedure that can
! fail has an optional ierr, 0 or the status of weft.h; without it a failure prints weft_message() and stops.
module weft
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08, only: MPI_Comm
  implicit none
  private

  integer(c_int), parameter, public :: WEFT_OK = 0, WEFT_ERROR = 1, WEFT_DECLINED = 2
  integer, parameter, public :: WEFT_MAX_AXES = 8
  public :: c_float, c_double, c_float_complex, c_double_complex, c_int64_t
  public :: weft_plan, weft_problem, weft_options, weft_message, weft_kinds

  ! Options by name. Made at the first set; without any they are the defaults.
  type :: weft_options
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: set_text, set_integer, set_integer8, set_real, set_logical
    generic :: set => set_text, set_integer, set_integer8, set_real, set_logical
    procedure :: get => options_get
    final :: end_options
  end type

  ! What is transformed: a value, of which a plan makes what it needs.
  type :: weft_problem
    character(len=:), allocatable :: precision, kinds
    integer(c_int64_t), allocatable :: shape(:)  ! fastest axis first
    integer, allocatable :: axes(:)              ! to transform, from 1 on; empty: all
  end type

  type :: weft_plan
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_f08, create_integer
    generic :: create => create_f08, create_integer
    procedure :: forward, backward, describe
    procedure :: scale => plan_scale
    procedure :: output_axes
    procedure :: destroy => end_plan
    procedure, private :: input_r4_1, input_r4_2, input_r4_3, input_r4_4, input_r4_5
    procedure, private :: input_r8_1, input_r8_2, input_r8_3, input_r8_4, input_r8_5
    procedure, private :: input_c8_1, input_c8_2, input_c8_3, input_c8_4, input_c8_5
    procedure, private :: input_c16_1, input_c16_2, input_c16_3, input_c16_4, input_c16_5
    procedure, private :: output_r4_1, output_r4_2, output_r4_3, output_r4_4, output_r4_5
    procedure, private :: output_r8_1, output_r8_2, output_r8_3, output_r8_4, output_r8_5
    procedure, private :: output_c8_1, output_c8_2, output_c8_3, output_c8_4, output_c8_5
    procedure, private :: output_c16_1, output_c16_2, output_c16_3, output_c16_4, output_c16_5
    ! The plan's own arrays, valid while it is. The pointer has the type and the rank of the array; dimension d is the
    ! d-th fastest in memory, which of the input is axis d, and of the output what output_axes says.
    generic :: input => input_r4_1, input_r4_2, input_r4_3, input_r4_4, input_r4_5, &
      input_r8_1, input_r8_2, input_r8_3, input_r8_4, input_r8_5, &
      input_c8_1, input_c8_2, input_c8_3, input_c8_4, input_c8_5, &
      input_c16_1, input_c16_2, input_c16_3, input_c16_4, input_c16_5
    generic :: output => output_r4_1, output_r4_2, output_r4_3, output_r4_4, output_r4_5, &
      output_r8_1, output_r8_2, output_r8_3, output_r8_4, output_r8_5, &
      output_c8_1, output_c8_2, output_c8_3, output_c8_4, output_c8_5, &
      output_c16_1, output_c16_2, output_c16_3, output_c16_4, output_c16_5
    final :: finalize_plan
  end type

  ! A problem of one kind for all axes, or of one for each, in the order of axes: 'r2c', 'r2c,dst2,c2c'.
  interface weft_kinds
    module procedure kinds_4, kinds_8
  end interface

  interface type_of
    module procedure type_r4, type_r8, type_c8, type_c16
  end interface

  ! weft_view of weft.h.
  type, bind(c) :: view_in_c
    integer(c_int64_t) :: axes, lo(WEFT_MAX_AXES), hi(WEFT_MAX_AXES), strides(WEFT_MAX_AXES), elements, reach
  end type

  interface
    function weft_error_in_c() bind(c, name='weft_error') result(message)
      import :: c_ptr
      type(c_ptr) :: message
    end function
    function c_length(text) bind(c, name='strlen') result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
    integer(c_int) function weft_options_create(options) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: options
    end function
    subroutine weft_options_destroy(options) bind(c)
      import :: c_ptr
      type(c_ptr), intent(inout) :: options
    end subroutine
    integer(c_int) function weft_options_set(options, name, value) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*), value(*)
    end function
    integer(c_int) function weft_options_set_integer(options, name, value) bind(c)
      import :: c_int, c_ptr, c_char, c_int64_t
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: value
    end function
    integer(c_int) function weft_options_set_number(options, name, value) bind(c)
      import :: c_int, c_ptr, c_char, c_double
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
    end function
    integer(c_int) function weft_options_set_flag(options, name, value) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: value
    end function
    integer(c_int) function weft_options_get(options, name, text, room, length) bind(c)
      import :: c_int, c_ptr, c_char, c_int64_t
      type(c_ptr), value :: options, text
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_problem_create(problem, precision, axes, shape, kinds, count, transformed) bind(c)
      import :: c_int, c_ptr, c_char, c_int64_t
      type(c_ptr), intent(out) :: problem
      character(kind=c_char), intent(in) :: precision(*), kinds(*)
      integer(c_int64_t), value :: axes, count
      integer(c_int64_t), intent(in) :: shape(*), transformed(*)
    end function
    subroutine weft_problem_destroy(problem) bind(c)
      import :: c_ptr
      type(c_ptr), intent(inout) :: problem
    end subroutine
    integer(c_int) function weft_plan_create_f(plan, comm, problem, options) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: plan
      integer(c_int), value :: comm
      type(c_ptr), value :: problem, options
    end function
    subroutine weft_plan_destroy(plan) bind(c)
      import :: c_ptr
      type(c_ptr), intent(inout) :: plan
    end subroutine
    integer(c_int) function weft_plan_forward(plan, in, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan, in, out
    end function
    integer(c_int) function weft_plan_backward(plan, in, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan, in, out
    end function
    integer(c_int) function weft_plan_scale(plan, scale) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: plan
      real(c_double), intent(out) :: scale
    end function
    integer(c_int) function weft_plan_describe(plan, text, room, length) bind(c)
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: plan, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_plan_input(plan, data) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: data
    end function
    integer(c_int) function weft_plan_output(plan, data) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: data
    end function
    integer(c_int) function weft_plan_input_view(plan, view) bind(c)
      import :: c_int, c_ptr, view_in_c
      type(c_ptr), value :: plan
      type(view_in_c), intent(out) :: view
    end function
    integer(c_int) function weft_plan_output_view(plan, view) bind(c)
      import :: c_int, c_ptr, view_in_c
      type(c_ptr), value :: plan
      type(view_in_c), intent(out) :: view
    end function
    integer(c_int) function weft_plan_input_layout(plan, layout) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_plan_output_layout(plan, layout) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      type(c_ptr), intent(out) :: layout
    end function
    integer(c_int) function weft_layout_order(layout, order, padding) bind(c)
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: layout
      integer(c_int64_t), intent(out) :: order(*), padding(*)
    end function
    subroutine weft_layout_destroy(layout) bind(c)
      import :: c_ptr
      type(c_ptr), intent(inout) :: layout
    end subroutine
    integer(c_int) function weft_plan_input_type(plan, text, room, length) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_char
      type(c_ptr), value :: plan
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_plan_output_type(plan, text, room, length) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_char
      type(c_ptr), value :: plan
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
  end interface

  ! A failure of this module's own, which weft_error of C does not know.
  character(len=:), allocatable, save :: own_message

contains

  ! The message of the last call that failed.
  function weft_message() result(message)
    character(len=:), allocatable :: message
    character(kind=c_char), pointer :: text(:)
    type(c_ptr) :: address
    integer :: i
    if (allocated(own_message)) then
      message = own_message
      return
    end if
    address = weft_error_in_c()
    call c_f_pointer(address, text, [c_length(address)])
    allocate (character(len=size(text)) :: message)
    do i = 1, size(text)
      message(i:i) = text(i)
    end do
  end function

  ! Returns the status, or ends the program where nobody asks for it.
  subroutine ended(status, ierr)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = status
    else if (status /= WEFT_OK) then
      write (error_unit, '(a)') weft_message()
      error stop 1
    end if
  end subroutine

  ! Forgets what an earlier call left.
  subroutine begin()
    if (allocated(own_message)) deallocate (own_message)
  end subroutine

  subroutine refuse(message, status)
    character(len=*), intent(in) :: message
    integer(c_int), intent(out) :: status
    own_message = message
    status = WEFT_ERROR
  end subroutine

  function in_c(text) result(with_zero)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: with_zero(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      with_zero(i) = text(i:i)
    end do
    with_zero(len_trim(text) + 1) = c_null_char
  end function

  ! ---- options ----

  subroutine made(options, status)
    class(weft_options), intent(inout) :: options
    integer(c_int), intent(out) :: status
    call begin()
    status = WEFT_OK
    if (.not. c_associated(options%handle)) status = weft_options_create(options%handle)
  end subroutine

  subroutine set_text(options, name, value, ierr)
    class(weft_options), intent(inout) :: options
    character(len=*), intent(in) :: name, value
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    call made(options, status)
    if (status == WEFT_OK) status = weft_options_set(options%handle, in_c(name), in_c(value))
    call ended(status, ierr)
  end subroutine

  subroutine set_integer(options, name, value, ierr)
    class(weft_options), intent(inout) :: options
    character(len=*), intent(in) :: name
    integer, intent(in) :: value
    integer, intent(out), optional :: ierr
    call options%set(name, int(value, c_int64_t), ierr)
  end subroutine

  subroutine set_integer8(options, name, value, ierr)
    class(weft_options), intent(inout) :: options
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: value
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    call made(options, status)
    if (status == WEFT_OK) status = weft_options_set_integer(options%handle, in_c(name), value)
    call ended(status, ierr)
  end subroutine

  subroutine set_real(options, name, value, ierr)
    class(weft_options), intent(inout) :: options
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: value
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    call made(options, status)
    if (status == WEFT_OK) status = weft_options_set_number(options%handle, in_c(name), value)
    call ended(status, ierr)
  end subroutine

  subroutine set_logical(options, name, value, ierr)
    class(weft_options), intent(inout) :: options
    character(len=*), intent(in) :: name
    logical, intent(in) :: value
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    call made(options, status)
    if (status == WEFT_OK) status = weft_options_set_flag(options%handle, in_c(name), merge(1_c_int, 0_c_int, value))
    call ended(status, ierr)
  end subroutine

  ! An option as text.
  function options_get(options, name) result(value)
    class(weft_options), intent(inout) :: options
    character(len=*), intent(in) :: name
    character(len=:), allocatable :: value
    character(kind=c_char), allocatable, target :: text(:)
    integer(c_int64_t) :: length
    integer(c_int) :: status
    call made(options, status)
    if (status == WEFT_OK) status = weft_options_get(options%handle, in_c(name), c_null_ptr, 0_c_int64_t, length)
    call ended(status)
    allocate (text(length + 1))
    call ended(weft_options_get(options%handle, in_c(name), c_loc(text), length + 1, length))
    value = joined(text(1:length))
  end function

  function joined(letters) result(text)
    character(kind=c_char), intent(in) :: letters(:)
    character(len=size(letters)) :: text
    integer :: i
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  subroutine end_options(options)
    type(weft_options), intent(inout) :: options
    call weft_options_destroy(options%handle)
  end subroutine

  ! ---- problems ----

  function kinds_4(shape, kinds, precision, axes) result(problem)
    integer, intent(in) :: shape(:)
    character(len=*), intent(in) :: kinds
    character(len=*), intent(in), optional :: precision  ! 'single' or 'double', which is the default
    integer, intent(in), optional :: axes(:)             ! to transform; absent: all
    type(weft_problem) :: problem
    problem = kinds_8(int(shape, c_int64_t), kinds, precision, axes)
  end function

  function kinds_8(shape, kinds, precision, axes) result(problem)
    integer(c_int64_t), intent(in) :: shape(:)
    character(len=*), intent(in) :: kinds
    character(len=*), intent(in), optional :: precision
    integer, intent(in), optional :: axes(:)
    type(weft_problem) :: problem
    problem%shape = shape
    problem%kinds = trim(kinds)
    problem%precision = 'double'
    if (present(precision)) problem%precision = trim(precision)
    allocate (problem%axes(0))
    if (present(axes)) problem%axes = axes
  end function

  ! The parts between commas, the last one first.
  recursive function backwards(list) result(turned)
    character(len=*), intent(in) :: list
    character(len=:), allocatable :: turned
    integer :: comma
    comma = index(list, ',', back=.true.)
    if (comma == 0) then
      turned = list
    else
      turned = list(comma + 1:) // ',' // backwards(list(:comma - 1))
    end if
  end function

  ! ---- plans ----

  subroutine create_f08(plan, comm, problem, options, ierr)
    class(weft_plan), intent(inout) :: plan
    type(MPI_Comm), intent(in) :: comm
    type(weft_problem), intent(in) :: problem
    type(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call create_integer(plan, comm%MPI_VAL, problem, options, ierr)
  end subroutine

  subroutine create_integer(plan, comm, problem, options, ierr)
    class(weft_plan), intent(inout) :: plan
    integer, intent(in) :: comm
    type(weft_problem), intent(in) :: problem
    type(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    type(c_ptr) :: made_problem, made_options
    integer(c_int) :: status
    integer :: axes
    call weft_plan_destroy(plan%handle)
    call begin()
    axes = size(problem%shape)
    made_options = c_null_ptr
    if (present(options)) made_options = options%handle
    status = weft_problem_create(made_problem, in_c(problem%precision), int(axes, c_int64_t), &
      problem%shape(axes:1:-1), in_c(backwards(problem%kinds)), size(problem%axes, kind=c_int64_t), &
      int(axes - problem%axes(size(problem%axes):1:-1), c_int64_t))
    if (status == WEFT_OK) status = weft_plan_create_f(plan%handle, int(comm, c_int), made_problem, made_options)
    call weft_problem_destroy(made_problem)
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

  ! Collective. Arrays of any type and rank that are contiguous and have this rank's part, such as those of input and
  ! output. In place both are the same array.
  subroutine forward(plan, in, out, ierr)
    class(weft_plan), intent(in) :: plan
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    call begin()
    call ended(weft_plan_forward(plan%handle, c_loc(in), c_loc(out)), ierr)
  end subroutine
  subroutine backward(plan, in, out, ierr)
    class(weft_plan), intent(in) :: plan
    type(*), intent(in), target :: in(..)
    type(*), intent(inout), target :: out(..)
    integer, intent(out), optional :: ierr
    call begin()
    call ended(weft_plan_backward(plan%handle, c_loc(in), c_loc(out)), ierr)
  end subroutine

  ! What backward(forward(u)) is to be multiplied by to give u.
  function plan_scale(plan) result(factor)
    class(weft_plan), intent(in) :: plan
    real(c_double) :: factor
    call begin()
    call ended(weft_plan_scale(plan%handle, factor))
  end function

  ! Many lines: stages, exchanges, memory.
  function describe(plan) result(text)
    class(weft_plan), intent(in) :: plan
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: letters(:)
    integer(c_int64_t) :: length
    call begin()
    call ended(weft_plan_describe(plan%handle, c_null_ptr, 0_c_int64_t, length))
    allocate (letters(length + 1))
    call ended(weft_plan_describe(plan%handle, c_loc(letters), length + 1, length))
    text = joined(letters(1:length))
  end function

  ! For each dimension of the output's array the axis that it is: those of problem and batch, from 1 on.
  function output_axes(plan) result(axes)
    class(weft_plan), intent(in) :: plan
    integer, allocatable :: axes(:)
    integer(c_int64_t) :: order(WEFT_MAX_AXES)
    type(view_in_c) :: view
    integer(c_int) :: status
    integer :: n, d
    call memory_of(plan, .false., view, order, status)
    call ended(status)
    n = int(view%axes)
    allocate (axes(n))
    do d = 1, n
      axes(d) = n - int(order(n + 1 - d))
    end do
  end function

  ! This rank's part and its memory order, the slowest axis of C first.
  subroutine memory_of(plan, of_input, view, order, status)
    class(weft_plan), intent(in) :: plan
    logical, intent(in) :: of_input
    type(view_in_c), intent(out) :: view
    integer(c_int64_t), intent(out) :: order(WEFT_MAX_AXES)
    integer(c_int), intent(out) :: status
    integer(c_int64_t) :: padding(WEFT_MAX_AXES)
    type(c_ptr) :: layout
    call begin()
    if (of_input) then
      status = weft_plan_input_view(plan%handle, view)
      if (status == WEFT_OK) status = weft_plan_input_layout(plan%handle, layout)
    else
      status = weft_plan_output_view(plan%handle, view)
      if (status == WEFT_OK) status = weft_plan_output_layout(plan%handle, layout)
    end if
    if (status /= WEFT_OK) return
    status = weft_layout_order(layout, order, padding)
    call weft_layout_destroy(layout)
  end subroutine

  ! For each dimension in memory, the fastest first: the first global index, the extent, and the extent that memory has.
  subroutine in_memory(plan, of_input, axes, type_name, first, extents, allocated, status)
    class(weft_plan), intent(in) :: plan
    logical, intent(in) :: of_input
    integer, intent(in) :: axes
    character(len=*), intent(in) :: type_name
    integer(c_int64_t), dimension(WEFT_MAX_AXES), intent(out) :: first, extents, allocated
    integer(c_int), intent(out) :: status
    integer(c_int64_t) :: order(WEFT_MAX_AXES), length, stride, next
    type(view_in_c) :: view
    character(kind=c_char) :: text(8)
    integer :: n, d, axis
    call memory_of(plan, of_input, view, order, status)
    if (status /= WEFT_OK) return
    if (of_input) then
      status = weft_plan_input_type(plan%handle, text, 8_c_int64_t, length)
    else
      status = weft_plan_output_type(plan%handle, text, 8_c_int64_t, length)
    end if
    if (status /= WEFT_OK) return
    n = int(view%axes)
    if (n /= axes .or. joined(text(1:length)) /= type_name) then
      call refuse('an array of ' // number_text(n) // ' dimensions of type ' // joined(text(1:length)) // &
        ' is asked for by a pointer of ' // number_text(axes) // ' dimensions of type ' // type_name // &
        '; give a pointer of the plan''s own type and number of axes', status)
      return
    end if
    do d = 1, n
      axis = int(order(n + 1 - d)) + 1
      first(d) = view%lo(axis) + 1
      extents(d) = max(view%hi(axis) - view%lo(axis), 0_c_int64_t)
    end do
    allocated = extents
    if (any(extents(1:n) == 0)) return
    do d = 1, n - 1
      stride = view%strides(int(order(n + 1 - d)) + 1)
      next = view%strides(int(order(n - d)) + 1)
      allocated(d) = max(extents(d), next / stride)
    end do
  end subroutine

  function number_text(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    character(len=12) :: written
    write (written, '(i0)') number
    text = trim(written)
  end function

  ! NumPy's name of a type, as weft.h has it.
  function type_r4(sample) result(name)
    real(c_float), intent(in) :: sample
    character(len=:), allocatable :: name
    name = 'f4'
  end function
  function type_r8(sample) result(name)
    real(c_double), intent(in) :: sample
    character(len=:), allocatable :: name
    name = 'f8'
  end function
  function type_c8(sample) result(name)
    complex(c_float_complex), intent(in) :: sample
    character(len=:), allocatable :: name
    name = 'c8'
  end function
  function type_c16(sample) result(name)
    complex(c_double_complex), intent(in) :: sample
    character(len=:), allocatable :: name
    name = 'c16'
  end function

#define PASTE(x) x
#define RANK 1
#define DIMS :
#define AT(a) a(1):
#define CUT(a) :a(1)
#define TYPE real(c_float)
#define ID r4_1
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE real(c_double)
#define ID r8_1
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE complex(c_float_complex)
#define ID c8_1
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE complex(c_double_complex)
#define ID c16_1
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#undef RANK
#undef DIMS
#undef AT
#undef CUT
#define RANK 2
#define DIMS :,:
#define AT(a) a(1):, a(2):
#define CUT(a) :a(1), :a(2)
#define TYPE real(c_float)
#define ID r4_2
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE real(c_double)
#define ID r8_2
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE complex(c_float_complex)
#define ID c8_2
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE complex(c_double_complex)
#define ID c16_2
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#undef RANK
#undef DIMS
#undef AT
#undef CUT
#define RANK 3
#define DIMS :,:,:
#define AT(a) a(1):, a(2):, a(3):
#define CUT(a) :a(1), :a(2), :a(3)
#define TYPE real(c_float)
#define ID r4_3
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE real(c_double)
#define ID r8_3
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE complex(c_float_complex)
#define ID c8_3
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE complex(c_double_complex)
#define ID c16_3
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#undef RANK
#undef DIMS
#undef AT
#undef CUT
#define RANK 4
#define DIMS :,:,:,:
#define AT(a) a(1):, a(2):, a(3):, a(4):
#define CUT(a) :a(1), :a(2), :a(3), :a(4)
#define TYPE real(c_float)
#define ID r4_4
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE real(c_double)
#define ID r8_4
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE complex(c_float_complex)
#define ID c8_4
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE complex(c_double_complex)
#define ID c16_4
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#undef RANK
#undef DIMS
#undef AT
#undef CUT
#define RANK 5
#define DIMS :,:,:,:,:
#define AT(a) a(1):, a(2):, a(3):, a(4):, a(5):
#define CUT(a) :a(1), :a(2), :a(3), :a(4), :a(5)
#define TYPE real(c_float)
#define ID r4_5
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE real(c_double)
#define ID r8_5
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE complex(c_float_complex)
#define ID c8_5
#include "weft_arrays.inc"
#undef TYPE
#undef ID
#define TYPE complex(c_double_complex)
#define ID c16_5
#include "weft_arrays.inc"
#undef TYPE
#undef ID

end module
