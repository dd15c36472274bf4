! What all modules of weft share: status and messages, texts, the numbering of axes.
!
! Axis a of n in Fortran is axis n - a in C, so lists with an entry for each axis are turned round.
! A call of C that fails leaves what it was to fill in as it was. Where that matters the argument is
! intent(inout): what is intent(out) compilers may take for lost before the call.
module weft_base
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  public

  integer(c_int), parameter :: WEFT_OK = 0, WEFT_ERROR = 1, WEFT_DECLINED = 2
  integer, parameter :: WEFT_MAX_AXES = 8

  ! A rank's part of an array, as weft.h has it.
  type, bind(c) :: c_view
    integer(c_int64_t) :: axes
    integer(c_int64_t), dimension(WEFT_MAX_AXES) :: lo, hi, strides
    integer(c_int64_t) :: elements, reach
  end type

  abstract interface
    ! A function of weft.h that tells a text of what a handle stands for.
    integer(c_int) function tells(handle, text, room, length) bind(c)
      import
      type(c_ptr), value :: handle, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
  end interface

  interface
    function weft_error_in_c() bind(c, name='weft_error') result(message)
      import
      type(c_ptr) :: message
    end function
    function weft_version_in_c() bind(c, name='weft_version') result(version)
      import
      type(c_ptr) :: version
    end function
    function c_length(text) bind(c, name='strlen') result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
    ! Type of an array, by NumPy's name (empty: none that is known), its elements (-1 where they do not lie one behind
    ! the other, -2 where there is no array), and the bytes of one.
    subroutine weft_fortran_list(array, type, elements, element_bytes) bind(c)
      import
      type(*), intent(in) :: array(..)
      character(kind=c_char), intent(out) :: type(4)
      integer(c_int64_t), intent(out) :: elements, element_bytes
    end subroutine
  end interface

  ! A failure of these modules' own, which weft_error of C does not know.
  character(len=:), allocatable, save :: own_message

contains

  ! The message of the last call that failed.
  function weft_message() result(message)
    character(len=:), allocatable :: message
    if (allocated(own_message)) then
      message = own_message
    else
      message = from_c(weft_error_in_c())
    end if
  end function

  ! The version of the library: "0.1.0".
  function weft_version() result(version)
    character(len=:), allocatable :: version
    version = from_c(weft_version_in_c())
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

  ! Ends a program that assigns what belongs to one variable.
  subroutine refuse_assignment(what)
    character(len=*), intent(in) :: what
    write (error_unit, '(a)') 'a ' // what // ' cannot be assigned; make another one with create, or point to it'
    error stop 1
  end subroutine

  ! ---- texts ----

  function in_c(text) result(with_zero)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: with_zero(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      with_zero(i) = text(i:i)
    end do
    with_zero(len_trim(text) + 1) = c_null_char
  end function

  function from_c(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    call c_f_pointer(address, letters, [c_length(address)])
    text = joined(letters)
  end function

  function joined(letters) result(text)
    character(kind=c_char), intent(in) :: letters(:)
    character(len=size(letters)) :: text
    integer :: i
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  ! The letters before the zero, of which there are three at most: NumPy's name of a type.
  pure function short_text(letters) result(text)
    character(kind=c_char), intent(in) :: letters(4)
    character(len=4) :: text
    integer :: i
    text = ''
    do i = 1, 4
      if (letters(i) == c_null_char) return
      text(i:i) = letters(i)
    end do
  end function

  ! The text that `ask` tells of a handle: the whole of a procedure that has no more to do.
  function told(ask, handle, ierr) result(text)
    procedure(tells) :: ask
    type(c_ptr), intent(in) :: handle
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: letters(:)
    integer(c_int64_t) :: length
    integer(c_int) :: status
    call begin()
    text = ''
    length = 0
    status = ask(handle, c_null_ptr, 0_c_int64_t, length)
    if (status == WEFT_OK) then
      allocate (letters(length + 1))
      status = ask(handle, c_loc(letters), size(letters, kind=c_int64_t), length)
      text = joined(letters(1:length))
    end if
    call ended(status, ierr)
  end function

  function number_text(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    text = long_text(int(number, c_int64_t))
  end function
  function long_text(number) result(text)
    integer(c_int64_t), intent(in) :: number
    character(len=:), allocatable :: text
    character(len=24) :: written
    write (written, '(i0)') number
    text = trim(written)
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

  ! NumPy's name of a type in Fortran's words.
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

  ! ---- axes and arrays ----

  ! A list with an entry for each axis, in C's order.
  pure function turned(list) result(in_c_order)
    integer, intent(in) :: list(:)
    integer(c_int64_t) :: in_c_order(size(list))
    in_c_order = list(size(list):1:-1)
  end function

  ! A list of axes of `axes`, the fastest first, as C's, the slowest first.
  pure function turned_axes(list, axes) result(in_c_order)
    integer, intent(in) :: list(:), axes
    integer(c_int64_t) :: in_c_order(size(list))
    in_c_order = axes - turned(list)
  end function

  ! Flags, an entry for each axis, in C's order.
  pure function turned_flags(list) result(in_c_order)
    logical, intent(in) :: list(:)
    integer(c_int) :: in_c_order(size(list))
    in_c_order = merge(1_c_int, 0_c_int, list(size(list):1:-1))
  end function

  ! Refuses an array that does not hold so many bytes one behind the other.
  subroutine check_room(array, bytes, what, status)
    type(*), intent(in) :: array(..)
    integer(c_int64_t), intent(in) :: bytes
    character(len=*), intent(in) :: what
    integer(c_int), intent(out) :: status
    character(kind=c_char) :: type(4)
    integer(c_int64_t) :: elements, of_one
    status = WEFT_OK
    if (bytes == 0) return
    call weft_fortran_list(array, type, elements, of_one)
    if (elements == -2) then
      call refuse(what // ' is not associated or not allocated', status)
    else if (elements == -1) then
      call refuse(what // ' does not lie in memory without gaps; give a contiguous array', status)
    else if (elements * of_one < bytes) then
      call refuse(what // ' has ' // long_text(elements * of_one) // ' bytes; ' // long_text(bytes) // ' are needed', &
        status)
    end if
  end subroutine

end module
