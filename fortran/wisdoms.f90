! Wisdom: what tuning has found, in this process and in files.
module weft_wisdoms
  use weft_base
  implicit none
  private
  public :: weft_wisdom, weft_wisdom_entry
  public :: weft_export_wisdom, weft_import_wisdom, weft_forget_wisdom, weft_wisdom_files

  ! One problem on so many ranks, and what was chosen; seconds of forward and backward, 0 of the model's choice.
  type :: weft_wisdom_entry
    character(len=:), allocatable :: id, problem, choice, date, version, json, text
    integer :: ranks = 0
    real(c_double) :: seconds = 0
  end type

  ! Entries of a text or of a file, which can be looked at, changed and written again. Local, all of it.
  type :: weft_wisdom
    type(c_ptr) :: handle = c_null_ptr  ! of weft.h
  contains
    procedure, private :: assign_wisdom
    generic :: assignment(=) => assign_wisdom
    procedure :: parse, read, notes, entries, entry, merge => merge_wisdom, forget, text, update
    procedure :: destroy => end_wisdom
    final :: finalize_wisdom
  end type

  type, bind(c) :: c_entry
    type(c_ptr) :: id, problem, choice, date, version
    integer(c_int) :: ranks
    real(c_double) :: seconds
    type(c_ptr) :: json, text
  end type

  interface
    integer(c_int) function weft_wisdom_parse(wisdom, text) bind(c)
      import
      type(c_ptr), intent(out) :: wisdom
      character(kind=c_char), intent(in) :: text(*)
    end function
    integer(c_int) function weft_wisdom_read(wisdom, file) bind(c)
      import
      type(c_ptr), intent(out) :: wisdom
      character(kind=c_char), intent(in) :: file(*)
    end function
    subroutine weft_wisdom_destroy(wisdom) bind(c)
      import
      type(c_ptr), intent(inout) :: wisdom
    end subroutine
    integer(c_int) function weft_wisdom_notes(wisdom, text, room, length) bind(c)
      import
      type(c_ptr), value :: wisdom, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_wisdom_count(wisdom, entries) bind(c)
      import
      type(c_ptr), value :: wisdom
      integer(c_int64_t), intent(inout) :: entries
    end function
    integer(c_int) function weft_wisdom_at(wisdom, entry, of) bind(c)
      import
      type(c_ptr), value :: wisdom
      integer(c_int64_t), value :: entry
      type(c_entry), intent(out) :: of
    end function
    integer(c_int) function weft_wisdom_merge(wisdom, other) bind(c)
      import
      type(c_ptr), value :: wisdom, other
    end function
    integer(c_int) function weft_wisdom_forget(wisdom, id, forgotten) bind(c)
      import
      type(c_ptr), value :: wisdom
      character(kind=c_char), intent(in) :: id(*)
      integer(c_int64_t), intent(inout) :: forgotten
    end function
    integer(c_int) function weft_wisdom_text(wisdom, text, room, length) bind(c)
      import
      type(c_ptr), value :: wisdom, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_wisdom_update(file, wisdom, forget) bind(c)
      import
      character(kind=c_char), intent(in) :: file(*)
      type(c_ptr), value :: wisdom, forget
    end function
    integer(c_int) function weft_export_wisdom_in_c(text, room, length) bind(c, name='weft_export_wisdom')
      import
      type(c_ptr), value :: text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_import_wisdom_in_c(text) bind(c, name='weft_import_wisdom')
      import
      character(kind=c_char), intent(in) :: text(*)
    end function
    integer(c_int) function weft_forget_wisdom_in_c() bind(c, name='weft_forget_wisdom')
      import
    end function
    integer(c_int) function weft_wisdom_files_in_c(text, room, length) bind(c, name='weft_wisdom_files')
      import
      type(c_ptr), value :: text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
  end interface

