! What is transformed: transforms of all kinds, spheres of plane waves, kept parts of a spectrum.
module weft_problems
  use weft_base
  implicit none
  private
  public :: weft_problem, weft_cutoff, weft_kinds, weft_sphere, weft_kept_box, make_problem, weft_problem_destroy

  ! A value, of which a plan makes what it needs. Axes are the fastest first.
  type :: weft_problem
    character(len=:), allocatable :: precision           ! 'single' or 'double'
    integer(c_int64_t), allocatable :: shape(:)          ! of plane waves: the grid
    character(len=:), allocatable :: kinds               ! or:
    integer, allocatable :: axes(:)                      ! of kinds: to transform, from 1 on; empty: all
    integer(c_int64_t), allocatable :: vectors(:,:)      ! of a sphere: three integers for each
    type(weft_cutoff), allocatable :: cutoff             ! of a sphere, or:
    integer(c_int64_t), allocatable :: kept(:), low(:)   ! of a kept box
    character(len=:), allocatable :: balance             ! of a cutoff
    logical :: of_real = .false.                         ! of plane waves: real functions
  end type

  ! All G with (k+G)^T metric (k+G) <= squared. `half`: one of every pair +-G only, with k = 0: g(1) > 0, or g(1) = 0
  ! and g(2) > 0, or both 0 and g(3) >= 0.
  type :: weft_cutoff
    real(c_double) :: squared = 0  ! in the units of the metric
    real(c_double) :: metric(3, 3) = reshape([1, 0, 0, 0, 1, 0, 0, 0, 1], [3, 3])  ! b_i . b_j of the reciprocal cell
    real(c_double) :: k(3) = 0     ! in units of the b_i
    logical :: half = .false.
  end type

  type, bind(c) :: c_cutoff
    real(c_double) :: squared, metric(3, 3), k(3)
    integer(c_int) :: half
  end type

  ! A problem of one kind for all axes, or of one for each, in the order of axes: 'r2c', 'r2c,dst2,c2c'.
  interface weft_kinds
    module procedure kinds_4, kinds_8
  end interface

  ! Plane waves on a grid of three axes. Of `vectors` these are this rank's G-vectors, three integers each, in the order
  ! of the coefficients; all vectors of one (g(1), g(2)) belong to one rank. Of a cutoff they are shared among ranks by
  ! the rule `balance`, 'coefficients' or 'columns', and weft_plan's `vectors` tells them.
  interface weft_sphere
    module procedure sphere_4, sphere_8, sphere_below
  end interface

  interface
    integer(c_int) function weft_problem_create(problem, precision, axes, shape, kinds, count, transformed) bind(c)
      import
      type(c_ptr), intent(out) :: problem
      character(kind=c_char), intent(in) :: precision(*), kinds(*)
      integer(c_int64_t), value :: axes, count
      integer(c_int64_t), intent(in) :: shape(*), transformed(*)
    end function
    integer(c_int) function weft_problem_sphere(problem, precision, grid, count, g, of_real) bind(c)
      import
      type(c_ptr), intent(out) :: problem
      character(kind=c_char), intent(in) :: precision(*)
      integer(c_int64_t), intent(in) :: grid(*), g(*)
      integer(c_int64_t), value :: count
      integer(c_int), value :: of_real
    end function
    integer(c_int) function weft_problem_cutoff(problem, precision, grid, cutoff, balance, of_real) bind(c)
      import
      type(c_ptr), intent(out) :: problem
      character(kind=c_char), intent(in) :: precision(*), balance(*)
      integer(c_int64_t), intent(in) :: grid(*)
      type(c_cutoff), intent(in) :: cutoff
      integer(c_int), value :: of_real
    end function
    integer(c_int) function weft_problem_kept_box(problem, precision, grid, kept, low, of_real) bind(c)
      import
      type(c_ptr), intent(out) :: problem
      character(kind=c_char), intent(in) :: precision(*)
      integer(c_int64_t), intent(in) :: grid(*), kept(*)
      type(c_ptr), value :: low
      integer(c_int), value :: of_real
    end function
    subroutine weft_problem_destroy(problem) bind(c)
      import
      type(c_ptr), intent(inout) :: problem
    end subroutine
  end interface

