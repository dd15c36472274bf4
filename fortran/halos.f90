! Halo exchange: ghost points around a rank's part.
module weft_halos
  use weft_base
  use weft_layouts
  use weft_settings
  use weft_traces
  use mpi_f08, only: MPI_Comm
  implicit none
  private
  public :: weft_halo, weft_checkerboard_ghosts

  ! Ghost points around a rank's part are filled from those who own them, or added to these.
  type :: weft_halo
    type(c_ptr) :: handle = c_null_ptr  ! of weft.h
    integer(c_int64_t), private :: element_bytes = 0
    integer, private :: axes = 0
    integer, private, dimension(WEFT_MAX_AXES) :: width = 0, behind = 0
  contains
    procedure, private :: halo_f08, halo_integer, lists_f08, lists_integer, assign_halo
    generic :: create => halo_f08, halo_integer, lists_f08, lists_integer
    generic :: assignment(=) => assign_halo
    procedure :: bounds => halo_bounds
    procedure :: elements => halo_elements
    procedure :: execute => halo_execute
    procedure :: start => halo_start
    procedure :: add => halo_add
    procedure :: start_add => halo_start_add
    procedure :: test => halo_test
    procedure :: finish => halo_finish
    procedure :: record => halo_record
    procedure :: strategy => halo_strategy
    procedure :: describe => halo_describe
    procedure :: destroy => end_halo
    final :: finalize_halo
  end type

  type, bind(c) :: c_halo_options
    integer(c_int64_t), dimension(WEFT_MAX_AXES) :: width = 0, behind = -1
    integer(c_int) :: periodic(WEFT_MAX_AXES) = 0
    integer(c_int) :: corners = 1, fields = 1, adds = 0
  end type

  interface
    integer(c_int) function weft_halo_create_f(halo, comm, layout, element_bytes, how, options) bind(c)
      import
      type(c_ptr), intent(out) :: halo
      integer(c_int), value :: comm
      type(c_ptr), value :: layout, options
      integer(c_int64_t), value :: element_bytes
      type(c_halo_options), intent(in) :: how
    end function
    integer(c_int) function weft_halo_create_lists_f(halo, comm, layout, ghosts, element_bytes, how, options) bind(c)
      import
      type(c_ptr), intent(out) :: halo
      integer(c_int), value :: comm
      type(c_ptr), value :: layout, ghosts, options
      integer(c_int64_t), value :: element_bytes
      type(c_halo_options), intent(in) :: how
    end function
    subroutine weft_halo_destroy(halo) bind(c)
      import
      type(c_ptr), intent(inout) :: halo
    end subroutine
    integer(c_int) function weft_layout_checkerboard_ghosts(ghosts, layout, how, parity) bind(c)
      import
      type(c_ptr), intent(out) :: ghosts
      type(c_ptr), value :: layout
      type(c_halo_options), intent(in) :: how
      integer(c_int), value :: parity
    end function
    integer(c_int) function weft_halo_elements(halo, elements) bind(c)
      import
      type(c_ptr), value :: halo
      integer(c_int64_t), intent(inout) :: elements
    end function
    integer(c_int) function weft_halo_inside(halo, view, offset) bind(c)
      import
      type(c_ptr), value :: halo
      type(c_view), intent(out) :: view
      integer(c_int64_t), intent(out) :: offset
    end function
    integer(c_int) function weft_halo_execute(halo, fields, arrays) bind(c)
      import
      type(c_ptr), value :: halo
      integer(c_int64_t), value :: fields
      type(c_ptr), intent(in) :: arrays(*)
    end function
    integer(c_int) function weft_halo_start(halo, fields, arrays) bind(c)
      import
      type(c_ptr), value :: halo
      integer(c_int64_t), value :: fields
      type(c_ptr), intent(in) :: arrays(*)
    end function
    integer(c_int) function weft_halo_start_add(halo, type, fields, arrays) bind(c)
      import
      type(c_ptr), value :: halo
      character(kind=c_char), intent(in) :: type(*)
      integer(c_int64_t), value :: fields
      type(c_ptr), intent(in) :: arrays(*)
    end function
    integer(c_int) function weft_halo_test(halo, done) bind(c)
      import
      type(c_ptr), value :: halo
      integer(c_int), intent(inout) :: done
    end function
    integer(c_int) function weft_halo_finish(halo) bind(c)
      import
      type(c_ptr), value :: halo
    end function
    integer(c_int) function weft_halo_record(halo, trace) bind(c)
      import
      type(c_ptr), value :: halo, trace
    end function
    integer(c_int) function weft_halo_strategy(halo, text, room, length) bind(c)
      import
      type(c_ptr), value :: halo, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_halo_describe(halo, text, room, length) bind(c)
      import
      type(c_ptr), value :: halo, text
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
  end interface

