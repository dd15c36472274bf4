! Options by name: docs/options.md has the table.
module weft_settings
  use weft_base
  use weft_layouts
  implicit none
  private
  public :: weft_options, options_handle, weft_options_destroy

  ! Made at the first set; without any they are the defaults. Texts of options have axes in C's order.
  type :: weft_options
    type(c_ptr) :: handle = c_null_ptr  ! of weft.h
  contains
    procedure, private :: set_text, set_integer, set_integer8, set_real, set_logical, set_layout, assign_options
    generic :: assignment(=) => assign_options
    generic :: set => set_text, set_integer, set_integer8, set_real, set_logical, set_layout
    procedure :: get => options_get
    procedure :: describe => options_describe
    final :: end_options
  end type

  interface
    integer(c_int) function weft_options_create(options) bind(c)
      import
      type(c_ptr), intent(out) :: options
    end function
    subroutine weft_options_destroy(options) bind(c)
      import
      type(c_ptr), intent(inout) :: options
    end subroutine
    integer(c_int) function weft_options_copy(copy, options) bind(c)
      import
      type(c_ptr), intent(out) :: copy
      type(c_ptr), value :: options
    end function
    integer(c_int) function weft_options_set(options, name, value) bind(c)
      import
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*), value(*)
    end function
    integer(c_int) function weft_options_set_integer(options, name, value) bind(c)
      import
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: value
    end function
    integer(c_int) function weft_options_set_number(options, name, value) bind(c)
      import
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
    end function
    integer(c_int) function weft_options_set_flag(options, name, value) bind(c)
      import
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: value
    end function
    integer(c_int) function weft_options_set_layout(options, name, layout) bind(c)
      import
      type(c_ptr), value :: options, layout
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function weft_options_get(options, name, text, room, length) bind(c)
      import
      type(c_ptr), value :: options, text
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_options_describe(options, text, room, length) bind(c)
      import
      type(c_ptr), value :: options, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
  end interface

contains

  ! What C is given of options that may be absent.
  function options_handle(options) result(handle)
    type(weft_options), intent(in), optional :: options
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(options)) handle = options%handle
  end function

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

  ! Of 'input' and 'output'. The layout is copied.
  subroutine set_layout(options, name, value, ierr)
    class(weft_options), intent(inout) :: options
    character(len=*), intent(in) :: name
    type(weft_layout), intent(in) :: value
    integer, intent(out), optional :: ierr
    integer(c_int) :: status
    call made(options, status)
    if (status == WEFT_OK) status = weft_options_set_layout(options%handle, in_c(name), value%handle)
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

  ! What differs from the defaults: 'strategy isend, threads 2'.
  function options_describe(options, ierr) result(text)
    class(weft_options), intent(inout) :: options
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    integer(c_int) :: status
    call made(options, status)
    if (status == WEFT_OK) then
      text = told(weft_options_describe, options%handle, ierr)
    else
      text = ''
      call ended(status, ierr)
    end if
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

end module