contains

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
    problem = on_grid(shape, precision)
    problem%kinds = trim(kinds)
    allocate (problem%axes(0))
    if (present(axes)) problem%axes = axes
  end function

  function sphere_4(grid, vectors, precision, of_real) result(problem)
    integer, intent(in) :: grid(:), vectors(:,:)
    character(len=*), intent(in), optional :: precision
    logical, intent(in), optional :: of_real  ! real functions: of every pair +-G one is given
    type(weft_problem) :: problem
    problem = sphere_8(grid, int(vectors, c_int64_t), precision, of_real)
  end function

  function sphere_8(grid, vectors, precision, of_real) result(problem)
    integer, intent(in) :: grid(:)
    integer(c_int64_t), intent(in) :: vectors(:,:)
    character(len=*), intent(in), optional :: precision
    logical, intent(in), optional :: of_real
    type(weft_problem) :: problem
    problem = on_grid(int(grid, c_int64_t), precision, of_real)
    problem%vectors = vectors
  end function

  function sphere_below(grid, cutoff, precision, of_real, balance) result(problem)
    integer, intent(in) :: grid(:)
    type(weft_cutoff), intent(in) :: cutoff
    character(len=*), intent(in), optional :: precision, balance
    logical, intent(in), optional :: of_real
    type(weft_problem) :: problem
    problem = on_grid(int(grid, c_int64_t), precision, of_real)
    problem%cutoff = cutoff
    problem%balance = 'coefficients'
    if (present(balance)) problem%balance = trim(balance)
  end function

  ! A part of the spectrum of a grid: that of a smaller grid `kept`, or, with `low`, kept(a) indices of axis a from
  ! low(a) on, which may be negative. The rest is zero backward and dropped forward. Of real functions the first axis is
  ! halved.
  function weft_kept_box(grid, kept, low, precision, of_real) result(problem)
    integer, intent(in) :: grid(:), kept(:)
    integer, intent(in), optional :: low(:)
    character(len=*), intent(in), optional :: precision
    logical, intent(in), optional :: of_real
    type(weft_problem) :: problem
    problem = on_grid(int(grid, c_int64_t), precision, of_real)
    problem%kept = kept
    if (present(low)) problem%low = low
  end function

  function on_grid(shape, precision, of_real) result(problem)
    integer(c_int64_t), intent(in) :: shape(:)
    character(len=*), intent(in), optional :: precision
    logical, intent(in), optional :: of_real
    type(weft_problem) :: problem
    problem%shape = shape
    problem%precision = 'double'
    if (present(precision)) problem%precision = trim(precision)
    if (present(of_real)) problem%of_real = of_real
  end function

  ! The problem as weft.h has it.
  subroutine make_problem(problem, made, status)
    type(weft_problem), intent(in) :: problem
    type(c_ptr), intent(out) :: made
    integer(c_int), intent(out) :: status
    integer(c_int64_t), target :: low(3)
    type(c_ptr) :: lowest
    integer(c_int64_t), allocatable :: shape(:)
    integer(c_int) :: of_real
    integer :: axes
    made = c_null_ptr
    status = WEFT_OK
    if (.not. (allocated(problem%shape) .and. allocated(problem%precision))) then
      call refuse('the problem has not been made; weft_kinds, weft_sphere and weft_kept_box make one', status)
      return
    end if
    axes = size(problem%shape)
    shape = problem%shape(axes:1:-1)
    of_real = merge(1_c_int, 0_c_int, problem%of_real)
    if (allocated(problem%kinds)) then
      status = weft_problem_create(made, in_c(problem%precision), int(axes, c_int64_t), shape, &
        in_c(backwards(problem%kinds)), size(problem%axes, kind=c_int64_t), turned_axes(problem%axes, axes))
      return
    end if
    if (axes /= 3) call refuse('plane waves are on a grid of ' // number_text(axes) // ' axes; give 3', status)
    if (status /= WEFT_OK) return
    if (allocated(problem%vectors)) then
      if (size(problem%vectors, 1) /= 3) then
        call refuse('vectors has ' // number_text(size(problem%vectors, 1)) // ' rows; give three integers for each', &
          status)
      else
        status = weft_problem_sphere(made, in_c(problem%precision), shape, size(problem%vectors, 2, c_int64_t), &
          problem%vectors(3:1:-1, :), of_real)
      end if
    else if (allocated(problem%cutoff)) then
      status = weft_problem_cutoff(made, in_c(problem%precision), shape, of_c(problem%cutoff), &
        in_c(problem%balance), of_real)
    else
      if (size(problem%kept) /= 3) call refuse('kept has ' // number_text(size(problem%kept)) // &
        ' entries; give one for each of 3 axes', status)
      lowest = c_null_ptr
      if (allocated(problem%low)) then
        if (size(problem%low) /= 3) call refuse('low has ' // number_text(size(problem%low)) // &
          ' entries; give one for each of 3 axes', status)
        if (status == WEFT_OK) low = problem%low(3:1:-1)
        lowest = c_loc(low)
      end if
      if (status == WEFT_OK) status = weft_problem_kept_box(made, in_c(problem%precision), shape, &
        problem%kept(3:1:-1), lowest, of_real)
    end if
  end subroutine

  pure function of_c(cutoff) result(in_c_order)
    type(weft_cutoff), intent(in) :: cutoff
    type(c_cutoff) :: in_c_order
    in_c_order%squared = cutoff%squared
    in_c_order%metric = cutoff%metric(3:1:-1, 3:1:-1)
    in_c_order%k = cutoff%k(3:1:-1)
    in_c_order%half = merge(1_c_int, 0_c_int, cutoff%half)
  end function

end module