contains

  ! Collective. A rank's array is its box of the layout with the ghost points around it: width(axis) at both ends, or
  ! behind(axis) at the upper one; `bounds` tells its bounds. periodic(axis): beyond the global
  ! shape lies the other end. corners = .false.: points that are ghosts on more than one axis are
  ! left as they are. `fields` arrays are exchanged at once. adds = .true.: `add` will be called. Of
  ! the options only 'strategy', 'nodes' and 'wisdom' may be set.
  subroutine halo_f08(halo, comm, layout, element_bytes, width, behind, periodic, corners, fields, adds, options, ierr)
    class(weft_halo), intent(inout) :: halo
    type(MPI_Comm), intent(in) :: comm
    type(weft_layout), intent(in) :: layout
    integer, intent(in) :: element_bytes, width(:)
    integer, intent(in), optional :: behind(:), fields
    logical, intent(in), optional :: periodic(:), corners, adds
    type(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call halo_integer(halo, comm%MPI_VAL, layout, element_bytes, width, behind, periodic, corners, fields, adds, &
      options, ierr)
  end subroutine
  subroutine halo_integer(halo, comm, layout, element_bytes, width, behind, periodic, corners, fields, adds, options, &
    ierr)
    class(weft_halo), intent(inout) :: halo
    integer, intent(in) :: comm
    type(weft_layout), intent(in) :: layout
    integer, intent(in) :: element_bytes, width(:)
    integer, intent(in), optional :: behind(:), fields
    logical, intent(in), optional :: periodic(:), corners, adds
    type(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    type(c_halo_options) :: how
    integer(c_int) :: status
    call weft_halo_destroy(halo%handle)
    call begin()
    call wishes(layout, width, behind, periodic, corners, fields, adds, how, status)
    if (status == WEFT_OK) status = weft_halo_create_f(halo%handle, int(comm, c_int), layout%handle, &
      int(element_bytes, c_int64_t), how, options_handle(options))
    if (status == WEFT_OK) then
      halo%axes = size(width)
      halo%width(1:halo%axes) = width
      halo%behind(1:halo%axes) = width
      if (present(behind)) halo%behind(1:halo%axes) = behind
      halo%element_bytes = element_bytes
    end if
    call ended(status, ierr)
  end subroutine

  subroutine wishes(layout, width, behind, periodic, corners, fields, adds, how, status)
    type(weft_layout), intent(in) :: layout
    integer, intent(in) :: width(:)
    integer, intent(in), optional :: behind(:), fields
    logical, intent(in), optional :: periodic(:), corners, adds
    type(c_halo_options), intent(out) :: how
    integer(c_int), intent(out) :: status
    integer :: failed, axes
    axes = size(layout%shape(failed))
    status = int(failed, c_int)
    if (status /= WEFT_OK) return
    if (size(width) /= axes) call refuse('the width has ' // number_text(size(width)) // &
      ' entries; give one for each of ' // number_text(axes) // ' axes', status)
    if (status == WEFT_OK) how%width(1:axes) = turned(width)
    if (present(behind)) then
      if (size(behind) /= axes) call refuse('behind has ' // number_text(size(behind)) // &
        ' entries; give one for each of ' // number_text(axes) // ' axes', status)
      if (status == WEFT_OK) how%behind(1:axes) = turned(behind)
    end if
    if (present(periodic)) then
      if (size(periodic) /= axes) call refuse('periodic has ' // number_text(size(periodic)) // &
        ' entries; give one for each of ' // number_text(axes) // ' axes', status)
      if (status == WEFT_OK) how%periodic(1:axes) = turned_flags(periodic)
    end if
    if (present(corners)) how%corners = merge(1_c_int, 0_c_int, corners)
    if (present(fields)) how%fields = int(fields, c_int)
    if (present(adds)) how%adds = merge(1_c_int, 0_c_int, adds)
  end subroutine

  ! Collective. Of any points: a rank's array holds its points of `layout`, and behind them those of `ghosts`, which
  ! belong to whichever rank.
  subroutine lists_f08(halo, comm, layout, ghosts, element_bytes, fields, adds, options, ierr)
    class(weft_halo), intent(inout) :: halo
    type(MPI_Comm), intent(in) :: comm
    type(weft_layout), intent(in) :: layout, ghosts
    integer, intent(in) :: element_bytes
    integer, intent(in), optional :: fields
    logical, intent(in), optional :: adds
    type(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    call lists_integer(halo, comm%MPI_VAL, layout, ghosts, element_bytes, fields, adds, options, ierr)
  end subroutine
  subroutine lists_integer(halo, comm, layout, ghosts, element_bytes, fields, adds, options, ierr)
    class(weft_halo), intent(inout) :: halo
    integer, intent(in) :: comm
    type(weft_layout), intent(in) :: layout, ghosts
    integer, intent(in) :: element_bytes
    integer, intent(in), optional :: fields
    logical, intent(in), optional :: adds
    type(weft_options), intent(in), optional :: options
    integer, intent(out), optional :: ierr
    type(c_halo_options) :: how
    integer(c_int) :: status
    call weft_halo_destroy(halo%handle)
    call begin()
    if (present(fields)) how%fields = int(fields, c_int)
    if (present(adds)) how%adds = merge(1_c_int, 0_c_int, adds)
    status = weft_halo_create_lists_f(halo%handle, int(comm, c_int), layout%handle, ghosts%handle, &
      int(element_bytes, c_int64_t), how, options_handle(options))
    halo%axes = 0
    halo%element_bytes = element_bytes
    call ended(status, ierr)
  end subroutine

  ! The bounds of this rank's array, ghost points included: allocate (u(lo(1):hi(1), lo(2):hi(2), ...)). Ghost points
  ! have indices below 1 or above the extents where they are copies of the other end. Not of lists.
  subroutine halo_bounds(halo, lo, hi, ierr)
    class(weft_halo), intent(in) :: halo
    integer, intent(out) :: lo(:), hi(:)
    integer, intent(out), optional :: ierr
    type(c_view) :: view
    integer(c_int64_t) :: offset
    integer(c_int) :: status
    integer :: n
    call begin()
    lo = 1
    hi = 0
    status = weft_halo_inside(halo%handle, view, offset)
    n = halo%axes
    if (status == WEFT_OK .and. (size(lo) /= n .or. size(hi) /= n)) call refuse('lo and hi have ' // &
      number_text(size(lo)) // ' and ' // number_text(size(hi)) // ' entries; give one for each of ' // &
      number_text(n) // ' axes', status)
    if (status == WEFT_OK) then
      if (all(view%hi(1:n) > view%lo(1:n))) then  ! a rank without points has no ghost points
        lo = int(view%lo(n:1:-1)) + 1 - halo%width(1:n)
        hi = int(view%hi(n:1:-1)) + halo%behind(1:n)
      end if
    end if
    call ended(status, ierr)
  end subroutine

  ! Elements of this rank's array.
  function halo_elements(halo, ierr) result(elements)
    class(weft_halo), intent(in) :: halo
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: elements
    call begin()
    elements = 0
    call ended(weft_halo_elements(halo%handle, elements), ierr)
  end function

  ! The addresses of a call's arrays, and the type of their numbers.
  subroutine gather(halo, addresses, count, type, status, u, v, w, x)
    class(weft_halo), intent(in) :: halo
    type(c_ptr), intent(out) :: addresses(4)
    integer(c_int64_t), intent(out) :: count
    character(len=4), intent(out) :: type
    integer(c_int), intent(out) :: status
    type(*), intent(inout), target :: u(..)
    type(*), intent(inout), target, optional :: v(..), w(..), x(..)
    character(kind=c_char) :: name(4)
    integer(c_int64_t) :: elements, bytes, of_one
    status = weft_halo_elements(halo%handle, elements)
    bytes = elements * halo%element_bytes
    count = 1
    type = ''
    if (status /= WEFT_OK) return
    call weft_fortran_list(u, name, elements, of_one)
    type = short_text(name)
    addresses(1) = c_loc(u)
    call check_room(u, bytes, 'the first array of a halo', status)
    if (present(v)) then
      addresses(2) = c_loc(v)
      count = 2
      if (status == WEFT_OK) call check_room(v, bytes, 'the second array of a halo', status)
    end if
    if (present(w)) then
      addresses(3) = c_loc(w)
      count = 3
      if (status == WEFT_OK) call check_room(w, bytes, 'the third array of a halo', status)
    end if
    if (present(x)) then
      addresses(4) = c_loc(x)
      count = 4
      if (status == WEFT_OK) call check_room(x, bytes, 'the fourth array of a halo', status)
    end if
  end subroutine

  ! Collective: fills the ghost points of one array, or of as many as the halo has fields, up to four. Arrays are
  ! contiguous.
  subroutine halo_execute(halo, u, v, w, x, ierr)
    class(weft_halo), intent(in) :: halo
    type(*), intent(inout), target :: u(..)
    type(*), intent(inout), target, optional :: v(..), w(..), x(..)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: addresses(4)
    integer(c_int64_t) :: count
    character(len=4) :: type
    integer(c_int) :: status
    call begin()
    call gather(halo, addresses, count, type, status, u, v, w, x)
    if (status == WEFT_OK) status = weft_halo_execute(halo%handle, count, addresses)
    call ended(status, ierr)
  end subroutine

  ! Collective: begins to fill them. Until `finish` returns own points may be read, not written, and ghost points
  ! neither; the arrays must stay where they are, so give them the attribute asynchronous or volatile.
  subroutine halo_start(halo, u, v, w, x, ierr)
    class(weft_halo), intent(in) :: halo
    type(*), intent(inout), target :: u(..)
    type(*), intent(inout), target, optional :: v(..), w(..), x(..)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: addresses(4)
    integer(c_int64_t) :: count
    character(len=4) :: type
    integer(c_int) :: status
    call begin()
    call gather(halo, addresses, count, type, status, u, v, w, x)
    if (status == WEFT_OK) status = weft_halo_start(halo%handle, count, addresses)
    call ended(status, ierr)
  end subroutine

  ! Collective: adds the value of every ghost point to the point that it is a copy of. The arrays are of real or complex
  ! numbers, or of integers of 4 or 8 bytes.
  subroutine halo_add(halo, u, v, w, x, ierr)
    class(weft_halo), intent(in) :: halo
    type(*), intent(inout), target :: u(..)
    type(*), intent(inout), target, optional :: v(..), w(..), x(..)
    integer, intent(out), optional :: ierr
    integer :: failed
    call halo_start_add(halo, u, v, w, x, failed)
    if (failed == WEFT_OK) then
      call halo_finish(halo, ierr)
    else
      call ended(int(failed, c_int), ierr)
    end if
  end subroutine

  ! Collective: begins to add. Until `finish` returns ghost points may be read, not written, and own points neither.
  subroutine halo_start_add(halo, u, v, w, x, ierr)
    class(weft_halo), intent(in) :: halo
    type(*), intent(inout), target :: u(..)
    type(*), intent(inout), target, optional :: v(..), w(..), x(..)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: addresses(4)
    integer(c_int64_t) :: count
    character(len=4) :: type
    integer(c_int) :: status
    call begin()
    call gather(halo, addresses, count, type, status, u, v, w, x)
    if (status == WEFT_OK) status = weft_halo_start_add(halo%handle, in_c(type), count, addresses)
    call ended(status, ierr)
  end subroutine

  ! Local: lets what was started progress; whether all that comes has come.
  function halo_test(halo, ierr) result(done)
    class(weft_halo), intent(in) :: halo
    integer, intent(out), optional :: ierr
    logical :: done
    integer(c_int) :: found
    call begin()
    found = 0
    call ended(weft_halo_test(halo%handle, found), ierr)
    done = found == 1
  end function

  ! Collective: ends what was started.
  subroutine halo_finish(halo, ierr)
    class(weft_halo), intent(in) :: halo
    integer, intent(out), optional :: ierr
    call begin()
    call ended(weft_halo_finish(halo%handle), ierr)
  end subroutine

  subroutine halo_record(halo, trace, ierr)
    class(weft_halo), intent(in) :: halo
    type(weft_trace), intent(in) :: trace
    integer, intent(out), optional :: ierr
    call begin()
    call ended(weft_halo_record(halo%handle, trace%handle), ierr)
  end subroutine

  function halo_strategy(halo, ierr) result(text)
    class(weft_halo), intent(in) :: halo
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = told(weft_halo_strategy, halo%handle, ierr)
  end function

  function halo_describe(halo, ierr) result(text)
    class(weft_halo), intent(in) :: halo
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = told(weft_halo_describe, halo%handle, ierr)
  end function

  ! Ghost points of boxes as lists, beside a checkerboard of the same boxes: those of even sum of
  ! C's indices (parity 0), of odd (1), or both (-1, also absent). docs/halo.md tells their order,
  ! along C's axes.
  subroutine weft_checkerboard_ghosts(ghosts, layout, width, periodic, corners, parity, ierr)
    type(weft_layout), intent(inout) :: ghosts
    type(weft_layout), intent(in) :: layout
    integer, intent(in) :: width(:)
    logical, intent(in), optional :: periodic(:), corners
    integer, intent(in), optional :: parity
    integer, intent(out), optional :: ierr
    type(c_halo_options) :: how
    integer(c_int) :: status, of
    call ghosts%destroy()
    call begin()
    of = -1
    if (present(parity)) of = int(parity, c_int)
    call wishes(layout, width, periodic=periodic, corners=corners, how=how, status=status)
    if (status == WEFT_OK) status = weft_layout_checkerboard_ghosts(ghosts%handle, layout%handle, how, of)
    call ended(status, ierr)
  end subroutine

  subroutine assign_halo(to, from)
    class(weft_halo), intent(inout) :: to
    class(weft_halo), intent(in) :: from
    if (.not. c_associated(to%handle, from%handle)) call refuse_assignment('weft_halo')
  end subroutine
  subroutine end_halo(halo)
    class(weft_halo), intent(inout) :: halo
    call weft_halo_destroy(halo%handle)
  end subroutine
  subroutine finalize_halo(halo)
    type(weft_halo), intent(inout) :: halo
    call weft_halo_destroy(halo%handle)
  end subroutine

end module
