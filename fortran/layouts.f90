! Layouts: which part of a global array each rank owns, and how it lies in its memory. All is local.
module weft_layouts
  use weft_base
  use weft_layout_calls
  implicit none
  private
  public :: weft_layout

  ! Axes, indices and bounds are Fortran's: the first axis is the fastest, indices count from 1, an upper bound belongs
  ! to the part. Ranks count from 0, as MPI's. What makes a layout replaces the one that was there.
  type :: weft_layout
    type(c_ptr) :: handle = c_null_ptr  ! of weft.h
  contains
    procedure :: slab, grid, boxes, runs, replicated, checkerboard, grown, ordered
    procedure :: shape => layout_shape
    procedure :: ranks => layout_ranks
    procedure :: bounds, strides, elements, points, describe, check, list
    procedure, private :: assign_layout, same
    generic :: assignment(=) => assign_layout
    generic :: operator(==) => same
    procedure :: destroy => end_layout
    final :: finalize_layout
  end type

contains

  ! Puts a new handle in the place of the old one.
  subroutine replace(layout, made, status, ierr)
    class(weft_layout), intent(inout) :: layout
    type(c_ptr), intent(in) :: made
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: ierr
    call weft_layout_destroy(layout%handle)
    if (status == WEFT_OK) layout%handle = made
    call ended(status, ierr)
  end subroutine

  ! Cut along one axis. `split`: 'even', 'blocks', 'blocks:8', or bounds as '0,3,8'; absent: even.
  subroutine slab(layout, shape, axis, ranks, split, order, ierr)
    class(weft_layout), intent(inout) :: layout
    integer, intent(in) :: shape(:), axis, ranks
    character(len=*), intent(in), optional :: split
    integer, intent(in), optional :: order(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: made, memory
    integer(c_int64_t), target :: turned_order(WEFT_MAX_AXES)
    integer(c_int) :: status
    call begin()
    made = c_null_ptr
    status = WEFT_OK
    call check_count(size(shape), status)
    call order_of(order, size(shape), turned_order, memory, status)
    if (axis < 1 .or. axis > size(shape)) call refuse('axis ' // number_text(axis) // &
      ' is to be cut; allowed: 1 to ' // number_text(size(shape)), status)
    if (status == WEFT_OK) status = weft_layout_slab(made, size(shape, kind=c_int64_t), turned(shape), &
      int(size(shape) - axis, c_int64_t), int(ranks, c_int), in_c(split_of(split)), memory)
    call replace(layout, made, status, ierr)
  end subroutine

  ! Cut by a process grid of grid(a) parts along axis a; ranks in Fortran's order of the grid, the first axis the
  ! fastest. `splits`: one for each axis, of the first on, with ; between them, or one for all.
  subroutine grid(layout, shape, parts, splits, order, ierr)
    class(weft_layout), intent(inout) :: layout
    integer, intent(in) :: shape(:), parts(:)
    character(len=*), intent(in), optional :: splits
    integer, intent(in), optional :: order(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: made, memory
    integer(c_int64_t), target :: turned_order(WEFT_MAX_AXES)
    integer(c_int) :: status
    call begin()
    made = c_null_ptr
    status = WEFT_OK
    call check_count(size(shape), status)
    call check_axes(size(parts), size(shape), 'the process grid', status)
    call order_of(order, size(shape), turned_order, memory, status)
    if (status == WEFT_OK) status = weft_layout_grid(made, size(shape, kind=c_int64_t), turned(shape), turned(parts), &
      in_c(last_first(split_of(splits))), memory)
    call replace(layout, made, status, ierr)
  end subroutine

  ! One box a rank: bounds lo(axis, rank + 1) to hi(axis, rank + 1). `padding(axis)` elements are added to the length
  ! that memory has of an axis.
  subroutine boxes(layout, shape, lo, hi, order, padding, ierr)
    class(weft_layout), intent(inout) :: layout
    integer, intent(in) :: shape(:), lo(:,:), hi(:,:)
    integer, intent(in), optional :: order(:), padding(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: made, memory, padded
    integer(c_int64_t), dimension(WEFT_MAX_AXES), target :: turned_order, turned_padding
    integer(c_int) :: status
    call begin()
    made = c_null_ptr
    status = WEFT_OK
    call check_bounds(shape, lo, hi, status)
    call order_of(order, size(shape), turned_order, memory, status)
    call padding_of(padding, size(shape), turned_padding, padded, status)
    if (status == WEFT_OK) status = weft_layout_boxes(made, size(shape, kind=c_int64_t), turned(shape), &
      size(lo, 2, kind=c_int), int(lo(size(shape):1:-1, :) - 1, c_int64_t), &
      int(hi(size(shape):1:-1, :), c_int64_t), memory, padded)
    call replace(layout, made, status, ierr)
  end subroutine

  ! Lists of runs: counts(rank + 1) of them each, one rank's behind the other's. Run i has the points first(i) to
  ! first(i) + length(i) - 1, counted from 1 in the order of Fortran's memory.
  subroutine runs(layout, shape, counts, first, length, ierr)
    class(weft_layout), intent(inout) :: layout
    integer, intent(in) :: shape(:), counts(:)
    integer(c_int64_t), intent(in) :: first(:), length(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: made
    integer(c_int) :: status
    type(c_run) :: all(size(first))
    call begin()
    made = c_null_ptr
    status = WEFT_OK
    if (size(first) /= size(length) .or. sum(counts) /= size(first)) call refuse('the counts of runs are ' // &
      number_text(sum(counts)) // ' together, and there are ' // number_text(size(first)) // ' first points and ' // &
      number_text(size(length)) // ' lengths; give as many of each', status)
    if (status == WEFT_OK) then
      all%first = first - 1
      all%count = length
      status = weft_layout_runs(made, size(shape, kind=c_int64_t), turned(shape), size(counts, kind=c_int), &
        int(counts, c_int64_t), all)
    end if
    call replace(layout, made, status, ierr)
  end subroutine

  ! Everything on every rank.
  subroutine replicated(layout, shape, ranks, ierr)
    class(weft_layout), intent(inout) :: layout
    integer, intent(in) :: shape(:), ranks
    integer, intent(out), optional :: ierr
    type(c_ptr) :: made
    integer(c_int) :: status
    call begin()
    status = weft_layout_replicated(made, size(shape, kind=c_int64_t), turned(shape), int(ranks, c_int))
    call replace(layout, made, status, ierr)
  end subroutine

  ! Of each box the points whose sum of C's indices, which count from 0, is even, then the odd ones.
  subroutine checkerboard(layout, shape, lo, hi, ierr)
    class(weft_layout), intent(inout) :: layout
    integer, intent(in) :: shape(:), lo(:,:), hi(:,:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: made
    integer(c_int) :: status
    call begin()
    made = c_null_ptr
    status = WEFT_OK
    call check_bounds(shape, lo, hi, status)
    if (status == WEFT_OK) status = weft_layout_checkerboard(made, size(shape, kind=c_int64_t), turned(shape), &
      size(lo, 2, kind=c_int), int(lo(size(shape):1:-1, :) - 1, c_int64_t), int(hi(size(shape):1:-1, :), c_int64_t))
    call replace(layout, made, status, ierr)
  end subroutine

  ! The boxes of `of` grown by width(axis) points at both ends, also beyond the global shape.
  subroutine grown(layout, of, width, ierr)
    class(weft_layout), intent(inout) :: layout
    type(weft_layout), intent(in) :: of
    integer, intent(in) :: width(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: made
    integer(c_int) :: status
    call begin()
    made = c_null_ptr
    call check_width(of, size(width), 'the width', status)
    if (status == WEFT_OK) status = weft_layout_grown(made, of%handle, turned(width))
    call replace(layout, made, status, ierr)
  end subroutine

  subroutine check_width(of, entries, what, status)
    type(weft_layout), intent(in) :: of
    integer, intent(in) :: entries
    character(len=*), intent(in) :: what
    integer(c_int), intent(out) :: status
    integer(c_int64_t) :: axes, extents(WEFT_MAX_AXES)
    integer(c_int) :: ranks, has_boxes
    status = weft_layout_shape(of%handle, axes, extents, ranks, has_boxes)
    if (status == WEFT_OK) call check_axes(entries, int(axes), what, status)
  end subroutine

  ! The boxes of `of` in another memory order and padding.
  subroutine ordered(layout, of, order, padding, ierr)
    class(weft_layout), intent(inout) :: layout
    type(weft_layout), intent(in) :: of
    integer, intent(in) :: order(:)
    integer, intent(in), optional :: padding(:)
    integer, intent(out), optional :: ierr
    type(c_ptr) :: made, memory, padded
    integer(c_int64_t), dimension(WEFT_MAX_AXES), target :: turned_order, turned_padding
    integer(c_int) :: status
    call begin()
    made = c_null_ptr
    call check_width(of, size(order), 'the order', status)
    if (status == WEFT_OK) then
      call order_of(order, size(order), turned_order, memory, status)
      call padding_of(padding, size(order), turned_padding, padded, status)
    end if
    if (status == WEFT_OK) status = weft_layout_ordered(made, of%handle, memory, padded)
    call replace(layout, made, status, ierr)
  end subroutine

  ! Extents of the global array; none where there is no layout.
  function layout_shape(layout, ierr) result(shape)
    class(weft_layout), intent(in) :: layout
    integer, intent(out), optional :: ierr
    integer, allocatable :: shape(:)
    integer(c_int64_t) :: axes, extents(WEFT_MAX_AXES)
    integer(c_int) :: ranks, has_boxes, status
    call begin()
    status = weft_layout_shape(layout%handle, axes, extents, ranks, has_boxes)
    allocate (shape(0))
    if (status == WEFT_OK) shape = int(extents(axes:1:-1))
    call ended(status, ierr)
  end function

  function layout_ranks(layout, ierr) result(ranks)
    class(weft_layout), intent(in) :: layout
    integer, intent(out), optional :: ierr
    integer :: ranks
    integer(c_int64_t) :: axes, extents(WEFT_MAX_AXES)
    integer(c_int) :: of, has_boxes, status
    call begin()
    of = 0
    status = weft_layout_shape(layout%handle, axes, extents, of, has_boxes)
    ranks = of
    call ended(status, ierr)
  end function

  ! A rank's part, of layouts of boxes: lo(axis) to hi(axis). Empty where some hi is below its lo.
  subroutine bounds(layout, rank, lo, hi, ierr)
    class(weft_layout), intent(in) :: layout
    integer, intent(in) :: rank
    integer, intent(out) :: lo(:), hi(:)
    integer, intent(out), optional :: ierr
    type(c_view) :: view
    integer(c_int) :: status
    call begin()
    status = weft_layout_view(layout%handle, int(rank, c_int), view)
    lo = 1
    hi = 0
    if (status == WEFT_OK) call check_axes(size(lo), int(view%axes), 'lo', status)
    if (status == WEFT_OK) call check_axes(size(hi), int(view%axes), 'hi', status)
    if (status == WEFT_OK) then
      lo = int(view%lo(view%axes:1:-1)) + 1
      hi = int(view%hi(view%axes:1:-1))
    end if
    call ended(status, ierr)
  end subroutine

  ! How many elements lie between neighbours along each axis in a rank's memory, of layouts of boxes.
  function strides(layout, rank, ierr) result(of_axes)
    class(weft_layout), intent(in) :: layout
    integer, intent(in) :: rank
    integer, intent(out), optional :: ierr
    integer(c_int64_t), allocatable :: of_axes(:)
    type(c_view) :: view
    integer(c_int) :: status
    call begin()
    status = weft_layout_view(layout%handle, int(rank, c_int), view)
    allocate (of_axes(0))
    if (status == WEFT_OK) of_axes = view%strides(view%axes:1:-1)
    call ended(status, ierr)
  end function

  ! A rank's runs, of layouts of runs, as `runs` takes them.
  subroutine list(layout, rank, first, length, ierr)
    class(weft_layout), intent(in) :: layout
    integer, intent(in) :: rank
    integer(c_int64_t), allocatable, intent(out) :: first(:), length(:)
    integer, intent(out), optional :: ierr
    type(c_run), allocatable, target :: all(:)
    integer(c_int64_t) :: count
    integer(c_int) :: status
    call begin()
    allocate (first(0), length(0))
    status = weft_layout_list(layout%handle, int(rank, c_int), c_null_ptr, 0_c_int64_t, count)
    if (status == WEFT_OK) then
      allocate (all(count + 1))
      status = weft_layout_list(layout%handle, int(rank, c_int), c_loc(all), count, count)
      first = all(1:count)%first + 1
      length = all(1:count)%count
    end if
    call ended(status, ierr)
  end subroutine

  ! Elements that a rank's array must have room for.
  function elements(layout, rank, ierr) result(count)
    class(weft_layout), intent(in) :: layout
    integer, intent(in) :: rank
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: count, owned
    call begin()
    count = 0
    call ended(weft_layout_elements(layout%handle, int(rank, c_int), count, owned), ierr)
  end function

  ! Points that a rank owns.
  function points(layout, rank, ierr) result(count)
    class(weft_layout), intent(in) :: layout
    integer, intent(in) :: rank
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: count, room
    call begin()
    count = 0
    call ended(weft_layout_elements(layout%handle, int(rank, c_int), room, count), ierr)
  end function

  ! One line, in C's order of axes.
  function describe(layout, ierr) result(text)
    class(weft_layout), intent(in) :: layout
    integer, intent(out), optional :: ierr
    character(len=:), allocatable :: text
    text = told(one_line, layout%handle, ierr)
  end function
  integer(c_int) function one_line(handle, text, room, length) bind(c, name='')
    type(c_ptr), value :: handle, text
    integer(c_int64_t), value :: room
    integer(c_int64_t), intent(out) :: length
    one_line = weft_layout_describe(handle, 0_c_int, text, room, length)
  end function

  ! Fails, naming ranks and region, if parts overlap or lie outside the shape, or some point belongs to no rank.
  subroutine check(layout, ierr)
    class(weft_layout), intent(in) :: layout
    integer, intent(out), optional :: ierr
    call begin()
    call ended(weft_layout_check(layout%handle, 1_c_int), ierr)
  end subroutine

  ! Every part is the same.
  function same(layout, other) result(equal)
    class(weft_layout), intent(in) :: layout
    type(weft_layout), intent(in) :: other
    logical :: equal
    integer(c_int) :: found
    call begin()
    found = 0
    call ended(weft_layout_equal(layout%handle, other%handle, found))
    equal = found == 1
  end function

  ! A copy of its own.
  subroutine assign_layout(to, from)
    class(weft_layout), intent(inout) :: to
    class(weft_layout), intent(in) :: from
    type(c_ptr) :: copy
    integer(c_int) :: status
    call begin()
    status = WEFT_OK
    copy = c_null_ptr
    if (c_associated(from%handle)) status = weft_layout_copy(copy, from%handle)
    call replace(to, copy, status)
  end subroutine

  subroutine end_layout(layout)
    class(weft_layout), intent(inout) :: layout
    call weft_layout_destroy(layout%handle)
  end subroutine
  subroutine finalize_layout(layout)
    type(weft_layout), intent(inout) :: layout
    call weft_layout_destroy(layout%handle)
  end subroutine

end module
