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
    procedure, private :: set_text, set_integer, set_integer8, set_real, set_logical, assign_options
    generic :: assignment(=) => assign_options
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

  ! One end of a plan, as arrays.cpp has it: dimensions are the fastest first, indices count from 1.
  type, bind(c) :: side
    integer(c_int64_t) :: axes, reach
    integer(c_int64_t), dimension(WEFT_MAX_AXES) :: first, extents, strides, axis
    character(kind=c_char) :: type(4)
  end type

  type :: weft_plan
    private
    type(c_ptr) :: handle = c_null_ptr
    type(side) :: in, out
    integer(c_int) :: in_place = 0
    integer :: axes = 0  ! of the problem
  contains
    procedure, private :: create_f08, create_integer, assign_plan
    generic :: create => create_f08, create_integer
    generic :: assignment(=) => assign_plan
    procedure :: forward, backward, describe, wavenumber, output_axes
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

  ! A problem of one kind for all axes, or of one for each, in the order of axes: 'r2c', 'r2c,dst2,c2c'.
  interface weft_kinds
    module procedure kinds_4, kinds_8
  end interface

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
    integer(c_int) function weft_options_copy(copy, options) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: copy
      type(c_ptr), value :: options
    end function
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
    integer(c_int) function weft_plan_wavenumber(plan, axis, index, wavenumber) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_double
      type(c_ptr), value :: plan
      integer(c_int64_t), value :: axis, index
      real(c_double), intent(out) :: wavenumber
    end function
    integer(c_int) function weft_fortran_sides(plan, in, out, in_place) bind(c)
      import :: c_int, c_ptr, side
      type(c_ptr), value :: plan
      type(side), intent(out) :: in, out
      integer(c_int), intent(out) :: in_place
    end function
    integer(c_int) function weft_fortran_fit(in, out, from, to, in_place, text, room, length) bind(c)
      import :: c_int, c_int64_t, c_char, side
      type(*), intent(in) :: in(..), out(..)
      type(side), intent(in) :: from, to
      integer(c_int), value :: in_place
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

  ! An option as text; empty where there is no such option.
  function options_get(options, name, ierr) result(value)
    class(weft_options), intent(inout) :: options
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: value
    character(kind=c_char), allocatable, target :: text(:)
    integer(c_int64_t) :: length
    integer(c_int) :: status
    call made(options, status)
    value = ''
    length = 0
    if (status == WEFT_OK) status = weft_options_get(options%handle, in_c(name), c_null_ptr, 0_c_int64_t, length)
    if (status == WEFT_OK) then
      allocate (text(length + 1))
      status = weft_options_get(options%handle, in_c(name), c_loc(text), size(text, kind=c_int64_t), length)
      value = joined(text(1:length))
    end if
    call ended(status, ierr)
  end function

  function joined(letters) result(text)
    character(kind=c_char), intent(in) :: letters(:)
    character(len=size(letters)) :: text
    integer :: i
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  ! A copy of its own.
  subroutine assign_options(to, from)
    class(weft_options), intent(inout) :: to
    class(weft_options), intent(in) :: from
    type(c_ptr) :: copy
    integer(c_int) :: status
    call begin()
    status = WEFT_OK
    copy = c_null_ptr
    if (c_associated(from%handle)) status = weft_options_copy(copy, from%handle)
    call weft_options_destroy(to%handle)
    to%handle = copy
    call ended(status)
  end subroutine

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
    if (.not. (allocated(problem%shape) .and. allocated(problem%kinds) .and. allocated(problem%precision) .and. &
      allocated(problem%axes))) then
      call refuse('the problem has not been made; weft_kinds makes one', status)
      call ended(status, ierr)
      return
    end if
    axes = size(problem%shape)
    plan%axes = axes
    made_options = c_null_ptr
    if (present(options)) made_options = options%handle
    status = weft_problem_create(made_problem, in_c(problem%precision), int(axes, c_int64_t), &
      problem%shape(axes:1:-1), in_c(backwards(problem%kinds)), size(problem%axes, kind=c_int64_t), &
      int(axes - problem%axes(size(problem%axes):1:-1), c_int64_t))
    if (status == WEFT_OK) status = weft_plan_create_f(plan%handle, int(comm, c_int), made_problem, made_options)
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
    if (c_associated(to%handle, from%handle)) return
    write (error_unit, '(a)') 'a weft_plan cannot be assigned; make another one with create, or point to it'
    error stop 1
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

  ! Many lines: stages, exchanges, memory.
  function describe(plan, ierr) result(text)
    class(weft_plan), intent(in) :: plan
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: letters(:)
    integer(c_int64_t) :: length
    integer(c_int) :: status
    call begin()
    text = ''
    length = 0
    status = weft_plan_describe(plan%handle, c_null_ptr, 0_c_int64_t, length)
    if (status == WEFT_OK) then
      allocate (letters(length + 1))
      status = weft_plan_describe(plan%handle, c_loc(letters), size(letters, kind=c_int64_t), length)
      text = joined(letters(1:length))
    end if
    call ended(status, ierr)
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
    own = joined(of%type(1:findloc(of%type, c_null_char, 1) - 1))
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

  function in_fortran(type_name) result(name)
    character(len=*), intent(in) :: type_name
    character(len=:), allocatable :: name
    select case (type_name)
    case ('f4')
      name = 'real(c_float)'
    case ('f8')
      name = 'real(c_double)'
    case ('c8')
      name = 'complex(c_float_complex)'
    case default
      name = 'complex(c_double_complex)'
    end select
  end function

  function number_text(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    character(len=12) :: written
    write (written, '(i0)') number
    text = trim(written)
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
