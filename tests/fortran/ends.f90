! What happens before MPI, after it, and where handles have ended.
module of_ends
  use, intrinsic :: iso_c_binding, only: c_null_ptr
  use checks
  implicit none
  private
  public :: early, ended_handles, late
  type(weft_plan) :: fft
  type(weft_redistribution) :: late_move
  type(weft_halo) :: late_halo

contains

  subroutine early()
    integer :: ierr
    rank = -1
    call fft%create(0, weft_kinds([4, 4], 'c2c'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is not initialised') > 0, 'before MPI_Init')
    call expect(len(weft_version()) > 2, 'a version')
  end subroutine

  ! Handles that have ended, and communicators that are none.
  subroutine ended_handles()
    complex(c_double_complex), pointer :: u(:,:)
    type(weft_layout) :: layout
    type(weft_plan) :: stale
    character(len=:), allocatable :: text
    integer :: ierr
    call fft%create(MPI_COMM_WORLD, weft_kinds([6, 4], 'c2c'))
    stale%handle = fft%handle
    call fft%destroy()
    text = stale%describe(ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'one that has been destroyed') > 0, 'a stale handle')
    stale%handle = c_null_ptr
    call out_of_scope()
    call fft%create(123456789, weft_kinds([6, 4], 'c2c'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'the communicator is') > 0, 'no communicator')
    call fft%create(MPI_COMM_WORLD, weft_kinds([6, 4], 'c2c'))
    call fft%output(u)
    call layout%slab([6, 4], 2, ranks)
    call late_move%create(MPI_COMM_WORLD, layout, layout, 8)
    call late_halo%create(MPI_COMM_WORLD, layout, 8, [1, 1])
  end subroutine

  ! What is made in a procedure ends with it.
  subroutine out_of_scope()
    type(weft_plan) :: plan
    type(weft_layout) :: layout
    type(weft_options) :: options
    type(weft_redistribution) :: move
    type(weft_halo) :: halo
    type(weft_long_line) :: line
    type(weft_trace) :: trace
    type(weft_tuning) :: tuning
    type(weft_wisdom) :: wisdom
    character(len=:), allocatable :: text
    integer :: ierr
    call makes_and_leaves(plan, layout, options, move, halo, line, trace, tuning, wisdom)
    text = plan%describe(ierr)
    call ended(ierr, 'a plan')
    text = layout%describe(ierr)
    call ended(ierr, 'a layout')
    text = options%describe(ierr)
    call ended(ierr, 'options')
    text = move%describe(ierr)
    call ended(ierr, 'a redistribution')
    text = halo%describe(ierr)
    call ended(ierr, 'a halo')
    text = line%describe(ierr)
    call ended(ierr, 'a long line')
    call trace%write('nowhere.json', ierr)
    call ended(ierr, 'a trace')
    text = tuning%reason(ierr)
    call ended(ierr, 'a tuning')
    text = wisdom%text(ierr)
    call ended(ierr, 'wisdom')
  contains
    subroutine ended(ierr, what)
      integer, intent(in) :: ierr
      character(len=*), intent(in) :: what
      call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'one that has been destroyed') > 0, &
        what // ' that went out of scope')
    end subroutine
  end subroutine
  subroutine makes_and_leaves(plan, layout, options, move, halo, line, trace, tuning, wisdom)
    type(weft_plan), intent(inout) :: plan
    type(weft_layout), intent(inout) :: layout
    type(weft_options), intent(inout) :: options
    type(weft_redistribution), intent(inout) :: move
    type(weft_halo), intent(inout) :: halo
    type(weft_long_line), intent(inout) :: line
    type(weft_trace), intent(inout) :: trace
    type(weft_tuning), intent(inout) :: tuning
    type(weft_wisdom), intent(inout) :: wisdom
    type(weft_plan) :: own_plan
    type(weft_layout) :: own_layout
    type(weft_options) :: own_options
    type(weft_redistribution) :: own_move
    type(weft_halo) :: own_halo
    type(weft_long_line) :: own_line
    type(weft_trace) :: own_trace
    type(weft_tuning) :: own_tuning
    type(weft_wisdom) :: own_wisdom
    call own_plan%create(MPI_COMM_WORLD, weft_kinds([6, 4], 'c2c'))
    call own_layout%slab([6, 4], 2, ranks)
    call own_options%set('batch', 2)
    call own_move%create(MPI_COMM_WORLD, own_layout, own_layout, 8)
    call own_halo%create(MPI_COMM_WORLD, own_layout, 8, [1, 1])
    call own_line%create(MPI_COMM_WORLD, 12_c_int64_t)
    call own_trace%create(MPI_COMM_WORLD)
    call own_tuning%create(MPI_COMM_WORLD, weft_kinds([6, 4], 'c2c'), seconds=0d0)
    call own_wisdom%parse(weft_export_wisdom())
    plan%handle = own_plan%handle
    layout%handle = own_layout%handle
    options%handle = own_options%handle
    move%handle = own_move%handle
    halo%handle = own_halo%handle
    line%handle = own_line%handle
    trace%handle = own_trace%handle
    tuning%handle = own_tuning%handle
    wisdom%handle = own_wisdom%handle
  end subroutine

  ! When MPI has ended.
  subroutine late()
    complex(c_double_complex), pointer :: u(:,:), v(:,:)
    real(c_double) :: list(1000)
    type(weft_plan) :: plan
    integer :: ierr
    call fft%input(u)
    call fft%output(v)
    call fft%forward(u, v, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a plan')
    call late_move%execute(list, list, ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a redistribution')
    call late_halo%execute(list, ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a halo')
    call plan%create(0, weft_kinds([4, 4], 'c2c'), ierr=ierr)
    call expect(ierr == WEFT_ERROR .and. index(weft_message(), 'MPI is already finalised') > 0, 'a new plan')
    call fft%destroy()
  end subroutine

end module