contains

  ! Entries that are no entries are skipped, and `notes` has a line for each.
  subroutine parse(wisdom, text, ierr)
    class(weft_wisdom), intent(inout) :: wisdom
    character(len=*), intent(in) :: text
    integer, intent(out), optional :: ierr
    call begin()
    call weft_wisdom_destroy(wisdom%handle)
    call ended(weft_wisdom_parse(wisdom%handle, in_c(text)), ierr)
  end subroutine

  ! Of a file that is not there: none.
  subroutine read(wisdom, file, ierr)
    class(weft_wisdom), intent(inout) :: wisdom
    character(len=*), intent(in) :: file
    integer, intent(out), optional :: ierr
    call begin()
    call weft_wisdom_destroy(wisdom%handle)
    call ended(weft_wisdom_read(wisdom%handle, in_c(file)), ierr)
  end subroutine

  function notes(wisdom, ierr) result(lines)
    class(weft_wisdom), intent(in) :: wisdom
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: lines
    lines = told(weft_wisdom_notes, wisdom%handle, ierr)
  end function

  ! How many there are.
  function entries(wisdom, ierr) result(count)
    class(weft_wisdom), intent(in) :: wisdom
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: count
    call begin()
    count = 0
    call ended(weft_wisdom_count(wisdom%handle, count), ierr)
  end function

  ! The one of that number, from 1 on.
  function entry(wisdom, number, ierr) result(found)
    class(weft_wisdom), intent(in) :: wisdom
    integer, intent(in) :: number
    integer, intent(out), optional :: ierr
    type(weft_wisdom_entry) :: found
    type(c_entry) :: of
    integer(c_int64_t) :: count
    integer(c_int) :: status
    call begin()
    status = weft_wisdom_count(wisdom%handle, count)
    if (status == WEFT_OK .and. (number < 1 .or. number > count)) call refuse('entry ' // number_text(number) // &
      ' of wisdom is asked for; there are ' // long_text(count) // ', counted from 1', status)
    if (status == WEFT_OK) status = weft_wisdom_at(wisdom%handle, int(number - 1, c_int64_t), of)
    if (status == WEFT_OK) then
      found%id = from_c(of%id)
      found%problem = from_c(of%problem)
      found%choice = from_c(of%choice)
      found%date = from_c(of%date)
      found%version = from_c(of%version)
      found%json = from_c(of%json)
      found%text = from_c(of%text)
      found%ranks = of%ranks
      found%seconds = of%seconds
    end if
    call ended(status, ierr)
  end function

  ! Takes the other's entries over; of two with one key the later one stays.
  subroutine merge_wisdom(wisdom, other, ierr)
    class(weft_wisdom), intent(inout) :: wisdom
    class(weft_wisdom), intent(in) :: other
    integer, intent(out), optional :: ierr
    call begin()
    call ended(weft_wisdom_merge(wisdom%handle, other%handle), ierr)
  end subroutine

  ! Forgets the entries whose ids begin so; how many there were.
  function forget(wisdom, id, ierr) result(count)
    class(weft_wisdom), intent(inout) :: wisdom
    character(len=*), intent(in) :: id
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: count
    call begin()
    count = 0
    call ended(weft_wisdom_forget(wisdom%handle, in_c(id), count), ierr)
  end function

  ! All of it, as a file has it.
  function text(wisdom, ierr) result(file)
    class(weft_wisdom), intent(in) :: wisdom
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: file
    file = told(weft_wisdom_text, wisdom%handle, ierr)
  end function

  ! Changes a file in one: forgets the entries whose ids begin with `forget`, where that is given,
  ! then takes these over. Nobody reads a half of it.
  subroutine update(wisdom, file, forget, ierr)
    class(weft_wisdom), intent(in) :: wisdom
    character(len=*), intent(in) :: file
    character(len=*), intent(in), optional :: forget
    integer, intent(out), optional :: ierr
    character(kind=c_char), allocatable, target :: id(:)
    type(c_ptr) :: forgotten
    call begin()
    forgotten = c_null_ptr
    if (present(forget)) then
      id = in_c(forget)
      forgotten = c_loc(id)
    end if
    call ended(weft_wisdom_update(in_c(file), wisdom%handle, forgotten), ierr)
  end subroutine

  subroutine assign_wisdom(to, from)
    class(weft_wisdom), intent(inout) :: to
    class(weft_wisdom), intent(in) :: from
    if (.not. c_associated(to%handle, from%handle)) call refuse_assignment('weft_wisdom')
  end subroutine
  subroutine end_wisdom(wisdom)
    class(weft_wisdom), intent(inout) :: wisdom
    call weft_wisdom_destroy(wisdom%handle)
  end subroutine
  subroutine finalize_wisdom(wisdom)
    type(weft_wisdom), intent(inout) :: wisdom
    call weft_wisdom_destroy(wisdom%handle)
  end subroutine

  ! ---- of this process ----

  ! What this process has tuned and imported. Local.
  function weft_export_wisdom(ierr) result(text)
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = told(exported, c_null_ptr, ierr)
  end function
  integer(c_int) function exported(handle, text, room, length) bind(c, name='')
    type(c_ptr), value :: handle, text
    integer(c_int64_t), value :: room
    integer(c_int64_t), intent(out) :: length
    exported = WEFT_ERROR
    if (.not. c_associated(handle)) exported = weft_export_wisdom_in_c(text, room, length)
  end function
  subroutine weft_import_wisdom(text, ierr)
    character(len=*), intent(in) :: text
    integer, intent(out), optional :: ierr
    call begin()
    call ended(weft_import_wisdom_in_c(in_c(text)), ierr)
  end subroutine
  subroutine weft_forget_wisdom(ierr)
    integer, intent(out), optional :: ierr
    call begin()
    call ended(weft_forget_wisdom_in_c(), ierr)
  end subroutine

  ! The files of wisdom, with a line feed behind each: the user's own (empty: there is none), then those that are only
  ! read.
  function weft_wisdom_files(ierr) result(text)
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = told(files, c_null_ptr, ierr)
  end function
  integer(c_int) function files(handle, text, room, length) bind(c, name='')
    type(c_ptr), value :: handle, text
    integer(c_int64_t), value :: room
    integer(c_int64_t), intent(out) :: length
    files = WEFT_ERROR
    if (.not. c_associated(handle)) files = weft_wisdom_files_in_c(text, room, length)
  end function

end module
