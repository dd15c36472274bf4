! Layouts.
module of_layouts
  use checks
  implicit none
  private
  public :: layouts

contains

  subroutine layouts()
    type(weft_layout) :: slabs, pencils, other, unmade
    integer(c_int64_t), allocatable :: first(:), length(:)
    integer, allocatable :: counts(:)
    integer :: lo(2), hi(2), r, points, ierr, los(2, ranks), his(2, ranks)
    call slabs%slab([7, 9], 2, ranks)
    call slabs%check()
    points = 0
    do r = 0, ranks - 1
      call slabs%bounds(r, lo, hi)
      los(:, r + 1) = lo
      his(:, r + 1) = hi
      call expect(lo(1) == 1 .and. hi(1) == 7, 'the first axis is whole')
      points = points + product(max(hi - lo + 1, 0))
      call expect(slabs%points(r) == product(max(hi - lo + 1, 0)), 'points of a rank')
    end do
    call expect(points == 63, 'all points')
    call pencils%boxes([7, 9], los, his)
    call expect(pencils == slabs, 'the same boxes')
    call pencils%boxes([7, 9], los, his, order=[2, 1], padding=[0, 2])
    call expect(.not. pencils == slabs, 'another order')
    call other%ordered(slabs, [2, 1], [0, 2])
    call expect(pencils == other, 'ordered')
    call slabs%bounds(0, lo, hi)
    call expect(all(other%strides(0) == [hi(2) - lo(2) + 3, 1]), 'the second axis is the fastest, and padded')
    call expect(other%elements(0) >= other%points(0), 'room for all')
    other = slabs
    call expect(other == slabs, 'a copy')
    call other%slab([7, 9], 1, ranks, split='blocks')
    call other%grid([4, 6], [ranks, 1], splits='even;blocks')
    call other%bounds(ranks - 1, lo, hi)
    call expect(hi(1) == 4 .or. ranks > 4, 'the last rank has the end of the first axis')
    call expect(lo(2) == 1 .and. hi(2) == 6, 'and all of the second')
    call other%grid([4, 10], [1, ranks], splits='even;blocks')
    call other%bounds(ranks - 1, lo, hi)
    call expect(lo(2) == (ranks - 1) * ((10 + ranks - 1) / ranks) + 1, 'the second axis is in blocks')
    call other%slab([7, 9], 2, ranks, order=[2, 1])
    call expect(all(other%strides(0) == [(9 + ranks - 1) / ranks, 1]), 'a slab whose second axis is the fastest')
    call other%replicated([3, 5], ranks)
    call expect(other%points(ranks - 1) == 15 .and. all(other%shape() == [3, 5]), 'all on every rank')
    call other%grown(slabs, [1, 2])
    call other%bounds(0, lo, hi)
    call expect(lo(1) == 0 .and. hi(1) == 8 .and. lo(2) == -1, 'grown')
    allocate (counts(ranks))
    counts = 0
    counts(1) = 2
    call other%runs([7, 9], counts, [60_c_int64_t, 1_c_int64_t], [4_c_int64_t, 10_c_int64_t])
    call other%list(0, first, length)
    call expect(size(first) == 2, 'two runs')
    if (size(first) == 2) call expect(all(first == [60, 1]) .and. all(length == [4, 10]), 'their points')
    call expect(len(other%describe()) > 5, 'a line')
    call other%check(ierr)
    call expect(ierr == WEFT_ERROR, 'points without owner')
    call other%slab([7, 9], 3, ranks, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'allowed: 1 to 2') > 0, 'no third axis')
    call other%slab([7, 9], 1, ranks, order=[1], ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the order has 1 entries') > 0, 'half an order')
    call other%boxes([7, 9], los(:, 2:), his, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'give both for each rank') > 0, 'lo without hi')
    call other%runs([7, 9], counts, [60_c_int64_t], [4_c_int64_t], ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the counts of runs are 2') > 0, &
      'runs that do not add up')
    counts = unmade%shape(ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'layout is NULL') > 0, 'no layout')
    call slabs%bounds(ranks, lo, hi, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'allowed: 0 to') > 0, 'no such rank')
  end subroutine

end module
