! Files: npy, by the name's end, and raw arrays. Their axes are C's: what Fortran has first is the file's last.
module weft_data
  use weft_base
  use weft_layouts
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: weft_write, weft_read, weft_inspect

  ! Collective: the whole array from everybody's parts, which must be a partition. `type` of the file's elements, by
  ! NumPy's name: the array's (absent), or the same in the other precision, which is converted. Arrays are contiguous.
  interface weft_write
    module procedure write_f08, write_integer
  end interface
  ! Collective: this rank's part of a file.
  interface weft_read
    module procedure read_f08, read_integer
  end interface
  ! Collective: type and shape of an npy file; the first axis of the shape is the fastest.
  interface weft_inspect
    module procedure inspect_f08, inspect_integer
  end interface

  interface
    integer(c_int) function weft_file_inspect_f(comm, path, axes, shape, text, room, length) bind(c)
      import
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int64_t), intent(out) :: axes, shape(*), length
      character(kind=c_char), intent(out) :: text(*)
      integer(c_int64_t), value :: room
    end function
    integer(c_int) function weft_file_read_f(comm, path, layout, type, data, array_type, elements) bind(c)
      import
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: path(*), type(*), array_type(*)
      type(c_ptr), value :: layout, data
      integer(c_int64_t), value :: elements
    end function
    integer(c_int) function weft_file_write_f(comm, path, layout, type, data, array_type, elements) bind(c)
      import
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: path(*), type(*), array_type(*)
      type(c_ptr), value :: layout, data
      integer(c_int64_t), value :: elements
    end function
  end interface

contains

  subroutine write_f08(comm, path, layout, u, type, ierr)
    type(MPI_Comm), intent(in) :: comm
    character(len=*), intent(in) :: path
    type(weft_layout), intent(in) :: layout
    type(*), intent(in), target :: u(..)
    character(len=*), intent(in), optional :: type
    integer, intent(out), optional :: ierr
    call write_integer(comm%MPI_VAL, path, layout, u, type, ierr)
  end subroutine
  subroutine write_integer(comm, path, layout, u, type, ierr)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: path
    type(weft_layout), intent(in) :: layout
    type(*), intent(in), target :: u(..)
    character(len=*), intent(in), optional :: type
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: own
    integer(c_int64_t) :: elements
    integer(c_int) :: status
    call begin()
    call told_type(u, own, elements)
    status = weft_file_write_f(int(comm, c_int), in_c(path), layout%handle, in_c(chosen(own, type)), c_loc(u), &
      in_c(own), elements)
    call ended(status, ierr)
  end subroutine

  subroutine read_f08(comm, path, layout, u, type, ierr)
    type(MPI_Comm), intent(in) :: comm
    character(len=*), intent(in) :: path
    type(weft_layout), intent(in) :: layout
    type(*), intent(inout), target :: u(..)
    character(len=*), intent(in), optional :: type
    integer, intent(out), optional :: ierr
    call read_integer(comm%MPI_VAL, path, layout, u, type, ierr)
  end subroutine
  subroutine read_integer(comm, path, layout, u, type, ierr)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: path
    type(weft_layout), intent(in) :: layout
    type(*), intent(inout), target :: u(..)
    character(len=*), intent(in), optional :: type
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: own
    integer(c_int64_t) :: elements
    integer(c_int) :: status
    call begin()
    call told_type(u, own, elements)
    status = weft_file_read_f(int(comm, c_int), in_c(path), layout%handle, in_c(chosen(own, type)), c_loc(u), &
      in_c(own), elements)
    call ended(status, ierr)
  end subroutine

  ! What is no list has no room, of which all ranks hear.
  subroutine told_type(u, own, elements)
    type(*), intent(in) :: u(..)
    character(len=:), allocatable, intent(out) :: own
    integer(c_int64_t), intent(out) :: elements
    character(kind=c_char) :: name(4)
    integer(c_int64_t) :: bytes
    call weft_fortran_list(u, name, elements, bytes)
    own = trim(short_text(name))
    elements = max(elements, 0_c_int64_t)
  end subroutine

  function chosen(own, type) result(name)
    character(len=*), intent(in) :: own
    character(len=*), intent(in), optional :: type
    character(len=:), allocatable :: name
    name = own
    if (present(type)) name = trim(type)
  end function

  subroutine inspect_f08(comm, path, shape, type, ierr)
    type(MPI_Comm), intent(in) :: comm
    character(len=*), intent(in) :: path
    integer, allocatable, intent(out) :: shape(:)
    character(len=:), allocatable, intent(out) :: type
    integer, intent(out), optional :: ierr
    call inspect_integer(comm%MPI_VAL, path, shape, type, ierr)
  end subroutine
  subroutine inspect_integer(comm, path, shape, type, ierr)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: path
    integer, allocatable, intent(out) :: shape(:)
    character(len=:), allocatable, intent(out) :: type
    integer, intent(out), optional :: ierr
    character(kind=c_char) :: name(16)
    integer(c_int64_t) :: axes, extents(WEFT_MAX_AXES), length
    integer(c_int) :: status
    call begin()
    allocate (shape(0))
    type = ''
    status = weft_file_inspect_f(int(comm, c_int), in_c(path), axes, extents, name, size(name, kind=c_int64_t), length)
    if (status == WEFT_OK) then
      shape = int(extents(axes:1:-1))
      type = joined(name(1:length))
    end if
    call ended(status, ierr)
  end subroutine

end module
