! What layouts call of weft.h, and how Fortran's lists of axes become C's. All is local.
module weft_layout_calls
  use weft_base
  implicit none
  public

  type, bind(c) :: c_run
    integer(c_int64_t) :: first, count
  end type

  interface
    integer(c_int) function weft_layout_slab(layout, axes, shape, axis, ranks, split, order) bind(c)
      import
      type(c_ptr), intent(out) :: layout
      integer(c_int64_t), value :: axes, axis
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int), value :: ranks
      character(kind=c_char), intent(in) :: split(*)
      type(c_ptr), value :: order
    end function
    integer(c_int) function weft_layout_grid(layout, axes, shape, grid, splits, order) bind(c)
      import
      type(c_ptr), intent(out) :: layout
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in) :: shape(*), grid(*)
      character(kind=c_char), intent(in) :: splits(*)
      type(c_ptr), value :: order
    end function
    integer(c_int) function weft_layout_boxes(layout, axes, shape, ranks, lo, hi, order, padding) bind(c)
      import
      type(c_ptr), intent(out) :: layout
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in) :: shape(*), lo(*), hi(*)
      integer(c_int), value :: ranks
      type(c_ptr), value :: order, padding
    end function
    integer(c_int) function weft_layout_runs(layout, axes, shape, ranks, counts, runs) bind(c)
      import
      type(c_ptr), intent(out) :: layout
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in) :: shape(*), counts(*)
      integer(c_int), value :: ranks
      type(c_run), intent(in) :: runs(*)
    end function
    integer(c_int) function weft_layout_replicated(layout, axes, shape, ranks) bind(c)
      import
      type(c_ptr), intent(out) :: layout
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int), value :: ranks
    end function
    integer(c_int) function weft_layout_checkerboard(layout, axes, shape, ranks, lo, hi) bind(c)
      import
      type(c_ptr), intent(out) :: layout
      integer(c_int64_t), value :: axes
      integer(c_int64_t), intent(in) :: shape(*), lo(*), hi(*)
      integer(c_int), value :: ranks
    end function
    integer(c_int) function weft_layout_grown(layout, of, width) bind(c)
      import
      type(c_ptr), intent(out) :: layout
      type(c_ptr), value :: of
      integer(c_int64_t), intent(in) :: width(*)
    end function
    integer(c_int) function weft_layout_ordered(layout, of, order, padding) bind(c)
      import
      type(c_ptr), intent(out) :: layout
      type(c_ptr), value :: of
      type(c_ptr), value :: order, padding
    end function
    integer(c_int) function weft_layout_copy(copy, layout) bind(c)
      import
      type(c_ptr), intent(out) :: copy
      type(c_ptr), value :: layout
    end function
    subroutine weft_layout_destroy(layout) bind(c)
      import
      type(c_ptr), intent(inout) :: layout
    end subroutine
    integer(c_int) function weft_layout_shape(layout, axes, shape, ranks, has_boxes) bind(c)
      import
      type(c_ptr), value :: layout
      integer(c_int64_t), intent(inout) :: axes, shape(*)
      integer(c_int), intent(inout) :: ranks, has_boxes
    end function
    integer(c_int) function weft_layout_view(layout, rank, view) bind(c)
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      type(c_view), intent(out) :: view
    end function
    integer(c_int) function weft_layout_list(layout, rank, runs, room, count) bind(c)
      import
      type(c_ptr), value :: layout, runs
      integer(c_int), value :: rank
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function weft_layout_elements(layout, rank, elements, points) bind(c)
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: rank
      integer(c_int64_t), intent(inout) :: elements, points
    end function
    integer(c_int) function weft_layout_describe(layout, every_part, text, room, length) bind(c)
      import
      type(c_ptr), value :: layout, text
      integer(c_int), value :: every_part
      integer(c_int64_t), value :: room
      integer(c_int64_t), intent(out) :: length
    end function
    integer(c_int) function weft_layout_equal(a, b, equal) bind(c)
      import
      type(c_ptr), value :: a, b
      integer(c_int), intent(inout) :: equal
    end function
    integer(c_int) function weft_layout_check(layout, all_points) bind(c)
      import
      type(c_ptr), value :: layout
      integer(c_int), value :: all_points
    end function
  end interface

contains

  ! `order` of all that follow lists axes, the fastest in memory first; absent: 1, 2, 3, ...
  subroutine order_of(order, axes, in_c_order, address, status)
    integer, intent(in), optional :: order(:)
    integer, intent(in) :: axes
    integer(c_int64_t), intent(out), target :: in_c_order(WEFT_MAX_AXES)
    type(c_ptr), intent(out) :: address
    integer(c_int), intent(inout) :: status
    address = c_null_ptr
    if (.not. present(order)) return
    call check_axes(size(order), axes, 'the order', status)
    if (status /= WEFT_OK) return
    in_c_order(1:axes) = turned_axes(order, axes)
    address = c_loc(in_c_order)
  end subroutine

  ! Elements added to the length that memory has of each axis; absent: none.
  subroutine padding_of(padding, axes, in_c_order, address, status)
    integer, intent(in), optional :: padding(:)
    integer, intent(in) :: axes
    integer(c_int64_t), intent(out), target :: in_c_order(WEFT_MAX_AXES)
    type(c_ptr), intent(out) :: address
    integer(c_int), intent(inout) :: status
    address = c_null_ptr
    if (.not. present(padding)) return
    call check_axes(size(padding), axes, 'the padding', status)
    if (status /= WEFT_OK) return
    in_c_order(1:axes) = turned(padding)
    address = c_loc(in_c_order)
  end subroutine

  subroutine check_count(axes, status)
    integer, intent(in) :: axes
    integer(c_int), intent(inout) :: status
    if (status == WEFT_OK .and. (axes < 1 .or. axes > WEFT_MAX_AXES)) call refuse('the number of axes is ' // &
      number_text(axes) // '; allowed: 1 to ' // number_text(WEFT_MAX_AXES), status)
  end subroutine

  ! Refuses a list without an entry for each axis.
  subroutine check_axes(entries, axes, what, status)
    integer, intent(in) :: entries, axes
    character(len=*), intent(in) :: what
    integer(c_int), intent(inout) :: status
    if (status == WEFT_OK .and. entries /= axes) call refuse(what // ' has ' // number_text(entries) // &
      ' entries; give one for each of ' // number_text(axes) // ' axes', status)
  end subroutine

  function split_of(split) result(text)
    character(len=*), intent(in), optional :: split
    character(len=:), allocatable :: text
    text = 'even'
    if (present(split)) text = split
  end function

  ! The parts between semicolons, the last one first.
  recursive function last_first(list) result(text)
    character(len=*), intent(in) :: list
    character(len=:), allocatable :: text
    integer :: at
    at = index(list, ';', back=.true.)
    if (at == 0) then
      text = list
    else
      text = list(at + 1:) // ';' // last_first(list(:at - 1))
    end if
  end function

  subroutine check_bounds(shape, lo, hi, status)
    integer, intent(in) :: shape(:), lo(:,:), hi(:,:)
    integer(c_int), intent(inout) :: status
    call check_count(size(shape), status)
    call check_axes(size(lo, 1), size(shape), 'lo', status)
    call check_axes(size(hi, 1), size(shape), 'hi', status)
    if (status == WEFT_OK .and. size(lo, 2) /= size(hi, 2)) call refuse('lo is of ' // number_text(size(lo, 2)) // &
      ' ranks and hi of ' // number_text(size(hi, 2)) // '; give both for each rank', status)
  end subroutine

end module
